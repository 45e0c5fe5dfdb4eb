//! The engine, driven through its door with a format made for tests, and with the five formats.

#![allow(clippy::unwrap_used)]

mod adoption;
mod back;
mod back_faults;
mod basics;
mod crash;
mod desk;
mod exchange;
mod faults;
mod five_formats;
mod follow;
mod foreign_lock;
mod foreign_wait;
mod gc;
mod git;
mod group;
mod home;
mod hseos;
mod irregular;
mod locks;
mod moves;
mod outside;
mod ponder;
mod probe;
mod project;
mod prompts;
mod random;
mod retries;
mod skillstate;
mod spool;
mod spool_files;
mod time_travel;
mod upgrade;
