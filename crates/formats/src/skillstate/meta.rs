//! Session meta: whether a session runs in a scope, when it was last active, how it ended.

use format::{Draft, Records};
use model::{Context, Object, Timestamp, Value};

use super::records::{Kind, members, object};
use super::scope::Scope;

/// The members of the file, in its order; `lastActivityAt` lives in a record of its own.
const MEMBERS: &[&str] =
    &["status", "startedAt", ACTIVITY, "finishedAt", "mergedAt", "result", "agentId", "protocolVersion"];

const ACTIVITY: &str = "lastActivityAt";

/// How often the last activity is written at most. **Units**: milliseconds.
const ACTIVITY_STEP: i64 = 5_000;

/// From what silence a running session is stale. **Units**: milliseconds.
const STALE: i64 = 5 * 60_000;

/// The session meta of a scope.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Meta {
    /// Everything but the last activity.
    members: Object,
    activity: Option<String>,
}

impl Meta {
    /// The meta of a scope, if it has one.
    pub(super) fn get(records: &dyn Records, scope: &Scope) -> Option<Self> {
        let members = object(records, &Kind::Meta.only(scope))?;
        let activity = records.get(&Kind::Activity.only(scope)).and_then(|at| at.as_str().map(str::to_owned));
        Some(Self { members, activity })
    }

    /// Splits what a file holds.
    pub(super) fn from_file(mut members: Object) -> Self {
        let activity = members.shift_remove(ACTIVITY).and_then(|at| at.as_str().map(str::to_owned));
        Self { members, activity }
    }

    /// The file that holds it: known members in their order, then the others.
    pub(super) fn to_object(&self) -> Object {
        let mut all = self.members.clone();
        all.extend(self.activity.clone().map(|at| (ACTIVITY.to_owned(), at.into())));
        let mut object = Object::new();
        for name in MEMBERS {
            object.extend(all.shift_remove(*name).map(|value| ((*name).to_owned(), value)));
        }
        object.extend(all);
        object
    }

    /// Stores it.
    pub(super) fn put(self, draft: &mut Draft<'_>, scope: &Scope) {
        draft.put(Kind::Meta.only(scope), Value::Object(self.members));
        match self.activity {
            Some(at) => draft.put(Kind::Activity.only(scope), at.into()),
            None => draft.delete(Kind::Activity.only(scope)),
        }
    }

    /// A text member.
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.members.get(name).and_then(Value::as_str)
    }

    /// The status, if it is a text.
    pub(super) fn status(&self) -> Option<&str> {
        self.text("status")
    }

    /// When the session was last active, as it stands in the file.
    pub(super) fn last_activity(&self) -> Option<&str> {
        self.activity.as_deref()
    }

    /// `active`, `stale` or `orphan`.
    pub(super) fn staleness(meta: Option<&Self>, now: Timestamp) -> &'static str {
        let Some(meta) = meta else { return "orphan" };
        if meta.status() != Some("running") {
            return "active";
        }
        let seen = meta.last_activity().or(meta.text("startedAt")).and_then(Timestamp::parse_rfc3339);
        // A clock that was set back leaves times ahead of it: they tell as little as old ones.
        let is_fresh = seen.is_some_and(|seen| (now.as_millis() - seen.as_millis()).abs() <= STALE);
        if is_fresh { "active" } else { "stale" }
    }

    fn set(&mut self, name: &str, value: impl Into<Value>) {
        self.members.insert(name.to_owned(), value.into());
    }
}

/// How the last session of a scope ended, where it did not end well: `interrupted` or `stale`.
///
/// A host starts our server before it tells that its session starts; what the server's launch
/// replaced is remembered until then.
pub(super) fn previous(records: &dyn Records, scope: &Scope, ctx: &Context) -> Option<String> {
    let meta = Meta::get(records, scope)?;
    let now = if meta.status() == Some("interrupted") { "interrupted" } else { Meta::staleness(Some(&meta), ctx.now) };
    let remembered = || records.get(&Kind::Previous.only(scope))?.as_str().map(str::to_owned);
    Some(now).filter(|now| matches!(*now, "interrupted" | "stale")).map(str::to_owned).or_else(remembered)
}

/// A session begins: what an earlier one came to is forgotten.
pub(super) fn launch(draft: &mut Draft<'_>, scope: &Scope, ctx: &Context) {
    let mut meta = Meta::get(draft, scope).unwrap_or_default();
    let now = ctx.now.to_millis_text();
    for ended in ["finishedAt", "mergedAt", "result"] {
        meta.members.shift_remove(ended);
    }
    meta.set("status", "running");
    meta.set("startedAt", now.as_str());
    meta.activity = Some(now);
    if let Some(id) = scope.agent() {
        meta.set("agentId", id.as_str());
    }
    meta.put(draft, scope);
}

