//! The table image of hseos: a database file that others read and write too.

mod crashes;
mod hostile;
mod places;
mod sharing;

use std::path::PathBuf;

use rusqlite::Connection;
use serde_json::{Value, json};

use crate::desk::Desk;

/// Where the tables stand by default.
const PLACE: &str = ".hseos/state/project.db";

/// A project of hseos, without anything in it.
fn empty() -> Desk {
    Desk::new().write(".hseos/keep", "")
}

/// With a field and a task, written by calls.
fn project() -> Desk {
    let desk = empty();
    desk.done("state_write", json!({"fields": {"branch": "main"}}));
    desk.done("tasks_add", json!({"id": "T1", "owner": "GHOST", "description": "first"}));
    desk
}

fn place(desk: &Desk) -> PathBuf {
    desk.at(PLACE)
}

/// What a program of someone else does to the file.
fn outside(desk: &Desk, script: &str) {
    Connection::open(place(desk)).unwrap().execute_batch(script).unwrap();
}

/// The first column of a query's first row.
fn ask(desk: &Desk, query: &str) -> String {
    let connection = Connection::open(place(desk)).unwrap();
    connection.query_row(query, [], |row| row.get::<_, rusqlite::types::Value>(0)).map_or_else(
        |error| error.to_string(),
        |value| match value {
            rusqlite::types::Value::Text(text) => text,
            rusqlite::types::Value::Integer(number) => number.to_string(),
            other => format!("{other:?}"),
        },
    )
}

fn field(desk: &Desk, key: &str) -> Value {
    desk.done("state_read", json!({})).body["state"][key].clone()
}

fn statuses(desk: &Desk) -> Vec<String> {
    let tasks = desk.done("tasks_list", json!({})).body["tasks"].as_array().unwrap().clone();
    tasks.iter().map(|task| format!("{} {}", task["id"].as_str().unwrap(), task["status"].as_str().unwrap())).collect()
}

/// The tables as the older tools make them.
const OLDER: &str = "
    CREATE TABLE state (key TEXT PRIMARY KEY, value TEXT NOT NULL, updated_at TEXT NOT NULL DEFAULT (datetime('now')));
    CREATE TABLE tasks (id TEXT PRIMARY KEY, owner TEXT NOT NULL, description TEXT NOT NULL,
      status TEXT NOT NULL DEFAULT 'pending', depends_on TEXT, note TEXT,
      created_at TEXT NOT NULL DEFAULT (datetime('now')), updated_at TEXT NOT NULL DEFAULT (datetime('now')));
    CREATE TABLE state_history (id INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT NOT NULL, old_value TEXT,
      new_value TEXT NOT NULL, changed_by TEXT NOT NULL, changed_at TEXT NOT NULL DEFAULT (datetime('now')));
    INSERT INTO state VALUES ('phase', 'planning', '2025-01-01 00:00:00');
    INSERT INTO tasks (id, owner, description, status) VALUES ('T7', 'NYX', 'old', 'blocked');
    INSERT INTO state_history VALUES (41, 'phase', NULL, 'planning', 'ORBIT', '2025-01-01 00:00:00');
";
