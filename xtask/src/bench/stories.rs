//! The commands whose cost is budgeted, each in a project that has been worked in.

use super::calls::Calls;
use super::row::{Budget, Row};
use super::{calls, instructions};
use crate::product::Product;
use crate::project::Project;

/// A command, the project it runs in, and what it may cost.
pub(super) struct Story {
    pub(super) name: &'static str,
    /// Files that stand there before, with their text.
    pub(super) files: &'static [(&'static str, &'static str)],
    /// Commands that come before it.
    pub(super) before: &'static [&'static [&'static str]],
    /// The command.
    pub(super) words: &'static [&'static str],
    pub(super) stdin: &'static str,
    pub(super) kind: Kind,
}

/// What a command does, which decides its budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// It does nothing.
    Nothing,
    /// It reads; no lock is taken and nothing written.
    Read,
    /// It writes one record durably, with so many file images and table images.
    Write { files: u32, tables: u32 },
    /// As a write, with a jq program in it.
    Program { files: u32 },
}

impl Kind {
    // **Source**: budgets.md.
    pub(super) fn instructions(self) -> Budget {
        match self {
            Self::Nothing => Budget::None,
            Self::Read => Budget::Most(1_200_000.0),
            Self::Write { .. } => Budget::Most(1_800_000.0),
            Self::Program { .. } => Budget::Most(2_000_000.0),
        }
    }

    // One for the commit, two for each file image, one to confirm. A table image's file is whole at rest, which
    // takes four: the folder for the log's name, the log's head, the log, the file.
    fn syncs(self) -> u32 {
        match self {
            Self::Nothing | Self::Read => 0,
            Self::Write { files, tables } => 2 + 2 * files + 4 * tables,
            Self::Program { files } => 2 + 2 * files,
        }
    }

    fn is_quiet(self) -> bool {
        matches!(self, Self::Nothing | Self::Read)
    }
}

const HSEOS: &[&[&str]] = &[
    &["hseos", "state", "write", "phase", "execution"],
    &["hseos", "state", "write", "branch", "feature/login"],
    &["hseos", "tasks", "add", "T1", "GHOST", "Write the login page"],
];

pub(super) const STORIES: &[Story] = &[
    Story { name: "--version", files: &[], before: &[], words: &["--version"], stdin: "", kind: Kind::Nothing },
    Story {
        name: "hseos state read",
        files: &[],
        before: HSEOS,
        words: &["hseos", "state", "read"],
        stdin: "",
        kind: Kind::Read,
    },
    Story {
        name: "hseos state write, tables and STATE.md",
        files: &[],
        before: HSEOS,
        words: &["hseos", "state", "write", "phase", "review"],
        stdin: "",
        kind: Kind::Write { files: 1, tables: 1 },
    },
    Story {
        name: "hseos state write, STATE.md alone",
        files: &[("hseos.config.yaml", "state_management:\n  mode: skill-only\n")],
        before: HSEOS,
        words: &["hseos", "state", "write", "phase", "review"],
        stdin: "",
        kind: Kind::Write { files: 1, tables: 0 },
    },
    Story {
        name: "skillstate get",
        files: &[],
        before: SKILLSTATE,
        words: &["skillstate", "get"],
        stdin: "",
        kind: Kind::Read,
    },
    Story {
        name: "skillstate hook user-prompt-submit",
        files: &[],
        before: SKILLSTATE,
        words: &["hook", "user-prompt-submit"],
        stdin: "{\"session_id\":\"s1\",\"prompt\":\"go on\"}",
        kind: Kind::Read,
    },
    Story {
        name: "skillstate patch",
        files: &[],
        before: SKILLSTATE,
        words: &["skillstate", "patch", "{\"notes\":\"half done\"}"],
        stdin: "",
        kind: Kind::Write { files: 1, tables: 0 },
    },
    Story {
        name: "msd get",
        files: &[],
        before: MSD,
        words: &["msd", "state", "get", "Status"],
        stdin: "",
        kind: Kind::Read,
    },
    Story { name: "msd status line", files: &[], before: MSD, words: &["statusline"], stdin: "{}", kind: Kind::Read },
    Story {
        name: "msd update",
        files: &[],
        before: MSD,
        words: &["msd", "state", "update", "Status", "Executing Phase 1"],
        stdin: "",
        kind: Kind::Write { files: 1, tables: 0 },
    },
    Story {
        name: "upgrade get-state",
        files: &[UPGRADE],
        before: ADOPTED,
        words: &["upgrade", "get-state"],
        stdin: "",
        kind: Kind::Read,
    },
    Story {
        name: "upgrade start-task, three files and a folder",
        files: &[UPGRADE],
        before: ADOPTED,
        words: &["upgrade", "start-task", "01-one"],
        stdin: "",
        kind: Kind::Write { files: 3, tables: 0 },
    },
    Story {
        name: "upgrade complete-task, two files",
        files: &[UPGRADE],
        before: STARTED,
        words: &["upgrade", "complete-task", "01-one"],
        stdin: "",
        kind: Kind::Write { files: 2, tables: 0 },
    },
    Story {
        name: "eneo task-get",
        files: &[],
        before: ENEO,
        words: &["eneo", "task-get", ".next_hint // empty"],
        stdin: "",
        kind: Kind::Read,
    },
    Story {
        name: "eneo status line",
        files: &[],
        before: ENEO,
        words: &["statusline"],
        stdin: "{\"model\":{\"display_name\":\"M\"}}",
        kind: Kind::Read,
    },
    Story {
        name: "eneo gate",
        files: &[],
        before: ENEO,
        words: &["hook", "pre-tool-use"],
        stdin: "{\"tool_name\":\"Bash\",\"tool_input\":{\"command\":\"cargo test && echo done > out.txt\"}}",
        kind: Kind::Read,
    },
    Story {
        name: "eneo task-update, the barrier's program",
        files: &[],
        before: ENEO,
        words: &["eneo", "task-update", BARRIER, "wave", "1", "agent", "scout"],
        stdin: "",
        kind: Kind::Program { files: 1 },
    },
];

