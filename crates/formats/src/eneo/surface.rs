//! The tools, the commands and the host events, as data.

use format::{
    BinaryName, Command, Effect, Glance, Hook, HookCall, HookEvent, Listed, Opt, Param, ParamKind, Speech, Surface,
    Switch, Takes, Tool,
};
use model::{Context, Object, Refusal, Value};

use super::document::{AUDIT, LANES, PHASES, TENANCY};
use super::{print, prompt, records, wave};

/// Everything that the format offers.
pub(super) static SURFACE: Surface = Surface {
    tools: TOOLS,
    commands: COMMANDS,
    binary_names: &[
        BinaryName { name: "eneo-task-init", words: &["task-init"] },
        BinaryName { name: "eneo-task-update", words: &["task-update"] },
        BinaryName { name: "eneo-phase-set", words: &["phase-set"] },
    ],
    missing_argument: "invalid_argument",
    switches: &[Switch { tool: "eneo_doctor", argument: "fix", becomes: "eneo_doctor_fix" }],
    hooks: HOOKS,
    bookkeeping: records::BOOKKEEPING,
    ..Surface::BARE
};

const fn needed(name: &'static str, kind: ParamKind) -> Param {
    Param { name, kind, required: true, description: "" }
}

const fn may(name: &'static str, kind: ParamKind, description: &'static str) -> Param {
    Param { name, kind, required: false, description }
}

const fn tool(name: &'static str, description: &'static str, effect: Effect, params: &'static [Param]) -> Tool {
    Tool { name, description, effect, listed: Listed::Yes, params }
}

const fn unlisted(name: &'static str, description: &'static str, effect: Effect, params: &'static [Param]) -> Tool {
    Tool { name, description, effect, listed: Listed::No, params }
}

const DOCTOR: &[Param] =
    &[may("fix", ParamKind::Boolean, "repair what is safe"), may("strict", ParamKind::Boolean, "")];
const AGENT: &[Param] = &[may("agent_id", ParamKind::Text, ""), may("agent_type", ParamKind::Text, "")];
const EVENT: &[Param] = &[
    may("agent_id", ParamKind::Text, ""),
    may("agent_type", ParamKind::Text, ""),
    needed("last_assistant_message", ParamKind::Text),
    may("stop_hook_active", ParamKind::Boolean, ""),
];
const COUNT: ParamKind = ParamKind::Integer { min: 1, max: i64::MAX };

static TOOLS: &[Tool] = &[
    tool(
        "eneo_task_init",
        "Begin a task; refuses while one is not done",
        Effect::Write,
        &[
            needed("slug", ParamKind::Text),
            needed("lane", ParamKind::Word(LANES)),
            needed("bracket", ParamKind::TextOrInteger),
            needed("tenancy_impact", ParamKind::Word(TENANCY)),
            needed("audit_impact", ParamKind::Word(AUDIT)),
            may("force", ParamKind::Boolean, ""),
        ],
    ),
    tool(
        "eneo_task_update",
        "Change the task by a jq program; its one output is the new document",
        Effect::Write,
        &[
            needed("expr", ParamKind::Text),
            may("args", ParamKind::Object, "$name as text"),
            may("json_args", ParamKind::Object, "$name as JSON"),
        ],
    ),
    tool(
        "eneo_task_get",
        "The task, or what a jq program makes of it",
        Effect::Read,
        &[may("expr", ParamKind::Text, "")],
    ),
    tool("eneo_task_clear", "Remove task and wave", Effect::Write, &[]),
    tool("eneo_phase_set", "Set the TDD phase", Effect::Write, &[needed("phase", ParamKind::Word(PHASES))]),
    tool("eneo_next_hint_consume", "Take the hint; it is given once", Effect::Write, &[]),
    tool(
        "eneo_wave_seed",
        "Begin a wave of sub-agents",
        Effect::Write,
        &[
            needed("wave", COUNT),
            needed("expected", COUNT),
            may("wave_total", COUNT, ""),
            may("agents", ParamKind::TextList, "types that go out"),
        ],
    ),
    tool("eneo_wave_status", "How the wave stands", Effect::ReadEvents, &[]),
    tool("eneo_doctor", "What is wrong with the task's files", Effect::Read, DOCTOR),
    unlisted("eneo_wave_event", "A sub-agent returned", Effect::Event, EVENT),
    unlisted("eneo_agent_start", "A sub-agent went out", Effect::Event, AGENT),
    unlisted(
        "eneo_prompt",
        "A prompt was sent",
        Effect::Event,
        &[may("hash", ParamKind::Text, ""), may("len", ParamKind::Any, "")],
    ),
    unlisted("eneo_pre_compact", "Copy the scratchpad", Effect::Write, &[]),
    unlisted("eneo_doctor_fix", "eneo_doctor with repairs", Effect::WriteIdempotent, DOCTOR),
    unlisted("eneo_shellenv", "Functions for shell scripts", Effect::Read, &[]),
];

