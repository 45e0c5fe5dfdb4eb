//! Lines and table rows of Markdown files that show records, written so that no value can forge one.

use std::borrow::Cow;

/// The lines of a text; LF, CRLF and lone CR end one, and a byte order mark at its start is no part of it.
///
/// A text that ends with a line break has an empty last line, as `split` would give.
pub fn lines(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(text.strip_prefix('\u{feff}').unwrap_or(text));
    std::iter::from_fn(move || {
        let text = rest?;
        let Some(end) = text.find(['\n', '\r']) else {
            rest = None;
            return Some(text);
        };
        let after = &text[end..];
        rest = Some(after.strip_prefix("\r\n").unwrap_or(&after[1..]));
        Some(&text[..end])
    })
}

/// A value on one line: each line break becomes `<br>`, and NUL the replacement character.
pub fn escape_line(value: &str) -> Cow<'_, str> {
    if !value.contains(['\n', '\r', '\0']) {
        return Cow::Borrowed(value);
    }
    Cow::Owned(value.replace("\r\n", "<br>").replace(['\n', '\r'], "<br>").replace('\0', "\u{fffd}"))
}

/// A value in a table cell: as on a line, and `|` becomes `\|`.
pub fn escape_cell(value: &str) -> Cow<'_, str> {
    let line = escape_line(value);
    if line.contains('|') { Cow::Owned(line.replace('|', "\\|")) } else { line }
}

/// Reads back what [`escape_line`] wrote, or what a person wrote over it.
///
/// `<br>` may stand for itself: it does where `present`, the value that was shown, holds `<br>`
/// and no line break.
pub fn unescape_line(text: &str, present: Option<&str>) -> String {
    let literal = present.is_some_and(|value| value.contains("<br>") && !value.contains(['\n', '\r']));
    if literal { text.to_owned() } else { text.replace("<br>", "\n") }
}

/// Reads back what [`escape_cell`] wrote; `present` as in [`unescape_line`].
pub fn unescape_cell(text: &str, present: Option<&str>) -> String {
    unescape_line(&text.replace("\\|", "|"), present)
}

/// The cells of a table row, trimmed and still escaped; `None` where the line is no row.
///
/// **Shape**: `| a | b |`; a pipe behind a backslash is text.
pub fn split_row(line: &str) -> Option<Vec<&str>> {
    let inner = line.trim().strip_prefix('|')?;
    let mut cells = Vec::new();
    let mut start = 0;
    let bytes = inner.as_bytes();
    for (at, byte) in bytes.iter().enumerate() {
        if *byte == b'|' && (at == 0 || bytes[at - 1] != b'\\') {
            cells.push(inner[start..at].trim());
            start = at + 1;
        }
    }
    (start == inner.len() && !cells.is_empty()).then_some(cells)
}

/// Whether the cells are those of the line between a table's header and its rows.
pub fn is_separator(cells: &[&str]) -> bool {
    let dashes = |cell: &str| {
        let inner = cell.strip_prefix(':').unwrap_or(cell);
        let inner = inner.strip_suffix(':').unwrap_or(inner);
        !inner.is_empty() && inner.bytes().all(|byte| byte == b'-')
    };
    !cells.is_empty() && cells.iter().all(|cell| dashes(cell))
}

/// Puts escaped cells together to a row.
pub fn row(cells: &[&str]) -> String {
    format!("| {} |", cells.join(" | "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn knows_every_line_end() {
        assert_eq!(lines("\u{feff}a\r\nb\rc\n\nd").collect::<Vec<_>>(), ["a", "b", "c", "", "d"]);
        assert_eq!(lines("a\n").collect::<Vec<_>>(), ["a", ""]);
        assert_eq!(lines("").collect::<Vec<_>>(), [""]);
    }

    #[test]
    fn splits_rows_at_plain_pipes() {
        assert_eq!(split_row("| a\\|b | c |  |"), Some(vec!["a\\|b", "c", ""]));
        assert_eq!(split_row("|---|:-:|").map(|cells| is_separator(&cells)), Some(true));
        assert_eq!(split_row("| a | b"), None);
        assert_eq!(split_row("a | b |"), None);
        assert_eq!(split_row("|"), None);
    }

    #[test]
    fn keeps_a_literal_break() {
        assert_eq!(unescape_line("a<br>b", None), "a\nb");
        assert_eq!(unescape_line("a<br>b!", Some("a<br>b")), "a<br>b!");
        assert_eq!(unescape_line("a<br>b!", Some("a\nb")), "a\nb!");
    }

    proptest! {
        #[test]
        fn no_cell_forges_a_cell_or_a_line(values in prop::collection::vec("[a|\\\\<br>\n\r —-]{0,8}", 1..5)) {
            let cells: Vec<Cow<'_, str>> = values.iter().map(|value| escape_cell(value)).collect();
            let line = row(&cells.iter().map(AsRef::as_ref).collect::<Vec<_>>());
            prop_assert_eq!(lines(&line).count(), 1);
            let back = split_row(&line).expect("a rendered row is a row");
            prop_assert_eq!(back, cells.iter().map(|cell| cell.trim()).collect::<Vec<_>>());
        }

        #[test]
        fn cells_read_back(value in "[a|\\\\\n—-]{0,12}") {
            prop_assert_eq!(unescape_cell(&escape_cell(&value), Some(&value)), value);
        }

        #[test]
        fn lines_lose_only_their_ends(text in "(a|\r|\n){0,12}") {
            prop_assert_eq!(lines(&text).collect::<String>(), text.replace(['\r', '\n'], ""));
        }
    }
}
