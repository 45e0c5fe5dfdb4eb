//! The built program, seen from outside, and the house it is built in.
#![allow(clippy::unwrap_used)]

mod house;
mod tools_list;
mod vectors;
