//! The three files, and the lock that shell scripts take.

use format::{FileSource, ForeignLock, Restore, Sources, View};
use model::{Context, Origin};

use super::paths;

/// How long a lock is waited for. **Units**: milliseconds.
const WAIT: u64 = 5_000;
/// The same in a hook, whose host waits too.
const HOOK_WAIT: u64 = 3_000;
/// The longest wait that a variable may ask for.
const LONGEST: u64 = 600_000;
/// From what age a lock is stale.
const STALE: i64 = 30_000;

/// The sources of the space.
pub(super) fn sources(view: &View<'_>, ctx: &Context) -> Sources {
    let file = |path, limit: usize, restore| FileSource { path, keeps_base: false, limit: limit as u64, restore };
    // No script holds a lock in a folder that is not there, and asking must not make it.
    let has_folder = paths::may_have_state(view.files);
    let lock = ForeignLock::Folder { path: paths::lock(), wait_ms: wait(ctx), stale_ms: STALE };
    Sources {
        files: vec![
            file(paths::task(), paths::LIMIT, Restore::Never),
            file(paths::wave(), paths::LIMIT, Restore::Never),
            file(paths::mirror(), paths::MIRROR_LIMIT, Restore::OnChange),
        ],
        swept: vec![paths::state()],
        lock: has_folder.then_some(lock),
        ..Sources::default()
    }
}

fn wait(ctx: &Context) -> u64 {
    let usual = if matches!(ctx.origin, Origin::Hook(_)) { HOOK_WAIT } else { WAIT };
    ctx.var("MAINSTAY_LOCK_WAIT_MS").and_then(|wait| wait.parse().ok()).map_or(usual, |wait: u64| wait.min(LONGEST))
}
