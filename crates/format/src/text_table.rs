//! Tables for terminals, in the form of the `SQLite` shell's column mode.

/// Lays out a table: a header line, a dash line, the rows.
///
/// **Shape**: every cell, the last included, is padded to the widest content of its column in
/// characters; two blanks stand between columns; `None` is blank; a value with line breaks
/// continues on further lines whose other cells are blank (a final break adds none). No rows give the empty text, and no
/// line break follows the last line.
pub fn render<'a>(headers: &[&str], rows: &[impl AsRef<[Option<&'a str>]>]) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let of_row = |row: &[Option<&'a str>], column: usize| Cell::new(row.get(column).copied().flatten());
    let cells: Vec<Cell<'a>> =
        rows.iter().flat_map(|row| (0..headers.len()).map(move |column| of_row(row.as_ref(), column))).collect();
    let mut widths: Vec<usize> = headers.iter().map(|header| width(header)).collect();
    for row in cells.chunks(headers.len()) {
        widths.iter_mut().zip(row).for_each(|(width, cell)| *width = cell.width().max(*width));
    }
    let mut out = String::with_capacity((rows.len() + 2) * (widths.iter().sum::<usize>() + 2 * widths.len()));
    write_line(&mut out, &widths, |column| headers[column]);
    let dashes: Vec<String> = widths.iter().map(|width| "-".repeat(*width)).collect();
    write_line(&mut out, &widths, |column| &dashes[column]);
    for row in cells.chunks(headers.len()) {
        for line in 0..row.iter().map(Cell::height).max().unwrap_or(1) {
            write_line(&mut out, &widths, |column| row[column].line(line));
        }
    }
    out.pop();
    out
}

/// What a terminal shows of one value.
enum Cell<'a> {
    /// The value itself, on one line; nearly every one.
    Plain(&'a str),
    /// Its lines, without what terminals obey.
    Lines(Vec<String>),
}

impl<'a> Cell<'a> {
    fn new(value: Option<&'a str>) -> Self {
        let text = value.unwrap_or_default();
        if is_plain(text) {
            return Self::Plain(text);
        }
        let mut lines: Vec<String> = crate::markdown::lines(text).map(printable).collect();
        if lines.len() > 1 && lines.last().is_some_and(String::is_empty) {
            lines.pop();
        }
        Self::Lines(lines)
    }

    fn width(&self) -> usize {
        match self {
            Self::Plain(text) => text.len(),
            Self::Lines(lines) => lines.iter().map(|line| width(line)).max().unwrap_or_default(),
        }
    }

    fn height(&self) -> usize {
        match self {
            Self::Plain(_) => 1,
            Self::Lines(lines) => lines.len(),
        }
    }

    fn line(&self, line: usize) -> &str {
        match self {
            Self::Plain(text) if line == 0 => text,
            Self::Plain(_) => "",
            Self::Lines(lines) => lines.get(line).map_or("", String::as_str),
        }
    }
}

/// Text that a terminal shows and does not obey.
///
/// Control characters other than tab and line feed and the marks that reorder text are left out.
pub fn printable(text: &str) -> String {
    if text.bytes().fold(true, |plain, byte| plain & matches!(byte, b' '..=b'~' | b'\t' | b'\n')) {
        return text.to_owned();
    }
    text.chars().filter(|c| matches!(c, '\t' | '\n') || !(c.is_control() || reorders(*c))).collect()
}

// Without an early end, the loop is one that looks at many bytes at once.
fn is_plain(text: &str) -> bool {
    text.bytes().fold(true, |plain, byte| plain & matches!(byte, b' '..=b'~'))
}

fn reorders(c: char) -> bool {
    matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

fn width(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.chars().count() }
}

const BLANKS: &str = "                                                                ";

fn write_line<'a>(out: &mut String, widths: &[usize], text: impl Fn(usize) -> &'a str) {
    for (column, width) in widths.iter().enumerate() {
        if column > 0 {
            out.push_str("  ");
        }
        let text = text(column);
        out.push_str(text);
        let mut blanks = width.saturating_sub(self::width(text));
        while blanks > 0 {
            let some = blanks.min(BLANKS.len());
            out.push_str(&BLANKS[..some]);
            blanks -= some;
        }
    }
    out.push('\n');
}

/// The text broken at blanks into lines of at most `width` characters; a longer word stands alone.
pub fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut taken = 0;
    for word in text.split_whitespace() {
        let length = word.chars().count();
        match lines.last_mut() {
            Some(last) if taken + 1 + length <= width => {
                last.push(' ');
                last.push_str(word);
                taken += 1 + length;
            }
            _ => {
                lines.push(word.to_owned());
                taken = length;
            }
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrapping_counts_characters() {
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
        assert_eq!(wrap("a verylongword b", 4), ["a", "verylongword", "b"]);
        assert_eq!(wrap("äöü ß", 5), ["äöü ß"]);
        assert!(wrap("", 4).is_empty());
    }

    #[test]
    fn pads_every_cell() {
        let rows = vec![vec![Some("T6"), Some("waiting"), None], vec![Some("T10"), Some("é"), Some("x")]];
        let expected = "id   note     by\n---  -------  --\nT6   waiting    \nT10  é        x ";
        assert_eq!(render(&["id", "note", "by"], &rows), expected);
    }

    #[test]
    fn continues_values_with_line_breaks() {
        let rows = vec![vec![Some("k"), Some("one\r\ntwo long\rthree\n"), Some("t")]];
        let expected = "key  value     at\n---  --------  --\nk    one       t \n     two long    \n     three       ";
        assert_eq!(render(&["key", "value", "at"], &rows), expected);
    }

    #[test]
    fn shows_nothing_for_no_rows_and_strips_what_terminals_obey() {
        assert_eq!(render(&["id"], &[[None; 1]; 0]), "");
        assert_eq!(printable("a\u{1b}[2J\u{9b}b\u{202e}\tc"), "a[2Jb\tc");
    }
}
