//! Export and import: an equal project, or nothing at all.

use std::fs;

use model::{Refusal, Reply, Revision};
use serde_json::json;
use store::Opener as _;

use crate::back::{checkpoint, entry, newest, records, undo};
use crate::desk::{Desk, anyone, pair};
use crate::probe::{ITEMS, item};

/// What a project would export.
pub(crate) fn exported(desk: &Desk, space: Option<&str>) -> String {
    let mut lines = Vec::new();
    desk.engine().export(space, &mut lines).unwrap();
    String::from_utf8(lines).unwrap()
}

pub(crate) fn import(desk: &Desk, text: &str, merge: bool) -> Result<Reply, Refusal> {
    let file = tempfile::NamedTempFile::new().unwrap();
    fs::write(file.path(), text).unwrap();
    desk.engine().import(file.path(), merge, &anyone())
}

/// Everything that a store tells of journal and checkpoints.
pub(crate) fn journal(desk: &Desk) -> (Vec<store::StoredEntry>, Vec<store::Checkpoint>) {
    let store = desk.store();
    let reads = store.read().unwrap();
    (reads.entries_after(Revision(0), usize::MAX).unwrap(), reads.checkpoints().unwrap())
}

/// A project with some of everything.
fn full() -> Desk {
    let desk = Desk::new().write("shelf/box/file", "kept");
    desk.done("put", pair("a", "one"));
    desk.edit(ITEMS, "a: edited\nü: \"quoted\"\n");
    desk.done("settle", json!({"name": "x", "value": "1"}));
    desk.done("shelve", json!({"name": "box"}));
    checkpoint(&desk, "here");
    undo(&desk, newest()).unwrap();
    desk.engine().redo(&anyone()).unwrap();
    desk.done("put", pair("b", "two"));
    desk
}

#[test]
fn an_import_gives_an_equal_project() {
    let desk = full();
    let text = exported(&desk, None);
    let other = Desk::new();
    let reply = import(&other, &text, false).unwrap();
    assert_eq!(reply.body["revision"], json!(desk.journal().len()));
    assert_eq!(journal(&other), journal(&desk));
    assert_eq!(records(&other.engine().show(None, None).unwrap()), records(&desk.engine().show(None, None).unwrap()));
    assert_eq!(other.text(ITEMS), desk.text(ITEMS));
    other.is_in_order();
    assert_eq!(exported(&other, None), text);
    // Repeated because nobody saw its end, it is the same import.
    let again = import(&other, &text, false).unwrap();
    assert_eq!((&again.body["replayed"], &again.body["revision"]), (&json!(true), &reply.body["revision"]));
    assert_eq!(journal(&other), journal(&desk));
    // It goes on as the first one would.
    assert_eq!(undo(&other, newest()).unwrap().body["undone"], undo(&desk, newest()).unwrap().body["undone"]);
    let refusal = import(&other, &text, false).unwrap_err();
    assert_eq!((&*refusal.code, refusal.message.contains("newer")), ("project_not_empty", true));
}

#[test]
fn an_entry_that_stands_for_many_comes_in_whatever_its_size() {
    let desk = Desk::new();
    for place in ["one", "two", "three"] {
        desk.done("put", pair(place, "known"));
        desk.done("put", json!({"key": "x", "value": place.repeat(150_000), "place": place}));
    }
    let late = desk.at_time("2026-02-01T00:00:00Z");
    let query = mainstay_engine::GcQuery { keep: "1d".into(), dry_run: false };
    assert_eq!(late.engine().gc(&query, &anyone()).unwrap()["dropped"], 5);
    let text = exported(&desk, None);
    assert!(text.lines().all(|line| line.len() < 2_000_000) && text.contains("\n{\"more\":"), "one line too long");
    let other = Desk::new();
    import(&other, &text, false).unwrap();
    assert_eq!((journal(&other), exported(&other, None)), (journal(&desk), text.clone()));
    let without: String =
        text.lines().filter(|line| !line.starts_with("{\"more\"")).fold(String::new(), |all, line| all + line + "\n");
    assert_eq!(import(&Desk::new(), &without, false).unwrap_err().code, "export_damaged");
}

