//! Each way to install a release, tried: the program must then write and read a project.

use std::fs;
use std::path::Path;
use std::process::Command;

use testkit::process::Sandbox;

use crate::packages::{NODE, NPM, PYTHON, ensure};
use crate::product::{cargo, host, output, static_flags, target_folder};
use crate::steps;

use super::Packed;

/// How `cargo install` builds: as what is packed was built, so that nearly nothing is left to do.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Profile {
    Release,
    Development,
}

/// Installs by every way; by `cargo install` only where a profile is named.
pub(super) fn check(packed: &Packed, profile: Option<Profile>) -> Result<(), String> {
    ensure(&[PYTHON, NODE, NPM])?;
    let place = tempfile::tempdir().map_err(|error| error.to_string())?;
    let within = |name: &str| {
        let folder = place.path().join(name);
        fs::create_dir(&folder).map(|()| folder).map_err(|error| error.to_string())
    };

    let unpacked = within("archive")?;
    steps::shown(
        Command::new("tar").arg("-xzf").arg(&packed.archive).args(["--strip-components", "1", "-C"]).arg(&unpacked),
    )?;
    works("the archive", &unpacked.join("mainstay"))?;
    for part in ["completions/mainstay.bash", "man/mainstay.1", "LICENSE-MIT", "THIRD-PARTY.md", "RUST-LIBRARY.html"] {
        if !unpacked.join(part).is_file() {
            return Err(format!("the archive lacks {part}"));
        }
    }

    let modules = within("npm")?;
    let mut npm = Command::new("npm");
    npm.args(["install", "--silent", "--no-audit", "--no-fund", "--offline", "--prefix"])
        .arg(&modules)
        .arg(&packed.npm);
    steps::shown(&mut npm)?;
    works("npm", &modules.join("node_modules/.bin/mainstay"))?;

    let venv = within("python")?;
    steps::shown(Command::new("python3").args(["-m", "venv"]).arg(&venv))?;
    let mut pip = Command::new(venv.join("bin/pip"));
    steps::shown(pip.args(["install", "--quiet", "--disable-pip-version-check", "--no-index"]).arg(&packed.wheel))?;
    works("pip", &venv.join("bin/mainstay"))?;

    if let Some(profile) = profile {
        let root = within("cargo")?;
        let target = target_folder()?;
        let mut install = cargo();
        install.args(["install", "--quiet", "--locked", "--path", "crates/mainstay"]);
        install.arg("--root").arg(&root).arg("--target-dir").arg(&target);
        if profile == Profile::Release {
            install.args(["--target", &host()?]).envs(static_flags(&host()?, &testkit::repository(), &target));
        } else {
            install.arg("--debug");
        }
        steps::shown(&mut install)?;
        works("cargo install", &root.join("bin/mainstay"))?;
    }
    Ok(())
}

fn works(way: &str, program: &Path) -> Result<(), String> {
    let sandbox = Sandbox::new().map_err(|error| error.to_string())?;
    let run =
        |words: &[&str]| output(sandbox.command(program).args(words)).map_err(|problem| format!("{way}: {problem}"));
    run(&["hseos", "state", "write", "phase", "installed"])?;
    let read = run(&["hseos", "state", "read"])?;
    if !read.contains("installed") {
        return Err(format!("{way}: what was written reads as {read:?}"));
    }
    println!("installed by {way}: it works");
    Ok(())
}
