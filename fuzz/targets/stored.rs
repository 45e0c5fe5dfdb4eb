//! What a store hands back: it may have been damaged, or be anyone's.

use store::{Splice, from_text, to_text};

/// Bytes of a splice that are understood are the bytes it is written as; between any two texts there is one.
pub(super) fn splice(bytes: &[u8]) {
    if let Ok(splice) = Splice::from_bytes(bytes) {
        assert_eq!(Splice::from_bytes(&splice.to_bytes()).as_ref(), Ok(&splice));
        let text = String::from_utf8_lossy(bytes);
        for present in [None, Some(""), Some("{\"a\":1}"), Some(&*text)] {
            if let Ok(after) = splice.apply(present) {
                assert_eq!(splice.unapply(after.as_deref()).ok(), Some(present.map(str::to_owned)));
            }
        }
    }
    let text = String::from_utf8_lossy(bytes);
    let middle = (text.len() / 2..=text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    let (before, after) = text.split_at(middle);
    let splice = Splice::between(Some(before), Some(after));
    assert_eq!(splice.apply(Some(before)).ok(), Some(Some(after.to_owned())));
    assert_eq!(splice.unapply(Some(after)).ok(), Some(Some(before.to_owned())));
}

/// Text that is understood says the same when it is written and read again.
pub(super) fn text(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let Ok(value) = from_text(text) else { return };
    let Ok(written) = to_text(&value) else { return };
    assert_eq!(from_text(&written).ok(), Some(value));
}
