//! Where the file may lie.

use std::os::unix::fs::symlink;

use serde_json::json;

use super::empty;
use crate::desk::{Desk, snapshot};

fn configured(place: &str) -> Desk {
    let text = format!("state_management:\n  mode: cli-sqlite\n  db_path: {place:?}\n");
    empty().write(".hseos/config/hseos.config.yaml", &text)
}

fn write(desk: &Desk) -> Result<model::Reply, model::Refusal> {
    desk.call("state_write", json!({"fields": {"branch": "x"}}))
}

#[test]
fn a_place_outside_the_project_is_refused() {
    let elsewhere = tempfile::tempdir().unwrap();
    let absolute = elsewhere.path().join("p.db").to_string_lossy().into_owned();
    let deep = elsewhere.path().join("new/p.db").to_string_lossy().into_owned();
    for place in ["../p.db", "a/../../p.db", "new/../../p.db", "a/b/../../../p.db", "..", &absolute, &deep] {
        let desk = configured(place);
        assert_eq!(write(&desk).unwrap_err().code, "path_outside_project", "{place}");
        assert_eq!(desk.refused("state_read", json!({})), "path_outside_project");
        assert!(!desk.stands("STATE.md"), "{place}");
        assert!(snapshot(elsewhere.path()).is_empty(), "{place}");
    }
}

#[test]
fn a_link_is_not_followed() {
    let elsewhere = tempfile::tempdir().unwrap();
    for (link, target) in [("data", elsewhere.path().to_path_buf()), ("data/p.db", elsewhere.path().join("p.db"))] {
        let desk = configured("data/p.db");
        if link != "data" {
            std::fs::create_dir(desk.at("data")).unwrap();
        }
        symlink(target, desk.at(link)).unwrap();
        assert_eq!(write(&desk).unwrap_err().code, "path_outside_project", "{link}");
        assert!(snapshot(elsewhere.path()).is_empty());
    }
    let desk = configured("data/p.db").write("data/other.db", "");
    symlink("other.db", desk.at("data/p.db")).unwrap();
    assert_eq!(write(&desk).unwrap_err().code, "path_outside_project", "a link that stays inside");
    assert_eq!(desk.text("data/other.db"), "");
}

#[test]
fn the_users_own_word_may_lead_anywhere() {
    let elsewhere = tempfile::tempdir().unwrap();
    let file = elsewhere.path().join("own/p.db");
    let desk = empty().with("HSEOS_STATE_DB", file.to_str().unwrap());
    write(&desk).unwrap();
    assert!(file.is_file());
    assert!(!desk.stands(super::PLACE));
}

#[test]
fn folders_inside_are_made_and_the_file_is_for_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let desk = configured("./a/b/../c/p.db");
    write(&desk).unwrap();
    assert_eq!(desk.at("a/c/p.db").metadata().unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn something_else_in_its_place_is_refused() {
    let desk = configured("data/p.db");
    std::fs::create_dir_all(desk.at("data/p.db")).unwrap();
    assert_eq!(write(&desk).unwrap_err().code, "db_corrupt");
    let desk = configured("data/p.db").write("data/keep", "");
    let mode = rustix::fs::Mode::from_raw_mode(0o600);
    rustix::fs::mknodat(rustix::fs::CWD, desk.at("data/p.db"), rustix::fs::FileType::Fifo, mode, 0).unwrap();
    write(&desk).unwrap_err();
    assert!(!desk.stands("STATE.md"));
}
