//! The engine, driven through its door with a format made for tests, with hseos and skillstate.

#![allow(clippy::unwrap_used)]

mod basics;
mod crash;
mod desk;
mod faults;
mod foreign_lock;
mod foreign_wait;
mod group;
mod home;
mod hseos;
mod irregular;
mod locks;
mod moves;
mod outside;
mod probe;
mod project;
mod random;
mod retries;
mod skillstate;
mod spool;
mod spool_files;
