//! The built program, seen from outside, and the house it is built in.
#![allow(clippy::unwrap_used)]

mod agent;
mod doctor;
mod documents;
mod eneo;
mod eneo_files;
mod eneo_howto;
mod environment;
mod git;
mod hooks;
mod house;
mod howto;
mod machine;
mod planning;
mod ponder;
mod reference;
mod server;
mod subscriptions;
mod tools_list;
mod vectors;
mod wiring;
mod wreck;
