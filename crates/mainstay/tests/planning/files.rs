//! The bytes of STATE.md: undo and rollback give them back, hands win over us, and what is broken stays as it is.

use std::fs;
use std::path::Path;

use serde_json::Value;

use super::{project, run};

const ODD: &str = "\u{feff}---\r\nowner: 'it''s' # of the harbour\r\nstatus: planning\r\n---\r\n\r\n# S\r\n\r\n\
                   ## Current Position\r\n\r\nPhase: 2 of 3 (Ledger)\r\nPlan: 1 of 2\r\nStatus: Planning\r\n\r\n\
                   ```\r\nStatus: fenced\r\n```\r\n\r\n### Blockers\r\n\r\n* port closed\r\n  at night\n\r\n\
                   ## Session Continuity\r\n\r\nStopped at: here";

fn bytes(project: &Path) -> Vec<u8> {
    fs::read(project.join(".planning/STATE.md")).unwrap()
}

fn put(project: &Path, bytes: impl AsRef<[u8]>) {
    fs::write(project.join(".planning/STATE.md"), bytes).unwrap();
}

fn done(project: &Path, arguments: &[&str]) -> Value {
    let output = run(project, arguments);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

const VERBS: &[&[&str]] = &[
    &["update", "Status", "Waiting"],
    &["begin-phase", "--phase", "3", "--name", "Replay"],
    &["add-decision", "--summary", "One writer"],
    &["resolve-blocker", "--text", "port"],
    &["record-session", "--stopped-at", "there", "--resume-file", "x.md"],
    &["milestone-switch", "--milestone", "v2.0"],
];

#[test]
fn undo_and_rollback_give_every_byte_back() {
    let project = project();
    let root = project.path();
    put(root, ODD);
    let mut stood = vec![bytes(root)];
    for verb in VERBS {
        done(root, &[&["msd", "state"], *verb].concat());
        stood.push(bytes(root));
    }
    assert!(stood.windows(2).all(|pair| pair[0] != pair[1]), "every verb changed something");
    for expected in stood.iter().rev().skip(1) {
        done(root, &["--json", "undo"]);
        assert_eq!(bytes(root), *expected);
    }
    // The file stood there before us: that is nobody's deed, and stays its owner's.
    let refused = run(root, &["--json", "undo"]);
    assert!(refused.status.code() == Some(1) && String::from_utf8_lossy(&refused.stdout).contains("nothing_to_undo"));
    assert_eq!(bytes(root), stood[0]);
    done(root, &["--json", "redo"]);
    assert_eq!(bytes(root), stood[1]);
    // Revision 1 took the file in; each verb made one more.
    for (at, expected) in stood.iter().enumerate() {
        done(root, &["--json", "rollback", &(at + 1).to_string()]);
        assert_eq!(bytes(root), *expected, "revision {}", at + 1);
    }
    done(root, &["--json", "rollback", "0"]);
    assert_eq!(bytes(root), stood[0], "nothing stood in the store then, but the file did");
}

#[test]
fn undo_meant_for_a_workstream_leaves_the_project_its_file() {
    let project = project();
    let root = project.path();
    done(root, &["msd", "state", "init", "--ws", "night"]);
    done(root, &["msd", "state", "update", "Status", "Night", "--ws", "night"]);
    put(root, ODD);
    done(root, &["msd", "state", "update", "Status", "Day"]);
    for _ in 0..3 {
        done(root, &["--json", "undo"]);
        assert_eq!(bytes(root), ODD.as_bytes());
    }
    assert!(!root.join(".planning/workstreams/night/STATE.md").exists(), "what we made goes");
}

#[test]
fn hands_win_and_the_journal_tells_what_they_did() {
    let project = project();
    let root = project.path();
    put(root, ODD);
    done(root, &["msd", "state", "add-decision", "--summary", "One writer"]);
    let ours = String::from_utf8(bytes(root)).unwrap();
    let theirs = ours.replace("Status: Planning", "Status: by hand").replace("One writer", "Two writers");
    put(root, &theirs);
    // A read sees it and writes nothing.
    assert_eq!(done(root, &["msd", "state", "get", "Status"])["Status"], "by hand");
    assert_eq!(bytes(root), theirs.as_bytes());
    done(root, &["msd", "state", "add-decision", "--summary", "Three"]);
    let now = String::from_utf8(bytes(root)).unwrap();
    assert!(now.contains("Status: by hand\r\n") && now.contains("Two writers") && now.contains("Three"), "{now}");
    let history = done(root, &["--json", "history", "-n", "2"]);
    let entry = &history["entries"][1];
    let change = &entry["changes"][0];
    assert_eq!((&entry["actor"], &change["key"]), (&"external".into(), &"document/STATE.md".into()));
    assert_eq!((&change["before"]["text"], &change["after"]["text"]), (&ours.into(), &theirs.as_str().into()));
    // A file that is gone is no record any more, and comes back when that is taken back.
    fs::remove_file(root.join(".planning/STATE.md")).unwrap();
    let refused = run(root, &["msd", "state", "add-decision", "--summary", "Four"]);
    assert_eq!(refused.status.code(), Some(1), "{}", String::from_utf8_lossy(&refused.stdout));
    assert!(!root.join(".planning/STATE.md").exists());
    done(root, &["--json", "undo"]);
    assert_eq!(bytes(root), now.as_bytes());
}

const POSITION: &str = "# S\n\n## Current Position\n\nPhase: 2 of 3 (Ledger)\nStatus: Planning\n";

#[test]
fn what_is_broken_is_refused_and_still_read() {
    let utf16 = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
    let cases: &[(&str, Vec<u8>)] = &[
        ("unterminated_front_matter", format!("---\nstatus: planning\n\n{POSITION}").into()),
        ("merge_markers", format!("{POSITION}\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> other\n").into()),
        ("nul_bytes", format!("{POSITION}\na\0b\n").into()),
        ("not_utf8", [b"\xff\xfe", utf16(POSITION).as_slice()].concat()),
        ("not_utf8", [POSITION.as_bytes(), b"caf\xe9\n"].concat()),
    ];
    for (code, broken) in cases {
        let project = project();
        let root = project.path();
        put(root, broken);
        for verb in
            [&["update", "Status", "x"][..], &["patch", "--Status", "x"], &["begin-phase", "--phase", "3"], &["sync"]]
        {
            let output = run(root, &[&["msd", "state"], verb].concat());
            let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
            assert_eq!(output.status.code(), Some(4), "{code}: {answer}");
            assert_eq!(answer["error"]["code"], "state_corrupt", "{code}: {answer}");
            assert_eq!(bytes(root), *broken, "{code}");
        }
        for verb in ["json", "snapshot", "get", "load"] {
            done(root, &["msd", "state", verb]);
        }
        let warnings = done(root, &["msd", "state", "validate"])["warnings"].to_string();
        assert!(warnings.contains(code), "{code}: {warnings}");
        for words in [&["statusline"][..], &["hook", "session-start"]] {
            assert_eq!(run(root, words).status.code(), Some(0), "{code}: {words:?}");
        }
        assert_eq!(bytes(root), *broken, "{code}");
    }
}

#[test]
fn a_line_of_a_mebibyte_is_too_large_and_harms_nobody() {
    const LIMIT: usize = 1024 * 1024;
    let project = project();
    let root = project.path();
    let long = |length: usize| format!("{POSITION}{}\n", "x".repeat(length - POSITION.len() - 1));
    // As large as may be: read and written, but for what would not fit.
    put(root, long(LIMIT));
    assert_eq!(done(root, &["msd", "state", "get", "Status"])["Status"], "Planning");
    let grown = run(root, &["msd", "state", "add-decision", "--summary", "x"]);
    assert_eq!(grown.status.code(), Some(4), "{}", String::from_utf8_lossy(&grown.stdout));
    put(root, long(LIMIT - 4_000));
    done(root, &["msd", "state", "update", "Status", "Done"]);
    // Larger: not written over, left alone, and read as it last could be.
    let larger = long(LIMIT + 1);
    put(root, &larger);
    let refused = |verb: &[&str]| {
        let output = run(root, &[&["msd", "state"], verb].concat());
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!((output.status.code(), &answer["error"]["code"]), (Some(4), &"too_large".into()), "{verb:?}");
    };
    refused(&["update", "Status", "x"]);
    let read = done(root, &["msd", "state", "json"]);
    assert_eq!((&read["status_raw"], &read["warnings"][0]["code"]), (&"Done".into(), &"too_large".into()));
    // Where it never could be, reading is refused too, and hosts hear nothing.
    fs::remove_dir_all(root.join(".mainstay")).unwrap();
    refused(&["update", "Status", "x"]);
    refused(&["json"]);
    for words in [&["statusline"][..], &["hook", "session-start"]] {
        assert_eq!(run(root, words).status.code(), Some(0), "{words:?}");
    }
    assert_eq!(bytes(root), larger.as_bytes());
}
