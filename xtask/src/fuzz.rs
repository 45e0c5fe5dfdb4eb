//! `cargo xtask fuzz`: promise P11. Each target in a process of its own; what kills it is kept.

use std::fs;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use testkit::pool::{cores, in_parallel};

use crate::arguments::Arguments;
use crate::product::{cargo, target_folder};

/// So much time each target has where nothing is said. **Units**: seconds.
const SECONDS: u64 = 60;

/// The most memory a target may really have used. **Units**: KiB.
const MEMORY: u64 = 256 * 1024;

pub(crate) fn run(arguments: &mut Arguments) -> Result<(), String> {
    let seconds = match arguments.value("--seconds")? {
        None => SECONDS,
        Some(text) => text.parse().map_err(|error| format!("--seconds {text}: {error}"))?,
    };
    let seed = arguments.seed()?;
    let chosen = arguments.rest();
    check(seconds, seed, &chosen)
}

/// Runs the targets that are named, or all, each for so many seconds.
pub(crate) fn check(seconds: u64, seed: u64, chosen: &[String]) -> Result<(), String> {
    let program = built()?;
    let listed = Command::new(&program).arg("list").output().map_err(|error| error.to_string())?;
    let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
    let names: Vec<&str> = listed.lines().collect();
    if let Some(unknown) = chosen.iter().find(|name| !names.contains(&name.as_str())) {
        return Err(format!("there is no target `{unknown}`; there are {}", names.join(", ")));
    }
    let is_chosen = |name: &&str| chosen.is_empty() || chosen.iter().any(|other| other == name);
    let names: Vec<&str> = names.into_iter().filter(is_chosen).collect();
    let found = in_parallel(cores(), &names, |name| {
        let result = try_target(&program, name, seconds, seed);
        match &result {
            Ok(said) => println!("{name}: {said}"),
            Err(problem) => println!("{name}: FAILED: {problem}"),
        }
        result.is_err()
    });
    let failed = found.into_iter().filter(|failed| *failed).count();
    println!("fuzz: {} targets for {seconds} s each, {failed} failed", names.len());
    if failed == 0 { Ok(()) } else { Err(format!("{failed} targets failed")) }
}

fn built() -> Result<PathBuf, String> {
    let status = cargo().args(["build", "--quiet", "--package", "mainstay-fuzz"]).status();
    match status {
        Ok(status) if status.success() => Ok(target_folder()?.join("debug/mainstay-fuzz")),
        Ok(status) => Err(format!("building the targets: {status}")),
        Err(error) => Err(format!("building the targets: {error}")),
    }
}

fn try_target(program: &Path, name: &str, seconds: u64, seed: u64) -> Result<String, String> {
    let folder = target_folder()?.join("fuzz").join(name);
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    for file in ["current", "report"] {
        drop(fs::remove_file(folder.join(file)));
    }
    let mut command = Command::new(program);
    command.arg(name).arg(&folder).arg(seconds.to_string()).arg(seed.to_string());
    // Every thread's arena would reserve address space of its own.
    command.env("MALLOC_ARENA_MAX", "1").env("RUST_BACKTRACE", "1");
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    let output = command.output().map_err(|error| error.to_string())?;
    let report = fs::read_to_string(folder.join("report")).unwrap_or_default();
    let mut numbers = report.split(' ').map(|word| word.parse::<u64>().unwrap_or(0));
    let (tried, peak) = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
    if !output.status.success() {
        let kept = keep(name, &folder.join("current"))?;
        let stderr = String::from_utf8_lossy(&output.stderr);
        let why = stderr.lines().filter(|line| !line.trim().is_empty()).collect::<Vec<_>>();
        let why = why.iter().skip_while(|line| !line.contains("panicked")).take(3).copied().collect::<Vec<_>>();
        return Err(format!("{} after {tried} inputs, kept as {kept}: {}", output.status, why.join(" ")));
    }
    if peak > MEMORY {
        return Err(format!("used {} MiB", peak / 1024));
    }
    Ok(format!("{tried} inputs, {} MiB at most", peak / 1024))
}

/// Puts the input that killed a target where the tests find it.
fn keep(name: &str, current: &Path) -> Result<String, String> {
    let bytes = fs::read(current).map_err(|error| format!("{}: {error}", current.display()))?;
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    let kept = format!("fuzz/crashes/{name}/{:016x}", hasher.finish());
    let path = testkit::repository().join(&kept);
    path.parent()
        .map_or(Ok(()), fs::create_dir_all)
        .and_then(|()| fs::write(&path, bytes))
        .map_err(|error| error.to_string())?;
    Ok(kept)
}
