//! The only room that touches project files: reading, atomic replacing, moving, keeping aside.

mod aside;
mod digest;
mod files;
mod foreign;
mod holder;
mod log;
mod moves;
mod new_folder;
mod replace;

pub(crate) use aside::{keep_aside, set_aside};
pub(crate) use digest::{digest, folder_mark, is_owed, mark_of, mark_of_folder, owed_mark};
pub(crate) use files::{FileStamp, ProjectFiles};
pub(crate) use foreign::ForeignLockHeld;
pub(crate) use holder::{PidFileAges, is_abandoned};
pub(crate) use log::append_line;
pub(crate) use moves::{MoveOutcome, carry_out, remove_trashed};
pub(crate) use new_folder::is_in_new_folder;
pub(crate) use replace::{
    Prepared, apart, create, create_new, make_folder, remove, remove_empty_folder, sweep, sweep_apart, sweep_folder,
    sync_folder_of,
};
