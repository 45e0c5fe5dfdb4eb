//! Where the outside may have written: the two files and the three tables.

use format::{
    Column, ColumnType, DatabaseProbe, FileSource, ForeignLock, Restore, Sources, TableImage, TableSource, TakeIn, View,
};
use model::{Context, ProjectPath, Refusal};

use super::config::{self, Mode};
use super::detect;

/// The largest STATE.md or TASKS.md that is read. **Units**: bytes.
///
/// A backlog of 10,000 tasks renders to about 1 MiB, and one note may hold 64 KiB; what is larger
/// than this was not written by people or by us.
pub(super) const FILE_LIMIT: u64 = 8 * 1024 * 1024;

/// The folder of the format.
pub(super) fn folder() -> ProjectPath {
    ProjectPath::known(".hseos")
}

/// The image of the state.
pub(super) fn state_path() -> ProjectPath {
    ProjectPath::known("STATE.md")
}

/// The image of the backlog.
pub(super) fn tasks_path() -> ProjectPath {
    ProjectPath::known("TASKS.md")
}

/// The sources of the space.
pub(super) fn sources(view: &View<'_>, ctx: &Context) -> Result<Sources, Refusal> {
    let config = config::read(view.files, ctx)?;
    let mut warnings = Vec::new();
    let has_table = match config.mode {
        Mode::McpSqlite | Mode::CliSqlite => true,
        Mode::SkillOnly => false,
        Mode::Hybrid => {
            let possible = view.probes.database(&config.place) != DatabaseProbe::Impossible;
            if !possible {
                warnings.push(detect::fallback(Mode::CliSqlite, Mode::SkillOnly));
            }
            possible
        }
    };
    let file = |path| FileSource { path, keeps_base: true, limit: FILE_LIMIT, restore: Restore::OnChange };
    let table = TableSource { place: config.place, anywhere: config.anywhere, tables: TABLES };
    Ok(Sources {
        files: vec![file(state_path()), file(tasks_path())],
        table: has_table.then_some(table),
        lock: has_table.then_some(ForeignLock::Table),
        take_in: TakeIn::Always,
        warnings,
        ..Sources::default()
    })
}

const fn key(name: &'static str, kind: ColumnType) -> Column {
    Column { name, kind, not_null: false, default: None }
}

const fn optional(name: &'static str) -> Column {
    Column { name, kind: ColumnType::Text, not_null: false, default: None }
}

const fn needed(name: &'static str) -> Column {
    Column { name, kind: ColumnType::Text, not_null: true, default: None }
}

const fn defaulted(name: &'static str, default: &'static str) -> Column {
    Column { name, kind: ColumnType::Text, not_null: true, default: Some(default) }
}

const NOW: &str = "datetime('now')";

/// The three tables. **Source**: seed, section 4.3.
pub(super) static TABLES: &[TableImage] = &[
    TableImage {
        table: "state",
        kind: "state",
        columns: &[key("key", ColumnType::Text), needed("value"), defaulted("updated_at", NOW)],
    },
    TableImage {
        table: "tasks",
        kind: "task",
        columns: &[
            key("id", ColumnType::Text),
            needed("owner"),
            needed("description"),
            defaulted("status", "'pending'"),
            optional("depends_on"),
            optional("note"),
            defaulted("created_at", NOW),
            defaulted("updated_at", NOW),
        ],
    },
    TableImage {
        table: "state_history",
        kind: "history",
        columns: &[
            key("id", ColumnType::Integer),
            needed("key"),
            optional("old_value"),
            needed("new_value"),
            needed("changed_by"),
            defaulted("changed_at", NOW),
        ],
    },
];
