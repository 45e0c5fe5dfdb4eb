//! The npm package: the program itself under the name that npm links to.

use std::path::Path;

use serde_json::json;

use super::Release;
use super::archive::{Member, tar_gz};

/// Writes what `npm install FILE` reads.
///
/// The package names the system it is for: elsewhere npm refuses it instead of linking to a program that cannot run.
pub(super) fn pack(file: &Path, release: &Release, program: &[u8], papers: &[Member]) -> Result<(), String> {
    let (os, cpu) = system(&release.host)?;
    let manifest = json!({
        "name": "mainstay",
        "version": release.version,
        "description": "Keeps the working state of a coding-agent project",
        "license": "MIT OR Apache-2.0",
        "bin": {"mainstay": "bin/mainstay"},
        "os": [os],
        "cpu": [cpu],
        "preferUnplugged": true,
    });
    let manifest = serde_json::to_string_pretty(&manifest).map_err(|error| error.to_string())? + "\n";
    let mut members = vec![Member::text("package.json", manifest), Member::program("bin/mainstay", program.to_vec())];
    members.extend(papers.iter().cloned());
    tar_gz(file, "package", members, release.compression)
}

fn system(host: &str) -> Result<(&'static str, &'static str), String> {
    let os = [("linux", "linux"), ("darwin", "darwin"), ("windows", "win32")];
    let cpu = [("x86_64", "x64"), ("aarch64", "arm64")];
    let named =
        |names: &[(&str, &'static str)]| names.iter().find(|(part, _)| host.contains(part)).map(|(_, name)| *name);
    named(&os).zip(named(&cpu)).ok_or_else(|| format!("npm has no name for {host}"))
}
