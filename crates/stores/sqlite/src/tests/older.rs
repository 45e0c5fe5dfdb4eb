//! Stores that an older program made: their tables as they were, filled, are brought up to date.

use std::fs::File;
use std::path::Path;
use std::thread;

use model::{ProjectPath, Revision, Space};
use store::{Mark, Opener, Store};
use tempfile::TempDir;

use super::{commit_count, meddle};
use crate::SqliteOpener;

/// The tables of version 1.
const FIRST: &str = "
CREATE TABLE record (
    space TEXT NOT NULL,
    kind TEXT NOT NULL,
    id ANY NOT NULL,
    value TEXT NOT NULL,
    revision INTEGER NOT NULL,
    PRIMARY KEY (space, kind, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE entry (
    revision INTEGER PRIMARY KEY,
    at INTEGER NOT NULL,
    actor TEXT NOT NULL,
    session TEXT,
    request_id TEXT,
    space TEXT NOT NULL,
    call TEXT NOT NULL,
    cause TEXT NOT NULL,
    moves TEXT
) STRICT;

CREATE TABLE change (
    revision INTEGER NOT NULL,
    ordinal INTEGER NOT NULL,
    space TEXT NOT NULL,
    kind TEXT NOT NULL,
    id ANY NOT NULL,
    splice BLOB NOT NULL,
    PRIMARY KEY (revision, ordinal)
) STRICT, WITHOUT ROWID;
CREATE INDEX change_by_record ON change (space, kind, id, revision);

CREATE TABLE receipt (
    tool TEXT NOT NULL,
    request_id TEXT NOT NULL,
    digest TEXT NOT NULL,
    at INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    reply TEXT,
    PRIMARY KEY (tool, request_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX receipt_by_time ON receipt (at);

CREATE TABLE image (
    path TEXT NOT NULL PRIMARY KEY,
    space TEXT NOT NULL,
    confirmed TEXT NOT NULL,
    intended TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX image_by_space ON image (space, path);

CREATE TABLE blob (
    digest TEXT NOT NULL PRIMARY KEY,
    bytes BLOB NOT NULL
) STRICT;

CREATE TABLE table_image (
    space TEXT NOT NULL,
    place TEXT NOT NULL,
    nonce TEXT NOT NULL,
    confirmed INTEGER NOT NULL,
    intended INTEGER NOT NULL,
    drained INTEGER NOT NULL,
    PRIMARY KEY (space, place)
) STRICT, WITHOUT ROWID;

CREATE TABLE pending_move (
    revision INTEGER NOT NULL,
    ordinal INTEGER NOT NULL,
    source TEXT NOT NULL,
    target TEXT NOT NULL,
    PRIMARY KEY (revision, ordinal)
) STRICT, WITHOUT ROWID;

CREATE TABLE meta (
    name TEXT NOT NULL PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;
";

/// What version 2 added.
const SECOND: &str = "
ALTER TABLE entry ADD COLUMN takes_back TEXT;
CREATE TABLE checkpoint (
    id TEXT NOT NULL PRIMARY KEY, revision INTEGER NOT NULL, label TEXT, space TEXT,
    at INTEGER NOT NULL, actor TEXT NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO checkpoint VALUES ('c1', 1, 'first', NULL, 5, 'a'), ('c2', 1, NULL, 's', 6, 'b');
";

/// One of everything that version 1 kept.
const ROWS: &str = r#"
INSERT INTO record VALUES ('s', 'k', 'counter', '1', 1);
INSERT INTO change VALUES (1, 0, 's', 'k', 'counter', x'SPLICE');
INSERT INTO receipt VALUES ('t', 'id with blanks', 'd', 5, 1, '{"a":1.0}'), ('t', 'r2', '', 900, 1, NULL);
INSERT INTO image VALUES ('A B.md', 's', 'old', 'new'), ('gone', 's', '', NULL), ('x', 'other', 'd', '');
INSERT INTO blob VALUES ('old', x'00ff');
INSERT INTO table_image VALUES ('s', '/p "q".db', 'n', 1, 2, 3);
INSERT INTO pending_move VALUES (1, 0, 'from', 'to');
INSERT INTO meta VALUES ('m', 'value');
"#;

fn older(folder: &Path, version: i64) {
    File::create(folder.join("state.db")).unwrap();
    meddle(folder, "PRAGMA journal_mode = WAL");
    meddle(folder, FIRST);
    let splice = store::Splice::between(None, Some("1")).to_bytes();
    let splice = splice.iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"));
    meddle(folder, "INSERT INTO entry VALUES (1, 5, 'a', NULL, NULL, 's', 'c', 'call', NULL)");
    meddle(folder, &ROWS.replace("SPLICE", &splice));
    if version == 2 {
        meddle(folder, SECOND);
    }
    meddle(folder, &format!("PRAGMA application_id = 1299412089; PRAGMA user_version = {version}"));
}

fn check(version: i64) {
    let root = TempDir::new().unwrap();
    older(root.path(), version);
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| check_kept(SqliteOpener.open(root.path()).unwrap().unwrap().as_ref(), version));
        }
    });
    let store = SqliteOpener.create(root.path()).unwrap();
    assert_eq!(commit_count(store.as_ref()).unwrap(), Revision(2));
    assert_eq!(store.check().unwrap(), Vec::<String>::new());
    check_kept(store.as_ref(), version);
}

#[track_caller]
fn check_kept(store: &dyn Store, version: i64) {
    let reads = store.read().unwrap();
    let entries = reads.entries_after(Revision(0), 1).unwrap();
    assert_eq!((entries.len(), entries[0].takes_back.len(), entries[0].changes.len()), (1, 0, 1));
    let checkpoints = reads.checkpoints().unwrap();
    let ids: Vec<&str> = checkpoints.iter().map(|checkpoint| checkpoint.id.as_str()).collect();
    assert_eq!(ids, if version == 2 { vec!["c1", "c2"] } else { vec![] });
    let receipt = reads.receipt("t", "id with blanks").unwrap().unwrap();
    assert_eq!((receipt.digest.as_str(), receipt.at.as_millis(), receipt.revision), ("d", 5, Revision(1)));
    assert_eq!(serde_json::to_string(&receipt.reply).unwrap(), r#"{"a":1.0}"#);
    let receipt = reads.receipt("t", "r2").unwrap().unwrap();
    assert_eq!((receipt.digest.as_str(), receipt.reply), ("", None));
    let images = reads.images(&Space::known("s")).unwrap();
    assert_eq!(images[0].path, ProjectPath::known("A B.md"));
    assert_eq!(images[0].confirmed, Mark::Digest("old".into()));
    assert_eq!(images[0].intended, Some(Mark::Digest("new".into())));
    assert_eq!((&images[1].confirmed, &images[1].intended), (&Mark::Absent, &None));
    assert_eq!(images.len(), 2);
    assert_eq!(reads.images(&Space::known("other")).unwrap()[0].intended, Some(Mark::Absent));
    assert_eq!(reads.blob("old").unwrap(), Some(vec![0, 255]));
    let tables = reads.tables(&Space::known("s")).unwrap();
    assert_eq!((tables[0].place.as_str(), tables[0].nonce.as_str()), ("/p \"q\".db", "n"));
    assert_eq!((tables[0].confirmed, tables[0].intended, tables[0].drained), (Revision(1), Revision(2), 3));
    let moves = reads.pending_moves().unwrap();
    assert_eq!((moves[0].revision, moves[0].ordinal, moves[0].step.to.as_str()), (Revision(1), 0, "to"));
    assert_eq!(reads.meta("m").unwrap().as_deref(), Some("value"));
}

#[test]
fn a_store_of_the_first_version_is_raised_by_whoever_opens_it() {
    check(1);
}

#[test]
fn a_store_of_the_second_version_is_raised_by_whoever_opens_it() {
    check(2);
}

#[test]
fn receipts_of_an_older_store_age_as_before() {
    let root = TempDir::new().unwrap();
    older(root.path(), 2);
    let store = SqliteOpener.open(root.path()).unwrap().unwrap();
    let mut txn = store.begin().unwrap();
    txn.drop_receipts(model::Timestamp::from_millis(6)).unwrap();
    txn.commit().unwrap();
    let reads = store.read().unwrap();
    assert!(reads.receipt("t", "id with blanks").unwrap().is_none());
    assert!(reads.receipt("t", "r2").unwrap().is_some());
}
