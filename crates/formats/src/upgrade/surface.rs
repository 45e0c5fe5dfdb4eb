//! The eight tools and their commands, as data.

use format::{Command, Effect, Listed, Opt, Param, ParamKind, Surface, Takes, Tool};

use super::print;

/// Everything that the format offers.
pub(super) static SURFACE: Surface =
    Surface { tools: TOOLS, commands: COMMANDS, bookkeeping: &["watched"], moves_folders: true, ..Surface::BARE };

const fn needed(name: &'static str, kind: ParamKind, description: &'static str) -> Param {
    Param { name, kind, required: true, description }
}

const fn may(name: &'static str, kind: ParamKind, description: &'static str) -> Param {
    Param { name, kind, required: false, description }
}

const PATH: Param = may("path", ParamKind::Text, "a folder of the project");
const SCENARIO: Param = may("scenarioId", ParamKind::Text, "");
const TASK: Param = needed("taskId", ParamKind::Text, "id or number");
const FORCE: Param = may("force", ParamKind::Boolean, "");

const fn tool(name: &'static str, description: &'static str, effect: Effect, params: &'static [Param]) -> Tool {
    Tool { name, description, effect, listed: Listed::Yes, params }
}

static TOOLS: &[Tool] = &[
    tool(
        "get_state",
        "State of the upgrade: progress, available and blocked tasks, stale work, drift. Call it first",
        Effect::Read,
        &[PATH, SCENARIO],
    ),
    tool(
        "start_task",
        "Begin, resume or retry a task; gives its content and instructions. Never edit states by hand",
        Effect::Write,
        &[TASK, may("force", ParamKind::Boolean, "start although blocked, or reopen"), SCENARIO],
    ),
    tool(
        "complete_task",
        "Complete a task, or fail it; gives what comes next. First write progress-details.md in its folder",
        Effect::Write,
        &[
            TASK,
            may("filesModified", ParamKind::TextList, ""),
            may("failed", ParamKind::Boolean, ""),
            may("errorMessage", ParamKind::Text, "why it failed"),
            may("force", ParamKind::Boolean, "although blocked"),
            SCENARIO,
        ],
    ),
    tool(
        "break_down_task",
        "Set a task's subtasks: the whole list; unlisted open ones are removed, done ones stay",
        Effect::Write,
        &[
            needed("parentTaskId", ParamKind::Text, ""),
            needed("subtasks", ParamKind::Any, "[{id?,description,content?,projects?,dependsOn?}]"),
            FORCE,
            SCENARIO,
        ],
    ),
    tool(
        "reconcile",
        "Settle edits of plan.md and tasks.md; decide what get_state lists under drift",
        Effect::Write,
        &[
            may("confirmRemovals", ParamKind::TextList, "pending ids to remove; work goes to the trash"),
            may("renames", ParamKind::Object, "{pending id: new id}"),
            may("acceptStatusEdits", ParamKind::Boolean, ""),
            may("discardStatusEdits", ParamKind::Boolean, ""),
            may("adoptIds", ParamKind::Boolean, "write proposed ids into plan.md"),
            may("writePlan", ParamKind::Boolean, "add unplanned rows, or a missing plan.md"),
            may("dryRun", ParamKind::Boolean, ""),
            SCENARIO,
        ],
    ),
    tool("recover", "After lost context: the state, preferences and what to read", Effect::Read, &[PATH, SCENARIO]),
    tool(
        "recall",
        "Answer a person's \"catch me up\", \"where are we\", \"task 2\"",
        Effect::Read,
        &[
            may("phrase", ParamKind::Text, ""),
            may("intent", ParamKind::Word(&["recent", "task", "status"]), ""),
            may("taskId", ParamKind::Text, ""),
            SCENARIO,
        ],
    ),
    tool(
        "activity",
        "Add a line to Recent Activity of tasks.md",
        Effect::Write,
        &[needed("text", ParamKind::Text, ""), SCENARIO],
    ),
];

