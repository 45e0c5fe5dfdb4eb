//! Programs of the jq language over one document: with limits, and without a world outside.
//!
//! Reference semantics are those of jq 1.7. Key order and the text of numbers that nobody computed
//! with are kept. There is no environment, no input but the document, no file; the clock is the
//! caller's. Work, memory, nesting and the stack are counted while a program runs, so that every run
//! ends soon. What one step costs is bounded but not the same everywhere, so the caller says too when the
//! time is over.
//!
//! The interpreter is our own because no library bounds steps, memory and stack, and because
//! libraries that compile updates by other means than paths differ from jq exactly where state is
//! written.

#![cfg_attr(test, allow(clippy::unwrap_used))]
// Built-in functions have one shape, whether they need their input for themselves or not.
#![allow(clippy::needless_pass_by_value, clippy::unnecessary_wraps)]

mod access;
mod arithmetic;
mod arrays;
mod backrefs;
mod base;
mod compare;
mod dates;
mod deletion;
mod formats;
mod halt;
mod library;
mod limits;
mod live;
mod math;
mod message;
mod native;
mod number;
mod objects;
mod parser;
mod program;
mod reader;
mod regexes;
mod run;
mod strings;
mod term;
#[cfg(test)]
mod tests;
mod text;
mod value;

pub use halt::{Failure, Limit};
pub use limits::Limits;
pub use program::{Outputs, Program, equal};
