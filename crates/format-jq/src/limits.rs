//! What a run may take, and the counting of it.

use std::cell::Cell;

use crate::halt::{Caught, Halt, Limit};
use crate::live::live;

/// How many steps a program may take. A step is a term that is run, or a part of a value that is looked at.
pub(crate) const STEPS: u64 = 4_000_000;

/// The same where someone waits.
const BRIEF_STEPS: u64 = 50_000;

/// What a program's values may hold at any time. **Units**: bytes.
pub(crate) const MEMORY: u64 = 256 * 1024 * 1024;

/// The same where someone waits.
const BRIEF_MEMORY: u64 = 16 * 1024 * 1024;

/// How much of the thread's stack a program may use. **Units**: bytes.
const STACK: usize = 1024 * 1024;

/// What a value costs beside its texts. **Units**: bytes.
const VALUE: u64 = 48;

/// How much is copied in the time of a step. So all of the memory costs fewer steps than there are. **Units**: bytes.
const COPIED: usize = 256;

/// After how many steps the clock and the memory are looked at.
const LOOK: u64 = 1_024;

/// What a run may take.
#[derive(Clone, Copy)]
pub struct Limits<'a> {
    steps: u64,
    memory: u64,
    is_over: &'a dyn Fn() -> bool,
}

impl<'a> Limits<'a> {
    /// All that any program may take, for as long as the time is not over.
    pub fn whole(is_over: &'a dyn Fn() -> bool) -> Self {
        Self { steps: STEPS, memory: MEMORY, is_over }
    }

    /// What ordinary programs take; more would hold others up.
    pub fn brief(is_over: &'a dyn Fn() -> bool) -> Self {
        Self { steps: BRIEF_STEPS, memory: BRIEF_MEMORY, is_over }
    }
}

/// What a run has taken so far.
pub(crate) struct Taken<'a> {
    limits: Limits<'a>,
    steps: Cell<u64>,
    // What other values of the thread held when it began.
    before: u64,
    base: usize,
}

impl<'a> Taken<'a> {
    pub(crate) fn nothing(limits: Limits<'a>) -> Self {
        let marker = 0u8;
        Self { limits, steps: Cell::new(0), before: live(), base: std::ptr::from_ref(&marker).addr() }
    }

    /// Counts work. **Errors**: a limit.
    pub(crate) fn spend(&self, steps: usize) -> Caught<()> {
        let before = self.steps.get();
        let total = before.saturating_add(steps as u64);
        self.steps.set(total);
        if total > self.limits.steps {
            return Err(Halt::Limit(Limit::Steps));
        }
        if before / LOOK == total / LOOK { Ok(()) } else { self.look() }
    }

    /// Looks at the clock and at what all values hold, whatever was counted.
    pub(crate) fn look(&self) -> Caught<()> {
        if (self.limits.is_over)() { Err(Halt::Limit(Limit::Time)) } else { self.have_room(0) }
    }

    /// There must be room for so many values and bytes of text; counts the work of making them.
    pub(crate) fn allocate(&self, values: usize, bytes: usize) -> Caught<()> {
        self.have_room((values as u64).saturating_mul(VALUE).saturating_add(bytes as u64))?;
        self.spend(values.saturating_add(bytes / COPIED))
    }

    fn have_room(&self, more: u64) -> Caught<()> {
        let held = live().saturating_sub(self.before);
        if held.saturating_add(more) > self.limits.memory { Err(Halt::Limit(Limit::Memory)) } else { Ok(()) }
    }

    pub(crate) fn check_stack(&self) -> Caught<()> {
        let marker = 0u8;
        let used = self.base.abs_diff(std::ptr::from_ref(&marker).addr());
        if used > STACK { Err(Halt::too_deep()) } else { Ok(()) }
    }
}
