//! Ids of tasks: what they look like, what they number, what slugs and titles they make.

/// The longest id. **Units**: bytes.
const LONGEST: usize = 100;

/// The deepest a task may stand.
pub(super) const DEEPEST: usize = 4;

/// The highest group of a number.
pub(super) const HIGHEST: u16 = 999;

/// The longest slug that is made of a description. **Units**: bytes.
const SLUG: usize = 40;

/// Why a text is no id of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoId {
    /// It holds what no id may ever hold.
    Forbidden,
    /// It is some other word.
    Other,
}

/// The id of a task, taken apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TaskId<'a> {
    /// The whole id.
    pub(super) text: &'a str,
    /// The number's groups; none for an opaque id.
    pub(super) number: Vec<u16>,
    /// What follows the number.
    pub(super) slug: &'a str,
    /// Whether we would have written it so.
    pub(super) is_canonical: bool,
}

impl<'a> TaskId<'a> {
    /// Reads an id: `02.01-slug`, `2.1-Any_Slug` or `TASK-001`.
    pub(super) fn parse(text: &'a str) -> Result<Self, NoId> {
        if is_forbidden(text) {
            return Err(NoId::Forbidden);
        }
        let (front, slug) = text.split_once('-').ok_or(NoId::Other)?;
        if !front.is_empty() && front.bytes().all(|byte| byte.is_ascii_uppercase()) {
            let opaque = !slug.is_empty() && slug.bytes().all(|byte| byte.is_ascii_digit());
            let id = Self { text, number: Vec::new(), slug, is_canonical: false };
            return if opaque { Ok(id) } else { Err(NoId::Other) };
        }
        let number = number(front).ok_or(NoId::Other)?;
        if slug.is_empty() || !slug.chars().all(is_slug_char) {
            return Err(NoId::Other);
        }
        let is_canonical = front.split('.').all(is_canonical_group) && is_canonical_slug(slug);
        Ok(Self { text, number, slug, is_canonical })
    }

    /// Whether it is a subtask's.
    pub(super) fn is_dotted(&self) -> bool {
        self.number.len() > 1
    }
}

/// The groups of a number: `02.01` as `[2, 1]`.
pub(super) fn number(text: &str) -> Option<Vec<u16>> {
    let digit = |byte: u8| byte.is_ascii_digit().then(|| u16::from(byte - b'0'));
    let mut number = Vec::with_capacity(DEEPEST);
    for group in text.split('.') {
        if !(1..=3).contains(&group.len()) {
            return None;
        }
        number.push(group.bytes().try_fold(0, |sum, byte| Some(sum * 10 + digit(byte)?))?);
    }
    Some(number)
}

/// The number of what is known to be an id; none for an opaque one.
pub(super) fn number_of(id: &str) -> Vec<u16> {
    id.split_once('-').and_then(|(front, _)| number(front)).unwrap_or_default()
}

/// Writes a number: two digits a group, three past 99.
pub(super) fn number_text(number: &[u16]) -> String {
    number.iter().map(|group| format!("{group:02}")).collect::<Vec<_>>().join(".")
}

/// Whether a text may stand in no id, wherever it came from.
pub(super) fn is_forbidden(text: &str) -> bool {
    let bytes = text.as_bytes();
    let is_blank = |character: char| character.is_whitespace() || character.is_control();
    bytes.is_empty()
        || bytes.len() > LONGEST
        || bytes.iter().any(|byte| is_held(*byte))
        || !text.is_ascii() && text.contains(is_blank)
        || bytes.windows(2).any(|pair| pair == b"..")
        || text.starts_with(['.', '-'])
        || text.ends_with(['.', '-'])
        || is_device(text)
}

// Blanks, control characters, and signs of paths and shells.
const fn is_held(byte: u8) -> bool {
    byte <= b' ' || matches!(byte, 0x7f | b'/' | b'\\' | b'<' | b'>' | b':' | b'"' | b'|' | b'?' | b'*')
}

// Names that some systems keep for devices, with any ending.
fn is_device(text: &str) -> bool {
    let stem = text.split('.').next().unwrap_or_default().as_bytes();
    match stem {
        [_, _, _] => [b"con", b"prn", b"aux", b"nul"].iter().any(|name| stem.eq_ignore_ascii_case(*name)),
        [start @ .., digit] if start.len() == 3 => {
            digit.is_ascii_digit() && (start.eq_ignore_ascii_case(b"com") || start.eq_ignore_ascii_case(b"lpt"))
        }
        _ => false,
    }
}

/// Whether a character may stand behind the first hyphen of an id.
pub(super) fn is_slug_char(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '_' | '.' | '-')
}

fn is_canonical_group(group: &str) -> bool {
    group.len() == 2 || group.len() == 3 && !group.starts_with('0')
}