#[test]
fn files_that_are_there_are_taken_in_upon_what_came() {
    let desk = Desk::new();
    desk.done("put", pair("a", "one"));
    let text = exported(&desk, None);
    let other = Desk::new();
    other.edit(ITEMS, "# Items\n\na: one\n");
    import(&other, &text, false).unwrap();
    assert_eq!((other.journal().len(), other.names("").len()), (1, 3), "{:?}", other.names(""));
    let other = Desk::new();
    other.edit(ITEMS, "a: mine\nb: new\n");
    import(&other, &text, false).unwrap();
    // First contact: the records win, what they lack is added, the bytes are kept beside.
    assert_eq!(other.text(ITEMS), "# Items\n\na: one\nb: new\n");
    assert!(other.names("").iter().any(|name| name.starts_with("ITEMS.md.conflict-")));
    other.is_in_order();
}

#[test]
fn whatever_is_damaged_is_named_and_changes_nothing() {
    let text = exported(&full(), None);
    let lines: Vec<&str> = text.lines().collect();
    let check = |text: &str, code: &str, line: Option<usize>| {
        let desk = Desk::new();
        let before = desk.snapshot();
        let refusal = import(&desk, text, false).unwrap_err();
        assert_eq!(refusal.code, code, "{refusal}");
        assert_eq!(
            refusal.details.get("line").and_then(model::Value::as_u64),
            line.map(|line| line as u64),
            "{refusal}"
        );
        assert_eq!(desk.snapshot(), before);
    };
    for cut in 1..lines.len() {
        check(&format!("{}\n", lines[..cut].join("\n")), "export_truncated", Some(cut + 1));
        let half = &lines[cut][..lines[cut].len() / 2];
        check(&format!("{}\n{half}", lines[..cut].join("\n")), "export_truncated", Some(cut + 1));
        let mut damaged = lines.clone();
        let wrong = lines[cut].replacen(':', ";", 1);
        damaged[cut] = &wrong;
        check(&format!("{}\n", damaged.join("\n")), "export_damaged", Some(cut + 1));
        let mut missing = lines.clone();
        missing.remove(cut);
        let refusal = import(&Desk::new(), &format!("{}\n", missing.join("\n")), false).unwrap_err();
        assert!(["export_damaged", "export_truncated"].contains(&refusal.code.as_ref()), "line {cut}: {refusal}");
    }
    check(&format!("{text}x\n"), "export_damaged", Some(lines.len() + 1));
    check(&text.replacen("\"version\":1", "\"version\":2", 1), "export_too_new", None);
    for foreign in ["", "\n", "{}\n", "no JSON\n", "{\"mainstay\":\"else\",\"version\":1}\n"] {
        check(foreign, "not_an_export", None);
    }
}

#[test]
fn a_part_is_counted_anew() {
    let desk = Desk::new();
    desk.done("put", pair("deep", "known"));
    desk.done("put", json!({"key": "x", "value": "one", "place": "deep"}));
    desk.done("put", pair("a", "one"));
    desk.done("put", json!({"key": "x", "value": "two", "place": "deep"}));
    let other = Desk::new();
    import(&other, &exported(&desk, Some("probe/deep")), false).unwrap();
    let store = other.store();
    let reads = store.read().unwrap();
    assert_eq!((reads.head().unwrap(), reads.record(&item("a")).unwrap()), (Revision(2), None));
    assert_eq!(store.check().unwrap(), Vec::<String>::new());
    assert_eq!(other.text("place-deep.txt"), "# Items\n\nx: two\n");
}

#[test]
fn merging_lays_records_over_those_that_are_there() {
    let desk = full();
    let other = Desk::new();
    other.done("put", pair("a", "mine"));
    other.done("put", pair("z", "stays"));
    let reply = import(&other, &exported(&desk, None), true).unwrap();
    assert_eq!(reply.body["revision"], 3);
    assert_eq!((other.item("a"), other.item("z")), (desk.item("a"), Some("stays".into())));
    other.is_in_order();
    // It is one entry, and goes back as one.
    undo(&other, entry(3)).unwrap();
    assert_eq!(other.item("a"), Some("mine".into()));
}

#[test]
fn a_format_that_is_off_takes_nothing() {
    let text = exported(&full(), None);
    let other = Desk::new().write("mainstay.toml", "formats = [\"hseos\"]\n");
    assert_eq!(import(&other, &text, false).unwrap_err().code, "format_off");
    assert!(other.opener.open(&other.root().join(".mainstay")).unwrap().is_none());
}
