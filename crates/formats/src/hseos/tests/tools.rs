//! Cases of the six tools, of rendering, rows and undo.

use format::Format;
use model::{Change, Context, Timestamp, Value};
use serde_json::json;

use super::{World, context};
use crate::hseos::records::Kind;
use crate::hseos::{Hseos, invalid};

fn at(seconds: i64) -> Context {
    Context { now: Timestamp::from_millis(context().now.as_millis() + seconds * 1000), ..context() }
}

fn ok(world: &mut World, tool: &str, arguments: Value) -> Value {
    world.call(tool, arguments, &context()).unwrap()
}

fn refused(world: &mut World, tool: &str, arguments: Value) -> String {
    let before = world.records.clone();
    let error = world.call(tool, arguments, &context()).unwrap_err();
    assert_eq!(world.records, before);
    format!("{} {}", error["code"].as_str().unwrap(), error.get("field").and_then(Value::as_str).unwrap_or("-"))
}

fn codes(reply: &Value) -> Vec<&str> {
    reply["warnings"].as_array().unwrap().iter().map(|warning| warning["code"].as_str().unwrap()).collect()
}

#[test]
fn arguments_are_refused_by_name() {
    let mut world = World::new();
    ok(&mut world, "tasks_add", json!({"id": "T1", "owner": "GHOST", "description": "one"}));
    let long = "x".repeat(65_537);
    let cases = [
        ("state_read", json!({"x": 1}), "invalid_argument x"),
        ("state_write", json!({}), "invalid_argument fields"),
        ("state_write", json!({"fields": []}), "invalid_argument fields"),
        ("state_write", json!({"fields": {"a": null}}), "invalid_argument fields"),
        ("state_write", json!({"fields": {"a": {}}}), "invalid_argument fields"),
        ("state_write", json!({"fields": {"a": "\u{0}"}}), "invalid_argument fields"),
        ("state_write", json!({"fields": {"a": long}}), "invalid_argument fields"),
        ("state_write", json!({"fields": {"a b": "x"}}), "invalid_argument fields"),
        ("state_write", json!({"fields": {"a": "x"}, "expect": {"a": 1}}), "invalid_argument expect"),
        ("state_write", json!({"fields": {"a": "x"}, "agent": "external"}), "invalid_argument agent"),
        ("state_write", json!({"fields": {"a": "x"}, "agent": "a b"}), "invalid_argument agent"),
        ("state_write", json!({"fields": {"a": "x"}, "agent": 5}), "invalid_argument agent"),
        ("tasks_list", json!({"status": "banana"}), "invalid_argument status"),
        ("tasks_list", json!({"status": null}), "invalid_argument status"),
        ("tasks_add", json!({"id": "T2", "owner": "GHOST"}), "invalid_argument description"),
        ("tasks_add", json!({"id": "T2", "owner": "GHOST", "description": " \n "}), "invalid_argument description"),
        ("tasks_add", json!({"id": "T2", "owner": "GHOST", "description": "a\nb"}), "invalid_argument description"),
        ("tasks_add", json!({"id": "-2", "owner": "GHOST", "description": "x"}), "invalid_argument id"),
        ("tasks_add", json!({"id": 1.5, "owner": "GHOST", "description": "x"}), "invalid_argument id"),
        ("tasks_add", json!({"id": "T2", "owner": "G H", "description": "x"}), "invalid_argument owner"),
        (
            "tasks_add",
            json!({"id": "T2", "owner": "G", "description": "x", "depends": "T1"}),
            "invalid_argument depends",
        ),
        (
            "tasks_add",
            json!({"id": "T2", "owner": "G", "description": "x", "depends": [[]]}),
            "invalid_argument depends",
        ),
        ("tasks_update", json!({"id": "T1"}), "invalid_argument status"),
        ("tasks_update", json!({"id": "T1", "note": null}), "invalid_argument note"),
        ("tasks_update", json!({"id": "T9", "status": "banana"}), "invalid_argument status"),
        ("tasks_update", json!({"id": "T9", "status": "done"}), "task_not_found id"),
        ("tasks_update", json!({"id": "no id", "status": "done"}), "task_not_found id"),
        ("state_history", json!({"n": 1001}), "invalid_argument n"),
        ("state_history", json!({"n": "5"}), "invalid_argument n"),
        ("state_history", json!({"n": 1.0}), "invalid_argument n"),
        ("nothing", json!({}), "unknown_tool -"),
    ];
    for (tool, arguments, expected) in cases {
        assert_eq!(refused(&mut world, tool, arguments.clone()), expected, "{tool} {arguments}");
    }
}

