//! What the program is made of: each package in it, its licence, the texts that must go along.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::product::{cargo, output};

use super::archive::Member;
use super::shown;

/// How the files begin that licences lie in.
const NAMES: [&str; 5] = ["LICENSE", "LICENCE", "COPYING", "NOTICE", "UNLICENSE"];

/// What is said of the C library, which is linked in as it is.
const OF_C: &str = "\
- GNU C Library: LGPL-2.1-or-later (LGPL-2.1.txt), and of GCC what its runtime exception covers. Both are linked in
  unchanged. The sources of Mainstay are public under its own licences: `cargo xtask dist` links the program anew with
  the library that the machine has. Sources of the library: <https://www.gnu.org/software/libc/>.
";

/// What is said of Rust's own library.
const OF_RUST: &str = "- Rust's standard library: MIT OR Apache-2.0, and what RUST-LIBRARY.html lists.\n";

/// Where Debian and its children keep the text.
const LGPL: &str = "/usr/share/common-licenses/LGPL-2.1";

/// The licences of what the compiler and the linker put in.
pub(super) fn of_the_toolchain(host: &str) -> Result<Vec<Member>, String> {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let root = output(Command::new(rustc).args(["--print", "sysroot"]))?;
    let of_rust = Path::new(root.trim_end()).join("share/doc/rust/COPYRIGHT-library.html");
    let read = |path: &Path| fs::read(path).map_err(|error| shown(path, &error));
    let mut members = vec![Member::text("RUST-LIBRARY.html", read(&of_rust)?)];
    if is_with_glibc(host) {
        members.push(Member::text("LGPL-2.1.txt", read(Path::new(LGPL))?));
    }
    Ok(members)
}

fn is_with_glibc(host: &str) -> bool {
    host.ends_with("-linux-gnu")
}

/// The page about the packages of others in the program.
pub(super) fn of_the_program(host: &str) -> Result<String, String> {
    let lines = output(cargo().args(["metadata", "--locked", "--format-version", "1", "--filter-platform", host]))?;
    let metadata: Value = serde_json::from_str(&lines).map_err(|error| format!("cargo metadata: {error}"))?;
    let inside = packages_inside(&metadata)?;
    let list = metadata["packages"].as_array().ok_or("cargo metadata names no packages")?;
    let mut others: Vec<&Value> =
        list.iter().filter(|one| !one["source"].is_null() && inside.contains(text(&one["id"]))).collect();
    others.sort_by_key(|one| (text(&one["name"]), text(&one["version"])));
    let mut page =
        String::from("# What Mainstay is made of\n\nThe packages of others in the program, and their licences.\n\n");
    if is_with_glibc(host) {
        page.push_str(OF_C);
    }
    page.push_str(OF_RUST);
    let mut texts: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for one in others {
        let (name, version) = (text(&one["name"]), text(&one["version"]));
        let licence = one["license"].as_str().ok_or_else(|| format!("{name} {version} names no licence"))?;
        writeln!(page, "- {name} {version}: {licence}").map_err(|error| error.to_string())?;
        let folder = Path::new(text(&one["manifest_path"])).parent().ok_or("a manifest lies in no folder")?;
        for found in texts_in(folder)? {
            texts.entry(found).or_default().push(format!("{name} {version}"));
        }
    }
    for (text, of) in texts {
        let title = of.join(", ");
        write!(page, "\n## {title}\n\n````text\n{}\n````\n", text.trim()).map_err(|error| error.to_string())?;
    }
    Ok(page)
}

// Everything that the program reaches by dependencies that are linked into it.
fn packages_inside(metadata: &Value) -> Result<BTreeSet<&str>, String> {
    let nodes = metadata["resolve"]["nodes"].as_array().ok_or("cargo metadata resolves nothing")?;
    let node = |id: &str| nodes.iter().find(|node| node["id"] == id);
    let packages = metadata["packages"].as_array().ok_or("cargo metadata names no packages")?;
    let root = packages.iter().find(|package| package["name"] == "mainstay").ok_or("there is no package mainstay")?;
    let (mut inside, mut waiting) = (BTreeSet::new(), vec![text(&root["id"])]);
    while let Some(id) = waiting.pop() {
        if !inside.insert(id) {
            continue;
        }
        let dependencies = node(id).and_then(|node| node["deps"].as_array()).map_or(&[][..], Vec::as_slice);
        let is_linked = |dependency: &&Value| {
            dependency["dep_kinds"].as_array().is_some_and(|kinds| kinds.iter().any(|kind| kind["kind"].is_null()))
        };
        waiting.extend(dependencies.iter().filter(is_linked).map(|dependency| text(&dependency["pkg"])));
    }
    Ok(inside)
}

fn texts_in(folder: &Path) -> Result<Vec<String>, String> {
    let entries = fs::read_dir(folder).map_err(|error| shown(folder, &error))?;
    let mut files: Vec<_> =
        entries.filter_map(|entry| Some(entry.ok()?.path())).filter(|path| path.is_file()).collect();
    files.sort();
    let is_licence = |path: &&std::path::PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_uppercase();
        NAMES.iter().any(|start| name.starts_with(start))
    };
    let read = |path: &std::path::PathBuf| {
        fs::read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).map_err(|e| shown(path, &e))
    };
    files.iter().filter(is_licence).map(read).collect()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
