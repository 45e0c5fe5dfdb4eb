//! Markdown documents of people, read and edited by spans: what is not edited keeps its bytes.
//!
//! Lines end with LF or CRLF; a lone CR is text. Headings are ATX at column 0. Lines in fences of
//! backticks or tildes are neither headings nor anything else that is looked for.

pub mod bullets;
pub mod edit;
pub mod fields;
mod outline;
#[cfg(test)]
mod tests;
mod text;

pub(crate) use outline::line_end;
pub use outline::{Heading, Line, Outline, same_title};
pub use text::Document;
