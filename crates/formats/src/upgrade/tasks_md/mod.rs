//! tasks.md: the view of progress that we write and people edit.

mod lines;
mod links;
mod read;
mod render;
mod rows;

pub(super) use read::TasksText;
pub(super) use render::render;
pub(super) use rows::Row;
