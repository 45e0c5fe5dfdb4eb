//! A file system of one mebibyte, filled up to every level before a write begins (P7).

use std::fs::File;
use std::io::{ErrorKind, Write};
use std::os::unix::fs::MetadataExt;
use std::process::Command;

use super::{Extent, Tried, rebuild};
use crate::crash::story::{Story, Told, told_of};
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
    fn holding(prepared: &'a Project<'a>, size: &str) -> Result<Self, String> {
        let empty = Project::new(prepared.product)?;
        let mut mount = Command::new("mount");
        let options = format!("size={size},mode=700");
        mount.args(["-t", "tmpfs", "-o", &options, "mainstay-test"]).arg(empty.root());
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
    upkeep(product, stride, &mut tried)?;
    Ok(tried)
}

/// Commands that keep a project, each with the room that it may need. **Units**: pages.
const UPKEEP: [(&[&str], usize); 4] = [
    (&["--json", "backup", "copy.db"], 80),
    (&["--json", "gc", "--keep", "0d"], 160),
    (&["--json", "import", "export.jsonl", "--merge"], 64),
    (&["--json", "doctor", "--fix"], 200),
];

// What fails for want of room has changed nothing and works once there is room.
fn upkeep(product: &Product, stride: usize, tried: &mut Tried) -> Result<(), String> {
    let prepared = rebuild::prepared(product)?;
    let other = prepared.copy()?;
    other.reply(&["--json", "hseos", "state", "write", "key-1", &"other ".repeat(2000)])?;
    let exported = other.run(&["export"])?.stdout;
    std::fs::write(prepared.root().join("export.jsonl"), exported).map_err(|error| error.to_string())?;
    let original = rebuild::content(&prepared)?;
    for (words, most) in UPKEEP {
        for free in (0..most).step_by(stride * 2) {
            let what = format!("{} with {free} pages free", words.join(" "));
            tried.add(&what, kept_at_level(&prepared, &original, words, free));
        }
    }
    Ok(())
}

fn kept_at_level(
    prepared: &Project<'_>,
    original: &rebuild::Content,
    words: &[&str],
    free: usize,
) -> Result<Vec<String>, String> {
    let small = Small::holding(prepared, "2m")?;
    let project = &small.0;
    let is_doctor = words.contains(&"doctor");
    if is_doctor {
        let path = project.root().join(".mainstay/state.db");
        let mut bytes = std::fs::read(&path).map_err(|error| error.to_string())?;
        bytes[rebuild::PAGE..2 * rebuild::PAGE].fill(0xa5);
        std::fs::write(&path, bytes).map_err(|error| error.to_string())?;
    }
    let before = project.files()?;
    let ballast = small.fill(free)?;
    let finished = end(small.0.under(&[]).current_dir(project.root()).args(words))?;
    std::fs::remove_file(ballast).map_err(|error| error.to_string())?;
    let (told, mut problems) = told_of(&finished);
    if told != Told::Done {
        let has_code = finished.stdout.contains("{\"error\":{\"code\":");
        if !has_code || finished.status.code() != Some(3) {
            problems.push(format!("it ended with {}: {}{}", finished.exit(), finished.stdout, finished.stderr));
        }
        let new: Vec<_> = project.files()?.difference(&before).filter(|path| !is_book(path)).cloned().collect();
        if !new.is_empty() {
            problems.push(format!("it left {new:?}"));
        }
        if !is_doctor && told == Told::Failed {
            let now = rebuild::content(project)?;
            problems.extend((now != *original).then(|| format!("it failed, and yet something changed: {now:?}")));
        }
        let again = end(project.under(&[]).current_dir(project.root()).args(words))?;
        if told_of(&again).0 != Told::Done {
            problems.push(format!("with room it ended with {}: {}", again.exit(), again.stdout));
        }
    }
    // What was committed and could not be shown for want of room is shown by the next command.
    let now = rebuild::content(project)?;
    if is_doctor {
        problems.extend((now != *original).then(|| format!("after the mending: {now:?}")));
    }
    let after = rebuild::doctor(project, &["--json", "doctor"])?;
    problems.extend((after["ok"] != true).then(|| format!("doctor finds {after}")));
    Ok(problems)
}

// Locks are made on the way and stay; so do the folders that copies are kept in.
fn is_book(path: &str) -> bool {
    path.starts_with(".mainstay/locks/")
}

fn at_level(story: &Story<'_>, prepared: &Project<'_>, words: &[&str], free: usize) -> Result<Vec<String>, String> {
    let small = Small::holding(prepared, "1m")?;
    let ballast = small.fill(free)?;
    let finished = end(small.0.under(&[]).args(words))?;
    std::fs::remove_file(ballast).map_err(|error| error.to_string())?;
    let (told, mut problems) = told_of(&finished);
    problems.extend(story.goes_on(&small.0, &told)?);
    Ok(problems)
}
