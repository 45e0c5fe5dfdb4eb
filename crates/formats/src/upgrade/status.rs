//! Words and marks of a status, as files in use have them.

pub(super) use format::task_graph::Status;

/// The word of replies and records.
pub(super) const fn word(status: Status) -> &'static str {
    match status {
        Status::Pending => "Pending",
        Status::InProgress => "InProgress",
        Status::Completed => "Completed",
        Status::Failed => "Failed",
        Status::Blocked => "Blocked",
        Status::Skipped => "Skipped",
    }
}

/// The mark that we write into tasks.md.
pub(super) const fn mark(status: Status) -> &'static str {
    match status {
        Status::Pending => "🔲",
        Status::InProgress => "🔄",
        Status::Completed => "✅",
        Status::Failed => "❌",
        Status::Blocked => "⚠️",
        Status::Skipped => "⏭️",
    }
}

/// Reads a word: `InProgress`, `in progress`, `IN_PROGRESS`, `done`.
pub(super) fn from_word(word: &str) -> Option<Status> {
    let plain: String = word.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    Some(match plain.as_str() {
        "completed" | "complete" | "done" => Status::Completed,
        "inprogress" => Status::InProgress,
        "pending" | "notstarted" => Status::Pending,
        "blocked" => Status::Blocked,
        "failed" => Status::Failed,
        "skipped" => Status::Skipped,
        _ => return None,
    })
}

/// Reads a mark at the start of a text; gives what follows it.
///
/// The inner value is `None` for a mark that means no status of ours.
pub(super) fn split_mark(text: &str) -> Option<(Option<Status>, &str)> {
    if let Some(inner) = text.strip_prefix('[') {
        let (inside, rest) = inner.split_once(']')?;
        let mut held = inside.chars().filter(|c| *c != VARIATION);
        let first = held.next()?;
        return held.next().is_none().then_some((in_brackets(first), rest));
    }
    let first = text.chars().next().filter(|c| !c.is_alphanumeric() && !c.is_ascii())?;
    let rest = text[first.len_utf8()..].trim_start_matches(VARIATION);
    Some((of_sign(first), rest))
}

/// Whether a mark of a status stands anywhere in a text.
pub(super) fn holds_mark(text: &str) -> bool {
    text.chars().any(|sign| of_sign(sign).is_some())
}

fn of_sign(sign: char) -> Option<Status> {
    Some(match sign {
        '✅' | '☑' | '✔' => Status::Completed,
        '🔄' | '⏳' => Status::InProgress,
        '🔲' | '⬜' | '🔳' | '⏸' => Status::Pending,
        '⚠' => Status::Blocked,
        '❌' => Status::Failed,
        '⏭' | '⊘' => Status::Skipped,
        _ => return None,
    })
}

fn in_brackets(mark: char) -> Option<Status> {
    match mark {
        'x' | 'X' | '✓' | '✔' => Some(Status::Completed),
        '▶' | '~' => Some(Status::InProgress),
        ' ' => Some(Status::Pending),
        '✗' => Some(Status::Failed),
        _ => None,
    }
}

/// What makes an emoji of a character; it tells nothing.
const VARIATION: char = '\u{fe0f}';

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Status; 6] =
        [Status::Pending, Status::InProgress, Status::Completed, Status::Failed, Status::Blocked, Status::Skipped];

    #[test]
    fn what_we_write_reads_back() {
        for status in ALL {
            assert_eq!(split_mark(mark(status)), Some((Some(status), "")));
            assert_eq!(from_word(word(status)), Some(status));
        }
    }

    #[test]
    fn marks_of_others_are_read() {
        for (text, expected) in [
            ("[x] a", Some((Some(Status::Completed), " a"))),
            ("[▶] a", Some((Some(Status::InProgress), " a"))),
            ("[?] a", Some((None, " a"))),
            ("[COMPLETED] a", None),
            ("⏸️ a", Some((Some(Status::Pending), " a"))),
            ("🚀 a", Some((None, " a"))),
            ("a", None),
            ("", None),
        ] {
            assert_eq!(split_mark(text), expected, "{text:?}");
        }
        assert_eq!(from_word("Not Started"), Some(Status::Pending));
        assert_eq!(from_word("unknown"), None);
    }
}
