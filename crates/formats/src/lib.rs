//! The formats that this program speaks: the roll-call, and one folder for each.

#![cfg_attr(test, allow(clippy::unwrap_used))]

pub mod eneo;
pub mod hseos;
pub mod msd;
pub mod skillstate;
pub mod upgrade;

use format::Format;

/// Every format, in the order in which their locks are taken and their blocks are shown.
pub static ALL: &[&dyn Format] = &[&hseos::Hseos, &eneo::Eneo, &skillstate::Skillstate, &upgrade::Upgrade, &msd::Msd];