const SKILLSTATE: &[&[&str]] = &[
    &["skillstate", "init"],
    &["skillstate", "patch", "{\"goal\":\"Ship it\",\"next_steps\":[\"write\",\"test\",\"release\"]}"],
];

const MSD: &[&[&str]] = &[
    &["msd", "state", "init", "--milestone", "v1.0", "--name", "First Light"],
    &["msd", "state", "add-decision", "--summary", "Keep one engine"],
];

const UPGRADE: (&str, &str) =
    (".github/upgrades/net/plan.md", "# Plan\n\n## Tasks\n\n### 01-one: First\n\nDo it.\n\n### 02-two: Second\n");

const ADOPTED: &[&[&str]] = &[&["upgrade", "activity", "taken over"]];

const STARTED: &[&[&str]] = &[&["upgrade", "activity", "taken over"], &["upgrade", "start-task", "01-one"]];

pub(super) const ENEO: &[&[&str]] = &[
    &["eneo", "task-init", "login", "standard", "2", "none", "none"],
    &["eneo", "wave", "seed", "1", "2", "--agents", "scout,builder"],
];

/// What the wave barrier's script asks of the task.
pub(super) const BARRIER: &str = ".wave_status[$wave] = \"in_progress\" | .active_agents |= (index($agent) as $i \
                       | if $i == null then . else .[:$i] + .[$i + 1:] end)";

/// The rows of all stories, and of the sizes that are budgeted.
pub(super) fn rows(product: &Product) -> Result<Vec<Row>, String> {
    let mut rows = Vec::new();
    for story in STORIES {
        rows.extend(of_story(product, story).map_err(|problem| format!("{}: {problem}", story.name))?);
    }
    let bytes = std::fs::metadata(&product.binary).map_err(|error| error.to_string())?.len();
    rows.push(Row {
        name: "the program".to_owned(),
        measured: as_number(bytes),
        unit: "bytes",
        budget: Budget::Most(15_000_000.0),
    });
    Ok(rows)
}

fn of_story(product: &Product, story: &Story) -> Result<Vec<Row>, String> {
    let told = prepared(product, story)?;
    let counted = instructions::count(&told, story.words, story.stdin)?;
    let Calls { syncs, locks, writes, all } = calls::count(&prepared(product, story)?, story.words, story.stdin)?;
    let row = |measured: f64, unit, budget| Row { name: story.name.to_owned(), measured, unit, budget };
    let quiet = if story.kind.is_quiet() { Budget::Most(0.0) } else { Budget::None };
    Ok(vec![
        row(counted, "instructions", story.kind.instructions()),
        row(syncs.into(), "fsyncs", Budget::Most(story.kind.syncs().into())),
        row(locks.into(), "locks", quiet),
        row(writes.into(), "writes", quiet),
        row(all.into(), "system calls", Budget::None),
    ])
}

/// The project in which a story's command runs.
pub(super) fn prepared<'a>(product: &'a Product, story: &Story) -> Result<Project<'a>, String> {
    let project = Project::new(product)?;
    for (path, text) in story.files {
        let path = project.root().join(path);
        let folder = path.parent().expect("a file stands in a folder");
        std::fs::create_dir_all(folder)
            .and_then(|()| std::fs::write(&path, text))
            .map_err(|error| format!("{}: {error}", path.display()))?;
    }
    for words in story.before {
        let finished = project.run(words)?;
        if !finished.status.success() {
            return Err(format!("`{}` ended with {}: {}", words.join(" "), finished.exit(), finished.stderr));
        }
    }
    Ok(project)
}

/// A count as a number of the table.
pub(super) fn as_number(count: u64) -> f64 {
    // What is counted here is far below 2^53.
    #[allow(clippy::cast_precision_loss)]
    let number = count as f64;
    number
}
