//! Splices: the change of a value's text as what was taken out and what was put in, stretch by stretch.

use crate::StoreError;
use crate::stretches::{Stretch, differences};

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
    /// Stretches of the text were replaced. Undone by replacing them back.
    Replaced {
        /// The stretches, in their order; at least one.
        stretches: Vec<Stretch>,
        /// How many bytes behind the last stretch stay.
        suffix: usize,
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
const WOVEN: u8 = 4;

impl Splice {
    /// The splice that leads from one text to the other.
    pub fn between(before: Option<&str>, after: Option<&str>) -> Self {
        match (before, after) {
            (None, None) => Self::Absent,
            (None, Some(after)) => Self::Created { after: after.to_owned() },
            (Some(before), None) => Self::Deleted { before: before.to_owned() },
            (Some(before), Some(after)) => {
                let (stretches, suffix) = differences(before, after);
                Self::Replaced { stretches, suffix }
            }
        }
    }

    /// The text after the change, from the one before it.
    pub fn apply(&self, before: Option<&str>) -> Result<Option<String>, SpliceError> {
        match (self, before) {
            (Self::Absent, None) => Ok(None),
            (Self::Created { after }, None) => Ok(Some(after.clone())),
            (Self::Deleted { before: expected }, Some(before)) if expected == before => Ok(None),
            (Self::Replaced { stretches, suffix }, Some(before)) => {
                let pairs = stretches.iter().map(|it| (it.kept, it.removed.as_str(), it.added.as_str()));
                exchange(before, pairs, *suffix).map(Some)
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
            (Self::Replaced { stretches, suffix }, Some(after)) => {
                let pairs = stretches.iter().map(|it| (it.kept, it.added.as_str(), it.removed.as_str()));
                exchange(after, pairs, *suffix).map(Some)
            }
            _ => Err(SpliceError::Mismatch),
        }
    }

    /// The stored form.
    ///
    /// **Shape**: a tag byte; for one replaced stretch the lengths of prefix, suffix and removed text
    /// as LEB128 numbers; for several the length of the suffix, their number, and for each the lengths of
    /// kept, removed and added text; then the texts.
    pub fn to_bytes(&self) -> Vec<u8> {
        let whole = |tag: u8, text: &str| [&[tag], text.as_bytes()].concat();
        let (stretches, suffix) = match self {
            Self::Absent => return vec![ABSENT],
            Self::Created { after } => return whole(CREATED, after),
            Self::Deleted { before } => return whole(DELETED, before),
            Self::Replaced { stretches, suffix } => (stretches, *suffix),
        };
        let mut bytes = Vec::new();
        if let [one] = stretches.as_slice() {
            bytes.push(REPLACED);
            for number in [one.kept, suffix, one.removed.len()] {
                push_number(&mut bytes, number);
            }
        } else {
            bytes.push(WOVEN);
            push_number(&mut bytes, suffix);
            push_number(&mut bytes, stretches.len());
            for one in stretches {
                for number in [one.kept, one.removed.len(), one.added.len()] {
                    push_number(&mut bytes, number);
                }
            }
        }
        for one in stretches {
            bytes.extend_from_slice(one.removed.as_bytes());
            bytes.extend_from_slice(one.added.as_bytes());
        }
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
                let one = Stretch { kept: prefix, removed: text(removed)?, added: text(added)? };
                Ok(Self::Replaced { stretches: vec![one], suffix })
            }
            WOVEN => {
                let suffix = pull_number(&mut rest)?;
                let stretches = pull_stretches(&mut rest)?;
                if rest.is_empty() { Ok(Self::Replaced { stretches, suffix }) } else { Err(SpliceError::Malformed) }
            }
            _ => Err(SpliceError::Malformed),
        }
    }
}

/// `whole` with each stretch, which must be what is to go out, replaced by what comes in.
///
/// A stretch is what is kept before it, what goes out, and what comes in.
fn exchange<'a>(
    whole: &str,
    stretches: impl Iterator<Item = (usize, &'a str, &'a str)>,
    suffix: usize,
) -> Result<String, SpliceError> {
    let mut made = String::with_capacity(whole.len());
    let mut rest = whole;
    for (kept, out, into) in stretches {
        let (head, tail) = rest.split_at_checked(kept).ok_or(SpliceError::Mismatch)?;
        rest = tail.strip_prefix(out).ok_or(SpliceError::Mismatch)?;
        made.push_str(head);
        made.push_str(into);
    }
    made.push_str(rest);
    if rest.len() == suffix { Ok(made) } else { Err(SpliceError::Mismatch) }
}

fn pull_stretches(rest: &mut &[u8]) -> Result<Vec<Stretch>, SpliceError> {
    let count = pull_number(rest)?;
    // Each takes three bytes at least: foreign bytes ask for no more memory than they have.
    if !(2..=rest.len() / 3).contains(&count) {
        return Err(SpliceError::Malformed);
    }
    let mut lengths = Vec::with_capacity(count);
    for _ in 0..count {
        lengths.push((pull_number(rest)?, pull_number(rest)?, pull_number(rest)?));
    }
    let mut pull = |length| {
        let (part, others) = rest.split_at_checked(length).ok_or(SpliceError::Malformed)?;
        *rest = others;
        text(part)
    };
    let stretch = |(kept, removed, added)| Ok(Stretch { kept, removed: pull(removed)?, added: pull(added)? });
    lengths.into_iter().map(stretch).collect()
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
        for (kept, suffix) in [(usize::MAX, 2), (0, usize::MAX), (1, 1)] {
            let stretches = vec![Stretch { kept, removed: String::new(), added: String::new() }];
            assert_eq!(Splice::Replaced { stretches, suffix }.apply(Some("x")), Err(SpliceError::Mismatch));
        }
    }

    fn texts() -> impl Strategy<Value = Option<String>> {
        prop::option::of("[aé€😀b]{0,12}")
    }

    /// A long text, and the same with stretches exchanged.
    fn edited() -> impl Strategy<Value = (String, String)> {
        let parts = prop::collection::vec("[aé€😀b0-9]{0,90}", 1..24);
        let edits = prop::collection::vec((any::<prop::sample::Index>(), "[é€x]{0,40}"), 0..6);
        (parts, edits).prop_map(|(parts, edits)| {
            let mut edited = parts.clone();
            for (place, text) in edits {
                *place.get_mut(&mut edited) = text;
            }
            (parts.concat(), edited.concat())
        })
    }

    proptest! {
        #[test]
        fn stretches_are_put_back((before, after) in edited()) {
            let splice = Splice::between(Some(&before), Some(&after));
            let stored = Splice::from_bytes(&splice.to_bytes()).unwrap();
            prop_assert_eq!(&stored, &splice);
            prop_assert_eq!(stored.apply(Some(&before)).unwrap().unwrap(), after.clone());
            prop_assert_eq!(stored.unapply(Some(&after)).unwrap().unwrap(), before);
        }

        #[test]
        fn apply_and_unapply_are_inverse(before in texts(), after in texts()) {
            let splice = Splice::between(before.as_deref(), after.as_deref());
            prop_assert_eq!(splice.apply(before.as_deref()).unwrap(), after.clone());
            prop_assert_eq!(splice.unapply(after.as_deref()).unwrap(), before);
            prop_assert_eq!(Splice::from_bytes(&splice.to_bytes()).unwrap(), splice);
        }

        #[test]
        fn foreign_bytes_never_panic(mut bytes in prop::collection::vec(any::<u8>(), 0..40), tag in 0u8..6, text in texts()) {
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
