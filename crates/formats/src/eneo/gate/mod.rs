//! The gate before a host's tools: what the phase allows, and files that only verbs may write.

mod globs;
mod shell;
mod writes;

use format::{Files, Glance, HookEvent};
use model::{Context, Object, Value};

use super::config::Config;
use super::{config, mirror};
use writes::Write;

/// A path as rules see it: `/` and the path from the root, or an absolute path outside of it.
struct Place(String);

/// Says why a tool may not run; nothing where it may.
pub(super) fn glance(event: &HookEvent, files: &dyn Files, ctx: &Context) -> Glance {
    let tool = event.text("tool_name").unwrap_or_default();
    let input = event.input.get("tool_input").and_then(Value::as_object);
    let empty = Object::new();
    let writes = writes_of(tool, input.unwrap_or(&empty));
    if writes.is_empty() {
        return Glance::default();
    }
    // A gate with a setting that cannot be read is the usual gate.
    let config = config::read(ctx).or_else(|_| config::read(&Context { settings: Object::new(), ..ctx.clone() }));
    let Ok(config) = config else { return Glance::default() };
    let phase = mirror::effective(files);
    let denied = writes.iter().find_map(|write| refusal(write, phase, &config, &ctx.root));
    Glance { denied, ..Glance::default() }
}

fn writes_of(tool: &str, input: &Object) -> Vec<Write> {
    let text = |name: &str| input.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
    if tool == "Bash" {
        return text("command").map(writes::of_shell).unwrap_or_default();
    }
    let lower = tool.to_ascii_lowercase();
    if !(lower.contains("edit") || lower.contains("write")) {
        return Vec::new();
    }
    let path = ["file_path", "path", "notebook_path"].into_iter().find_map(text);
    path.map(|path| Write::File(path.to_owned())).into_iter().collect()
}

fn refusal(write: &Write, phase: &str, config: &Config, root: &str) -> Option<Vec<String>> {
    let path = write.path();
    let place = Place::of(path, root);
    let say = |rule: &str, fix: &str| {
        Some(vec![format!("[eneo-gate] {} may not be written", shown(path)), rule.to_owned(), fix.to_owned()])
    };
    if let Write::Mention(_) = write {
        return if protected_names(config).any(|name| path.contains(name)) {
            say("task state is written by mainstay alone", "use mainstay eneo task-update or phase-set")
        } else {
            None
        };
    }
    if place.is_protected(config) || (write.is_recursive() && place.holds_protected()) {
        return say("task state is written by mainstay alone", "use mainstay eneo task-update or phase-set");
    }
    if write.is_recursive() && place.is_test_folder() {
        return say("folders of tests are not removed", "remove single files, or ask the person");
    }
    let matches = |globs: &[String]| globs.iter().any(|glob| globs::matches(glob, &place.0));
    let is_test = matches(&config.tests);
    match phase {
        "GREEN" if is_test => say(
            "phase GREEN: tests are frozen until they pass",
            "change the source, or go on with mainstay eneo phase-set REFACTOR",
        ),
        "RED" if !is_test && matches(&config.source) => {
            say("phase RED: source is frozen until a test fails", "write the test, then mainstay eneo phase-set GREEN")
        }
        _ => None,
    }
}

// A path comes from a program's input and goes to a terminal.
fn shown(path: &str) -> String {
    path.chars().filter(|letter| !letter.is_control()).take(200).collect()
}

fn protected_names(config: &Config) -> impl Iterator<Item = &'static str> {
    let wave = config.protect_wave.then_some(".claude/state/wave.json");
    [".claude/state/current-task.json", ".claude/state/phase", ".claude/state/.locks/", ".mainstay/"]
        .into_iter()
        .chain(wave)
}

impl Place {
    fn of(path: &str, root: &str) -> Self {
        let whole = if path.starts_with('/') { path.to_owned() } else { format!("{root}/{path}") };
        let mut parts: Vec<&str> = Vec::new();
        for part in whole.split('/') {
            match part {
                "" | "." => {}
                ".." => drop(parts.pop()),
                part => parts.push(part),
            }
        }
        let clean = format!("/{}", parts.join("/"));
        let root = root.trim_end_matches('/');
        match clean.strip_prefix(root) {
            Some(inner) if inner.starts_with('/') => Self(inner.to_owned()),
            Some("") => Self("/".to_owned()),
            _ => Self(clean),
        }
    }

    fn is_protected(&self, config: &Config) -> bool {
        let ends = |name: &str| self.0.ends_with(&format!("/{name}"));
        let lies = |folder: &str| self.0.contains(&format!("/{folder}/")) || ends(folder);
        ends(".claude/state/current-task.json")
            || ends(".claude/state/phase")
            || lies(".claude/state/.locks")
            || lies(".mainstay")
            || (config.protect_wave && ends(".claude/state/wave.json"))
    }

