//! A damaged store: `doctor` says what is lost, `--fix` makes a new one from what can still be read.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::OnceLock;

use serde_json::{Value, json};
use testkit::sql;

const PAGE: usize = 4096;

/// How many writes stand in the journal.
const WRITES: usize = 100;

fn run(project: &Path, arguments: &[&str]) -> (i32, Value) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mainstay"));
    let output = command.arg("--project").arg(project).arg("--json").args(arguments).output().unwrap();
    (output.status.code().unwrap(), serde_json::from_slice(&output.stdout).unwrap_or_default())
}

fn reply(project: &Path, arguments: &[&str]) -> Value {
    let (code, reply) = run(project, arguments);
    assert_eq!(code, 0, "{arguments:?}: {reply}");
    reply
}

fn value_of(number: usize) -> String {
    vec![number.to_string(); 100].join(" ")
}

fn write(project: &Path, number: usize) -> Value {
    let (id, value) = (format!("write-{number}"), value_of(number));
    let key = if number.is_multiple_of(2) { "notes" } else { "phase" };
    reply(project, &["--request-id", &id, "hseos", "state", "write", key, &value])
}

/// A hundred writes, a checkpoint after the fourth, a task, and all of it in the database file.
fn project() -> tempfile::TempDir {
    static PREPARED: OnceLock<tempfile::TempDir> = OnceLock::new();
    let prepared = PREPARED.get_or_init(|| {
        let project = tempfile::tempdir().unwrap();
        let root = project.path();
        reply(root, &["init", "--format", "hseos"]);
        for number in 0..WRITES {
            write(root, number);
            if number == 3 {
                reply(root, &["checkpoint", "early"]);
            }
        }
        reply(root, &["hseos", "tasks", "add", "T1", "GHOST", "first"]);
        sql::execute(&root.join(".mainstay/state.db"), "PRAGMA wal_checkpoint(TRUNCATE)").unwrap();
        project
    });
    let project = tempfile::tempdir().unwrap();
    let copied = Command::new("cp").arg("-a").arg(prepared.path().join(".")).arg(project.path()).status().unwrap();
    assert!(copied.success());
    project
}

/// Overwrites a page of a table or an index: the first one, or the last leaf but one.
fn damage(project: &Path, name: &str, is_root: bool) {
    let path = project.join(".mainstay/state.db");
    let rows = sql::query(&path, &format!("SELECT rootpage FROM sqlite_schema WHERE name = '{name}'")).unwrap();
    let root = usize::try_from(rows[0][0].as_u64().unwrap()).unwrap();
    let mut bytes = fs::read(&path).unwrap();
    let page = if is_root { root } else { leaf(&bytes, root) };
    bytes[(page - 1) * PAGE..page * PAGE].fill(0xa5);
    fs::write(&path, bytes).unwrap();
}

// The last leaf but one of an interior page. **Source**: the database file format, section 1.6.
fn leaf(bytes: &[u8], page: usize) -> usize {
    let header = &bytes[(page - 1) * PAGE..];
    assert!(matches!(header[0], 2 | 5), "page {page} is no interior page");
    let cells = usize::from(u16::from_be_bytes([header[3], header[4]]));
    let place = 12 + (cells - 1) * 2;
    let cell = usize::from(u16::from_be_bytes([header[place], header[place + 1]]));
    let child = u32::from_be_bytes(header[cell..cell + 4].try_into().unwrap());
    child.try_into().unwrap()
}

fn lost(report: &Value) -> Vec<&str> {
    let findings = report["findings"].as_array().unwrap().iter();
    findings.filter(|one| one["code"] == "store_lost").map(|one| one["what"].as_str().unwrap()).collect()
}

