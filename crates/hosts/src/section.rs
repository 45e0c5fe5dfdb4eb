//! A section between markers at the end of a text file: put in, renewed, taken out to the bytes of before.
//!
//! **Shape**: `<!-- mainstay:begin hosts=codex,opencode sum=0123456789abcdef -->`, the lines,
//! `<!-- mainstay:end -->`. Hosts that read the same file share one section; the sum tells lines that a
//! person changed from lines of an earlier version. Formatters may add and remove empty lines and blanks
//! at the ends of lines: the sum does not count them.
//!
//! A host that writes its own settings anew keeps the last comment of a file last, so what it adds comes to
//! stand before our end marker, and may take the marker away with it. Where markers are comments of settings,
//! the section is therefore as many lines as the sum says; what follows them is the host's and stays. A host
//! that removed our lines may leave the end marker behind: alone it marks nothing.

use std::ops::Range;

use model::Refusal;

use crate::part::Comment;

const BEGIN: &str = "mainstay:begin";
const END: &str = "mainstay:end";

/// The section as it stands in a text.
struct Found<'a> {
    /// Where its first marker begins.
    start: usize,
    /// Behind its last line, the line break included.
    end: usize,
    /// Where its own lines stand.
    body: Range<usize>,
    /// What a host wrote between them and the end marker.
    theirs: &'a str,
    hosts: Vec<&'a str>,
    sum: &'a str,
    is_as_put: bool,
    newline: &'static str,
}

/// Puts the section in for a host; gives back a text that has it already.
///
/// **Errors**: `host_block_doubled`, `host_block_edited`.
pub(crate) fn put(text: Option<&str>, comment: Comment, body: &str, host: &str) -> Result<String, Refusal> {
    let Some(text) = text else { return Ok(format!("{}\n", section(comment, body, &[host], "\n"))) };
    let Some(found) = find(text, comment)? else {
        let newline = newline_of(text);
        let section = section(comment, body, &[host], newline);
        return Ok(if text.is_empty() || text.ends_with('\n') {
            format!("{text}{newline}{section}{newline}")
        } else {
            // As the text does, so the section ends without a line break.
            format!("{text}{newline}{newline}{section}")
        });
    };
    found.check()?;
    if found.hosts.contains(&host) && found.sum == shown(sum(body)) {
        return Ok(text.to_owned());
    }
    let mut hosts = found.hosts.clone();
    if !hosts.contains(&host) {
        hosts.push(host);
        hosts.sort_unstable();
    }
    Ok(found.replaced(text, &section(comment, body, &hosts, found.newline)))
}

/// Takes a host's share of the section out, and the section with the last of them.
///
/// Nothing is left of a file that was made for it.
///
/// **Errors**: `host_block_doubled`, `host_block_edited`.
pub(crate) fn take(text: &str, comment: Comment, host: &str) -> Result<Option<String>, Refusal> {
    let Some(found) = find(text, comment)? else { return Ok(Some(text.to_owned())) };
    if found.is_lone_end() {
        return Ok(Some(format!("{}{}", &text[..found.start], &text[found.end..])));
    }
    if !found.hosts.contains(&host) {
        return Ok(Some(text.to_owned()));
    }
    found.check()?;
    let hosts: Vec<&str> = found.hosts.iter().copied().filter(|known| *known != host).collect();
    if !hosts.is_empty() {
        let body = text[found.body.clone()].trim_start_matches(['\r', '\n']);
        return Ok(Some(found.replaced(text, &section(comment, body, &hosts, found.newline))));
    }
    let (before, after) = (&text[..found.start], &text[found.end..]);
    let after = format!("{}{after}", found.theirs);
    if before.is_empty() && after.is_empty() {
        return Ok(None);
    }
    let ends_open = after.is_empty() && !text.ends_with('\n');
    let breaks = if ends_open { 2 } else { 1 };
    let before = (0..breaks).fold(before, |before, _| before.strip_suffix(found.newline).unwrap_or(before));
    Ok(Some(format!("{before}{after}")))
}

/// What a text says outside of the section.
pub(crate) fn outside(text: &str, comment: Comment) -> Result<String, Refusal> {
    Ok(match find(text, comment)? {
        None => text.to_owned(),
        Some(found) => format!("{}{}{}", &text[..found.start], found.theirs, &text[found.end..]),
    })
}

