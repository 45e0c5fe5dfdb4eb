//! plan.md: what tasks there are.

mod edit;
mod read;

pub(super) use edit::{Edited, Insertion, PlanEdits, line_end};
pub(super) use read::{Breakdown, PlanText, Section, names_task};