const fn positional(name: &'static str, about: &'static str) -> Opt {
    Opt { name, flags: &[], positional: true, required: true, takes: Takes::Value, about }
}

const fn switch(name: &'static str, flags: &'static [&'static str], about: &'static str) -> Opt {
    Opt { name, flags, positional: false, required: false, takes: Takes::Nothing, about }
}

const fn named(name: &'static str, flags: &'static [&'static str], about: &'static str) -> Opt {
    Opt { name, flags, positional: false, required: false, takes: Takes::Value, about }
}

static COMMANDS: &[Command] = &[
    Command {
        words: &["task-init"],
        about: "Begin a task",
        tool: "eneo_task_init",
        options: &[
            switch("force", &["force"], "replace a task that is not done"),
            positional("slug", "lower-case words joined by hyphens"),
            positional("lane", "fast, standard or deep"),
            positional("bracket", "1 to 4"),
            positional("tenancy_impact", "none, tenant-scoped or cross"),
            positional("audit_impact", "none, appends or schema"),
        ],
        examples: &["eneo task-init rotate-keys deep 3 cross schema"],
        ..Command::BARE
    },
    Command {
        words: &["task-update"],
        about: "Change the task by a jq program",
        tool: "eneo_task_update",
        options: &[
            positional("expr", "the program; its one output is the new document"),
            Opt {
                required: false,
                takes: Takes::Rest,
                ..positional("name_value", "NAME VALUE binds $NAME to text, json:NAME VALUE to JSON")
            },
        ],
        arguments: print::update_arguments,
        examples: &["eneo task-update '.phase = 2'", "eneo task-update '.phase_name = $n' n 'api and worker'"],
        ..Command::BARE
    },
    Command {
        words: &["task-get"],
        about: "Show the task, or what a jq program makes of it",
        tool: "eneo_task_get",
        options: &[Opt { required: false, ..positional("expr", "the program; . without it") }],
        print: print::text,
        examples: &["eneo task-get .slug"],
        ..Command::BARE
    },
    Command { words: &["task-clear"], about: "Remove task and wave", tool: "eneo_task_clear", ..Command::BARE },
    Command {
        words: &["phase-set"],
        about: "Set the TDD phase",
        tool: "eneo_phase_set",
        options: &[positional("phase", "RED, GREEN, REFACTOR or FREE")],
        examples: &["eneo phase-set GREEN"],
        ..Command::BARE
    },
    Command {
        words: &["next-hint-consume"],
        about: "Show the hint and take it away",
        tool: "eneo_next_hint_consume",
        print: print::hint,
        ..Command::BARE
    },
    Command {
        words: &["wave", "seed"],
        about: "Begin a wave of sub-agents",
        tool: "eneo_wave_seed",
        options: &[
            positional("wave", "its number"),
            positional("expected", "how many agents return"),
            named("wave_total", &["total"], "how many waves the task has"),
            named("agents", &["agents"], "the types that go out, separated by commas"),
        ],
        arguments: print::seed_arguments,
        examples: &["eneo wave seed 2 3 --total 4 --agents scout,builder"],
        ..Command::BARE
    },
    Command {
        words: &["wave", "status"],
        about: "Show how the wave stands",
        tool: "eneo_wave_status",
        print: print::wave,
        ..Command::BARE
    },
    Command {
        words: &["doctor"],
        about: "Look for what is wrong",
        tool: "eneo_doctor",
        options: &[
            switch("fix", &["fix"], "repair what is safe"),
            switch("strict", &["strict"], "exit with 1 where something is left"),
        ],
        print: print::doctor,
        exit: print::doctor_exit,
        examples: &["eneo doctor --fix"],
        ..Command::BARE
    },
    Command {
        words: &["shellenv"],
        about: "Print functions for shell scripts",
        tool: "eneo_shellenv",
        print: print::script,
        examples: &["eneo shellenv"],
        ..Command::BARE
    },
];

const fn looks(event: &'static str) -> Hook {
    Hook { event, speech: Speech::Text, call: None }
}

const fn calls(event: &'static str, tool: &'static str, arguments: fn(&HookEvent, &Context) -> Option<Object>) -> Hook {
    Hook { event, speech: Speech::Text, call: Some(HookCall { tool, arguments, says, refused }) }
}

static HOOKS: &[Hook] = &[
    looks("session-start"),
    Hook {
        event: "user-prompt-submit",
        speech: Speech::Text,
        call: Some(HookCall {
            tool: "eneo_prompt",
            arguments: |event, _| Some(prompt::arguments(event)),
            says: prompt::says,
            refused: prompt::refused,
        }),
    },
    looks("pre-tool-use"),
    calls("subagent-start", "eneo_agent_start", |event, _| {
        event.text("agent_id")?;
        Some(members(event, &["agent_id", "agent_type"]))
    }),
    calls("subagent-stop", "eneo_wave_event", |event, _| {
        let is_active = event.input.get("stop_hook_active") == Some(&Value::Bool(true));
        let counts = event.text("last_assistant_message").is_some_and(wave::counts);
        // No more of a message is kept than a wave lists, so that no event is too large to be kept.
        let message = event.text("last_assistant_message").map(wave::beginning).unwrap_or_default();
        (counts && !is_active).then(|| {
            let mut arguments = members(event, &["agent_id", "agent_type"]);
            arguments.insert("last_assistant_message".to_owned(), message.into());
            arguments
        })
    }),
    calls("pre-compact", "eneo_pre_compact", |_, _| Some(Object::new())),
    looks("statusline"),
];

fn members(event: &HookEvent, names: &[&str]) -> Object {
    let member = |name: &&str| Some(((*name).to_owned(), Value::from(event.text(name)?)));
    names.iter().filter_map(member).collect()
}

fn says(reply: &Object) -> Glance {
    let text = |name: &str| reply.get(name).and_then(Value::as_str);
    let mut notes: Vec<String> = text("note").map(str::to_owned).into_iter().collect();
    if text("outcome") == Some("spooled") {
        notes.push("[wave-barrier] the event is kept; the next command counts it".to_owned());
    }
    Glance { notes, ..Glance::default() }
}

fn refused(refusal: &Refusal) -> Glance {
    Glance { notes: vec![format!("[wave-barrier] {}", refusal.message)], ..Glance::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_switches_and_hooks_call_tools_that_exist() {
        for command in COMMANDS {
            assert!(SURFACE.tool(command.tool).is_some(), "{}", command.tool);
        }
        for switch in SURFACE.switches {
            let (tool, becomes) = (SURFACE.tool(switch.tool).unwrap(), SURFACE.tool(switch.becomes).unwrap());
            assert!(tool.is_read() && !becomes.is_read());
            let on: Object = [(switch.argument.to_owned(), Value::Bool(true))].into_iter().collect();
            assert_eq!(SURFACE.switched(tool, &on).name, becomes.name);
            assert_eq!(SURFACE.switched(tool, &Object::new()).name, tool.name);
        }
        for call in HOOKS.iter().filter_map(|hook| hook.call.as_ref()) {
            assert!(SURFACE.tool(call.tool).is_some(), "{}", call.tool);
        }
    }
}