impl Found<'_> {
    fn check(&self) -> Result<(), Refusal> {
        if self.is_as_put {
            return Ok(());
        }
        Err(Refusal::refused("host_block_edited", "somebody changed the lines between the mainstay markers")
            .hint("move lines of your own out of the markers, then remove the rest with them; nothing was changed"))
    }

    fn is_lone_end(&self) -> bool {
        self.start == self.body.end
    }

    // The section may end with the text, without a line break.
    fn replaced(&self, text: &str, section: &str) -> String {
        let is_open = self.theirs.is_empty() && !text[..self.end].ends_with('\n');
        let newline = if is_open { "" } else { self.newline };
        format!("{}{section}{newline}{}{}", &text[..self.start], self.theirs, &text[self.end..])
    }
}

fn section(comment: Comment, body: &str, hosts: &[&str], newline: &str) -> String {
    let begin = marker(comment, &format!("{BEGIN} hosts={} sum={}", hosts.join(","), shown(sum(body))));
    // Otherwise a formatter puts it in.
    let gap = (comment == Comment::Markdown).then_some("");
    let lines = std::iter::once(begin.as_str()).chain(gap).chain(body.lines());
    let end = marker(comment, END);
    lines.chain(std::iter::once(end.as_str())).collect::<Vec<_>>().join(newline)
}

fn marker(comment: Comment, text: &str) -> String {
    match comment {
        Comment::Markdown => format!("<!-- {text} -->"),
        Comment::Hash => format!("# {text}"),
        Comment::Slashes => format!("// {text}"),
    }
}

fn newline_of(text: &str) -> &'static str {
    if text.find('\n').is_some_and(|at| text[..at].ends_with('\r')) { "\r\n" } else { "\n" }
}

fn find(text: &str, comment: Comment) -> Result<Option<Found<'_>>, Refusal> {
    let (open, close) = match comment {
        Comment::Markdown => ("<!-- ", " -->"),
        Comment::Hash => ("# ", ""),
        Comment::Slashes => ("// ", ""),
    };
    let (mut begins, mut ends) = (Vec::new(), Vec::new());
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let bare = line.trim_end_matches(['\r', '\n']).trim_start_matches('\u{feff}');
        let marked = bare.strip_prefix(open);
        let said = marked.and_then(|rest| rest.strip_suffix(close)).unwrap_or_default();
        // Where the text ends with the marker, a line that is added to it stands behind the marker and is a person's.
        let grown =
            || marked.and_then(|rest| rest.strip_prefix(END)?.strip_prefix(close)).filter(|_| !close.is_empty());
        if said == BEGIN || said.starts_with(&format!("{BEGIN} ")) {
            begins.push((at + line.find(bare).unwrap_or(0), at + line.len(), said));
        } else if said == END {
            ends.push((at, at + line.len()));
        } else if grown().is_some() {
            ends.push((at, at + open.len() + END.len() + close.len()));
        }
        at += line.len();
    }
    let ((start, inner, said), (inner_end, end)) = match (&begins[..], &ends[..]) {
        ([], []) => return Ok(None),
        ([begin], [end]) if begin.1 <= end.0 => (*begin, *end),
        ([begin], []) if comment == Comment::Hash => (*begin, (text.len(), text.len())),
        ([], [end]) if comment == Comment::Hash => ((end.0, end.0, ""), *end),
        _ => return Err(doubled()),
    };
    let word = |name: &str| said.split(' ').find_map(|word| word.strip_prefix(name)).unwrap_or_default();
    let between = &text[inner..inner_end];
    let own = if said.is_empty() {
        Some(0)
    } else if comment == Comment::Hash {
        summed(between, word("sum="))
    } else {
        (word("sum=") == shown(sum(between))).then_some(between.len())
    };
    if own.is_none() && ends.is_empty() {
        return Err(doubled());
    }
    let body = inner..inner + own.unwrap_or(between.len());
    let theirs = &text[body.end..inner_end];
    Ok(Some(Found {
        start,
        end,
        body,
        theirs: if theirs.trim().is_empty() { "" } else { theirs },
        hosts: word("hosts=").split(',').filter(|host| !host.is_empty()).collect(),
        sum: word("sum="),
        is_as_put: own.is_some(),
        newline: if text[..inner].ends_with("\r\n") { "\r\n" } else { "\n" },
    }))
}

fn doubled() -> Refusal {
    Refusal::refused("host_block_doubled", "the mainstay markers do not stand there once, in order")
        .hint("leave one pair of markers, or none; nothing was changed")
}

/// How long the first lines are that have the sum.
fn summed(text: &str, wanted: &str) -> Option<usize> {
    let (mut so_far, mut length) = (SUM_OF_NOTHING, 0);
    for line in text.split_inclusive('\n') {
        so_far = line.lines().fold(so_far, with_line);
        length += line.len();
        if shown(so_far) == wanted {
            return Some(length);
        }
    }
    None
}

