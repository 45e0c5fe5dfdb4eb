//! The commands `state …`, as data.

use format::{Command, Opt, Takes};

use super::print;

const fn value(name: &'static str, flags: &'static [&'static str], about: &'static str) -> Opt {
    Opt { name, flags, positional: false, required: false, takes: Takes::Value, about }
}

const fn switch(name: &'static str, flags: &'static [&'static str], about: &'static str) -> Opt {
    Opt { takes: Takes::Nothing, ..value(name, flags, about) }
}

const fn positional(opt: Opt) -> Opt {
    Opt { positional: true, ..opt }
}

const fn needed(opt: Opt) -> Opt {
    Opt { required: true, ..opt }
}

const fn from_file(name: &'static str, flags: &'static [&'static str]) -> Opt {
    Opt { takes: Takes::Path, ..value(name, flags, "a project file that holds the text") }
}

const WS: Opt = value("ws", &["ws"], "a workstream");
const CWD: Opt = value("cwd", &["cwd"], "the project root");
const RAW: Opt = switch("raw", &["raw"], "print the first value, bare");
const PICK: Opt = value("pick", &["pick"], "print one part, as progress.percent");
const PHASE: Opt = value("phase", &["phase"], "the phase");
const NAME: Opt = value("name", &["name"], "its name");
const NAME_FILE: Opt = from_file("name_file", &["name-file"]);
const PLANS: Opt = value("plans", &["plans"], "how many plans it has");
const STAGE: Opt = value("stage", &["stage"], "discussing, planning, executing or verifying");
const MILESTONE: Opt = value("milestone", &["milestone"], "the version, as v2.0");
const DRY_RUN: Opt = switch("dry_run", &["dry-run"], "show what would change");

const fn verb(
    words: &'static [&'static str],
    tool: &'static str,
    about: &'static str,
    options: &'static [Opt],
    examples: &'static [&'static str],
) -> Command {
    Command {
        words,
        tool,
        about,
        options,
        examples,
        arguments: print::as_typed,
        print: print::reply,
        misprint: print::unpicked,
        ..Command::BARE
    }
}

/// The words of the verbs behind `state`, for a refusal that lists them.
pub(super) fn verbs() -> impl Iterator<Item = String> {
    COMMANDS.iter().filter(|command| command.words.len() > 1).map(|command| command.words[1..].join(" "))
}

const SNAPSHOT: Command =
    verb(&["state", "snapshot"], "msd_state_snapshot", "Show the whole document as data", &[WS, CWD, RAW, PICK], &[]);

const LOAD: Command = Command {
    print: print::loaded,
    ..verb(&["state", "load"], "msd_state_load", "Show what documents there are", &[WS, CWD, RAW, PICK], &[])
};

pub(super) static COMMANDS: &[Command] = &[
    Command {
        words: &["state"],
        about: "Run a verb; without one, show what documents there are",
        arguments: print::no_verb,
        options: &[
            WS,
            CWD,
            RAW,
            PICK,
            Opt { takes: Takes::Rest, ..positional(value("verb", &[], "a verb; load without one")) },
        ],
        ..LOAD
    },
    verb(
        &["state", "init"],
        "msd_state_init",
        "Make STATE.md",
        &[MILESTONE, NAME, NAME_FILE, WS, CWD, RAW, PICK],
        &["msd state init --milestone v1.0 --name \"First Light\""],
    ),
    LOAD,
    verb(
        &["state", "json"],
        "msd_state_json",
        "Show the front matter as it should be",
        &[WS, CWD, RAW, PICK],
        &["msd state json --pick progress.percent"],
    ),
    SNAPSHOT,
    Command { words: &["state-snapshot"], about: "The same as state snapshot", ..SNAPSHOT },
    verb(
        &["state", "get"],
        "msd_state_get",
        "Show one field, key or section; everything without a name",
        &[positional(value("name", &[], "a field, key or section")), WS, CWD, RAW, PICK],
        &["msd state get Status --raw"],
    ),
    verb(
        &["state", "update"],
        "msd_state_update",
        "Set one field",
        &[
            needed(positional(value("field", &[], "its name"))),
            positional(value("value", &["value"], "its new value")),
            from_file("value_file", &["value-file"]),
            WS,
            CWD,
            RAW,
            PICK,
        ],
        &["msd state update Status \"In progress\""],
    ),
    Command {
        arguments: print::patch,
        ..verb(
            &["state", "patch"],
            "msd_state_patch",
            "Set several fields; what cannot be set is listed",
            &[
                WS,
                CWD,
                RAW,
                PICK,
                Opt { takes: Takes::Rest, ..positional(value("fields", &[], "--NAME VALUE …, or one JSON object")) },
            ],
            &["msd state patch --Status \"In progress\" --Plan \"2 of 3 in current phase\""],
        )
    },
    verb(
        &["state", "begin-phase"],
        "msd_state_begin_phase",
        "Start a phase",
        &[needed(PHASE), NAME, NAME_FILE, PLANS, STAGE, WS, CWD, RAW, PICK],
        &["msd state begin-phase --phase 2 --name Ledger --plans 3"],
    ),
    verb(
        &["state", "verify-phase"],
        "msd_state_verify_phase",
        "Start the verification of a phase",
        &[needed(PHASE), NAME, NAME_FILE, PLANS, WS, CWD, RAW, PICK],
        &[],
    ),
    verb(
        &["state", "planned-phase"],
        "msd_state_planned_phase",
        "Say that a phase is planned",
        &[needed(PHASE), PLANS, WS, CWD, RAW, PICK],
        &[],
    ),
    verb(&["state", "advance-plan"], "msd_state_advance_plan", "Go on to the next plan", &[WS, CWD, RAW, PICK], &[]),
    verb(
        &["state", "complete-phase"],
        "msd_state_complete_phase",
        "Finish a phase; the current one without a name",
        &[positional(PHASE), WS, CWD, RAW, PICK],
        &["msd state complete-phase 2"],
    ),
    verb(
        &["state", "milestone-switch"],
        "msd_state_milestone_switch",
        "Begin a milestone",
        &[needed(MILESTONE), NAME, NAME_FILE, WS, CWD, RAW, PICK],
        &[],
    ),
    verb(
        &["state", "milestone-complete"],
        "msd_state_milestone_complete",
        "Finish a milestone; the stored one without a version",
        &[MILESTONE, WS, CWD, RAW, PICK],
        &[],
    ),
    verb(
        &["state", "lifecycle", "set"],
        "msd_state_lifecycle_set",
        "Say what is under way, or what comes next",
        &[
            value("active", &["active"], "the phase that is under way"),
            STAGE,
            value("next", &["next"], "discuss-phase, plan-phase, execute-phase or verify-phase"),
            value("phases", &["phases"], "the phases that it is for, as 4.5,4.6"),
            WS,
            CWD,
            RAW,
            PICK,
        ],
        &["msd state lifecycle set --next plan-phase --phases 4.5,4.6"],
    ),
    verb(
        &["state", "lifecycle", "clear"],
        "msd_state_lifecycle_clear",
        "Say that nothing is under way and nothing recommended",
        &[WS, CWD, RAW, PICK],
        &[],
    ),
    verb(
        &["state", "update-progress"],
        "msd_state_update_progress",
        "Count phases and plans, and draw the bar",
        &[WS, CWD, RAW, PICK],
        &[],
    ),
    verb(
        &["state", "record-metric"],
        "msd_state_record_metric",
        "Note how long a plan took",
        &[
            needed(PHASE),
            value("plan", &["plan"], "the plan"),
            from_file("plan_file", &["plan-file"]),
            value("duration", &["duration"], "how long, as 12m"),
            from_file("duration_file", &["duration-file"]),
            value("tasks", &["tasks"], "how many tasks"),
            value("files", &["files"], "how many files"),
            WS,
            CWD,
            RAW,
            PICK,
        ],
        &["msd state record-metric --phase 2 --plan 1 --duration 12m --tasks 3 --files 7"],
    ),
    verb(
        &["state", "add-decision"],
        "msd_state_add_decision",
        "Note a decision",
        &[
            value("summary", &["summary"], "what was decided"),
            from_file("summary_file", &["summary-file"]),
            PHASE,
            value("rationale", &["rationale"], "why"),
            from_file("rationale_file", &["rationale-file"]),
            WS,
            CWD,
            RAW,
            PICK,
        ],
        &["msd state add-decision --phase 2 --summary \"One writer\" --rationale \"fewer locks\""],
    ),
    verb(
        &["state", "add-blocker"],
        "msd_state_add_blocker",
        "Note a blocker",
        &[
            value("text", &["text"], "what is in the way"),
            from_file("text_file", &["text-file"]),
            PHASE,
            WS,
            CWD,
            RAW,
            PICK,
        ],
        &["msd state add-blocker --text \"Disk nearly full\""],
    ),
    verb(
        &["state", "resolve-blocker"],
        "msd_state_resolve_blocker",
        "Remove a blocker",
        &[
            value("text", &["text"], "a part of it"),
            from_file("text_file", &["text-file"]),
            value("exact", &["exact"], "the whole of it"),
            from_file("exact_file", &["exact-file"]),
            value("index", &["index"], "its number, from 1"),
            switch("all", &["all"], "every one that fits"),
            WS,
            CWD,
            RAW,
            PICK,
        ],
        &["msd state resolve-blocker --text disk"],
    ),
    verb(
        &["state", "add-roadmap-evolution"],
        "msd_state_add_roadmap_evolution",
        "Note a change of the roadmap",
        &[
            needed(PHASE),
            value("note", &["note"], "what changed"),
            from_file("note_file", &["note-file"]),
            value("action", &["action"], "added, inserted, …; added without it"),
            from_file("action_file", &["action-file"]),
            value("after", &["after"], "the phase before it"),
            switch("urgent", &["urgent"], "it could not wait"),
            WS,
            CWD,
            RAW,
            PICK,
        ],
        &["msd state add-roadmap-evolution --phase 2.1 --action inserted --after 2 --note \"Night berth\""],
    ),
    verb(
        &["state", "record-session"],
        "msd_state_record_session",
        "Note where the session stopped",
        &[
            value("stopped_at", &["stopped-at"], "what was done last"),
            from_file("stopped_at_file", &["stopped-at-file"]),
            value("resume_file", &["resume-file"], "where to go on"),
            from_file("resume_file_file", &["resume-file-file"]),
            value("paused_at", &["paused-at"], "where the project was paused"),
            from_file("paused_at_file", &["paused-at-file"]),
            switch("resumed", &["resumed"], "the pause is over"),
            WS,
            CWD,
            RAW,
            PICK,
        ],
        &["msd state record-session --stopped-at \"Plan 2-1 written\""],
    ),
    verb(
        &["state", "signal-waiting"],
        "msd_state_signal_waiting",
        "Ask a question and wait for its answer",
        &[
            value("question", &["question"], "the question"),
            from_file("question_file", &["question-file"]),
            value("type", &["type"], "its kind; decision without it"),
            from_file("type_file", &["type-file"]),
            value("options", &["options"], "the answers, as a|b"),
            from_file("options_file", &["options-file"]),
            PHASE,
            WS,
            CWD,
            RAW,
            PICK,
        ],
        &["msd state signal-waiting --question \"Which berth?\" --options \"north|south\""],
    ),
    verb(
        &["state", "signal-resume"],
        "msd_state_signal_resume",
        "Say that the question is answered",
        &[WS, CWD, RAW, PICK],
        &[],
    ),
    Command {
        exit: print::validity,
        ..verb(
            &["state", "validate"],
            "msd_state_validate",
            "Show what is wrong with STATE.md",
            &[switch("strict", &["strict"], "exit 1 if anything is"), WS, CWD, RAW, PICK],
            &[],
        )
    },
    verb(
        &["state", "sync"],
        "msd_state_sync",
        "Bring STATE.md in line with the disk",
        &[switch("verify", &["verify"], "show what would change"), WS, CWD, RAW, PICK],
        &[],
    ),
    verb(
        &["state", "prune"],
        "msd_state_prune",
        "Move what is long past to STATE-ARCHIVE.md",
        &[value("keep_recent", &["keep-recent"], "how many phases stay; 3 without it"), DRY_RUN, WS, CWD, RAW, PICK],
        &[],
    ),
    verb(
        &["state", "rebuild"],
        "msd_state_rebuild",
        "Put tables, placeholders and old sessions right",
        &[DRY_RUN, WS, CWD, RAW, PICK],
        &[],
    ),
];
