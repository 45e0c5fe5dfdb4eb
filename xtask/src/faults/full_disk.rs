//! A file system of one mebibyte, filled up to every level before a write begins (P7).

use std::fs::File;
use std::io::{ErrorKind, Write};
use std::os::unix::fs::MetadataExt;
use std::process::Command;

use super::{Extent, Tried};
use crate::crash::story::{Story, told_of};
use crate::crash::verbs::scenarios;
use crate::product::Product;
use crate::project::{Project, end};
use crate::steps::shown;
use testkit::random::Random;

/// The unit in which room is left: a page.
const PAGE: usize = 4096;

/// So much room is left at most. **Units**: pages.
const LEVELS: usize = 64;

/// Every so manieth level is tried by a quick run.
const STRIDE: usize = 13;

/// A project on a small file system of its own, which goes away with the value.
struct Small<'a>(Project<'a>);

impl<'a> Small<'a> {
    fn holding(prepared: &'a Project<'a>) -> Result<Self, String> {
        let empty = Project::new(prepared.product)?;
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", "size=1m,mode=700", "mainstay-test"]).arg(empty.root());
        shown(&mut mount)?;
        let small = Self(empty);
        prepared.copy_into(&small.0)?;
        Ok(small)
    }

    /// Fills it until so many pages are free.
    fn fill(&self, free: usize) -> Result<std::path::PathBuf, String> {
        // Outside what the program looks at.
        let path = self.0.root().join("ballast");
        let fill = || {
            let mut file = File::create(&path)?;
            loop {
                match file.write_all(&[0; PAGE]) {
                    Ok(()) => {}
                    Err(error) if error.kind() == ErrorKind::StorageFull => break,
                    Err(error) => return Err(error),
                }
            }
            let length = usize::try_from(file.metadata()?.len()).unwrap_or(usize::MAX);
            file.set_len((length / PAGE).saturating_sub(free).saturating_mul(PAGE) as u64)
        };
        fill().map_err(|error| format!("filling the file system: {error}"))?;
        Ok(path)
    }
}

impl Drop for Small<'_> {
    fn drop(&mut self) {
        drop(shown(Command::new("umount").arg(self.0.root())));
    }
}

pub(super) fn check(product: &Product, extent: Extent, _random: &mut Random) -> Result<Tried, String> {
    let mut tried = Tried::default();
    let is_root = std::fs::metadata("/proc/self").is_ok_and(|process| process.uid() == 0);
    if !is_root {
        if std::env::var_os("CI").is_some() {
            return Err("a small file system can be mounted by root alone, and this run is expected to be root".into());
        }
        println!("full-disk: skipped, since a small file system can be mounted by root alone");
        return Ok(tried);
    }
    let stride = if extent == Extent::Quick { STRIDE } else { 1 };
    for scenario in scenarios() {
        let prepared = Project::new(product)?;
        scenario.prepare(&prepared, &mut |words| prepared.reply(words).map(drop))?;
        let story = Story::undisturbed(&scenario, &prepared)?;
        for free in (0..LEVELS).step_by(stride) {
            let what = format!("{scenario} with {free} pages free");
            tried.add(&what, at_level(&story, &prepared, &scenario.words(), free));
        }
    }
    Ok(tried)
}

fn at_level(story: &Story<'_>, prepared: &Project<'_>, words: &[&str], free: usize) -> Result<Vec<String>, String> {
    let small = Small::holding(prepared)?;
    let ballast = small.fill(free)?;
    let finished = end(small.0.under(&[]).args(words))?;
    std::fs::remove_file(ballast).map_err(|error| error.to_string())?;
    let (told, mut problems) = told_of(&finished);
    problems.extend(story.goes_on(&small.0, &told)?);
    Ok(problems)
}
