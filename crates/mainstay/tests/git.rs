//! A project in a real repository: what git did to the files is one entry, and one undo takes it back.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

fn git(project: &Path, arguments: &[&str]) {
    let mut git = Command::new("git");
    for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"] {
        git.env_remove(name);
    }
    git.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
    git.args(["-c", "user.name=A", "-c", "user.email=a@b", "-C"]).arg(project).args(arguments);
    let output = git.output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
}

fn run(project: &Path, arguments: &[&str]) -> Value {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mainstay"));
    let output = command.arg("--project").arg(project).arg("--json").args(arguments).output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stdout));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Two formats with a write each, on the first commit.
fn repository() -> tempfile::TempDir {
    let project = tempfile::tempdir().unwrap();
    let root = project.path();
    git(root, &["init", "--quiet"]);
    run(root, &["init", "--format", "hseos", "--format", "msd"]);
    run(root, &["hseos", "state", "write", "phase", "one"]);
    run(root, &["msd", "state", "update", "Status", "One"]);
    git(root, &["add", "STATE.md", "TASKS.md", ".planning"]);
    git(root, &["commit", "--quiet", "--message", "one"]);
    run(root, &["hseos", "state", "write", "phase", "two"]);
    run(root, &["msd", "state", "update", "Status", "Two"]);
    project
}

fn actor_of_newest(project: &Path) -> String {
    run(project, &["history", "-n", "1"])["entries"][0]["actor"].as_str().unwrap().to_owned()
}

#[test]
fn a_checkout_right_after_ones_own_commit_is_one_entry() {
    let project = repository();
    let root = project.path();
    let texts = || ["STATE.md", ".planning/STATE.md"].map(|path| fs::read_to_string(root.join(path)).unwrap());
    let two = texts();
    git(root, &["commit", "--quiet", "--all", "--message", "two"]);
    // The commit on which the last write was made: HEAD names it again.
    git(root, &["checkout", "--quiet", "HEAD~1"]);
    assert_ne!(texts(), two);
    run(root, &["undo"]);
    assert_eq!(texts(), two);
    let history = run(root, &["history", "-n", "2"]);
    let git = history["entries"][1].as_object().unwrap();
    assert!(git["actor"].as_str().unwrap().starts_with("git:"), "{git:?}");
    let spaces: Vec<&str> = git["changes"].as_array().unwrap().iter().filter_map(|it| it["key"].as_str()).collect();
    assert!(spaces.len() >= 2, "both formats in one entry: {git:?}");
}

#[test]
fn an_edit_after_ones_own_commit_is_no_move_of_git() {
    let project = repository();
    let root = project.path();
    git(root, &["commit", "--quiet", "--all", "--message", "two"]);
    let edited = fs::read_to_string(root.join("STATE.md")).unwrap().replace("**phase:** two", "**phase:** three");
    fs::write(root.join("STATE.md"), edited).unwrap();
    assert_eq!(run(root, &["hseos", "state", "read"])["state"]["phase"], "three");
    assert_eq!(actor_of_newest(root), "external");
}

#[test]
fn a_branch_and_a_reset_are_moves() {
    let project = repository();
    let root = project.path();
    git(root, &["checkout", "--quiet", "-b", "side"]);
    git(root, &["commit", "--quiet", "--all", "--message", "two"]);
    run(root, &["hseos", "state", "write", "notes", "a note of the side"]);
    git(root, &["reset", "--quiet", "--hard"]);
    run(root, &["hseos", "state", "read"]);
    assert!(actor_of_newest(root).starts_with("git:"), "a reset takes back what was not committed");
    // The time in STATE.md moves with what is taken in.
    git(root, &["checkout", "--quiet", "--force", "-"]);
    assert_eq!(run(root, &["hseos", "state", "read"])["state"]["phase"], "one");
    assert!(actor_of_newest(root).starts_with("git:"));
    git(root, &["reset", "--quiet", "--hard", "side"]);
    assert_eq!(run(root, &["hseos", "state", "read"])["state"]["phase"], "two");
    assert!(actor_of_newest(root).starts_with("git:"));
    run(root, &["undo"]);
    assert_eq!(run(root, &["hseos", "state", "read"])["state"]["phase"], "one");
}