/// A session that runs ends without a result.
pub(super) fn interrupt(draft: &mut Draft<'_>, scope: &Scope) {
    if let Some(mut meta) = Meta::get(draft, scope).filter(|meta| meta.status() == Some("running")) {
        meta.set("status", "interrupted");
        meta.put(draft, scope);
    }
}

/// A session ends with a result.
pub(super) fn finish(draft: &mut Draft<'_>, scope: &Scope, status: &str, result: Option<&str>, ctx: &Context) {
    let mut meta = Meta::get(draft, scope).unwrap_or_default();
    meta.set("status", status);
    meta.set("finishedAt", ctx.now.to_millis_text());
    match result {
        Some(result) => meta.set("result", result),
        None => drop(meta.members.shift_remove("result")),
    }
    meta.put(draft, scope);
}

/// A copy was merged.
pub(super) fn merged(draft: &mut Draft<'_>, scope: &Scope, ctx: &Context) {
    let mut meta = Meta::get(draft, scope).unwrap_or_default();
    meta.set("status", "merged");
    meta.set("mergedAt", ctx.now.to_millis_text());
    if let Some(id) = scope.agent() {
        meta.set("agentId", id.as_str());
    }
    meta.put(draft, scope);
}

/// The state changed: a session that is known was active.
pub(super) fn touch(draft: &mut Draft<'_>, scope: &Scope, ctx: &Context) {
    let Some(meta) = Meta::get(draft, scope) else { return };
    let last = meta.last_activity().and_then(Timestamp::parse_rfc3339);
    if last.is_none_or(|last| (ctx.now.as_millis() - last.as_millis()).abs() >= ACTIVITY_STEP) {
        draft.put(Kind::Activity.only(scope), ctx.now.to_millis_text().into());
    }
}

/// What `state.summary` says of a session.
pub(super) fn session(records: &dyn Records, scope: &Scope, seq: u64, ctx: &Context) -> Value {
    let meta = Meta::get(records, scope);
    let text = |value: Option<&str>| value.map_or(Value::Null, Value::from);
    let of_meta = |name: &str| text(meta.as_ref().and_then(|meta| meta.text(name)));
    Value::Object(members([
        ("statePath", scope.state_path().as_str().into()),
        ("envelopeVersion", 1.into()),
        ("protocolVersion", of_meta("protocolVersion")),
        ("seq", seq.into()),
        ("status", of_meta("status")),
        (ACTIVITY, text(meta.as_ref().and_then(Meta::last_activity))),
        ("staleness", Meta::staleness(meta.as_ref(), ctx.now).into()),
    ]))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn files_keep_their_members() {
        let file = json!({"x": 1, "agentId": "a", "lastActivityAt": "t", "status": "running", "y": {}});
        let meta = Meta::from_file(file.as_object().unwrap().clone());
        let expected = r#"{"status":"running","lastActivityAt":"t","agentId":"a","x":1,"y":{}}"#;
        assert_eq!(Value::Object(meta.to_object()).to_string(), expected);
    }

    #[test]
    fn silence_makes_stale() {
        let now = Timestamp::parse_rfc3339("2026-01-02T03:10:00Z").unwrap();
        let check = |file: Value, expected: &str| {
            let meta = Meta::from_file(file.as_object().unwrap().clone());
            assert_eq!(Meta::staleness(Some(&meta), now), expected, "{file}");
        };
        check(json!({"status": "running", "lastActivityAt": "2026-01-02T03:05:00Z"}), "active");
        check(json!({"status": "running", "lastActivityAt": "2026-01-02T03:04:59Z"}), "stale");
        check(json!({"status": "running", "lastActivityAt": "2026-01-02T03:15:00Z"}), "active");
        check(json!({"status": "running", "lastActivityAt": "2030-01-02T03:10:00Z"}), "stale");
        check(json!({"status": "running", "startedAt": "2026-01-02T03:09:00+00:00"}), "active");
        check(json!({"status": "running", "lastActivityAt": "soon"}), "stale");
        check(json!({"status": "running"}), "stale");
        check(json!({"status": "completed"}), "active");
        check(json!({}), "active");
        assert_eq!(Meta::staleness(None, now), "orphan");
    }
}
