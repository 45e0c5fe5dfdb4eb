//! Front matter: the block of keys between two `---` lines at the start of a document.
//!
//! Two readers: [`Subset`] reads as small tools do that know no YAML, [`FrontMatter`] reads what
//! people write. [`write()`] changes values in place and leaves every other byte as it is.

mod full;
mod line;
mod reach;
mod scalar;
mod subset;
#[cfg(test)]
mod tests;
mod write;

use std::ops::Range;

pub use full::{Entry, FrontMatter, Held};
pub use scalar::Scalar;
pub use subset::Subset;
pub use write::{Change, write};

use crate::document::line_end;

/// Where the front matter of a text stands, if it has any.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Located {
    /// The text has none.
    Absent,
    /// It opens and never closes.
    Unclosed,
    /// It stands there.
    Found(Block),
}

/// Front matter in a text. **Units**: bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// Where the opening line begins.
    pub open: usize,
    /// The lines between the two `---` lines.
    pub inner: Range<usize>,
    /// Where the document behind it begins.
    pub body: usize,
}

/// Finds the front matter of a text.
///
/// A byte order mark may stand before it, blanks and a comment behind its opening `---`. Blank lines may
/// stand before that, or blanks before the `---` itself, where it could be no rule between paragraphs:
/// where a closed block with a key in it follows, or at once a key in lower case.
pub fn locate(text: &str) -> Located {
    let start = text.len() - text.strip_prefix('\u{feff}').unwrap_or(text).len();
    let mut open = start;
    while open < text.len() {
        let (end, next) = line_end(text, open);
        if !text[open..end].trim().is_empty() {
            break;
        }
        open = next;
    }
    let (end, next) = if open < text.len() { line_end(text, open) } else { (open, open) };
    if !is_opening(text[open..end].trim_start()) {
        return Located::Absent;
    }
    let is_sure = open == start && text[open..].starts_with("---");
    let mut line = next;
    while line < text.len() {
        let (end, behind) = line_end(text, line);
        if text[line..end].starts_with("---") {
            let block = Block { open, inner: next..line, body: behind };
            // After blank lines, `---` may as well be a rule between paragraphs.
            let has_key = || !full::read(text, &block.inner).is_empty();
            return if is_sure || has_key() { Located::Found(block) } else { Located::Absent };
        }
        line = behind;
    }
    if is_sure || keys_end(text, next) > next { Located::Unclosed } else { Located::Absent }
}

fn is_opening(line: &str) -> bool {
    line.strip_prefix("---").is_some_and(|rest| {
        let said = rest.trim_start();
        said.is_empty() || (said.len() < rest.len() && said.starts_with('#'))
    })
}

/// Where the document behind the front matter begins; behind a byte order mark where there is none.
///
/// Of front matter that never closes, the keys at its start are no document.
pub fn body_start(text: &str) -> usize {
    start_behind(text, &locate(text))
}

/// The same, where it is known where the front matter stands.
pub(crate) fn start_behind(text: &str, located: &Located) -> usize {
    let start = text.len() - text.strip_prefix('\u{feff}').unwrap_or(text).len();
    match located {
        Located::Found(block) => block.body,
        Located::Absent => start,
        Located::Unclosed => {
            let opening = start + text[start..].find("---").unwrap_or_default();
            keys_end(text, line_end(text, opening).1)
        }
    }
}

/// Where the lines of keys in lower case end that begin at `from`, with what is indented or listed below them.
fn keys_end(text: &str, from: usize) -> usize {
    let is_key = |content: &str| {
        content.split_once(':').is_some_and(|(key, _)| {
            key.starts_with(|c: char| c.is_ascii_lowercase() || c == '_')
                && key.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"_-".contains(&byte))
        })
    };
    let mut line = from;
    while line < text.len() {
        let (end, next) = line_end(text, line);
        let content = &text[line..end];
        let is_below = line > from
            && (content.starts_with([' ', '\t']) || content.starts_with("- "))
            && !content.trim().is_empty();
        if !is_key(content) && !is_below {
            break;
        }
        line = next;
    }
    line
}
