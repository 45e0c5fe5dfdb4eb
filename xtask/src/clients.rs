//! The scripts in `tests/clients`: other people's MCP clients against our server.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::packages::{NODE, NPM, PYTHON, ensure};
use crate::product::{Product, target_folder};
use crate::steps::{Tally, shown};

/// Installs what the scripts pin and runs each of them, with the program as its argument.
pub(crate) fn run(product: &Product, tally: &mut Tally) -> Result<(), String> {
    let scripts = testkit::repository().join("tests/clients");
    let (python, node) = (scripts_of(&scripts, "py"), scripts_of(&scripts, "mjs"));
    let home = target_folder()?.join("clients");
    if !python.is_empty() {
        tally.step("Python MCP client: install", || install_python(&scripts, &home));
        for script in python {
            tally.step(&label(&script), || {
                shown(Command::new(home.join("venv/bin/python")).arg(&script).arg(&product.binary))
            });
        }
    }
    if !node.is_empty() {
        tally.step("Node MCP client: install", || install_node(&scripts, &home));
        for script in node {
            tally.step(&label(&script), || {
                // Node looks for modules beside the script.
                let copy = copy_into(&script, &home)?;
                shown(Command::new("node").arg(copy).arg(&product.binary))
            });
        }
    }
    Ok(())
}

fn install_python(scripts: &Path, home: &Path) -> Result<(), String> {
    ensure(&[PYTHON])?;
    let venv = home.join("venv");
    if !venv.join("bin/python").exists() {
        shown(Command::new("python3").args(["-m", "venv"]).arg(&venv))?;
    }
    let mut pip = Command::new(venv.join("bin/pip"));
    pip.args(["install", "--quiet", "--disable-pip-version-check", "--requirement"]);
    shown(pip.arg(scripts.join("requirements.txt")))
}

fn install_node(scripts: &Path, home: &Path) -> Result<(), String> {
    ensure(&[NODE, NPM])?;
    for name in ["package.json", "package-lock.json"] {
        if scripts.join(name).exists() {
            copy_into(&scripts.join(name), home)?;
        }
    }
    let verb = if home.join("package-lock.json").exists() { "ci" } else { "install" };
    shown(Command::new("npm").args([verb, "--silent", "--no-audit", "--no-fund"]).current_dir(home))
}

fn copy_into(file: &Path, folder: &Path) -> Result<PathBuf, String> {
    let target = folder.join(file.file_name().ok_or("a script has a name")?);
    fs::create_dir_all(folder)
        .and_then(|()| fs::copy(file, &target))
        .map_err(|error| format!("{}: {error}", file.display()))?;
    Ok(target)
}

fn scripts_of(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut scripts: Vec<_> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    scripts.retain(|path| path.extension().is_some_and(|found| found == extension));
    scripts.sort();
    scripts
}

fn label(script: &Path) -> String {
    format!("client {}", script.file_name().unwrap_or_default().to_string_lossy())
}
