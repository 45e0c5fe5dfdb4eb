//! A value together with where it stands.

use std::rc::Rc;

use crate::access;
use crate::halt::{Caught, Halt};
use crate::live::Held;
use crate::message::shown;
use crate::value::Value;

use super::Run;

/// A value, and its place in the document where someone wants to know.
#[derive(Clone, Debug)]
pub(crate) struct Spot {
    pub(crate) value: Value,
    pub(crate) trail: Trail,
}

/// How a value was reached.
#[derive(Clone, Debug)]
pub(crate) enum Trail {
    /// Nobody asks.
    Off,
    /// From the root through these keys.
    At(Option<Rc<Step>>),
    /// It was computed, so it has no place.
    Lost,
}

/// The last key of a path, and those before it.
#[derive(Debug)]
pub(crate) struct Step {
    key: Value,
    before: Option<Rc<Step>>,
    _held: Held,
}

impl Drop for Step {
    // A trail may have as many steps as a loop has turns: they go one after the other, not each within the next.
    fn drop(&mut self) {
        let mut next = self.before.take();
        while let Some(mut step) = next.and_then(Rc::into_inner) {
            next = step.before.take();
        }
    }
}

impl Spot {
    /// A value whose place nobody wants to know.
    pub(crate) fn plain(value: Value) -> Self {
        Self { value, trail: Trail::Off }
    }

    /// The root of a document in which places are wanted.
    pub(crate) fn root(value: Value) -> Self {
        Self { value, trail: Trail::At(None) }
    }

    /// A computed value in the same walk.
    pub(crate) fn elsewhere(&self, value: Value) -> Self {
        let trail = if matches!(self.trail, Trail::Off) { Trail::Off } else { Trail::Lost };
        Self { value, trail }
    }

    /// What stands at a key.
    pub(crate) fn child(&self, run: &Run<'_>, key: &Value) -> Caught<Self> {
        let value = access::get(run, &self.value, key)?;
        self.at(|| key.clone(), value)
    }

    /// A value that was found at a key.
    pub(crate) fn at(&self, key: impl FnOnce() -> Value, value: Value) -> Caught<Self> {
        let trail = match &self.trail {
            Trail::Off => Trail::Off,
            Trail::At(before) => Trail::At(Some(Rc::new(Step {
                key: key(),
                before: before.clone(),
                _held: Held::new(size_of::<Step>()),
            }))),
            Trail::Lost => return Err(self.has_no_path()),
        };
        Ok(Self { value, trail })
    }

    /// The keys from the root to it.
    pub(crate) fn path(&self) -> Caught<Vec<Value>> {
        let Trail::At(step) = &self.trail else { return Err(self.has_no_path()) };
        let mut step = step.as_ref();
        let mut keys = Vec::new();
        while let Some(own) = step {
            keys.push(own.key.clone());
            step = own.before.as_ref();
        }
        keys.reverse();
        Ok(keys)
    }

    fn has_no_path(&self) -> Halt {
        Halt::error(format!("Invalid path expression with result {}", shown(&self.value)))
    }
}
