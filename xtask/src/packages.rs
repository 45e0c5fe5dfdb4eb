//! The Debian packages that tests need.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::steps::shown;

/// A Debian package, and how one sees that it is there.
pub(crate) struct Package {
    pub(crate) name: &'static str,
    /// A command that succeeds where the package is installed.
    pub(crate) probe: &'static [&'static str],
}

pub(crate) const STRACE: Package = Package { name: "strace", probe: &["strace", "--version"] };
pub(crate) const VALGRIND: Package = Package { name: "valgrind", probe: &["valgrind", "--version"] };
pub(crate) const JQ: Package = Package { name: "jq", probe: &["jq", "--version"] };
pub(crate) const SQLITE3: Package = Package { name: "sqlite3", probe: &["sqlite3", "--version"] };
pub(crate) const TASKWARRIOR: Package = Package { name: "taskwarrior", probe: &["task", "--version"] };
pub(crate) const PYTHON: Package =
    Package { name: "python3-venv", probe: &["python3", "-c", "import ensurepip, venv"] };
pub(crate) const NODE: Package = Package { name: "nodejs", probe: &["node", "--version"] };
pub(crate) const NPM: Package = Package { name: "npm", probe: &["npm", "--version"] };
pub(crate) const FISH: Package = Package { name: "fish", probe: &["fish", "--version"] };
pub(crate) const ZSH: Package = Package { name: "zsh", probe: &["zsh", "--version"] };

/// Installs what is missing; where that is not ours to do, names it and fails.
pub(crate) fn ensure(packages: &[Package]) -> Result<(), String> {
    let missing: Vec<_> = packages.iter().filter(|package| !is_there(package)).map(|package| package.name).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let names = missing.join(" ");
    if !may_install() {
        return Err(format!("missing: {names} (as root: apt-get install {names})"));
    }
    println!("installing {names}");
    shown(apt().args(["update", "-qq"]))?;
    shown(apt().args(["install", "-y", "-qq", "--no-install-recommends"]).args(&missing))
}

fn is_there(package: &Package) -> bool {
    let (program, words) = package.probe.split_first().expect("a probe names a program");
    let status = Command::new(program).args(words).stdout(Stdio::null()).stderr(Stdio::null()).status();
    status.is_ok_and(|status| status.success())
}

fn may_install() -> bool {
    let is_root = fs::metadata("/proc/self").is_ok_and(|process| process.uid() == 0);
    is_root && Path::new("/usr/bin/apt-get").exists()
}

fn apt() -> Command {
    let mut apt = Command::new("apt-get");
    apt.env("DEBIAN_FRONTEND", "noninteractive").stdout(Stdio::null());
    apt
}
