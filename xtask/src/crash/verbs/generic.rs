//! Commands over all formats, for whole runs and those that name one.

use super::{Beginning, Effect, Start, Verb};

/// What takes back, and what takes that back.
pub(super) const VERBS: &[Verb] = &[
    Verb { name: "undo", words: &["undo"], effect: FIRST, starts: &[Start::Of(&TWICE)] },
    Verb {
        name: "undo-session",
        words: &["undo", "--session", "wild"],
        effect: Effect::Shown { image: ".github/upgrades/net/tasks.md", text: "\u{1f532} 01-one" },
        starts: &[Start::Of(&WILD)],
    },
    Verb { name: "redo", words: &["redo"], effect: SECOND, starts: &[Start::Of(&UNDONE)] },
    Verb { name: "rollback", words: &["rollback", "1"], effect: FIRST, starts: &[Start::Of(&TWICE)] },
];

const FIRST: Effect = Effect::Shown { image: "STATE.md", text: "- **phase:** first" };
const SECOND: Effect = Effect::Shown { image: "STATE.md", text: "- **phase:** second" };

static TWICE: Beginning = Beginning {
    files: &[],
    steps: &[&["hseos", "state", "write", "phase", "first"], &["hseos", "state", "write", "phase", "second"]],
    taken_in: 0,
};
static UNDONE: Beginning = Beginning {
    files: &[],
    steps: &[
        &["hseos", "state", "write", "phase", "first"],
        &["hseos", "state", "write", "phase", "second"],
        &["undo"],
    ],
    taken_in: 0,
};
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
