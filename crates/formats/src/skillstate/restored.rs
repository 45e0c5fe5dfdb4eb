//! What undo and rollback add: seq goes up, and the format's own books stay as they are.

use format::equality::equal_members;
use format::{Draft, Records, View};
use model::{Change, Context, Object, Outcome, Refusal, Value};

use super::present::{Present, check_readable};
use super::records::{BOOKKEEPING, Kind, object, put_state, seq};
use super::scope::{Place, Scope};
use super::spec;

/// Changes to be laid over those that undo or rollback made.
///
/// **Errors**: those of [`check_readable`]: a file that is the truth and cannot be read is not passed over.
pub(super) fn restored(changes: &[Change], view: &View<'_>, ctx: &Context) -> Result<Outcome, Refusal> {
    for change in changes.iter().filter(|change| change.key.kind == Kind::State.word()) {
        if let Some(Place::State(scope)) = Place::of(&change.key.space) {
            check_readable(view, &scope)?;
        }
    }
    let kept: Vec<Change> = changes.iter().filter(|change| stays(change)).cloned().map(Change::inverse).collect();
    // From here on the records are as they stand once undo is done and the books are kept.
    let mut after = Draft::new(view.records);
    after.lay(changes);
    after.lay(&kept);
    let mut draft = Draft::new(&after);
    for change in changes.iter().filter(|change| change.key.kind == Kind::State.word()) {
        if let Some(Place::State(scope)) = Place::of(&change.key.space) {
            next_version(&scope, &after, view, &mut draft, ctx);
        }
    }
    let mut outcome = kept;
    for change in draft.into_changes() {
        // One change for each key: what is kept first, then what is new.
        match outcome.iter_mut().find(|kept| kept.key == change.key) {
            Some(kept) => kept.after = change.after,
            None => outcome.push(change),
        }
    }
    Ok(Outcome { changes: outcome, ..Outcome::default() })
}

// A fork is kept; the base that a merge moved goes back with it.
fn stays(change: &Change) -> bool {
    BOOKKEEPING.contains(&change.key.kind.as_ref()) || change.key.kind == Kind::Base.word() && change.after.is_none()
}

// Where there was no state before, the state becomes what it began as.
fn next_version(scope: &Scope, after: &dyn Records, view: &View<'_>, draft: &mut Draft<'_>, ctx: &Context) {
    let key = Kind::State.only(scope);
    let before = object(view.records, &key).unwrap_or_default();
    let state = object(after, &key).or_else(|| beginning(scope, after, view, ctx)).unwrap_or_default();
    if equal_members(&before, &state) {
        draft.put(key, Value::Object(before));
        return;
    }
    debug_assert_eq!(seq(after, scope), seq(view.records, scope), "the version stays until it goes up");
    put_state(draft, scope, state, &ctx.now.to_millis_text());
}

fn beginning(scope: &Scope, after: &dyn Records, view: &View<'_>, ctx: &Context) -> Option<Object> {
    let mut without = Draft::new(after);
    without.delete(Kind::State.only(scope));
    let spec = spec::load(view, ctx).ok();
    Present::load(&view.over(&without), scope, spec.as_ref()).ok().map(|present| present.state)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use format::FileState;
    use model::{Environment, Origin, Timestamp};
    use serde_json::json;

    use super::*;
    use crate::skillstate::records::BOOKKEEPING;
    use crate::skillstate::world::World;

    /// What undo comes to: `changes` with the answer of the format laid over them.
    fn undone(changes: &[(Kind, Value, Value)]) -> BTreeMap<String, Value> {
        let some = |value: &Value| Some(value.clone()).filter(|value| !value.is_null());
        let changes: Vec<Change> = changes
            .iter()
            .map(|(kind, now, back)| Change { key: kind.only(&Scope::Main), before: some(now), after: some(back) })
            .collect();
        let records = changes.iter().filter_map(|change| Some((change.key.clone(), change.before.clone()?)));
        let world = World { records: records.collect(), file: FileState::Absent };
        let ctx = Context {
            now: Timestamp::parse_rfc3339("2026-01-02T03:04:05.678Z").unwrap(),
            actor: "cli".into(),
            session: None,
            request_id: None,
            origin: Origin::Command,
            root: "/project".into(),
            tag: String::new(),
            env: Environment::new(),
            settings: Object::new(),
        };
        let outcome = restored(&changes, &world.view(&world), &ctx).unwrap();
        let mut draft = Draft::new(&world);
        draft.lay(&changes);
        draft.lay(&outcome.changes);
        let kinds = changes.iter().map(|change| (change.key.kind.to_string(), draft.get(&change.key)));
        kinds.map(|(kind, value)| (kind, value.unwrap_or_default())).collect()
    }

    #[test]
    fn seq_goes_up_whatever_goes_back() {
        let after = undone(&[
            (Kind::State, json!({"goal": "b"}), json!({"goal": "a"})),
            (Kind::Seq, json!({"seq": 7, "at": "t"}), json!({"seq": 6, "at": "s"})),
            (Kind::Activity, json!("later"), json!("earlier")),
            (Kind::Meta, json!({"status": "completed"}), json!({"status": "running"})),
        ]);
        assert_eq!(after["state"], json!({"goal": "a"}));
        assert_eq!(after["seq"], json!({"seq": 8, "at": "2026-01-02T03:04:05.678Z"}));
        assert_eq!(after["activity"], "later");
        assert_eq!(after["meta"], json!({"status": "running"}));
    }

    #[test]
    fn undoing_the_first_version_leaves_what_it_began_as() {
        let after = undone(&[
            (Kind::State, json!({"goal": "a"}), Value::Null),
            (Kind::Seq, json!({"seq": 1, "at": "t"}), Value::Null),
            (Kind::Origin, json!({"goal": "a"}), Value::Null),
        ]);
        assert_eq!(after["state"]["progress"], json!([]));
        assert_eq!(after["seq"]["seq"], 2);
        assert_eq!(after["origin"], json!({"goal": "a"}));
    }

    #[test]
    fn a_state_that_stays_equal_is_no_version() {
        let after = undone(&[
            (Kind::State, json!({"n": 1}), json!({"n": 1.0})),
            (Kind::Seq, json!({"seq": 2, "at": "t"}), json!({"seq": 1, "at": "s"})),
        ]);
        assert_eq!((&after["state"], &after["seq"]["seq"]), (&json!({"n": 1}), &json!(2)));
        assert!(BOOKKEEPING.contains(&"seq"));
    }
}
