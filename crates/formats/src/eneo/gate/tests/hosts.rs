//! What single hosts do beside: one looks for files, one has a command that takes a patch.

use format::{FileState, Files};
use model::{Object, ProjectPath, Value};

use super::{Config, Rules, check, writes_of};

/// A project with its state and one file.
struct Standing;

impl Files for Standing {
    fn read(&self, path: &ProjectPath, _: u64) -> FileState {
        match path.as_str() {
            "src/a.py" | ".claude/state/phase" => FileState::Bytes(Vec::new()),
            _ => FileState::Absent,
        }
    }

    fn list(&self, folder: &ProjectPath) -> Vec<String> {
        let names: &[&str] = match folder.as_str() {
            ".mainstay" => &["history", "state.db"],
            ".mainstay/history" => &["one.json"],
            _ => &[],
        };
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    fn is_folder(&self, path: &ProjectPath) -> bool {
        path.as_str() == ".mainstay/history"
    }
}

#[test]
fn a_file_that_the_host_looks_for_may_be_any_that_ends_so() {
    let config = Config { lenient: false, protect_wave: false, tests: vec!["**/tests/**".into()], source: Vec::new() };
    let ask = |phase: &str, path: &str, is_sought: bool| {
        let mut input = Object::from_iter([("file_paths".to_owned(), Value::from(vec![path]))]);
        if is_sought {
            input.insert("is_sought".to_owned(), true.into());
        }
        let rules = Rules::new(phase, &config, "/r/p", &Standing);
        writes_of("Edit", &input).iter().any(|write| rules.refusal(write).is_some())
    };
    for (phase, path, expected) in [
        ("FREE", "phase", true),
        ("FREE", "state/phase", true),
        ("FREE", "te/phase", true),
        ("FREE", "./x/../current-task.json", true),
        ("FREE", "state.db", true),
        ("FREE", "one.json", true),
        ("FREE", "other/phase", false),
        ("FREE", "/r/p/phase", false),
        ("FREE", "b.py", false),
        ("GREEN", "b.py", true),
        ("RED", "b.py", true),
        ("GREEN", "src/a.py", false),
        ("GREEN", "/r/p/b.py", false),
        ("REFACTOR", "b.py", false),
    ] {
        assert_eq!(ask(phase, path, true), expected, "{phase} {path}");
        assert!(!ask(phase, path, false), "{phase} {path}");
    }
}

#[test]
fn a_patch_is_read_from_wherever_it_comes() {
    let patch = "*** Begin Patch\n*** Update File:.claude/state/phase\n@@\n-a\n+b\n*** End Patch\n";
    let escaped = patch.replace('\n', "\\n");
    for command in [
        format!("cat <<'EOF' | apply_patch\n{patch}EOF"),
        format!("echo '{patch}' | apply_patch"),
        format!("printf '{escaped}' | applypatch"),
        "printf '%s\\n' '*** Begin Patch' '*** Update File: .claude/state/phase' | apply_patch".to_owned(),
        format!("apply_patch \"$(cat <<'EOF'\n{patch}EOF\n)\""),
        format!("apply_patch <<< '{patch}'"),
        format!("apply_patch '{patch}'"),
        format!("P='{patch}'; apply_patch \"$P\""),
        format!("cat > p <<'EOF'\n{patch}EOF\nenv apply_patch < p"),
        format!("echo '{patch}' | bash -c 'apply_patch'"),
        format!("codex --codex-run-as-apply-patch '{patch}'"),
    ] {
        check("FREE", &command, true);
        check("FREE", &command.replace(".claude/state/phase", "docs/a.md"), false);
        check(
            "FREE",
            &command
                .replace("apply_patch", "cat")
                .replace("applypatch", "cat")
                .replace("--codex-run-as-apply-patch", "x"),
            false,
        );
    }
}
