//! What `mainstay.toml` says under `[probe]`.

use format::{Restore, TakeIn};
use model::{Context, ProjectPath, Value};

#[derive(Clone, Copy)]
pub(super) enum LockKind {
    Folder,
    PidFile,
}

pub(super) struct Settings {
    pub(super) lock: Option<LockKind>,
    pub(super) lock_path: ProjectPath,
    pub(super) wait_ms: u64,
    pub(super) stale_ms: i64,
    pub(super) take_in: TakeIn,
    pub(super) restore: Restore,
    pub(super) limit: u64,
}

impl Settings {
    /// Reads the settings of the probe.
    ///
    /// **Shape**: `lock = "folder"|"pid"`, `lock_path` (of a pid file), `wait_ms`, `stale_ms`, `take_in = "always"`,
    /// `restore = "always"|"never"`, `limit`.
    pub(super) fn of(ctx: &Context) -> Self {
        let probe = ctx.settings.get("probe").and_then(Value::as_object);
        let value = |name: &str| probe.and_then(|probe| probe.get(name));
        let word = |name: &str| value(name).and_then(Value::as_str);
        Self {
            lock: match word("lock") {
                Some("folder") => Some(LockKind::Folder),
                Some("pid") => Some(LockKind::PidFile),
                _ => None,
            },
            lock_path: ProjectPath::new(word("lock_path").unwrap_or("probe.lock")).expect("tests name locks well"),
            wait_ms: value("wait_ms").and_then(Value::as_u64).unwrap_or_default(),
            stale_ms: value("stale_ms").and_then(Value::as_i64).unwrap_or(30_000),
            take_in: if word("take_in") == Some("always") { TakeIn::Always } else { TakeIn::OnWrite },
            restore: match word("restore") {
                Some("always") => Restore::Always,
                Some("never") => Restore::Never,
                _ => Restore::OnChange,
            },
            limit: value("limit").and_then(Value::as_u64).unwrap_or(64 * 1024),
        }
    }
}
