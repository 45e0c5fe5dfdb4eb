//! Memory that values hold, counted for as long as they live.

use std::cell::Cell;
use std::ops::Deref;

thread_local! {
    // Values never leave their thread.
    static LIVE: Cell<u64> = const { Cell::new(0) };
}

/// How much all values of this thread hold. **Units**: bytes.
pub(crate) fn live() -> u64 {
    LIVE.get()
}

/// What one value holds; it is given back when the value goes. **Units**: bytes.
#[derive(Debug, Default)]
pub(crate) struct Held(u64);

impl Held {
    /// So many bytes and what the allocation costs beside them.
    pub(crate) fn new(bytes: usize) -> Self {
        let mut held = Self(0);
        held.resize(bytes);
        held
    }

    /// Holds so many bytes from now on.
    pub(crate) fn resize(&mut self, bytes: usize) {
        let bytes = bytes as u64 + OVERHEAD;
        LIVE.set(LIVE.get() + bytes - self.0);
        self.0 = bytes;
    }
}

/// What an allocation and its counts cost. **Units**: bytes.
const OVERHEAD: u64 = 48;

impl Clone for Held {
    fn clone(&self) -> Self {
        LIVE.set(LIVE.get() + self.0);
        Self(self.0)
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        LIVE.set(LIVE.get() - self.0);
    }
}

/// A text that is counted.
#[derive(Clone, Debug)]
pub(crate) struct Text {
    text: String,
    held: Held,
}

impl Text {
    pub(crate) fn new(text: String) -> Self {
        let held = Held::new(text.capacity());
        Self { text, held }
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.text
    }

    pub(crate) fn push_str(&mut self, more: &str) {
        self.text.push_str(more);
        self.held.resize(self.text.capacity());
    }
}

impl Deref for Text {
    type Target = str;

    fn deref(&self) -> &str {
        &self.text
    }
}

#[cfg(test)]
mod tests {
    use super::live;
    use crate::value::Value;
    use std::rc::Rc;

    #[test]
    fn what_goes_is_given_back() {
        let before = live();
        let text = Value::text("x".repeat(1_000));
        let one = live() - before;
        assert!((1_000..1_200).contains(&one), "{one}");
        let list = Value::array(vec![text.clone(), text]).unwrap();
        let two = live() - before;
        assert!(two > one && two < one + 300, "what is shared counts once: {two}");
        let Value::Array(mut items) = list.clone() else { panic!("{list:?}") };
        Rc::make_mut(&mut items).set(999, Value::Null).unwrap();
        assert!(live() - before > two + 999 * 24, "the padding counts in full");
        drop((items, list));
        assert_eq!(live(), before);
    }
}
