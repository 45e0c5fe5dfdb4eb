//! Front matter: the block of keys between two `---` lines at the start of a document.
//!
//! Two readers: [`Subset`] reads as small tools do that know no YAML, [`FrontMatter`] reads what
//! people write. [`set`] and [`remove`] change values in place and leave every other byte as it is.

mod full;
mod scalar;
mod subset;
#[cfg(test)]
mod tests;
mod write;

use std::ops::Range;

pub use full::{Entry, FrontMatter, Held};
pub use scalar::Scalar;
pub use subset::Subset;
pub use write::{remove, set, set_nested};

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
/// A byte order mark may stand before it, blanks behind its opening `---`; blank lines may stand
/// before it where what follows is a closed block with a key in it.
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
    let is_fence = text[open..end].strip_prefix("---").is_some_and(|rest| rest.trim().is_empty());
    if !is_fence {
        return Located::Absent;
    }
    let mut line = next;
    while line < text.len() {
        let (end, behind) = line_end(text, line);
        if text[line..end].starts_with("---") {
            let block = Block { open, inner: next..line, body: behind };
            // After blank lines, `---` may as well be a rule between paragraphs.
            let has_key = || !full::read(text, &block.inner).is_empty();
            return if open == start || has_key() { Located::Found(block) } else { Located::Absent };
        }
        line = behind;
    }
    if open == start { Located::Unclosed } else { Located::Absent }
}

/// Where the document behind the front matter begins; behind a byte order mark where there is none.
pub fn body_start(text: &str) -> usize {
    match locate(text) {
        Located::Found(block) => block.body,
        Located::Absent | Located::Unclosed => text.len() - text.strip_prefix('\u{feff}').unwrap_or(text).len(),
    }
}
