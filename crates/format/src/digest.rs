//! Digests of bytes.

use sha2::{Digest as _, Sha256};

/// SHA-256 as lower-case hexadecimal.
pub fn digest(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(64);
    for byte in Sha256::digest(bytes) {
        text.push(char::from_digit(u32::from(byte >> 4), 16).expect("a nibble is a digit"));
        text.push(char::from_digit(u32::from(byte & 15), 16).expect("a nibble is a digit"));
    }
    text
}
