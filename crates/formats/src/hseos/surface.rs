//! The six tools, four unlisted ones and the commands, as data.

use format::{BinaryName, Command, Effect, Listed, Opt, Param, ParamKind, Surface, Takes, Tool};
use model::Origin;

use super::print;
use super::records::Status;

/// Everything that the format offers.
pub(super) static SURFACE: Surface = Surface {
    tools: TOOLS,
    commands: COMMANDS,
    binary_names: &[BinaryName { name: "hseos", words: &[] }, BinaryName { name: "project-state", words: &[] }],
    missing_argument: "invalid_argument",
    actor_argument: Some("agent"),
    actor_variable: Some("HSEOS_AGENT"),
    default_actor,
    bookkeeping: &["latest", "counter", "invalid", "renamed"],
    hosts_tables: true,
    server_name: Some(super::detect::SERVER_NAME),
    ..Surface::BARE
};

fn default_actor(origin: &Origin) -> String {
    if *origin == Origin::Command { "cli" } else { "unknown" }.to_owned()
}

const fn needed(name: &'static str, kind: ParamKind) -> Param {
    Param { name, kind, required: true, description: "" }
}

const fn may(name: &'static str, kind: ParamKind, description: &'static str) -> Param {
    Param { name, kind, required: false, description }
}

const AGENT: Param = may("agent", ParamKind::Text, "");
const STATUS: ParamKind = ParamKind::Word(Status::WORDS);
const COUNT: Param = may("n", ParamKind::Integer { min: 1, max: super::state_history::MOST }, "");
const UPDATE: &[Param] = &[
    needed("id", ParamKind::TextOrInteger),
    may("status", STATUS, ""),
    may("note", ParamKind::Text, "\"\" clears"),
    may("description", ParamKind::Text, ""),
    AGENT,
];

const fn tool(name: &'static str, description: &'static str, effect: Effect, params: &'static [Param]) -> Tool {
    Tool { name, description, effect, listed: Listed::Yes, params }
}

const fn unlisted(name: &'static str, description: &'static str, effect: Effect, params: &'static [Param]) -> Tool {
    Tool { name, description, effect, listed: Listed::No, params }
}

static TOOLS: &[Tool] = &[
    tool("state_read", "Project state: fields, features, deployment, notes", Effect::Read, &[]),
    tool(
        "state_write",
        "Set state fields, all or nothing; a new phase clears notes",
        Effect::Write,
        &[
            needed("fields", ParamKind::Object),
            AGENT,
            may("expect", ParamKind::Object, "write only if these keys hold these texts (null: absent)"),
        ],
    ),
    tool("tasks_list", "List tasks", Effect::Read, &[may("status", STATUS, "")]),
    tool(
        "tasks_add",
        "Add a task",
        Effect::WriteIdempotent,
        &[
            needed("id", ParamKind::TextOrInteger),
            needed("owner", ParamKind::Text),
            needed("description", ParamKind::Text),
            may("depends", ParamKind::TextList, "task ids"),
            AGENT,
        ],
    ),
    tool("tasks_update", "Change a task", Effect::Write, UPDATE),
    tool("state_history", "Newest field changes", Effect::Read, &[COUNT]),
    unlisted("hseos_tasks_block", "tasks_update, with the note in its reply", Effect::Write, UPDATE),
    unlisted("hseos_tasks_table", "tasks_list as rows of a table", Effect::Read, &[may("status", STATUS, "")]),
    unlisted("hseos_state_table", "The fields with their times as stored", Effect::Read, &[]),
    unlisted("hseos_history_table", "state_history with times as stored", Effect::Read, &[COUNT]),
    unlisted("hseos_detect", "The backend that this session works with", Effect::Read, &[]),
    unlisted("hseos_status", "Mode, backend, database and server", Effect::Read, &[]),
];