fn is_canonical_slug(slug: &str) -> bool {
    let word =
        |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
    slug.split('-').all(word)
}

/// A slug of a description: `Port data layer!` as `port-data-layer`.
pub(super) fn slug(description: &str) -> String {
    let mut slug = String::new();
    let words = description.split(|character: char| !character.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    for word in words {
        let word = word.to_ascii_lowercase();
        let wanted = slug.len() + word.len() + usize::from(!slug.is_empty());
        if wanted > SLUG {
            if slug.is_empty() {
                slug.push_str(&word[..SLUG]);
            }
            break;
        }
        if !slug.is_empty() {
            slug.push('-');
        }
        slug.push_str(&word);
    }
    if slug.is_empty() { "task".to_owned() } else { slug }
}

/// A title for a task that has none: the words of its slug, the first letter upper.
pub(super) fn title_of(id: &str) -> String {
    let slug = TaskId::parse(id).map_or(id, |id| if id.number.is_empty() { id.text } else { id.slug });
    let words: Vec<&str> = slug.split(['-', '_']).filter(|word| !word.is_empty()).collect();
    let words = words.join(" ");
    let mut letters = words.chars();
    match letters.next() {
        Some(first) => first.to_uppercase().chain(letters).collect(),
        None => id.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn ids_are_canonical_accepted_or_refused() {
        for (text, expected) in [
            ("01-a", Ok((vec![1], true))),
            ("02.01.03-net-10", Ok((vec![2, 1, 3], true))),
            ("100-many", Ok((vec![100], true))),
            ("099-many", Ok((vec![99], false))),
            ("1.2-A_b.c", Ok((vec![1, 2], false))),
            ("01-ünï", Ok((vec![1], false))),
            ("01-a--b", Ok((vec![1], false))),
            ("TASK-001", Ok((vec![], false))),
            ("2020", Err(NoId::Other)),
            ("2020-review", Err(NoId::Other)),
            ("TASK-x", Err(NoId::Other)),
            ("Phase-1", Err(NoId::Other)),
            ("01-a b", Err(NoId::Forbidden)),
            ("../x", Err(NoId::Forbidden)),
            ("01-a/../b", Err(NoId::Forbidden)),
            ("01-a\\b", Err(NoId::Forbidden)),
            ("01-a.", Err(NoId::Forbidden)),
            ("-01", Err(NoId::Forbidden)),
            ("NUL.txt", Err(NoId::Forbidden)),
            ("com1", Err(NoId::Forbidden)),
            ("Lpt9.x-1", Err(NoId::Forbidden)),
            ("01-a\u{a0}b", Err(NoId::Forbidden)),
            ("01-a\u{7}", Err(NoId::Forbidden)),
            ("", Err(NoId::Forbidden)),
        ] {
            let found = TaskId::parse(text).map(|id| (id.number, id.is_canonical));
            assert_eq!(found, expected, "{text:?}");
        }
        assert!(is_forbidden(&format!("01-{}", "a".repeat(98))));
    }

    #[test]
    fn slugs_are_cut_at_words() {
        for (description, expected) in [
            ("Port data layer!", "port-data-layer"),
            ("Ünïcode & more", "n-code-more"),
            ("¡!", "task"),
            ("one two three four five six seven eight nine ten", "one-two-three-four-five-six-seven-eight"),
        ] {
            assert_eq!(slug(description), expected);
        }
        assert_eq!(slug(&"x".repeat(50)).len(), 40);
    }

    #[test]
    fn titles_come_from_slugs() {
        assert_eq!(title_of("01-sdk-setup"), "Sdk setup");
        assert_eq!(title_of("TASK-001"), "TASK 001");
    }

    proptest! {
        #[test]
        fn made_ids_are_canonical(number in prop::collection::vec(0u16..1000, 1..5), text in ".{0,60}") {
            let id = format!("{}-{}", number_text(&number), slug(&text));
            let parsed = TaskId::parse(&id).expect("a made id is an id");
            prop_assert!(parsed.is_canonical);
            prop_assert_eq!(&parsed.number, &number);
            prop_assert_eq!(number_of(&id), number);
        }

        #[test]
        fn the_number_of_an_id_is_read_alike(text in "[0-9A-Z.]{1,8}-[a-z0-9.-]{1,6}") {
            if let Ok(id) = TaskId::parse(&text) {
                prop_assert_eq!(number_of(&text), id.number);
            }
        }

        #[test]
        fn no_id_is_a_path(text in "[01a./\\\\-]{0,8}") {
            if TaskId::parse(&text).is_ok() {
                prop_assert!(!text.contains(['/', '\\']) && !text.contains(".."));
            }
        }
    }
}
