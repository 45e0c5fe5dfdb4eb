//! The commands after `mainstay skillstate`: each calls one tool and prints its reply.

use format::{Command, Opt, Printed, Takes, pretty};
use model::{Object, Refusal, Value};

/// The exit code of `validate` for a patch that is not valid.
const INVALID: u8 = 1;

const fn value(name: &'static str, about: &'static str) -> Opt {
    Opt { name, flags: &[], positional: true, required: false, takes: Takes::Value, about }
}

const fn needed(opt: Opt) -> Opt {
    Opt { required: true, ..opt }
}

const fn flag(name: &'static str, flags: &'static [&'static str], takes: Takes, about: &'static str) -> Opt {
    Opt { name, flags, positional: false, required: false, takes, about }
}

const AGENT: Opt = flag("agent", &["agent"], Takes::Value, "the copy of a sub-agent");
const APPEND: Opt = flag("append", &["append"], Takes::ValueOrStdin, "items for lists, as {\"progress\":[\"…\"]}");
const IF_SEQ: Opt = flag("if_seq", &["if-seq"], Takes::Value, "only if the state has this seq");
const PATCH: Opt = Opt { takes: Takes::ValueOrStdin, ..value("patch", "the patch as JSON; - reads it") };
const ID: Opt = needed(value("agent", "the sub-agent"));

const PLAIN: Command = Command { arguments: typed, print: printed, ..Command::BARE };

/// The commands.
pub(super) static COMMANDS: &[Command] = &[
    Command {
        words: &["init"],
        about: "Turn the notes on: write the files that are missing",
        tool: "skillstate_init",
        options: &[
            flag("spec", &["spec"], Takes::Value, "a spec to copy, as seen from the root"),
            flag("fresh", &["fresh"], Takes::Nothing, "start over; a checkpoint is kept"),
            flag("dry_run", &["dry-run"], Takes::Nothing, "only tell what would be written"),
        ],
        examples: &["skillstate init"],
        ..PLAIN
    },
    Command { words: &["get"], about: "Show the state", tool: "state_get", options: &[AGENT], ..PLAIN },
    Command {
        words: &["summary"],
        about: "Show the state in short",
        tool: "state_summary",
        options: &[AGENT],
        ..PLAIN
    },
    Command {
        words: &["patch"],
        about: "Change the state",
        tool: "state_patch",
        options: &[PATCH, APPEND, IF_SEQ, AGENT],
        examples: &["skillstate patch '{\"goal\":\"Ship\"}' --append '{\"progress\":[\"tests\"]}'"],
        ..PLAIN
    },
    Command {
        words: &["validate"],
        about: "Check a patch",
        tool: "state_validate",
        options: &[PATCH, APPEND, AGENT],
        exit: of_validity,
        ..PLAIN
    },
    Command {
        words: &["diff"],
        about: "Show what changed since you last asked",
        tool: "state_diff",
        options: &[
            flag("full", &["full"], Takes::Nothing, "both states too"),
            flag("since", &["since"], Takes::Value, "since this seq instead"),
            flag("reader", &["reader"], Takes::Value, "who asks"),
            AGENT,
        ],
        ..PLAIN
    },
    Command {
        words: &["checkpoint"],
        about: "Keep the state as it is",
        tool: "state_checkpoint",
        options: &[value("label", "what to call it"), AGENT],
        examples: &["skillstate checkpoint before-refactoring"],
        ..PLAIN
    },
    Command {
        words: &["rollback"],
        about: "Return to a checkpoint",
        tool: "state_rollback",
        options: &[value("checkpointId", "which; the latest without it"), IF_SEQ, AGENT],
        ..PLAIN
    },
    Command {
        words: &["finalize"],
        about: "Say how the work came out",
        tool: "state_finalize",
        options: &[needed(value("status", "completed or failed")), value("result", "in a few words"), AGENT],
        ..PLAIN
    },
    Command { words: &["spec", "get"], about: "Show the spec", tool: "spec_get", ..PLAIN },
    Command {
        words: &["spec", "next"],
        about: "Show what is to be done next",
        tool: "spec_next",
        options: &[AGENT],
        ..PLAIN
    },
    Command { words: &["agent", "list"], about: "List the copies of sub-agents", tool: "agent_list", ..PLAIN },
    Command { words: &["agent", "read"], about: "Show a copy", tool: "agent_read", options: &[ID], ..PLAIN },
    Command {
        words: &["agent", "merge"],
        about: "Bring a copy's results into the state",
        tool: "agent_merge",
        options: &[ID, flag("keep", &["keep"], Takes::Value, "main, sub or fail: what conflicts come to"), IF_SEQ],
        ..PLAIN
    },
];

// Texts that stand for JSON are read; the others are arguments as they are.
fn typed(mut typed: Object) -> Result<Object, Refusal> {
    for name in ["patch", "append", "if_seq", "since"] {
        if let Some(Value::String(text)) = typed.get(name) {
            let wrong = |error: serde_json::Error| Refusal::invalid(name, format!("{name} is no JSON: {error}"));
            let read = serde_json::from_str(text).map_err(wrong)?;
            typed.insert(name.to_owned(), read);
        }
    }
    Ok(typed)
}

fn printed(printed: &Printed<'_>) -> String {
    pretty::text(printed.reply)
}

fn of_validity(reply: &Object) -> u8 {
    if reply.get("valid").and_then(Value::as_bool) == Some(false) { INVALID } else { 0 }
}
