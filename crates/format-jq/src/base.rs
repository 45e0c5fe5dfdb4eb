//! Bytes in letters of an alphabet. **Source**: RFC 4648.

/// An alphabet and how its letters are grouped.
pub(crate) struct Base {
    letters: &'static [u8],
    /// How many bits a letter stands for.
    bits: u32,
    /// How many letters a full group has.
    group: usize,
}

/// Base 64.
pub(crate) const BASE64: Base =
    Base { letters: b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", bits: 6, group: 4 };

/// Base 32.
pub(crate) const BASE32: Base = Base { letters: b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", bits: 5, group: 8 };

impl Base {
    /// The letters of bytes, filled up to whole groups.
    pub(crate) fn write(&self, bytes: &[u8]) -> String {
        let mut out = String::with_capacity(bytes.len() * 8 / self.bits as usize + self.group);
        let (mut waiting, mut count) = (0u32, 0);
        for byte in bytes {
            waiting = waiting << 8 | u32::from(*byte);
            count += 8;
            while count >= self.bits {
                count -= self.bits;
                out.push(self.letter(waiting >> count));
            }
            waiting &= (1 << count) - 1;
        }
        if count > 0 {
            out.push(self.letter(waiting << (self.bits - count)));
        }
        while !out.len().is_multiple_of(self.group) {
            out.push('=');
        }
        out
    }

    fn letter(&self, number: u32) -> char {
        char::from(self.letters[number as usize & (self.letters.len() - 1)])
    }

    /// The text of letters; what is no UTF-8 in it is shown by the replacement character.
    ///
    /// `None` for other letters, and for some that make no byte.
    pub(crate) fn read(&self, text: &str) -> Option<String> {
        let trimmed = text.trim_end_matches('=');
        let (mut bytes, mut waiting, mut count) = (Vec::with_capacity(trimmed.len()), 0u32, 0);
        for byte in trimmed.bytes() {
            let number = self.letters.iter().position(|letter| *letter == byte)?;
            waiting = (waiting << self.bits | u32::try_from(number).unwrap_or_default()) & 0xFF_FFFF;
            count += self.bits;
            if count >= 8 {
                count -= 8;
                bytes.push(u8::try_from(waiting >> count & 0xFF).unwrap_or_default());
            }
        }
        if bytes.is_empty() && !trimmed.is_empty() {
            return None;
        }
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::{BASE32, BASE64};

    #[test]
    fn bytes_come_back_from_their_letters() {
        for (text, in_32, in_64) in [
            ("", "", ""),
            ("f", "MY======", "Zg=="),
            ("fo", "MZXQ====", "Zm8="),
            ("foo", "MZXW6===", "Zm9v"),
            ("foob", "MZXW6YQ=", "Zm9vYg=="),
            ("fooba", "MZXW6YTB", "Zm9vYmE="),
            ("foobar", "MZXW6YTBOI======", "Zm9vYmFy"),
        ] {
            for (base, letters) in [(BASE32, in_32), (BASE64, in_64)] {
                assert_eq!(base.write(text.as_bytes()), letters);
                assert_eq!(base.read(letters).as_deref(), Some(text));
            }
        }
        assert_eq!((BASE32.read("A"), BASE64.read("="), BASE64.read("%%%%")), (None, Some(String::new()), None));
    }
}