/// Damages a store and mends it; what is lost is said before, told by the mending, and not told again.
#[track_caller]
fn check(name: &str, is_root: bool, losses: &[&str]) -> tempfile::TempDir {
    let project = project();
    let root = project.path();
    damage(root, name, is_root);
    let (code, said) = run(root, &["doctor"]);
    assert_eq!((code, lost(&said)), (1, losses.to_vec()), "{said}");
    let (code, fixed) = run(root, &["doctor", "--fix"]);
    assert_eq!((code, lost(&fixed)), (i32::from(!losses.is_empty()), losses.to_vec()), "{fixed}");
    let corrupt = fixed["findings"].as_array().unwrap().iter().filter(|one| one["code"] == "store_corrupt");
    assert!(corrupt.clone().count() > 0 && corrupt.clone().all(|one| one["fixed"] == true), "{fixed}");
    assert_eq!(run(root, &["doctor"]), (0, json!({"ok": true, "findings": []})));
    let state = reply(root, &["hseos", "state", "read"]);
    assert_eq!(state["state"]["phase"], value_of(WRITES - 1), "{name}");
    assert_eq!(reply(root, &["hseos", "tasks", "list"])["tasks"][0]["id"], "T1");
    // The store goes on where it was.
    assert_eq!(write(root, WRITES)["replayed"], Value::Null);
    assert_eq!(reply(root, &["history", "-n", "1"])["entries"][0]["revision"], WRITES + 2);
    project
}

fn entries(project: &Path) -> usize {
    reply(project, &["history", "--all", "-n", "1000"])["entries"].as_array().unwrap().len()
}

#[test]
fn a_wrong_bit_in_a_page_of_the_log_is_told_and_mended() {
    let project = project();
    let root = project.path();
    for number in WRITES..WRITES + 4 {
        write(root, number);
    }
    let log = root.join(".mainstay/state.db-wal");
    let mut bytes = fs::read(&log).unwrap();
    // Of the first commit that the log holds.
    bytes[32 + 24 + 100] ^= 1;
    fs::write(&log, &bytes).unwrap();
    let (code, said) = run(root, &["doctor"]);
    assert_eq!((code, &said["findings"][0]["code"]), (1, &json!("store_corrupt")), "{said}");
    // The page with the wrong bit is written again behind it.
    let fixed = reply(root, &["doctor", "--fix"]);
    assert!(lost(&fixed).is_empty(), "{fixed}");
    assert_eq!(run(root, &["doctor"]), (0, json!({"ok": true, "findings": []})));
    // What the images show is there, and the log is kept as it was.
    assert_eq!(reply(root, &["hseos", "state", "read"])["state"]["phase"], value_of(WRITES + 3));
    let kept = fs::read_dir(root.join(".mainstay")).unwrap().map(|it| it.unwrap().path());
    let kept: Vec<_> = kept.filter(|path| path.to_string_lossy().contains("/damaged-")).collect();
    assert_eq!(fs::read(kept[0].join("state.db-wal")).unwrap(), bytes);
}

#[test]
fn a_damaged_index_costs_nothing() {
    let project = check("change_by_record", true, &[]);
    assert_eq!(entries(project.path()), WRITES + 2);
    assert_eq!(reply(project.path(), &["checkpoint", "--list"])["checkpoints"][0]["label"], "early");
    assert_eq!(write(project.path(), 3)["replayed"], true);
}

#[test]
fn damaged_records_are_told_by_the_journal() {
    let project = check("record", true, &[]);
    assert_eq!(entries(project.path()), WRITES + 2);
}

#[test]
fn a_hole_in_the_journal_is_bridged() {
    let project = check("change", false, &["entries"]);
    // What lies before it and behind it is there as it was.
    let count = entries(project.path());
    assert!((10..WRITES).contains(&count), "{count}");
    let history = reply(project.path(), &["history", "--all", "-n", "1000"]);
    assert!(history["entries"].as_array().unwrap().iter().any(|entry| entry["actor"] == "doctor"), "{history}");
    assert_eq!(history["entries"].as_array().unwrap().last().unwrap()["revision"], 1);
    reply(project.path(), &["rollback", "c1", "--dry-run"]);
    assert_eq!(write(project.path(), 3)["replayed"], true);
    reply(project.path(), &["undo"]);
}

