//! The commands about this machine: the demo, the program's other names, man pages.

use std::fs;
use std::path::Path;

use testkit::process::{DEADLINE, Sandbox, finish};

const PROGRAM: &str = env!("CARGO_BIN_EXE_mainstay");

#[test]
fn the_demo_loses_nothing_and_leaves_nothing() {
    let sandbox = Sandbox::new().unwrap();
    let folder = sandbox.home();
    let mut command = sandbox.command(PROGRAM);
    let finished = finish(command.args(["demo", "--fast"]).env("TMPDIR", &folder), "", DEADLINE).unwrap();
    assert_eq!(finished.exit(), "0", "{}", finished.stderr);
    assert!(finished.stdout.contains("Lost of what was reported as written: 0."), "{}", finished.stdout);
    assert!(finished.stdout.contains("All of it is there again."), "{}", finished.stdout);
    assert!(finished.stdout.lines().all(|line| line.chars().count() <= 80), "{}", finished.stdout);
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 0);
}

#[test]
fn a_kept_demo_is_a_project_to_look_at() {
    let sandbox = Sandbox::new().unwrap();
    let mut command = sandbox.command(PROGRAM);
    let finished = finish(command.args(["demo", "--fast", "--keep"]).env("TMPDIR", sandbox.home()), "", DEADLINE);
    let told = finished.unwrap().stderr;
    let folder = told.trim_end().strip_prefix("The project is in ").unwrap();
    assert!(fs::read_to_string(Path::new(folder).join("TASKS.md")).unwrap().contains("R1 "));
}

#[test]
fn a_link_by_another_name_answers_by_that_name() {
    let sandbox = Sandbox::new().unwrap();
    let bin = sandbox.home().join("bin");
    let finished = finish(sandbox.command(PROGRAM).arg("shims").arg(&bin), "", DEADLINE).unwrap();
    assert_eq!(finished.exit(), "0", "{}", finished.stderr);
    let add = ["tasks", "add", "T1", "GHOST", "By the other name"];
    let finished = finish(sandbox.command(bin.join("hseos")).args(add), "", DEADLINE).unwrap();
    assert_eq!(finished.exit(), "0", "{}", finished.stderr);
    assert!(fs::read_to_string(sandbox.root().join("TASKS.md")).unwrap().contains("By the other name"));
}
