//! Commands over all formats: whole runs try each of their points, quick ones a few.

use super::{Beginning, Effect, Start, Verb};

/// What takes back, what takes that back, and what moves the journal as a whole.
pub(super) const VERBS: &[Verb] = &[
    Verb { name: "undo", words: &["undo"], effect: FIRST, starts: &[Start::Of(&TWICE)] },
    Verb {
        name: "undo-session",
        words: &["undo", "--session", "wild"],
        effect: Effect::Shown { image: ".github/upgrades/net/tasks.md", text: "\u{1f532} 01-one" },
        starts: &[Start::Of(&WILD)],
    },
    Verb { name: "redo", words: &["redo"], effect: SECOND, starts: &[Start::Of(&UNDONE)] },
    Verb { name: "rollback", words: &["rollback", "mine"], effect: FIRST, starts: &[Start::Of(&MARKED)] },
    Verb {
        name: "checkpoint",
        words: &["checkpoint", "tried"],
        effect: Effect::Marked("tried"),
        starts: &[Start::Worked, Start::Of(&MARKED)],
    },
    Verb {
        name: "import",
        words: &["import", EXPORTED.0],
        effect: Effect::Brought { image: "STATE.md", text: BROUGHT, by: "exporter", entries: 3 },
        starts: &[Start::Of(&NEW)],
    },
    Verb {
        name: "import-merge",
        words: &["import", EXPORTED.0, "--merge"],
        effect: Effect::Shown { image: "STATE.md", text: BROUGHT },
        starts: &[Start::Of(&FILLED)],
    },
    Verb { name: "gc", words: &["gc", "--keep", "0d"], effect: Effect::Folded { left: 1 }, starts: &[Start::Worked] },
];

const FIRST: Effect = Effect::Shown { image: "STATE.md", text: "- **phase:** first" };
const SECOND: Effect = Effect::Shown { image: "STATE.md", text: "- **phase:** second" };
const BROUGHT: &str = "- **phase:** imported";

/// What `export` once wrote: two fields and a task.
pub(super) const EXPORTED: (&str, &str) = ("exported.jsonl", include_str!("exported.jsonl"));

const WRITTEN_FIRST: &[&str] = &["hseos", "state", "write", "phase", "first"];
const WRITTEN_SECOND: &[&str] = &["hseos", "state", "write", "phase", "second"];

static TWICE: Beginning = Beginning { files: &[], steps: &[WRITTEN_FIRST, WRITTEN_SECOND], taken_in: 0 };
static UNDONE: Beginning = Beginning { files: &[], steps: &[WRITTEN_FIRST, WRITTEN_SECOND, &["undo"]], taken_in: 0 };
static MARKED: Beginning =
    Beginning { files: &[], steps: &[WRITTEN_FIRST, &["checkpoint", "mine"], WRITTEN_SECOND], taken_in: 0 };
static NEW: Beginning = Beginning { files: &[EXPORTED], steps: &[], taken_in: 0 };
static FILLED: Beginning = Beginning { files: &[EXPORTED], steps: &[WRITTEN_FIRST], taken_in: 0 };
// One session's work in two formats, with a folder that was made.
static WILD: Beginning = Beginning {
    files: &[(
        ".github/upgrades/net/plan.md",
        "# Plan\n\n## Tasks\n\n### 01-one: First\n\nDo it.\n\n### 02-two: Second\n",
    )],
    steps: &[
        &["call", "activity", "{\"text\":\"begun\"}"],
        &["--session", "wild", "hseos", "state", "write", "phase", "wrecked"],
        &["--session", "wild", "call", "start_task", "{\"taskId\":\"01-one\"}"],
    ],
    taken_in: 1,
};
