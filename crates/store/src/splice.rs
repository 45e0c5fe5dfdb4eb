//! Splices: the change of a value's text as what was taken out and what was put in.

use crate::StoreError;

/// How the compact JSON text of one record's value changed.
///
/// Invariant: every part is UTF-8 of its own, and all lengths count bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Splice {
    /// There was no value and there is none. Undone by nothing.
    Absent,
    /// A value came into being. Undone by removing it.
    Created {
        /// Its text.
        after: String,
    },
    /// A value went away. Undone by putting it back.
    Deleted {
        /// Its text.
        before: String,
    },
    /// A stretch of the text was replaced. Undone by replacing it back.
    Replaced {
        /// How many bytes before the stretch stay.
        prefix: usize,
        /// How many bytes behind the stretch stay.
        suffix: usize,
        /// The stretch before.
        removed: String,
        /// The stretch after.
        added: String,
    },
}

/// A splice that cannot be read or does not fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SpliceError {
    /// The text is not the one that the splice was made from.
    #[error("a change does not fit the value it should change")]
    Mismatch,
    /// The bytes are no splice.
    #[error("the stored form of a change cannot be read")]
    Malformed,
}

impl From<SpliceError> for StoreError {
    fn from(error: SpliceError) -> Self {
        Self::Corrupt(error.to_string())
    }
}

const ABSENT: u8 = 0;
const CREATED: u8 = 1;
const DELETED: u8 = 2;
const REPLACED: u8 = 3;

impl Splice {
    /// The splice that leads from one text to the other.
    pub fn between(before: Option<&str>, after: Option<&str>) -> Self {
        match (before, after) {
            (None, None) => Self::Absent,
            (None, Some(after)) => Self::Created { after: after.to_owned() },
            (Some(before), None) => Self::Deleted { before: before.to_owned() },
            (Some(before), Some(after)) => {
                let prefix = common_prefix(before, after);
                let (old, new) = (&before[prefix..], &after[prefix..]);
                let suffix = common_suffix(old, new);
                Self::Replaced {
                    prefix,
                    suffix,
                    removed: old[..old.len() - suffix].to_owned(),
                    added: new[..new.len() - suffix].to_owned(),
                }
            }
        }
    }

    /// The text after the change, from the one before it.
    pub fn apply(&self, before: Option<&str>) -> Result<Option<String>, SpliceError> {
        match (self, before) {
            (Self::Absent, None) => Ok(None),
            (Self::Created { after }, None) => Ok(Some(after.clone())),
            (Self::Deleted { before: expected }, Some(before)) if expected == before => Ok(None),
            (Self::Replaced { prefix, suffix, removed, added }, Some(before)) => {
                exchange(before, *prefix, *suffix, removed, added).map(Some)
            }
            _ => Err(SpliceError::Mismatch),
        }
    }

    /// The text before the change, from the one after it.
    pub fn unapply(&self, after: Option<&str>) -> Result<Option<String>, SpliceError> {
        match (self, after) {
            (Self::Absent, None) => Ok(None),
            (Self::Created { after: expected }, Some(after)) if expected == after => Ok(None),
            (Self::Deleted { before }, None) => Ok(Some(before.clone())),
            (Self::Replaced { prefix, suffix, removed, added }, Some(after)) => {
                exchange(after, *prefix, *suffix, added, removed).map(Some)
            }
            _ => Err(SpliceError::Mismatch),
        }
    }

    /// The stored form.
    ///
    /// **Shape**: a tag byte; for a replacement the lengths of prefix, suffix and removed text as
    /// LEB128 numbers; then the texts, the last one without a length.
    pub fn to_bytes(&self) -> Vec<u8> {
        let (tag, text) = match self {
            Self::Absent => (ABSENT, ""),
            Self::Created { after } => (CREATED, after.as_str()),
            Self::Deleted { before } => (DELETED, before.as_str()),
            Self::Replaced { added, .. } => (REPLACED, added.as_str()),
        };
        let mut bytes = vec![tag];
        if let Self::Replaced { prefix, suffix, removed, .. } = self {
            for number in [*prefix, *suffix, removed.len()] {
                push_number(&mut bytes, number);
            }
            bytes.extend_from_slice(removed.as_bytes());
        }
        bytes.extend_from_slice(text.as_bytes());
        bytes
    }

    /// Reads the stored form; foreign bytes are an error, never a panic.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, SpliceError> {
        let (tag, mut rest) = bytes.split_first().ok_or(SpliceError::Malformed)?;
        match *tag {
            ABSENT if rest.is_empty() => Ok(Self::Absent),
            CREATED => Ok(Self::Created { after: text(rest)? }),
            DELETED => Ok(Self::Deleted { before: text(rest)? }),
            REPLACED => {
                let prefix = pull_number(&mut rest)?;
                let suffix = pull_number(&mut rest)?;
                let length = pull_number(&mut rest)?;
                let (removed, added) = rest.split_at_checked(length).ok_or(SpliceError::Malformed)?;
                Ok(Self::Replaced { prefix, suffix, removed: text(removed)?, added: text(added)? })
            }
            _ => Err(SpliceError::Malformed),
        }
    }
}

/// Length of the longest common prefix that ends between two characters.
fn common_prefix(a: &str, b: &str) -> usize {
    let mut length = a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count();
    // Up to here both texts are the same bytes, so a boundary of one is a boundary of the other.
    while !a.is_char_boundary(length) {
        length -= 1;
    }
    length
}

