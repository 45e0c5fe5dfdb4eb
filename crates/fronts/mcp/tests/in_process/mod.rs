//! The front in this process, over real sockets and streams, before a host that is not an engine.
//!
//! Compiled into the crate's own unit tests, since nothing of this is public.

mod bad_input;
mod fake;
mod guard;
mod http;
mod listening;
mod prompts;
mod protocol;
mod raw;
mod stdio;
mod stopping;
