//! Digests of image bytes.

use format::FileState;
use sha2::{Digest as _, Sha256};
use store::Mark;

/// SHA-256 as lower-case hexadecimal.
pub(crate) fn digest(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(64);
    for byte in Sha256::digest(bytes) {
        text.push(char::from_digit(u32::from(byte >> 4), 16).expect("a nibble is a digit"));
        text.push(char::from_digit(u32::from(byte & 15), 16).expect("a nibble is a digit"));
    }
    text
}

/// The mark of what stands at a path; nothing for what cannot be read as a file.
pub(crate) fn mark_of(state: &FileState) -> Option<Mark> {
    match state {
        FileState::Absent => Some(Mark::Absent),
        FileState::Bytes(bytes) => Some(Mark::Digest(digest(bytes))),
        FileState::Irregular(_) => None,
    }
}