    /// Whether a folder is removed with protected files in it.
    fn holds_protected(&self) -> bool {
        matches!(self.0.as_str(), "/" | "/.claude" | "/.claude/state")
    }

    fn is_test_folder(&self) -> bool {
        matches!(self.0.rsplit('/').next(), Some("tests" | "__tests__"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn denied(phase: &str, tool: &str, key: &str, value: &str) -> bool {
        let input: Object = [(key.to_owned(), Value::from(value))].into_iter().collect();
        let config = Config {
            lenient: false,
            protect_wave: false,
            tests: vec!["**/tests/**".into(), "**/test_*.py".into()],
            source: vec!["**/src/**".into()],
        };
        writes_of(tool, &input).iter().any(|write| refusal(write, phase, &config, "/r").is_some())
    }

    #[test]
    fn phases_freeze_what_they_freeze() {
        for (phase, path, expected) in [
            ("GREEN", "/r/tests/a.py", true),
            ("GREEN", "tests/a.py", true),
            ("GREEN", "./x/../tests/a.py", true),
            ("GREEN", "/elsewhere/tests/a.py", true),
            ("GREEN", "/r/src/a.py", false),
            ("GREEN", "/r/contests/a.py", false),
            ("RED", "/r/src/a.py", true),
            ("RED", "/r/src/tests/a.py", false),
            ("REFACTOR", "/r/src/a.py", false),
            ("FREE", "/r/.claude/state/phase", true),
            ("FREE", "/r/.claude/state/../state/current-task.json", true),
            ("FREE", "/r/.claude/state/.locks/state.lock/owner", true),
            ("FREE", "/r/.mainstay/state.db", true),
            ("FREE", "/r/.claude/state/wave.json", false),
            ("FREE", "/r/.claude/state/phase.md", false),
        ] {
            for tool in ["Edit", "MultiEdit", "Write", "NotebookEdit", "str_replace_editor"] {
                assert_eq!(denied(phase, tool, "file_path", path), expected, "{phase} {tool} {path}");
            }
            assert!(!denied(phase, "Read", "file_path", path));
        }
    }

    #[test]
    fn shell_commands_are_read_for_what_they_write() {
        for (command, expected) in [
            ("echo GREEN > .claude/state/phase", true),
            ("echo GREEN >| '.claude/state/phase'", true),
            ("echo x 2>&1 &>.claude/state/phase", true),
            ("printf x | tee -a .claude/state/phase", true),
            ("true && rm -f \".claude/state/current-task.json\"", true),
            ("cp a .claude/state/phase", true),
            ("cp .claude/state/phase a", false),
            ("mv .claude/state/phase a", true),
            ("sed -i s/a/b/ .claude/state/phase", true),
            ("sed -i.bak -e s/a/b/ .claude/state/phase", true),
            ("sed s/a/b/ .claude/state/phase", false),
            ("dd if=/dev/zero of=.claude/state/phase", true),
            ("bash -c 'echo x > .claude/state/phase'", true),
            ("sh -c \"bash -c 'rm .claude/state/phase'\"", true),
            ("x=$(rm .claude/state/phase)", true),
            ("echo `rm .claude/state/phase`", true),
            ("python3 -c \"open('.claude/state/phase','w')\"", true),
            ("python3 x.py .claude/state/phase", false),
            ("env A=1 sudo rm .claude/state/phase", true),
            ("if true; then rm .claude/state/phase; fi", true),
            ("cat <<EOF\nrm .claude/state/phase\nEOF\n", false),
            ("cat > x <<'EOF'\n> .claude/state/phase\nEOF\nrm .claude/state/phase", true),
            ("echo '> .claude/state/phase'", false),
            ("echo \\> .claude/state/phase", false),
            ("# rm .claude/state/phase", false),
            ("cat .claude/state/phase", false),
            ("grep -r x tests > /dev/null", false),
            ("rm -rf tests", true),
            ("rm -r src/__tests__/", true),
            ("rm -rf .claude", true),
            ("rm tests", false),
            ("echo '{}' > .claude/state/wave.json", false),
            ("find . -name x 2>/dev/null", false),
            ("echo \"unclosed > .claude/state/phase", false),
            ("", false),
        ] {
            assert_eq!(denied("FREE", "Bash", "command", command), expected, "{command}");
        }
        assert!(denied("GREEN", "Bash", "command", "echo pass > tests/test_pay.py"));
        assert!(!denied("GREEN", "Bash", "command", "pytest 2>/dev/null tests/pay_test.py"));
    }
}
