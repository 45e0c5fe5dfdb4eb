//! Outside edits: of the state file, of the session meta, of checkpoints.
//!
//! The state file is the truth. What it says becomes the next version; where it says nothing that we
//! understand, its bytes stay, and every call of its scope is refused until somebody mends it.

use format::equality::equal_members;
use format::{Conflict, Draft, FileState, Irregular, Records, Seen, SeenFile, Taken, View};
use model::{Change, Context, Object, Space, Value, Warning};

use super::checkpoints;
use super::envelope::Envelope;
use super::meta::{self, Meta};
use super::present::trouble;
use super::records::{self, Kind, members, put_state};
use super::scope::{Place, Scope};

/// Turns what was seen in a space into changes.
pub(super) fn take_in(space: &Space, seen: &[Seen], view: &View<'_>, ctx: &Context) -> Taken {
    let mut draft = Draft::new(view.records);
    let mut taken = Taken::default();
    let files = seen.iter().filter_map(|seen| match seen {
        Seen::File(file) => Some(file),
        Seen::Rows(_) => None,
    });
    match Place::of(space) {
        Some(Place::State(scope)) => {
            for file in files {
                if file.path == scope.state_path() {
                    state_file(file, &scope, &mut draft, &mut taken, ctx);
                } else {
                    meta_file(file, &scope, &mut draft, &mut taken);
                }
            }
        }
        Some(Place::Checkpoints(scope)) => {
            for file in files {
                checkpoint_file(file, &scope, &mut draft, &mut taken);
            }
        }
        None => {}
    }
    taken.changes = draft.into_changes();
    taken
}

fn state_file(file: &SeenFile, scope: &Scope, draft: &mut Draft<'_>, taken: &mut Taken, ctx: &Context) {
    let key = Kind::Trouble.only(scope);
    if let Some(refusal) = trouble(scope, &file.now) {
        let (code, message) = (refusal.code.as_ref().into(), refusal.message.into());
        let said = Value::Object(members([("code", code), ("message", message)]));
        if file.now == FileState::Irregular(Irregular::Unreadable) {
            // There are no bytes that could count as seen: every request looks anew.
            taken.aside.push(Change { before: draft.get(&key), key, after: Some(said) });
        } else {
            draft.put(key, said);
        }
        return;
    }
    draft.delete(key);
    match &file.now {
        FileState::Bytes(bytes) => {
            if let Ok(envelope) = Envelope::read(bytes) {
                adopt(envelope, scope, draft, ctx);
            }
        }
        FileState::Absent if file.known && records::state(draft, scope).is_some() => {
            let message = format!("{} was gone and is written again", file.path);
            taken.warnings.push(Warning::new("file_restored", message).with("path", file.path.as_str()));
        }
        FileState::Absent | FileState::Irregular(_) => {}
    }
}

fn adopt(envelope: Envelope, scope: &Scope, draft: &mut Draft<'_>, ctx: &Context) {
    let Envelope { state, others } = envelope;
    let envelope_key = Kind::Envelope.only(scope);
    if others.is_empty() {
        draft.delete(envelope_key);
    } else {
        draft.put(envelope_key, Value::Object(others));
    }
    let stored = records::state(draft, scope);
    if stored.as_ref().is_some_and(|stored| equal_members(stored, &state)) {
        return;
    }
    if stored.is_none() && draft.get(&Kind::Base.only(scope)).is_none() {
        draft.put(Kind::Origin.only(scope), Value::Object(state.clone()));
    }
    put_state(draft, scope, state, &ctx.now.to_millis_text());
    meta::touch(draft, scope, ctx);
}

fn meta_file(file: &SeenFile, scope: &Scope, draft: &mut Draft<'_>, taken: &mut Taken) {
    let read = match &file.now {
        FileState::Bytes(bytes) => {
            let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
            serde_json::from_slice::<Object>(bytes).ok()
        }
        FileState::Absent | FileState::Irregular(_) => None,
    };
    if let Some(members) = read {
        Meta::from_file(members).put(draft, scope);
        return;
    }
    draft.delete(Kind::Meta.only(scope));
    draft.delete(Kind::Activity.only(scope));
    match file.now {
        // A write next to a link is refused when it is admitted.
        FileState::Absent | FileState::Irregular(Irregular::Link) => {}
        FileState::Irregular(_) => unusable(file, taken),
        FileState::Bytes(_) => {
            unusable(file, taken);
            taken.conflicts.push(Conflict { path: file.path.clone() });
        }
    }
}

fn checkpoint_file(file: &SeenFile, scope: &Scope, draft: &mut Draft<'_>, taken: &mut Taken) {
    let Some(id) = checkpoints::id_of(file.path.name()) else { return };
    let key = Kind::Checkpoint.one(scope.checkpoint_space(), id);
    match &file.now {
        FileState::Absent => draft.delete(key),
        FileState::Bytes(bytes) => draft.put(key, checkpoints::from_file(bytes)),
        FileState::Irregular(Irregular::Link) => {}
        // It may be read again by the next request, so this one alone goes without it.
        FileState::Irregular(Irregular::Unreadable) => {
            taken.aside.push(Change { before: draft.get(&key), key, after: Some(Value::Object(Object::new())) });
        }
        FileState::Irregular(_) => draft.put(key, Value::Object(Object::new())),
    }
}

fn unusable(file: &SeenFile, taken: &mut Taken) {
    let message = format!("{} is no session meta and counts as absent", file.path);
    taken.warnings.push(Warning::new("meta_unreadable", message).with("path", file.path.as_str()));
}