const fn opt(name: &'static str, flags: &'static [&'static str], about: &'static str) -> Opt {
    Opt { name, flags, positional: true, required: true, takes: Takes::Value, about }
}

const fn optional(opt: Opt) -> Opt {
    Opt { required: false, ..opt }
}

const fn named(opt: Opt) -> Opt {
    Opt { positional: false, required: false, ..opt }
}

const ID: Opt = opt("id", &["id"], "the task; digits only get a T");
const AGENT_FLAG: Opt = named(opt("agent", &["agent"], "who acts"));
const STATUS_FLAG: Opt = named(opt("status", &["status"], "pending, in_progress, done or blocked"));
const NOTE_FLAG: Opt = named(opt("note", &["note"], "a note; empty clears it"));
const DESCRIPTION_FLAG: Opt = named(opt("description", &["description", "desc"], "the description"));

static COMMANDS: &[Command] = &[
    Command {
        words: &["state", "read"],
        about: "Show every field",
        tool: "state_read",
        text_tool: Some("hseos_state_table"),
        print: print::state_table,
        examples: &["hseos state read"],
        ..Command::BARE
    },
    Command {
        words: &["state", "write"],
        about: "Set a field",
        tool: "state_write",
        options: &[
            opt("key", &["key"], "the field"),
            opt("value", &["value"], "its new value"),
            optional(opt("agent", &["agent"], "who acts")),
        ],
        arguments: print::write_arguments,
        print: print::written,
        examples: &["hseos state write phase execution", "hseos state write -key branch -value feature/x"],
        ..Command::BARE
    },
    Command {
        words: &["tasks", "list"],
        about: "Show the tasks",
        tool: "tasks_list",
        text_tool: Some("hseos_tasks_table"),
        options: &[STATUS_FLAG],
        print: print::tasks_table,
        examples: &["hseos tasks list --status pending"],
        ..Command::BARE
    },
    Command {
        words: &["tasks", "add"],
        about: "Add a task",
        tool: "tasks_add",
        options: &[
            ID,
            opt("owner", &["owner"], "who does it"),
            opt("description", &["description", "desc"], "what is to be done, on one line"),
            optional(opt("depends", &["depends"], "ids, as a comma list or a JSON array")),
            AGENT_FLAG,
        ],
        arguments: print::add_arguments,
        print: print::added,
        examples: &["hseos tasks add T5 GHOST \"Implement auth endpoint\" T2,T3"],
        ..Command::BARE
    },
    Command {
        words: &["tasks", "done"],
        about: "Mark a task done",
        tool: "tasks_update",
        options: &[ID, AGENT_FLAG],
        fixed: &[("status", "done")],
        print: print::done,
        examples: &["hseos tasks done T5"],
        ..Command::BARE
    },
    Command {
        words: &["tasks", "block"],
        about: "Mark a task blocked",
        tool: "tasks_update",
        text_tool: Some("hseos_tasks_block"),
        options: &[ID, optional(opt("note", &["reason", "note"], "why; without it the note stays")), AGENT_FLAG],
        fixed: &[("status", "blocked")],
        print: print::blocked,
        examples: &["hseos tasks block T6 \"waiting on T5\""],
        ..Command::BARE
    },
    Command {
        words: &["tasks", "update"],
        about: "Change a task",
        tool: "tasks_update",
        options: &[ID, STATUS_FLAG, NOTE_FLAG, DESCRIPTION_FLAG, AGENT_FLAG],
        print: print::updated,
        examples: &["hseos tasks update T5 --status in_progress --note started"],
        ..Command::BARE
    },
    Command {
        words: &["history"],
        about: "Show the newest changes of fields",
        tool: "state_history",
        text_tool: Some("hseos_history_table"),
        options: &[optional(opt("n", &["n"], "how many, 1 to 1000; 20 without it"))],
        arguments: print::history_arguments,
        print: print::history_table,
        examples: &["hseos history 5"],
        ..Command::BARE
    },
    Command {
        words: &["detect"],
        about: "Show the backend that a session works with",
        tool: "hseos_detect",
        print: print::mode,
        examples: &["hseos detect"],
        ..Command::BARE
    },
    STATUS_COMMAND,
    Command { words: &["state", "status"], ..STATUS_COMMAND },
];

const STATUS_COMMAND: Command = Command {
    words: &["status"],
    about: "Show mode, backend, database and server",
    tool: "hseos_status",
    print: print::status,
    examples: &["hseos status"],
    ..Command::BARE
};

#[cfg(test)]
mod tests {
    use super::*;
    use model::{Object, Value};

    #[test]
    fn the_tool_list_is_short() {
        let listed = TOOLS.iter().filter(|tool| tool.listed == Listed::Yes);
        let tools: Vec<Value> = listed
            .map(|tool| {
                let annotations: Object =
                    [("readOnlyHint", false), ("destructiveHint", false), ("idempotentHint", true)]
                        .map(|(name, value)| (name.to_owned(), Value::from(value)))
                        .into_iter()
                        .collect();
                let mut object = Object::new();
                object.insert("name".into(), tool.name.into());
                object.insert("description".into(), tool.description.into());
                object.insert("inputSchema".into(), tool.input_schema().into());
                let hints = if tool.is_read() {
                    [("readOnlyHint".to_owned(), true.into())].into_iter().collect()
                } else {
                    annotations
                };
                object.insert("annotations".into(), Value::Object(hints));
                Value::Object(object)
            })
            .collect();
        let bytes = Value::Array(tools).to_string().len();
        assert!(bytes <= 2_000, "{bytes} bytes");
    }

    #[test]
    fn commands_call_tools_that_exist_with_the_same_arguments() {
        for command in COMMANDS {
            let tool = SURFACE.tool(command.tool).unwrap();
            if let Some(other) = command.text_tool {
                let other = SURFACE.tool(other).unwrap();
                assert_eq!((other.listed, other.effect), (Listed::No, tool.effect));
                assert!(other.params.iter().map(|param| param.name).eq(tool.params.iter().map(|param| param.name)));
            }
        }
    }
}
