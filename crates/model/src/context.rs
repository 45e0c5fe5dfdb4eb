//! What a request may know of the world: clock, identity, environment, settings.

use std::collections::BTreeMap;

use crate::{Object, Origin, Timestamp};

/// Environment variables that Mainstay reads; others are not let in.
pub type Environment = BTreeMap<String, String>;

/// The circumstances of one request, fixed before any format sees it.
#[derive(Clone, Debug)]
pub struct Context {
    /// The request's clock; every time that the request writes is this one.
    pub now: Timestamp,
    /// Who calls.
    pub actor: String,
    /// The session, if one was named.
    pub session: Option<String>,
    /// The idempotency key, if there is one.
    pub request_id: Option<String>,
    /// The door the call came through.
    pub origin: Origin,
    /// The canonical absolute path of the project root, for replies; never opened from here.
    pub root: String,
    /// A fresh random tag of 16 lower-case hexadecimal digits, for fences.
    pub tag: String,
    /// The admitted environment.
    pub env: Environment,
    /// `mainstay.toml` as JSON; empty without the file.
    pub settings: Object,
}

impl Context {
    /// An admitted environment variable; an empty one counts as absent.
    pub fn var(&self, name: &str) -> Option<&str> {
        self.env.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }
}
