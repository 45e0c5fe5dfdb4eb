//! Behaviour vectors: cases as data, run against the built program from outside.

mod case;
mod expectation;

use std::fs;
use std::path::{Path, PathBuf};

use crate::pool::{cores, in_parallel};

pub use case::{Expect, FileRule, Query, Script, Setup, Step, Vector, VectorFile};

/// How one vector went.
#[derive(Debug)]
pub struct Report {
    /// The vector's id.
    pub id: String,
    /// The rule that it stands for.
    pub rule: String,
    /// What was wrong; nothing when it passed.
    pub problems: Vec<String>,
}

/// Which vectors run.
#[derive(Debug, Default)]
pub struct Choice {
    /// Only these ids; every one that is not `later` when empty.
    pub only: Vec<String>,
    /// Those marked `later` too.
    pub later: bool,
}

/// Reads every `*.json` of a folder, in the order of their names.
pub fn load(folder: &Path) -> Result<Vec<Vector>, String> {
    let entries = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut files: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "json"));
    files.sort();
    let mut vectors = Vec::new();
    for file in files {
        let text = fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
        let read: VectorFile = serde_json::from_str(&text).map_err(|error| format!("{}: {error}", file.display()))?;
        vectors.extend(read.vectors);
    }
    Ok(vectors)
}

/// Runs the chosen vectors, several at a time.
///
/// **Order**: as they were given.
pub fn run(binary: &Path, vectors: &[Vector], choice: &Choice) -> Vec<Report> {
    let chosen: Vec<&Vector> = vectors.iter().filter(|vector| choice.includes(vector)).collect();
    in_parallel(cores(), &chosen, |vector| Report {
        id: vector.id.clone(),
        rule: vector.rule.clone(),
        problems: vector.run(binary),
    })
}

impl Choice {
    fn includes(&self, vector: &Vector) -> bool {
        if self.only.is_empty() { self.later || !vector.later } else { self.only.contains(&vector.id) }
    }
}