/// Length of the longest common suffix that starts between two characters.
fn common_suffix(a: &str, b: &str) -> usize {
    let mut length = a.bytes().rev().zip(b.bytes().rev()).take_while(|(a, b)| a == b).count();
    while !a.is_char_boundary(a.len() - length) {
        length -= 1;
    }
    length
}

/// `whole` with the stretch between prefix and suffix, which must be `out`, replaced by `into`.
fn exchange(whole: &str, prefix: usize, suffix: usize, out: &str, into: &str) -> Result<String, SpliceError> {
    let kept = prefix.checked_add(suffix).ok_or(SpliceError::Mismatch)?;
    if whole.len().checked_sub(kept) != Some(out.len()) {
        return Err(SpliceError::Mismatch);
    }
    let head = whole.get(..prefix).ok_or(SpliceError::Mismatch)?;
    let stretch = whole.get(prefix..whole.len() - suffix).ok_or(SpliceError::Mismatch)?;
    let tail = &whole[whole.len() - suffix..];
    if stretch == out { Ok([head, into, tail].concat()) } else { Err(SpliceError::Mismatch) }
}

fn text(bytes: &[u8]) -> Result<String, SpliceError> {
    str::from_utf8(bytes).map(str::to_owned).map_err(|_| SpliceError::Malformed)
}

fn push_number(bytes: &mut Vec<u8>, mut number: usize) {
    while number >= 0x80 {
        bytes.push(number.to_le_bytes()[0] | 0x80);
        number >>= 7;
    }
    bytes.push(number.to_le_bytes()[0]);
}

fn pull_number(bytes: &mut &[u8]) -> Result<usize, SpliceError> {
    let mut number: u64 = 0;
    for shift in (0..u64::BITS).step_by(7) {
        let (byte, rest) = bytes.split_first().ok_or(SpliceError::Malformed)?;
        *bytes = rest;
        let digits = u64::from(byte & 0x7f);
        if (digits << shift) >> shift != digits {
            return Err(SpliceError::Malformed);
        }
        number |= digits << shift;
        if byte & 0x80 == 0 {
            return usize::try_from(number).map_err(|_| SpliceError::Malformed);
        }
    }
    Err(SpliceError::Malformed)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_small_change_in_a_large_text_costs_little() {
        let before = format!("{{\"notes\":\"{}\",\"n\":1}}", "ä".repeat(32 * 1024));
        let after = before.replace("\"n\":1", "\"n\":27");
        let splice = Splice::between(Some(&before), Some(&after));
        assert!(before.len() > 64 * 1024);
        assert!(splice.to_bytes().len() < 16, "{splice:?}");
    }

    #[test]
    fn cuts_fall_between_characters() {
        // U+00E9 and U+00E8 share their first byte, U+00E9 and U+0129 their last.
        for (before, after) in [("aéb", "aèb"), ("aéb", "aĩb"), ("é", "éé"), ("ééé", "éé"), ("", "é")] {
            let splice = Splice::between(Some(before), Some(after));
            assert_eq!(splice.apply(Some(before)), Ok(Some(after.to_owned())), "{splice:?}");
            assert_eq!(splice.unapply(Some(after)), Ok(Some(before.to_owned())), "{splice:?}");
        }
    }

    #[test]
    fn a_splice_that_does_not_fit_is_refused() {
        let splice = Splice::between(Some("[1,2,3]"), Some("[1,5,3]"));
        for text in [None, Some(""), Some("[1,4,3]"), Some("[1,2,3,4]"), Some("[1é3]"), Some("aaé2é")] {
            assert_eq!(splice.apply(text), Err(SpliceError::Mismatch), "{text:?}");
        }
        let huge = Splice::Replaced { prefix: usize::MAX, suffix: 2, removed: String::new(), added: String::new() };
        assert_eq!(huge.apply(Some("x")), Err(SpliceError::Mismatch));
    }

    fn texts() -> impl Strategy<Value = Option<String>> {
        prop::option::of("[aé€😀b]{0,12}")
    }

    proptest! {
        #[test]
        fn apply_and_unapply_are_inverse(before in texts(), after in texts()) {
            let splice = Splice::between(before.as_deref(), after.as_deref());
            prop_assert_eq!(splice.apply(before.as_deref()).unwrap(), after.clone());
            prop_assert_eq!(splice.unapply(after.as_deref()).unwrap(), before);
            prop_assert_eq!(Splice::from_bytes(&splice.to_bytes()).unwrap(), splice);
        }

        #[test]
        fn foreign_bytes_never_panic(mut bytes in prop::collection::vec(any::<u8>(), 0..40), tag in 0u8..5, text in texts()) {
            if let Some(first) = bytes.first_mut() {
                *first = tag;
            }
            if let Ok(splice) = Splice::from_bytes(&bytes) {
                let _ = splice.apply(text.as_deref());
                let _ = splice.unapply(text.as_deref());
            }
        }

        #[test]
        fn numbers_round_trip(number in any::<usize>()) {
            let mut bytes = Vec::new();
            push_number(&mut bytes, number);
            prop_assert_eq!(pull_number(&mut bytes.as_slice()), Ok(number));
        }
    }
}
