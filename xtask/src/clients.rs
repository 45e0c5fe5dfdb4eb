//! The scripts in `tests/clients`: other people's MCP clients against our server.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use testkit::process::Sandbox;

use crate::arguments::Arguments;
use crate::packages::{NODE, NPM, PYTHON, ensure};
use crate::product::{Product, cargo, target_folder};
use crate::steps::{Tally, shown};

/// The example that the conformance suite is run against.
const SUITE: &str = "suite_server";

/// The suite and the hosts need a newer Node than most systems have.
const NODE_OF_NPM: &str = "node_modules/node/bin/node";

/// `cargo xtask clients`: these scripts alone; with `--hosts` the host programs instead.
pub(crate) fn check(arguments: &mut Arguments) -> Result<(), String> {
    let product = Product::chosen(arguments)?;
    let with_hosts = arguments.flag("--hosts");
    arguments.end()?;
    let mut tally = Tally::default();
    if with_hosts {
        hosts(&product, &mut tally)?;
    } else {
        run(&product, &mut tally)?;
    }
    tally.close()
}

/// Drives each host program whole, with a model of ours.
///
/// They come to more than a gigabyte of other people's programs, so this is for before a release and after a change
/// to what a host gets, and not a part of every run.
fn hosts(product: &Product, tally: &mut Tally) -> Result<(), String> {
    let scripts = testkit::repository().join("tests/clients");
    let home = target_folder()?.join("clients");
    tally.step("Node from npm", || install_node(&scripts, &home));
    tally.step("host programs from npm", || install_node(&scripts.join("hosts"), &home.join("hosts")));
    for script in scripts_of(&scripts.join("hosts"), "mjs") {
        tally.step(&label(&script), || drive(&home.join(NODE_OF_NPM), &script, product, &home));
    }
    Ok(())
}

/// Installs what the scripts pin and runs each of them on the program and an empty project.
pub(crate) fn run(product: &Product, tally: &mut Tally) -> Result<(), String> {
    let scripts = testkit::repository().join("tests/clients");
    let home = target_folder()?.join("clients");
    tally.step("Python MCP SDK", || install_python(&scripts, &home));
    for script in scripts_of(&scripts, "py") {
        tally.step(&label(&script), || drive(&home.join("venv/bin/python"), &script, product, &home));
    }
    tally.step("MCP SDK, Inspector and conformance suite from npm", || install_node(&scripts, &home));
    tally.step("server of the conformance suite", suite_server);
    let node = home.join(NODE_OF_NPM);
    for script in scripts_of(&scripts, "mjs") {
        tally.step(&label(&script), || drive(&node, &script, product, &home));
    }
    Ok(())
}

/// Builds what the conformance suite's own scenarios ask for: our server with the suite's tools.
fn suite_server() -> Result<(), String> {
    shown(cargo().args([
        "build",
        "--quiet",
        "--package",
        "mainstay-front-mcp",
        "--features",
        "conformance",
        "--example",
        SUITE,
    ]))
}

fn drive(interpreter: &Path, script: &Path, product: &Product, home: &Path) -> Result<(), String> {
    let sandbox = Sandbox::new().map_err(|error| error.to_string())?;
    let mut command = sandbox.command(interpreter);
    command.arg(script).arg(&product.binary).arg(sandbox.root());
    command.env("NODE_MODULES", home.join("node_modules"));
    command.env("HOSTS", home.join("hosts/node_modules"));
    command.env("SUITE_SERVER", target_folder()?.join("debug/examples").join(SUITE));
    shown(&mut command)
}

fn install_python(scripts: &Path, home: &Path) -> Result<(), String> {
    ensure(&[PYTHON])?;
    let venv = home.join("venv");
    if !venv.join("bin/pip").exists() {
        shown(Command::new("python3").args(["-m", "venv"]).arg(&venv))?;
    }
    let mut pip = Command::new(venv.join("bin/pip"));
    pip.args(["install", "--quiet", "--disable-pip-version-check", "--requirement"]);
    shown(pip.arg(scripts.join("requirements.txt")))
}

fn install_node(scripts: &Path, home: &Path) -> Result<(), String> {
    ensure(&[NODE, NPM])?;
    let pins = home.join("package.json");
    fs::create_dir_all(home)
        .and_then(|()| fs::copy(scripts.join("package.json"), &pins))
        .map_err(|error| format!("{}: {error}", pins.display()))?;
    shown(Command::new("npm").args(["install", "--silent", "--no-audit", "--no-fund"]).current_dir(home))
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
