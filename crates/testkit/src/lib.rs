//! What tests of the built program share: clean processes, behaviour vectors, checks on the tree itself.

pub mod house;
pub mod json;
pub mod pool;
pub mod process;
pub mod random;
pub mod sql;
pub mod vectors;

use std::path::{Path, PathBuf};

/// The root of this repository.
pub fn repository() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).expect("the crate stands two folders beneath the root").to_path_buf()
}
