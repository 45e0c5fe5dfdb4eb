//! The status line at every prompt: in no scene does it open the store, wait for a lock, write, or fail.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;
use std::time::SystemTime;

use testkit::process::{DEADLINE, Sandbox, finish};

fn binary() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_mainstay"))
}

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new().unwrap();
    for words in [&["msd", "state", "init"][..], &["msd", "state", "add-blocker", "--text", "fog"]] {
        let finished = finish(sandbox.mainstay(binary()).args(words), "", DEADLINE).unwrap();
        assert!(finished.status.success(), "{}", finished.stderr);
    }
    sandbox
}

fn told(sandbox: &Sandbox, words: &[&str]) -> String {
    let finished = finish(sandbox.mainstay(binary()).args(words), "{}", DEADLINE).unwrap();
    assert_eq!((finished.exit().as_str(), finished.stderr.as_str()), ("0", ""), "{words:?}");
    finished.stdout
}

fn fifo(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

/// Every file beneath a folder with its length and the time of its last change.
fn files(folder: &Path) -> BTreeMap<String, (u64, SystemTime)> {
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let metadata = entry.metadata().unwrap();
        let path = entry.path().to_str().unwrap().to_owned();
        if metadata.is_dir() {
            files.extend(self::files(&entry.path()));
        }
        files.insert(path, (metadata.len(), metadata.modified().unwrap()));
    }
    files
}

const FRONT: &str = "milestone: v2.0\nmilestone_name: Night Train\n";

#[test]
fn no_scene_waits_for_anybody() {
    let sandbox = sandbox();
    let (planning, own) = (sandbox.root().join(".planning"), sandbox.root().join(".mainstay"));
    // Opening the database would hang, and so would taking any lock that there is.
    let held: Vec<File> = files(&own)
        .into_keys()
        .filter(|path| !path.contains("state.db"))
        .filter_map(|path| File::open(path).ok())
        .inspect(|file| file.lock().unwrap())
        .collect();
    assert!(!held.is_empty(), "the queue has a lock file");
    for name in ["state.db", "state.db-wal", "state.db-shm"] {
        let _ = fs::remove_file(own.join(name));
        fifo(&own.join(name));
    }
    fs::write(planning.join("STATE.md.lock"), std::process::id().to_string()).unwrap();
    let body = "\nPhase: 2 of 3 (Ledger)\n";
    let scenes = [
        ("active_phase: \"2\"\nstatus: executing\n", "v2.0 Night Train · Phase 2 executing\n"),
        ("next_action: plan-phase\nnext_phases: [\"3\", \"4\"]\n", "v2.0 Night Train · next plan-phase 3/4\n"),
        (
            "progress:\n  total_phases: 3\n  completed_phases: 3\n  percent: 100\n",
            "v2.0 Night Train [██████████] 100% · milestone complete\n",
        ),
        ("status: planning\n", "v2.0 Night Train · planning · Ledger (2/3)\n"),
    ];
    let configs = [
        "{}",
        r#"{"statusline":{"state_format":"compact"}}"#,
        r#"{"phase_id_convention":"bracket","project_code":"QAY"}"#,
        "{broken",
    ];
    for (keys, line) in scenes {
        for config in configs {
            fs::write(planning.join("config.json"), config).unwrap();
            fs::write(planning.join("STATE.md"), format!("---\n{FRONT}{keys}---\n{body}")).unwrap();
            let before = files(&sandbox.root());
            let said = told(&sandbox, &["statusline"]);
            assert_eq!(said.lines().count(), 1, "{keys:?}, {config}: {said:?}");
            if matches!(config, "{}" | "{broken") {
                assert_eq!(said, line, "{config}");
            }
            assert!(told(&sandbox, &["hook", "session-start"]).contains("MSD state"));
            assert_eq!(files(&sandbox.root()), before, "{keys:?}, {config}: nothing is written");
        }
    }
}

#[test]
fn whatever_stands_in_the_place_of_the_file_is_survived() {
    let sandbox = sandbox();
    let state = sandbox.root().join(".planning/STATE.md");
    let put: [(&str, &dyn Fn()); 5] = [
        ("nothing", &|| {}),
        ("a folder", &|| fs::create_dir(&state).unwrap()),
        ("a pipe that nobody writes to", &|| fifo(&state)),
        ("a link to nowhere", &|| symlink("nowhere", &state).unwrap()),
        ("a link to itself", &|| symlink("STATE.md", &state).unwrap()),
    ];
    for (what, put) in put {
        let _ = fs::remove_file(&state).or_else(|_| fs::remove_dir(&state));
        put();
        assert_eq!(told(&sandbox, &["statusline"]), "", "{what}");
        assert_eq!(told(&sandbox, &["hook", "session-start"]).trim_end(), "{}", "{what}");
    }
}

#[test]
fn the_other_name_and_the_other_prefix() {
    let sandbox = Sandbox::new().unwrap();
    fs::write(sandbox.root().join("mainstay.toml"), "[msd]\nprefix = \"gsd\"\n").unwrap();
    let link = sandbox.home().join("msd-tools");
    symlink(binary(), &link).unwrap();
    let run = |words: &[&str]| finish(sandbox.command(&link).args(words), "", DEADLINE).unwrap();
    assert_eq!(run(&["state", "init"]).exit(), "0");
    let text = fs::read_to_string(sandbox.root().join(".planning/STATE.md")).unwrap();
    assert!(text.starts_with("---\ngsd_state_version: '1.0'\n"), "{text}");
    // The other prefix in a file that is there stays; neither is written beside the other.
    fs::write(sandbox.root().join("mainstay.toml"), "[msd]\nprefix = \"msd\"\n").unwrap();
    assert_eq!(run(&["state", "update", "Status", "Done"]).exit(), "0");
    let text = fs::read_to_string(sandbox.root().join(".planning/STATE.md")).unwrap();
    assert!(text.contains("gsd_state_version: '1.0'\n") && !text.contains("msd_state_version"), "{text}");
    assert_eq!(run(&["state", "get", "Status", "--raw"]).stdout, "Done\n");
    let refused = run(&["state", "nonsense"]);
    assert_eq!((refused.exit().as_str(), refused.stdout.contains("unknown_verb")), ("2", true));
}