#[test]
fn a_lost_journal_is_said_and_its_checkpoints_too() {
    let project = check("entry", true, &["entries", "checkpoint"]);
    assert_eq!(entries(project.path()), 2);
    assert_eq!(write(project.path(), 3)["replayed"], true, "receipts are a table of their own");
    // An id is not given twice.
    assert_eq!(reply(project.path(), &["checkpoint", "again"])["id"], "c2");
}

#[test]
fn what_is_kept_beside_is_lost_alone_and_receipts_are_made_again_from_the_journal() {
    let project = check("book", true, &["receipts", "images", "bases", "tables", "moves", "checkpoints", "meta"]);
    assert_eq!(entries(project.path()), WRITES + 2);
    assert_eq!(write(project.path(), 3)["replayed"], true);
    assert_ne!(reply(project.path(), &["checkpoint", "again"])["id"], "c1");
}

#[test]
fn a_hole_in_the_book_costs_what_stood_there() {
    let project = check("book", false, &["receipts"]);
    assert_eq!(entries(project.path()), WRITES + 2);
    assert_eq!(reply(project.path(), &["checkpoint", "--list"])["checkpoints"][0]["label"], "early");
    assert_eq!(write(project.path(), 3)["replayed"], true);
}

#[test]
fn leftovers_are_found_and_taken_away() {
    let project = project();
    let root = project.path();
    let old = ["rebuild/state.db", "backups/.doctor-x.db.1.tmp", "../.mainstay-STATE.md.tmp", ".mainstay-image-1"];
    fs::create_dir(root.join(".mainstay/backups")).unwrap();
    fs::create_dir(root.join(".mainstay/rebuild")).unwrap();
    let long_ago = std::time::SystemTime::now() - std::time::Duration::from_mins(2);
    for path in old {
        let file = fs::File::create(root.join(".mainstay").join(path)).unwrap();
        file.set_modified(long_ago).unwrap();
    }
    // Somebody may be writing this one.
    fs::write(root.join(".mainstay-TASKS.md.tmp"), "x").unwrap();
    let (code, said) = run(root, &["doctor"]);
    let findings = said["findings"].as_array().unwrap();
    assert_eq!((code, findings.len()), (1, old.len()), "{said}");
    assert!(findings.iter().all(|one| one["code"] == "leftover"), "{said}");
    let (code, fixed) = run(root, &["doctor", "--fix"]);
    assert_eq!((code, &fixed["ok"]), (0, &json!(true)), "{fixed}");
    assert!(old.iter().all(|path| !root.join(".mainstay").join(path).exists()));
    assert!(root.join(".mainstay-TASKS.md.tmp").exists());
}

#[test]
fn a_wrong_bit_in_the_log_stops_writes_and_loses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    reply(root, &["init", "--format", "hseos"]);
    for number in 0..8 {
        write(root, number);
    }
    let journal = || reply(root, &["history", "--all"])["entries"].clone();
    let (before, log) = (journal(), root.join(".mainstay/state.db-wal"));
    let mut bytes = fs::read(&log).unwrap();
    // The sum of the frame in the middle, so that every page is still whole.
    let frames = (bytes.len() - 32) / (24 + PAGE);
    bytes[32 + frames / 2 * (24 + PAGE) + 17] ^= 4;
    fs::write(&log, &bytes).unwrap();

    let (code, refused) = run(root, &["--request-id", "write-7", "hseos", "state", "write", "phase", &value_of(7)]);
    assert_eq!((code, &refused["error"]["code"]), (4, &json!("store_corrupt")), "{refused}");
    assert_eq!(refused["error"]["hint"], "mainstay doctor --fix");
    let read = reply(root, &["hseos", "state", "read"]);
    assert_eq!(read["state"]["phase"], json!(value_of(7)), "the image counts");
    for told in [read, reply(root, &["status"])] {
        assert_eq!(told["warnings"][0]["code"], "store_corrupt");
    }
    assert_eq!(fs::read(&log).unwrap(), bytes, "nothing was overwritten");

    let (_, found) = run(root, &["doctor"]);
    assert_eq!(found["findings"][0]["code"], "store_corrupt");
    let fixed = reply(root, &["doctor", "--fix"]);
    let kept = root.join(fixed["backup"].as_str().unwrap()).join("state.db-wal");
    assert_eq!(fs::read(kept).unwrap(), bytes);
    assert!(journal() == before, "no entry is lost");
    write(root, 7);
    assert!(journal() == before, "a request that was carried out is not carried out again");
    assert_eq!(reply(root, &["doctor"])["findings"], json!([]));
}