fn shown(sum: u64) -> String {
    format!("{sum:016x}")
}

const SUM_OF_NOTHING: u64 = 0xcbf2_9ce4_8422_2325;

/// A sum over lines, however they are broken and whatever empty ones stand among them.
///
/// **Source**: FNV-1a, 64 bits. It guards against edits by hand, not against forgery.
fn sum(body: &str) -> u64 {
    body.lines().fold(SUM_OF_NOTHING, with_line)
}

fn with_line(sum: u64, line: &str) -> u64 {
    let line = line.trim_end();
    let bytes = line.bytes().chain((!line.is_empty()).then_some(b'\n'));
    bytes.fold(sum, |sum, byte| (sum ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::{put, take};
    use crate::part::Comment;

    const BODY: &str = "one\ntwo\n";

    fn round(text: Option<&str>) {
        for comment in [Comment::Markdown, Comment::Hash, Comment::Slashes] {
            let one = put(text, comment, BODY, "codex").unwrap();
            assert_eq!(put(Some(&one), comment, BODY, "codex").unwrap(), one, "twice changes nothing");
            let two = put(Some(&one), comment, BODY, "amp").unwrap();
            assert!(two.contains("hosts=amp,codex "), "{two}");
            assert_eq!(take(&two, comment, "amp").unwrap().as_deref(), Some(one.as_str()));
            let other = take(&two, comment, "codex").unwrap().unwrap();
            assert_eq!(take(&other, comment, "amp").unwrap().as_deref(), text);
            assert_eq!(take(&one, comment, "codex").unwrap().as_deref(), text);
            assert_eq!(take(&one, comment, "amp").unwrap().as_deref(), Some(one.as_str()));
            let renewed = put(Some(&one), comment, "three\n", "codex").unwrap();
            assert_eq!(take(&renewed, comment, "codex").unwrap().as_deref(), text, "{renewed}");
        }
    }

    #[test]
    fn what_was_before_comes_back() {
        let texts = [
            "",
            "\n",
            "x",
            "x\n",
            "x\n\n",
            "a\r\nb",
            "a\r\nb\r\n",
            "a\r\nb\n",
            "a\nb\r",
            "\u{feff}",
            "\u{feff}a\n",
            "\r",
        ];
        texts.into_iter().map(Some).chain([None]).for_each(round);
    }

    #[test]
    fn what_a_person_adds_to_the_last_line_is_theirs() {
        for comment in [Comment::Markdown, Comment::Hash] {
            let one = put(Some("x"), comment, BODY, "codex").unwrap();
            let grown = format!("{one}- mine\n");
            let again = put(Some(&grown), comment, BODY, "codex").unwrap();
            assert_eq!(again, grown);
            let left = take(&grown, comment, "codex").unwrap().unwrap();
            assert!(left.starts_with("x\n") && left.ends_with("- mine\n"), "{left}");
            assert!(comment != Comment::Markdown || left == "x\n- mine\n", "{left}");
        }
    }

    #[test]
    fn markers_that_name_no_host_are_not_ours() {
        let page = "So it looks:\n<!-- mainstay:begin -->\n<!-- mainstay:end -->\nand so on\n";
        assert_eq!(take(page, Comment::Markdown, "codex").unwrap().as_deref(), Some(page));
    }

    #[test]
    fn lines_of_people_are_not_written_over() {
        let one = put(Some("x\n"), Comment::Markdown, BODY, "codex").unwrap();
        let edited = one.replace("two", "mine");
        assert_eq!(put(Some(&edited), Comment::Markdown, BODY, "codex").unwrap_err().code, "host_block_edited");
        assert_eq!(take(&edited, Comment::Markdown, "codex").unwrap_err().code, "host_block_edited");
        let doubled = format!("{one}{one}");
        assert_eq!(put(Some(&doubled), Comment::Markdown, BODY, "codex").unwrap_err().code, "host_block_doubled");
        assert_eq!(take(&doubled, Comment::Markdown, "codex").unwrap_err().code, "host_block_doubled");
        let formatted = one.replace("two\n", "two  \n\n").replace("\n\none", "\n\n\none");
        assert_eq!(put(Some(&formatted), Comment::Markdown, BODY, "codex").unwrap(), formatted);
        assert_eq!(take(&formatted, Comment::Markdown, "codex").unwrap().as_deref(), Some("x\n"));
        let followed = format!("{one}more\n");
        assert_eq!(take(&followed, Comment::Markdown, "codex").unwrap().as_deref(), Some("x\nmore\n"));
    }
}
