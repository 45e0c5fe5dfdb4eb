//! Writes the man pages of every command into a folder: `cargo run --example man_pages -- DIR`.

use std::path::PathBuf;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let folder = env::args_os().nth(1).map(PathBuf::from);
    let folder = folder.ok_or_else(|| io::Error::other("which folder? cargo run --example man_pages -- DIR"))?;
    fs::create_dir_all(&folder)?;
    clap_mangen::generate_to(front_cli::command_tree(formats::ALL), folder)
}