/// Puts another value into one record, past the journal.
fn flip(root: &Path, kind: &str, from: &str, to: &str) {
    let text = format!("UPDATE record SET value = replace(value, '{from}', '{to}') WHERE kind = '{kind}'");
    sql::execute(&root.join(".mainstay/state.db"), &text).unwrap();
}

/// What records, text image, table image and journal say of the phase.
fn phases(root: &Path) -> [Value; 4] {
    let image = fs::read_to_string(root.join("STATE.md")).unwrap();
    let line = image.lines().find_map(|line| line.strip_prefix("- **phase:** ")).unwrap().to_owned();
    let rows = sql::query(&root.join(".hseos/state/project.db"), "SELECT value FROM state WHERE key = 'phase'");
    let journal = reply(root, &["show", "hseos", "--at", "1", "--json"])["records"].clone();
    let told = journal.as_array().unwrap().iter().find(|one| one["key"] == "state/phase").unwrap()["value"].clone();
    [reply(root, &["hseos", "state", "read"])["state"]["phase"].clone(), line.into(), rows.unwrap()[0][0].clone(), told]
}

#[test]
fn a_record_that_says_something_else_than_journal_and_image_gives_way() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    reply(root, &["init", "--format", "hseos"]);
    reply(root, &["hseos", "state", "write", "phase", "c"]);
    let before = phases(root);
    flip(root, "state", "\"c\"", "\"z\"");
    let (_, said) = run(root, &["doctor"]);
    let codes: Vec<&str> = said["findings"].as_array().unwrap().iter().map(|it| it["code"].as_str().unwrap()).collect();
    assert_eq!(codes, ["store_corrupt", "store_lost", "image_differs"], "{said}");
    assert_eq!(said["findings"][2]["where"], "STATE.md");
    let (code, fixed) = run(root, &["doctor", "--fix"]);
    assert_eq!((code, lost(&fixed)), (1, vec!["value"]), "{fixed}");
    let message = fixed["findings"].as_array().unwrap().iter().find(|one| one["code"] == "store_lost").unwrap();
    assert!(message["message"].as_str().unwrap().contains("the record said {\"value\":\"z\""), "{message}");
    assert_eq!(phases(root), before);
    assert_eq!(run(root, &["doctor"]), (0, json!({"ok": true, "findings": []})));
    reply(root, &["hseos", "tasks", "add", "T1", "GHOST", "first"]);
    assert_eq!(phases(root), before);
}

#[test]
fn a_record_that_no_image_speaks_against_stays_and_is_published() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    reply(root, &["init", "--format", "hseos"]);
    reply(root, &["hseos", "state", "write", "phase", "c"]);
    fs::remove_file(root.join("STATE.md")).unwrap();
    flip(root, "state", "\"c\"", "\"z\"");
    let (code, fixed) = run(root, &["doctor", "--fix"]);
    assert_eq!((code, lost(&fixed)), (1, vec!["value"]), "{fixed}");
    let row = sql::query(&root.join(".hseos/state/project.db"), "SELECT value FROM state WHERE key = 'phase'").unwrap();
    assert_eq!(row[0][0], "z");
    // The next change writes it again.
    reply(root, &["hseos", "state", "write", "branch", "b"]);
    assert_eq!(run(root, &["doctor"]), (0, json!({"ok": true, "findings": []})));
    let [record, image, row, then] = phases(root);
    assert_eq!([record, image, row], [json!("z"), json!("z"), json!("z")]);
    assert_eq!(then["value"], "c", "the journal leads from the one to the other");
}