const fn opt(name: &'static str, flags: &'static [&'static str], about: &'static str) -> Opt {
    Opt { name, flags, positional: true, required: true, takes: Takes::Value, about }
}

const fn named(name: &'static str, flags: &'static [&'static str], takes: Takes, about: &'static str) -> Opt {
    Opt { name, flags, positional: false, required: false, takes, about }
}

const ID: Opt = opt("taskId", &["id"], "the task, by id or number");
const IN_FOLDER: Opt = Opt { required: false, ..opt("path", &["path"], "a folder of the project") };
const IN: Opt = named("scenarioId", &["scenario"], Takes::Value, "which scenario, where there are several");
const FORCED: Opt = named("force", &["force"], Takes::Nothing, "although blocked or done");

static COMMANDS: &[Command] = &[
    Command {
        words: &["get-state"],
        about: "Show progress, available and blocked tasks, stale work and drift",
        tool: "get_state",
        options: &[IN_FOLDER, IN],
        print: print::state,
        examples: &["upgrade get-state", "upgrade get-state --scenario net-upgrade"],
        ..Command::BARE
    },
    Command {
        words: &["start-task"],
        about: "Begin, resume or retry a task",
        tool: "start_task",
        options: &[ID, FORCED, IN],
        print: print::started,
        examples: &["upgrade start-task 02-leaf-dependencies", "upgrade start-task 02.01"],
        ..Command::BARE
    },
    Command {
        words: &["complete-task"],
        about: "Complete a task, or say that it failed",
        tool: "complete_task",
        options: &[
            ID,
            named("filesModified", &["file"], Takes::Values, "a file that it changed; may be repeated"),
            named("failed", &["failed"], Takes::Nothing, "it did not succeed"),
            named("errorMessage", &["error"], Takes::Value, "why it failed"),
            FORCED,
            IN,
        ],
        print: print::completed,
        examples: &[
            "upgrade complete-task 02.01-common-lib --file src/a.csproj",
            "upgrade complete-task 03 --failed --error \"CS0246\"",
        ],
        ..Command::BARE
    },
    Command {
        words: &["break-down-task"],
        about: "Set the subtasks of a task",
        tool: "break_down_task",
        options: &[
            opt("parentTaskId", &["id"], "the task, by id or number"),
            Opt {
                required: true,
                ..named("subtasks", &["subtasks"], Takes::ValueOrStdin, "a JSON list of {description, …}; - reads it")
            },
            FORCED,
            IN,
        ],
        arguments: print::break_down_arguments,
        print: print::broken_down,
        examples: &[
            "upgrade break-down-task 02 --subtasks '[{\"description\":\"Common\"},{\"description\":\"Utils\"}]'",
        ],
        ..Command::BARE
    },
    Command {
        words: &["reconcile"],
        about: "Settle edits of plan.md and tasks.md",
        tool: "reconcile",
        options: &[
            named("confirmRemovals", &["confirm-removal"], Takes::Values, "a pending task to remove; may be repeated"),
            named("renames", &["rename"], Takes::Values, "OLD=NEW: a pending task that has a new id; may be repeated"),
            named("acceptStatusEdits", &["accept-status-edits"], Takes::Nothing, "take marks that were set by hand"),
            named("discardStatusEdits", &["discard-status-edits"], Takes::Nothing, "forget them"),
            named("adoptIds", &["adopt-ids"], Takes::Nothing, "write proposed ids into plan.md"),
            named("writePlan", &["write-plan"], Takes::Nothing, "add unplanned rows to plan.md, or make it"),
            named("dryRun", &["dry-run"], Takes::Nothing, "only show what would happen"),
            IN,
        ],
        arguments: print::reconcile_arguments,
        print: print::reconciled,
        examples: &["upgrade reconcile", "upgrade reconcile --rename 01-old=01-new --dry-run"],
        ..Command::BARE
    },
    Command {
        words: &["recover"],
        about: "Show what to read after the context was lost",
        tool: "recover",
        options: &[IN_FOLDER, IN],
        print: print::recovered,
        examples: &["upgrade recover", "upgrade recover src"],
        ..Command::BARE
    },
    Command {
        words: &["recall"],
        about: "Answer \"catch me up\", \"where are we\", \"task 2\"",
        tool: "recall",
        options: &[opt("phrase", &["phrase"], "what is asked"), IN],
        print: print::recalled,
        examples: &["upgrade recall \"catch me up\""],
        ..Command::BARE
    },
    Command {
        words: &["activity"],
        about: "Add a line to Recent Activity",
        tool: "activity",
        options: &[opt("text", &["text"], "the line"), IN],
        print: print::active,
        examples: &["upgrade activity \"Updated 5 packages\""],
        ..Command::BARE
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use model::{Object, Value};

    #[test]
    fn the_tool_list_is_short() {
        let tools: Vec<Value> = TOOLS
            .iter()
            .map(|tool| {
                let hint = if tool.is_read() { ("readOnlyHint", true) } else { ("destructiveHint", false) };
                let mut object = Object::new();
                object.insert("name".into(), tool.name.into());
                object.insert("description".into(), tool.description.into());
                object.insert("inputSchema".into(), tool.input_schema().into());
                object.insert(
                    "annotations".into(),
                    Value::Object(Object::from_iter([(hint.0.to_owned(), hint.1.into())])),
                );
                Value::Object(object)
            })
            .collect();
        let bytes = Value::Array(tools).to_string().len();
        assert!(bytes <= 4_200, "{bytes} bytes");
    }

    #[test]
    fn commands_call_tools_with_arguments_that_these_have() {
        for command in COMMANDS {
            let tool = SURFACE.tool(command.tool).unwrap();
            for option in command.options {
                assert!(tool.params.iter().any(|param| param.name == option.name), "{} {}", tool.name, option.name);
            }
        }
    }
}
