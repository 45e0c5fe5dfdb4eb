//! Makes stored text safe to show: what could steer a terminal or reorder a line is left out.

use std::borrow::Cow;
use std::fmt::Write as _;

pub(crate) use format::text_table::wrap;

/// The text without control and bidi characters; line breaks and tabs stay.
pub(crate) fn text(stored: &str) -> String {
    format::text_table::printable(stored)
}

/// The text on one line: line breaks and tabs become blanks, what [`text`] leaves out is left out.
pub(crate) fn line(stored: &str) -> String {
    text(stored).replace(['\n', '\t', '\u{2028}', '\u{2029}'], " ")
}

/// JSON text with the characters that [`text`] leaves out written as `\u` escapes: the same value.
pub(crate) fn json(written: &str) -> String {
    let mut safe = String::with_capacity(written.len());
    for c in written.chars() {
        // All of them lie below U+FFFF, so that one escape is enough.
        if c.is_ascii_graphic() || !text(c.encode_utf8(&mut [0; 4])).is_empty() {
            safe.push(c);
        } else {
            write!(safe, "\\u{:04x}", u32::from(c)).expect("writing to a string succeeds");
        }
    }
    safe
}

/// The text cut to `width` characters, the last one `…` where something is missing.
pub(crate) fn cut(text: &str, width: usize) -> Cow<'_, str> {
    if text.chars().count() <= width {
        return Cow::Borrowed(text);
    }
    let mut short: String = text.chars().take(width.saturating_sub(1)).collect();
    short.push('…');
    Cow::Owned(short)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_left_out() {
        let cases = [
            ("plain", "plain"),
            ("two\nlines\tand a tab", "two\nlines\tand a tab"),
            ("\u{1b}[31mred\u{1b}[0m", "[31mred[0m"),
            ("bell\u{7} nul\0 del\u{7f} csi\u{9b}2J", "bell nul del csi2J"),
            ("over\rwritten", "overwritten"),
            ("\u{202e}reversed\u{2069}\u{200f}", "reversed"),
            ("ziqi 子琪 é 👩‍💻", "ziqi 子琪 é 👩‍💻"),
        ];
        for (stored, shown) in cases {
            assert_eq!(text(stored), shown);
        }
        assert_eq!(line("a\nb\tc\u{1b}[2J"), "a b c[2J");
    }

    #[test]
    fn json_keeps_its_value() {
        let value = serde_json::json!({ "a": "\u{9b}2J \u{202e} \u{1b} \n" });
        let written = serde_json::to_string_pretty(&value).unwrap();
        let shown = json(&written);
        assert!(!shown.contains(['\u{9b}', '\u{202e}', '\u{1b}']));
        assert_eq!(serde_json::from_str::<serde_json::Value>(&shown).unwrap(), value);
    }

    #[test]
    fn cutting_counts_characters() {
        assert_eq!(cut("äöü", 3), "äöü");
        assert_eq!(cut("äöüß", 3), "äö…");
    }
}