#[test]
fn an_edit_that_nobody_took_in_yet_is_taken_in_after_a_rebuild() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    reply(root, &["init", "--format", "hseos"]);
    reply(root, &["hseos", "state", "write", "phase", "c"]);
    flip(root, "state", "\"c\"", "\"z\"");
    let image = fs::read_to_string(root.join("STATE.md")).unwrap();
    fs::write(root.join("STATE.md"), image.replace("- **phase:** c", "- **phase:** mine")).unwrap();
    run(root, &["doctor", "--fix"]);
    let [record, image, row, _] = phases(root);
    assert_eq!([record, image, row], [json!("mine"), json!("mine"), json!("mine")]);
    assert_eq!(run(root, &["doctor"]), (0, json!({"ok": true, "findings": []})));
}

/// A project whose records and journal agree on a phase that no image was told.
fn untold() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    reply(root, &["init", "--format", "hseos"]);
    reply(root, &["hseos", "state", "write", "phase", "c"]);
    flip(root, "state", "\"c\"", "\"z\"");
    let text = "UPDATE change SET splice = CAST(replace(CAST(splice AS TEXT), '\"c\"', '\"z\"') AS BLOB) \
                WHERE kind = 'state'";
    sql::execute(&root.join(".mainstay/state.db"), text).unwrap();
    folder
}

#[track_caller]
fn check_written_again(root: &Path) {
    assert!(fs::read_to_string(root.join("STATE.md")).unwrap().contains("- **phase:** z"));
    assert_eq!(run(root, &["doctor"]), (0, json!({"ok": true, "findings": []})));
}

#[test]
fn an_image_that_says_something_else_than_records_and_journal_is_written_again() {
    let folder = untold();
    let root = folder.path();
    let (code, said) = run(root, &["doctor"]);
    assert_eq!((code, &said["findings"][0]["code"]), (1, &json!("image_differs")), "{said}");
    assert_eq!(said["findings"][0]["fix"], "mainstay doctor --fix");
    let fixed = reply(root, &["doctor", "--fix"]);
    assert_eq!((&fixed["ok"], &fixed["findings"][0]["fixed"]), (&json!(true), &json!(true)), "{fixed}");
    check_written_again(root);
}

#[test]
fn a_rebuild_publishes_what_the_records_say_and_tells_what_the_image_said() {
    let folder = untold();
    let root = folder.path();
    sql::execute(&root.join(".mainstay/state.db"), "PRAGMA wal_checkpoint(TRUNCATE)").unwrap();
    damage(root, "change_by_record", true);
    let (code, fixed) = run(root, &["doctor", "--fix"]);
    assert_eq!((code, lost(&fixed)), (1, vec!["value"]), "{fixed}");
    check_written_again(root);
}

#[test]
fn what_only_images_show_is_taken_in_where_records_and_journal_are_lost() {
    let project = project();
    let root = project.path();
    damage(root, "record", true);
    damage(root, "entry", true);
    let (code, fixed) = run(root, &["doctor", "--fix"]);
    assert_eq!(code, 1, "{fixed}");
    assert_eq!(run(root, &["doctor"]), (0, json!({"ok": true, "findings": []})));
    assert_eq!(reply(root, &["hseos", "state", "read"])["state"]["phase"], value_of(WRITES - 1));
    assert_eq!(reply(root, &["hseos", "tasks", "list"])["tasks"][0]["id"], "T1");
}
