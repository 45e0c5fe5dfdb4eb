//! The program under test, built.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::arguments::Arguments;

/// How a release is linked on Linux: nothing is looked up, nothing is moved when it starts.
const STATIC: &str = "-C target-feature=+crt-static -C relocation-model=static";

/// What is the same stands once; the linker that the compiler brings for this machine knows how.
const FOLDED: &str = "-C link-arg=-Wl,--icf=all";

/// A built program, and the fault that is planted in it.
#[derive(Clone)]
pub(crate) struct Product {
    pub(crate) binary: PathBuf,
    pub(crate) mutant: Option<String>,
    /// How long it waits for locks, where it is not as long as it does by itself. **Units**: milliseconds.
    pub(crate) patience: Option<u32>,
}

impl Product {
    /// A program that stands somewhere, as it is.
    pub(crate) fn at(binary: PathBuf) -> Self {
        Self { binary, mutant: None, patience: None }
    }

    /// The program as it is built for tests.
    pub(crate) fn built() -> Result<Self, String> {
        Ok(Self::at(build(&[])?))
    }

    /// The program as it is released: one static file that no dynamic linker has to put together.
    ///
    /// The target is named so that the flags reach the program alone, not what builds it.
    pub(crate) fn released() -> Result<Self, String> {
        Self::released_from(&testkit::repository(), &target_folder()?)
    }

    /// The program as it is released, from a checkout that may lie elsewhere, built into the folder `target`.
    pub(crate) fn released_from(checkout: &Path, target: &Path) -> Result<Self, String> {
        let host = host()?;
        let mut cargo = cargo();
        cargo.current_dir(checkout).env("CARGO_TARGET_DIR", target).envs(static_flags(&host, checkout, target));
        Ok(Self::at(build_with(&mut cargo, &["--release", "--target", &host])?))
    }

    /// What `--bin PATH` and `--mutant NAME` say; without them the program as it is built for tests.
    pub(crate) fn chosen(arguments: &mut Arguments) -> Result<Self, String> {
        let mutant = arguments.value("--mutant")?;
        let unmutated = match (arguments.binary()?, &mutant) {
            (Some(binary), _) => Self::at(binary),
            (None, Some(_)) => Self::with_mutants()?,
            (None, None) => Self::built()?,
        };
        Ok(Self { mutant, ..unmutated })
    }

    /// The program with the points where faults can be planted. It never stands where a release is built.
    pub(crate) fn with_mutants() -> Result<Self, String> {
        let target = target_folder()?.join("mutants");
        let target = target.to_str().ok_or("the target folder's name is not UTF-8")?;
        Ok(Self::at(build(&["--features", "mutants", "--target-dir", target])?))
    }

    /// The same program, waiting so long for locks that no other work on the machine makes it give up.
    pub(crate) fn patient(&self) -> Self {
        Self { patience: Some(15_000), ..self.clone() }
    }

    /// The same program with this fault.
    pub(crate) fn mutated(&self, mutant: &str) -> Self {
        Self { mutant: Some(mutant.to_owned()), ..self.clone() }
    }
}

/// The cargo that runs us.
pub(crate) fn cargo() -> Command {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo")));
    cargo.current_dir(testkit::repository());
    cargo
}

/// The folder that cargo builds into.
pub(crate) fn target_folder() -> Result<PathBuf, String> {
    let lines = output(cargo().args(["metadata", "--no-deps", "--offline", "--format-version", "1"]))?;
    let metadata: Value = serde_json::from_str(&lines).map_err(|error| format!("cargo metadata: {error}"))?;
    metadata["target_directory"]
        .as_str()
        .map(PathBuf::from)
        .ok_or_else(|| "cargo metadata names no target folder".into())
}

/// The variable by which cargo builds for `host` as a release is built: static, without this machine's paths.
pub(crate) fn static_flags(host: &str, checkout: &Path, target: &Path) -> Vec<(String, String)> {
    let mut flags = Vec::new();
    if host.ends_with("-linux-gnu") || host.ends_with("-linux-musl") {
        flags.push(STATIC.to_owned());
    }
    if host == "x86_64-unknown-linux-gnu" {
        flags.push(FOLDED.to_owned());
    }
    let home = std::env::var("HOME").unwrap_or_default();
    let packages = std::env::var("CARGO_HOME").unwrap_or_else(|_| format!("{home}/.cargo"));
    let compiler = std::env::var("RUSTUP_HOME").unwrap_or_else(|_| format!("{home}/.rustup"));
    let (checkout, target) = (checkout.display().to_string(), target.display().to_string());
    // Of two that fit the later counts: the target folder may lie in the checkout, both in the home.
    for (path, name) in [(packages, "cargo"), (compiler, "rustup"), (checkout, "mainstay"), (target, "target")] {
        flags.push(format!("--remap-path-prefix={path}=/{name}"));
    }
    let variable = format!("CARGO_TARGET_{}_RUSTFLAGS", host.to_uppercase().replace('-', "_"));
    vec![(variable, flags.join(" "))]
}

fn build(options: &[&str]) -> Result<PathBuf, String> {
    build_with(&mut cargo(), options)
}

fn build_with(cargo: &mut Command, options: &[&str]) -> Result<PathBuf, String> {
    let words = ["build", "--quiet", "--package", "mainstay", "--message-format", "json-render-diagnostics"];
    let messages = output(cargo.args(words).args(options))?;
    let mut executables = messages.lines().filter_map(|line| {
        let message: Value = serde_json::from_str(line).ok()?;
        (message["target"]["name"] == "mainstay").then(|| message["executable"].as_str().map(PathBuf::from))?
    });
    executables.next_back().ok_or_else(|| "cargo built no program `mainstay`".into())
}

/// The machine that cargo builds for where nothing else is said.
pub(crate) fn host() -> Result<String, String> {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| OsString::from("rustc"));
    let said = output(Command::new(rustc).arg("-vV"))?;
    let host = said.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).ok_or_else(|| format!("rustc names no host: {said}"))
}

/// What a command prints; it must end well.
pub(crate) fn output(command: &mut Command) -> Result<String, String> {
    let done = command.stderr(Stdio::inherit()).output().map_err(|error| format!("{command:?}: {error}"))?;
    if done.status.success() {
        Ok(String::from_utf8_lossy(&done.stdout).into_owned())
    } else {
        Err(format!("{command:?}: {}", done.status))
    }
}
