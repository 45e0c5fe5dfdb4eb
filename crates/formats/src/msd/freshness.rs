//! Freshness: how many commits the project has gone on since STATE.md was written.

use model::{Object, Value};

use super::members;
use super::site::Site;

/// **Shape**: `{"state_head","commits_behind","commit_stale"}`, null where unknown.
pub(super) fn of(stamp: Option<&str>, site: &Site<'_>) -> Object {
    let stamp = stamp.filter(|stamp| is_stamp(stamp));
    let behind = stamp.and_then(|stamp| commits_behind(stamp, site));
    members([
        ("state_head", stamp.map(|stamp| &stamp[..stamp.len().min(7)]).into()),
        ("commits_behind", behind.into()),
        ("commit_stale", behind.map_or(Value::Null, |behind| (behind > 0).into())),
    ])
}

/// The commits from the stamp to HEAD; git is not asked where they are the same.
pub(super) fn commits_behind(stamp: &str, site: &Site<'_>) -> Option<u64> {
    let stamp = Some(stamp).filter(|stamp| is_stamp(stamp))?;
    let head = site.head()?;
    if head.get(..stamp.len()).is_some_and(|start| start.eq_ignore_ascii_case(stamp)) {
        return Some(0);
    }
    site.view.probes.commits_between(stamp, &head)
}

fn is_stamp(text: &str) -> bool {
    (4..=40).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}
