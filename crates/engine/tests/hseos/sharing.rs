//! What others do to the tables is taken in; what they break is mended; nothing is lost.

use rusqlite::Connection;
use serde_json::json;

use super::{OLDER, ask, empty, field, outside, place, project, statuses};
use crate::desk::told;

#[test]
fn an_older_tools_database_is_imported() {
    let desk = empty();
    std::fs::create_dir_all(place(&desk).parent().unwrap()).unwrap();
    outside(&desk, OLDER);
    assert_eq!(field(&desk, "phase"), "planning");
    assert_eq!(statuses(&desk), ["T7 blocked"]);
    assert_eq!(desk.journal(), ["1 external take_in"]);
    desk.done("state_write", json!({"fields": {"phase": "execution"}}));
    assert_eq!(ask(&desk, "SELECT value FROM state"), "execution");
    assert_eq!(ask(&desk, "SELECT max(id) FROM state_history"), "42", "no number is used twice");
}

#[test]
fn rows_of_others_are_taken_in_by_the_next_request_of_any_kind() {
    let desk = project();
    outside(&desk, "UPDATE state SET value = 'theirs'; UPDATE tasks SET status = 'done';");
    assert_eq!(field(&desk, "branch"), "theirs");
    assert_eq!(statuses(&desk), ["T1 done"]);
    assert_eq!(desk.journal()[0], "3 external take_in");
    assert_eq!(ask(&desk, "SELECT count(*) FROM mainstay_inbox"), "0");
    assert_eq!(field(&desk, "branch"), "theirs");
    assert_eq!(desk.journal().len(), 3);
}

#[test]
fn without_triggers_rows_are_compared() {
    let desk = project();
    outside(
        &desk,
        "DROP TRIGGER mainstay_tasks_u; DROP TRIGGER mainstay_tasks_i;
         UPDATE tasks SET status = 'in_progress';
         INSERT INTO tasks (id, owner, description) VALUES ('T2', 'NYX', 'unseen');",
    );
    assert_eq!(statuses(&desk), ["T1 in_progress", "T2 pending"]);
    assert_eq!(ask(&desk, "SELECT count(*) FROM sqlite_master WHERE type = 'trigger'"), "9");
    assert_eq!(desk.journal().len(), 3);
}

#[test]
fn a_dropped_table_is_restored() {
    let desk = project();
    outside(&desk, "DROP TABLE tasks;");
    let reply = desk.done("tasks_list", json!({}));
    assert!(told(&reply).contains(&"table_restored"));
    assert_eq!(reply.body["count"], 1);
    assert_eq!(ask(&desk, "SELECT description FROM tasks WHERE id = 'T1'"), "first");
    assert!(!told(&desk.done("tasks_list", json!({}))).contains(&"table_restored"), "it is told once");
}

#[test]
fn a_deleted_file_is_made_again() {
    let desk = project();
    for name in ["project.db", "project.db-wal", "project.db-shm"] {
        drop(std::fs::remove_file(place(&desk).with_file_name(name)));
    }
    assert_eq!(field(&desk, "branch"), "main");
    assert_eq!(ask(&desk, "SELECT value FROM state WHERE key = 'branch'"), "main");
    assert_eq!(ask(&desk, "SELECT count(*) FROM tasks"), "1");
    assert_eq!(desk.journal().len(), 2, "nothing was said by removing it");
}

#[test]
fn another_database_in_its_place_is_compared() {
    let desk = project();
    for name in ["project.db", "project.db-wal", "project.db-shm"] {
        drop(std::fs::remove_file(place(&desk).with_file_name(name)));
    }
    outside(&desk, OLDER);
    assert_eq!(field(&desk, "phase"), "planning");
    assert_eq!(statuses(&desk), ["T7 blocked"]);
    let journal = desk.journal();
    assert_eq!(journal[0], "3 external take_in");
    let gone = desk.history()[0]["changes"].to_string();
    assert!(gone.contains("\"key\":\"task/T1\"") && gone.contains("first"), "the journal keeps what is gone: {gone}");
}

#[test]
fn a_file_that_is_no_database_is_kept_and_told() {
    for bytes in [b"this is no database, whatever its name says, and long enough to see".to_vec(), vec![0xA5; 8192]] {
        let desk = project();
        for name in ["project.db-wal", "project.db-shm"] {
            drop(std::fs::remove_file(place(&desk).with_file_name(name)));
        }
        std::fs::write(place(&desk), &bytes).unwrap();
        for (tool, arguments) in [("state_read", json!({})), ("state_write", json!({"fields": {"branch": "x"}}))] {
            let refusal = desk.call(tool, arguments).unwrap_err();
            assert_eq!((refusal.code.as_ref(), refusal.class), ("db_corrupt", model::RefusalClass::Corrupt), "{tool}");
        }
        assert_eq!(std::fs::read(place(&desk)).unwrap(), bytes);
        assert_eq!(desk.journal().len(), 2);
        std::fs::remove_file(place(&desk)).unwrap();
        assert_eq!(field(&desk, "branch"), "main");
    }
}

#[test]
fn another_writer_is_named() {
    let desk = project();
    let other = Connection::open(place(&desk)).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let refusal = desk.at_once("state_write", json!({"fields": {"branch": "x"}})).unwrap_err();
    assert_eq!(refusal.code, "store_busy");
    assert!(refusal.details["holder"].as_str().unwrap().contains("project.db"));
    assert_eq!(desk.journal().len(), 2);
    assert_eq!(field(&desk, "branch"), "main", "a read with nothing waiting waits for nobody");
    other.execute_batch("COMMIT").unwrap();
    desk.done("state_write", json!({"fields": {"branch": "x"}}));
}
