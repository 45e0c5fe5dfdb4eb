//! `eneo shellenv`: the helper's functions for shell scripts, each of them a verb.

use model::{Context, Object, Outcome};

use super::paths;
use super::task_init::nothing;

/// The functions and their verbs.
const FUNCTIONS: &[(&str, &str)] = &[
    ("eneo_task_init", "task-init"),
    ("eneo_task_clear", "task-clear"),
    ("eneo_task_update", "task-update"),
    ("eneo_task_get", "task-get"),
    ("eneo_phase_set", "phase-set"),
    ("eneo_next_hint_consume", "next-hint-consume"),
];

/// The text that a script evaluates: functions alone, so that nothing of the script's own changes.
pub(super) fn shellenv(ctx: &Context, program: &str) -> Outcome {
    let program = doubly_quoted(program);
    let root = quoted(&ctx.root);
    let verb = |(function, verb): &(&str, &str)| {
        format!("{function}() {{ \"${{MAINSTAY_BIN:-{program}}}\" --project {root} eneo {verb} \"$@\"; }}\n")
    };
    let file = |(function, path): (&str, model::ProjectPath)| {
        let path = quoted(&format!("{}/{path}", ctx.root.trim_end_matches('/')));
        format!("{function}() {{ printf '%s\\n' {path}; }}\n")
    };
    let files =
        [("eneo_task_file", paths::task()), ("eneo_phase_file", paths::mirror()), ("eneo_wave_file", paths::wave())];
    let text: String = FUNCTIONS.iter().map(verb).chain(files.into_iter().map(file)).collect();
    nothing(Object::from_iter([("script".to_owned(), text.into())]))
}

// What stands within double quotes, where single ones are letters.
fn doubly_quoted(text: &str) -> String {
    let escape = |letter: char| {
        let backslash = matches!(letter, '"' | '\\' | '$' | '`').then_some('\\');
        backslash.into_iter().chain([letter])
    };
    text.chars().flat_map(escape).collect()
}

// In single quotes, as every shell reads them.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}
