//! The straight line of one request: locks, healing, taking in, thinking, commit, publishing.

mod api;

pub use api::{Engine, HistoryQuery, Identity, Resource, Setup};