#[test]
fn existing_irregular_keys_and_ids_are_accepted_verbatim() {
    let mut world = World::new();
    let task = |owner: &str| json!({"owner": owner, "description": "x", "status": "pending", "depends_on": []});
    for (id, owner) in [("5", "a b"), ("my task", "GHOST")] {
        world.records.insert(Kind::Task.key(id), task(owner));
    }
    world.records.insert(Kind::State.key("a b"), json!({"value": "1", "updated_at": "then"}));
    assert_eq!(ok(&mut world, "state_write", json!({"fields": {"a b": "2"}}))["changed"], json!(["a b"]));
    assert_eq!(ok(&mut world, "tasks_update", json!({"id": 5, "note": 7}))["updated"], "5");
    assert_eq!(ok(&mut world, "tasks_update", json!({"id": "my task", "status": "done"}))["updated"], "my task");
    let again = ok(&mut world, "tasks_add", json!({"id": "5", "owner": "a b", "description": "x"}));
    assert_eq!(again["created"], false);
    let added =
        ok(&mut world, "tasks_add", json!({"id": 6, "owner": "G", "description": "y", "depends": [5, "7", "5"]}));
    assert_eq!(added["warnings"][0]["ids"], json!(["T7"]));
    assert_eq!(world.records[&Kind::Task.key("T6")]["depends_on"], json!(["5", "T7"]));
}

