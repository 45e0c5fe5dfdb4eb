//! Variables that the program must not overhear.
#![cfg(unix)]

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::process::Command;

#[test]
fn a_variable_that_is_not_utf8_is_refused_by_name() {
    let project = tempfile::tempdir().unwrap();
    for variable in ["MAINSTAY_TOKEN", "MAINSTAY_PROJECT", "HSEOS_STATE_DB"] {
        let mut program = Command::new(env!("CARGO_BIN_EXE_mainstay"));
        program.args(["--json", "status"]).current_dir(project.path()).env(variable, OsStr::from_bytes(b"\xff"));
        let output = program.output().unwrap();
        let shown: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(output.status.code(), Some(2), "{shown}");
        assert_eq!(shown["error"]["code"], "invalid_argument");
        assert_eq!(shown["error"]["field"], variable);
    }
    let mut program = Command::new(env!("CARGO_BIN_EXE_mainstay"));
    program.arg("status").current_dir(project.path()).env("SOMETHING_ELSE", OsStr::from_bytes(b"\xff"));
    assert!(program.output().unwrap().status.success());
}