#[test]
fn a_write_tells_what_changed_and_keeps_number_text() {
    let mut world = World::new();
    let fields: Value =
        serde_json::from_str(r#"{"fields": {"z": 1.50, "a": true, "phase": "p", "notes": "n"}}"#).unwrap();
    let reply = ok(&mut world, "state_write", fields);
    assert_eq!(reply["changed"], json!(["a", "notes", "phase", "z"]));
    let reply = ok(&mut world, "state_write", json!({"fields": {"phase": "", "last_updated": "x", "a": "true"}}));
    assert_eq!((&reply["written"], &reply["changed"]), (&json!(2), &json!(["notes", "phase"])));
    assert_eq!(codes(&reply), ["derived_field"]);
    let state = ok(&mut world, "state_read", json!({}));
    assert_eq!(state["state"], json!({"a": "true", "notes": "", "phase": "", "z": "1.50"}));
    let nothing = ok(&mut world, "state_write", json!({"fields": {}}));
    assert_eq!((&nothing["written"], &nothing["updated_at"]), (&json!(0), &Value::Null));
}

#[test]
fn checks_come_in_their_order() {
    let mut world = World::new().with_file("hseos.config.yaml", "state_management: {role_policy: deny}\n");
    ok(&mut world, "tasks_add", json!({"id": "T1", "owner": "GHOST", "description": "one", "depends": ["T2"]}));
    let add = |id: &str, depends: Value| json!({"id": id, "owner": "GHOST", "description": "x", "depends": depends, "agent": "NYX"});
    assert_eq!(refused(&mut world, "tasks_add", add("T1", json!([]))), "task_exists id");
    assert_eq!(refused(&mut world, "tasks_add", add("T2", json!(["T1"]))), "dependency_cycle depends");
    assert_eq!(refused(&mut world, "tasks_add", add("T3", json!([]))), "role_violation tasks_add");
    let write = json!({"fields": {"phase": "x"}, "expect": {"phase": "y"}, "agent": "NYX"});
    assert_eq!(refused(&mut world, "state_write", write.clone()), "role_violation phase");
    let write = json!({"fields": {"phase": "x"}, "expect": {"phase": "y", "q": null}});
    let error = world.call("state_write", write, &context()).unwrap_err();
    assert_eq!((&error["code"], &error["current"]), (&json!("conflict"), &json!({"phase": null})));
}

#[test]
fn writes_within_a_minute_warn_per_field() {
    let mut world = World::new();
    let write = |value: &str, agent: &str| json!({"fields": {"k": value}, "agent": agent});
    world.call("state_write", write("a", "A"), &at(0)).unwrap();
    let equal = world.call("state_write", write("a", "B"), &at(59)).unwrap();
    let warning = &equal["warnings"][0];
    assert_eq!((&warning["code"], &warning["agents"]), (&json!("concurrent_write"), &json!(["A", "B"])));
    assert_eq!(warning["times"], json!(["2026-01-02T03:04:05.678Z", "2026-01-02T03:05:04.678Z"]));
    assert_eq!(codes(&world.call("state_write", write("b", "B"), &at(60)).unwrap()), [""; 0]);
    let expected = json!({"fields": {"k": "c"}, "agent": "A", "expect": {"k": "b"}});
    assert_eq!(codes(&world.call("state_write", expected, &at(61)).unwrap()), [""; 0]);
    assert_eq!(codes(&world.call("state_write", write("d", "B"), &at(62)).unwrap()), ["write_conflict"]);
}

#[test]
fn the_list_is_ordered_by_status_instant_and_natural_id() {
    let mut world = World::new();
    let task = |status: &str, created: &str| json!({"owner": "G", "description": "x", "status": status, "created_at": created});
    let rows = [
        ("T10", "pending", "2026-01-02T03:04:05.000Z"),
        ("T9", "pending", "2026-01-02 03:04:05"),
        ("T1", "pending", "2026-01-02T04:04:06+01:00"),
        ("T2", "pending", "long ago"),
        ("T3", "in_progress", "2027-01-01 00:00:00"),
        ("T4", "done", "2027-01-01 00:00:00"),
        ("T5", "blocked", "2027-01-01 00:00:00"),
    ];
    for (id, status, created) in rows {
        world.records.insert(Kind::Task.key(id), task(status, created));
    }
    let list = ok(&mut world, "tasks_list", json!({}));
    let ids: Vec<&str> = list["tasks"].as_array().unwrap().iter().map(|task| task["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["T5", "T4", "T3", "T2", "T9", "T10", "T1"]);
    assert_eq!(list["tasks"][3]["created_at"], "long ago");
    assert_eq!(list["tasks"][6]["created_at"], "2026-01-02T03:04:06.000Z");
}

#[test]
fn renders_the_golden_files() {
    let mut world = World::new();
    let fields = json!({
        "branch": "x|y\nz", "phase": "execution", "feature.F10.name": "Search|all\r\nfast", "feature.F2.name": "Login",
        "feature.F2.status": "done", "feature.F2.branch": "", "deployment.qa.status": "up", "deployment.prod.version": "1.2",
        "deployment.eu.west.version": "2", "feature..name": "no id", "feature.F3.size": "no column", "notes": "\n## Not a heading\n| x |\n\n",
    });
    ok(&mut world, "state_write", json!({"fields": fields}));
    let tasks: [(&str, &str, Value, Value); 7] = [
        ("T10", "ten (depends: on luck)", json!(["T2", "T9"]), json!({"status": "in_progress"})),
        ("T9", "nine <br> | done", json!([]), json!({"status": "done"})),
        ("T2", "two", json!(["T9"]), json!({"status": "blocked", "note": "line 1\nline 2"})),
        ("T3", "three", json!([]), json!({"status": "blocked"})),
        ("T1", "one", json!([]), json!({"note": "kept, not shown"})),
        ("a-1", "last", json!(["T1"]), json!({"status": "pending"})),
        ("T02", "zero two", json!([]), json!({"status": "pending"})),
    ];
    for (id, description, depends, update) in tasks {
        ok(
            &mut world,
            "tasks_add",
            json!({"id": id, "owner": "GHOST", "description": description, "depends": depends}),
        );
        let mut update = update;
        update["id"] = id.into();
        ok(&mut world, "tasks_update", update);
    }
    let (state, tasks) = world.images();
    assert_eq!(state, include_str!("../fixtures/STATE.md"));
    assert_eq!(tasks, include_str!("../fixtures/TASKS.md"));
    assert_eq!(world.images(), (state, tasks));
}

#[test]
fn done_tasks_are_pruned_and_come_back_when_reopened() {
    let mut world = World::new();
    for number in 1..=7 {
        ok(&mut world, "tasks_add", json!({"id": number, "owner": "G", "description": "x"}));
    }
    ok(&mut world, "tasks_add", json!({"id": "later", "owner": "G", "description": "x", "depends": ["T2"]}));
    let shown = |world: &World| world.images().1.matches("- [x]").count();
    for number in 1..=5 {
        ok(&mut world, "tasks_update", json!({"id": number, "status": "done"}));
    }
    assert_eq!(shown(&world), 5);
    ok(&mut world, "tasks_update", json!({"id": 1, "status": "done"}));
    assert_eq!(shown(&world), 5);
    ok(&mut world, "tasks_update", json!({"id": 6, "status": "done"}));
    assert_eq!(shown(&world), 1);
    ok(&mut world, "tasks_update", json!({"id": 3, "status": "pending"}));
    assert!(world.images().1.contains("- [ ] T3"));
    assert_eq!(ok(&mut world, "tasks_list", json!({"status": "done"}))["count"], 5);
}

#[test]
fn a_call_settles_an_invalid_row_even_when_the_record_stays() {
    let mut world = World::new();
    ok(&mut world, "tasks_add", json!({"id": "T1", "owner": "G", "description": "x"}));
    let beneath = world.clone();
    let mut draft = format::Draft::new(&beneath);
    invalid::open(&mut draft, "tasks", "T1", "bad_status", 7, None);
    invalid::open(&mut draft, "tasks", "T9", "bad_type", 8, None);
    let changes = draft.into_changes();
    assert_eq!(Hseos.rows(&changes).refused, [(7, "bad_status".to_owned()), (8, "bad_type".to_owned())]);
    world.apply(&changes);
    let list = ok(&mut world, "tasks_list", json!({}));
    assert_eq!((codes(&list).len(), &list["warnings"][0]["reason"]), (2, &json!("bad_status")));
    assert_eq!(
        refused(&mut world, "tasks_add", json!({"id": "T9", "owner": "G", "description": "x"})),
        "outside_row_invalid -"
    );
    assert_eq!(refused(&mut world, "tasks_update", json!({"id": "T9", "status": "done"})), "outside_row_invalid -");

    let before = world.clone();
    let call = model::Call::new("tasks_update", json!({"id": "T1", "status": "pending"}).as_object().unwrap().clone());
    let outcome = Hseos.handle(&call, &before.view(&before), &context()).unwrap();
    let rows = Hseos.rows(&outcome.changes);
    assert_eq!((rows.rows.len(), rows.closed.as_slice()), (1, [7].as_slice()));
    assert_eq!(outcome.reply.warnings.len(), 1);
    assert_eq!(Hseos.doctor(&before.view(&before), &context()).len(), 2);
}

#[test]
fn undo_keeps_history_and_adds_to_it() {
    let mut world = World::new();
    ok(&mut world, "state_write", json!({"fields": {"phase": "a", "notes": "n"}}));
    let before = world.clone();
    ok(&mut world, "state_write", json!({"fields": {"phase": "b", "branch": "x"}}));
    // What the engine's undo would do: every record of the entry goes back.
    let mut back: Vec<Change> = Vec::new();
    let keys: std::collections::BTreeSet<_> = before.records.keys().chain(world.records.keys()).cloned().collect();
    for key in keys {
        let (now, then) = (world.records.get(&key).cloned(), before.records.get(&key).cloned());
        if now != then {
            back.push(Change { key, before: now, after: then });
        }
    }
    let added = Hseos.restored(&back, &world.view(&world), &context()).unwrap().changes;
    let mut undone = world.clone();
    undone.apply(&back);
    for change in &added {
        match &change.after {
            Some(value) => drop(undone.records.insert(change.key.clone(), value.clone())),
            None => drop(undone.records.remove(&change.key)),
        }
    }
    let history = ok(&mut undone, "state_history", json!({}));
    let rows: Vec<String> = history["history"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| format!("{} {} {}->{}", row["id"], row["key"].as_str().unwrap(), row["old_value"], row["new_value"]))
        .collect();
    assert_eq!(
        rows,
        [
            "8 phase \"b\"->\"a\"",
            "7 notes \"\"->\"n\"",
            "6 branch \"x\"->\"\"",
            "5 notes \"n\"->\"\"",
            "4 branch null->\"x\"",
            "3 phase \"a\"->\"b\"",
            "2 notes null->\"n\"",
            "1 phase null->\"a\"",
        ]
    );
    assert_eq!(ok(&mut undone, "state_read", json!({}))["state"], json!({"notes": "n", "phase": "a"}));
}

#[test]
fn work_and_summary_show_what_is_open() {
    let mut world = World::new();
    ok(&mut world, "state_write", json!({"fields": {"phase": "execution"}}));
    for (id, depends) in [("T1", json!([])), ("T2", json!(["T1"])), ("T3", json!([])), ("T4", json!([]))] {
        ok(&mut world, "tasks_add", json!({"id": id, "owner": "G", "description": "x", "depends": depends}));
    }
    ok(&mut world, "tasks_update", json!({"id": "T3", "status": "in_progress"}));
    ok(&mut world, "tasks_update", json!({"id": "T4", "status": "done"}));
    let shown = |world: &World| {
        let work = Hseos.work(&world.view(world), &context());
        work.into_iter()
            .map(|item| format!("{} {:?} {}", item.id, item.state, item.blocked_by.join(",")))
            .collect::<Vec<_>>()
    };
    assert_eq!(shown(&world), ["T1 Ready ", "T2 Blocked T1", "T3 InProgress "]);
    assert_eq!(Hseos.summary(&world.view(&world), &context()), "phase execution, 3 open tasks, 1 blocked");
}
