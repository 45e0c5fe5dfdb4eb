//! `blame`: who gave each field its present value, when, and in which revision.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use model::{Object, RecordKey, Refusal, Revision, Value};
use store::{EntryPage, Reads, StoredEntry, from_text, to_text};

use crate::engine::Engine;
use crate::refusals::failed;
use crate::show;
use crate::tell::{self, Teller};

/// How deep fields are told apart; what lies deeper belongs to the field above it.
const DEEPEST: usize = 8;

/// The part of a value that one entry set.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Field(Vec<String>);

impl Engine {
    /// For each field of the records of a space: its value, and the entry that gave it.
    ///
    /// `key` is `kind/id`, or an id alone. Fields are the members of objects, down to 8 levels.
    /// **Shape**: `{revision,fields:[{space,key,field,value,actor,at,session,call,revision}]}`; `field`
    /// is null for a record that is no object.
    /// **Errors**: `invalid_argument` (field `space`), `unknown_key`.
    pub fn blame(&self, space: &str, key: Option<&str>) -> Result<Object, Refusal> {
        self.check_space(space)?;
        let mut fields = Vec::new();
        let mut head = Revision(0);
        if let Some(store) = self.opened_store()? {
            let snapshot = store.read().map_err(failed)?;
            let reads = snapshot.as_ref();
            head = reads.head().map_err(failed)?;
            let teller = Teller::of(self);
            let is_asked = |one: &RecordKey| match key {
                Some(key) => one.id.as_str() == key || tell::short(one) == key,
                None => teller.tells(one),
            };
            let mut entries = Entries { reads, known: BTreeMap::new() };
            for (key, value) in show::all(reads, Some(space))? {
                if is_asked(&key) {
                    of_record(reads, &key, &value, &mut entries, &mut fields)?;
                }
            }
        }
        if let (true, Some(key)) = (fields.is_empty(), key) {
            return Err(Refusal::refused("unknown_key", format!("there is no record {key:?} in {space}"))
                .field("key")
                .hint(format!("mainstay show {space} lists the records")));
        }
        let mut object = Object::new();
        object.insert("revision".into(), head.0.into());
        object.insert("fields".into(), Value::Array(fields));
        Ok(object)
    }
}

// Walks back until every field has had another value.
fn of_record(
    reads: &dyn Reads,
    key: &RecordKey,
    value: &Value,
    entries: &mut Entries<'_>,
    out: &mut Vec<Value>,
) -> Result<(), Refusal> {
    let mut open: BTreeMap<Field, Value> = BTreeMap::new();
    let mut order = Vec::new();
    split(value, &mut Vec::new(), &mut |field, value| {
        order.push(field.clone());
        open.insert(field, value.clone());
    });
    let mut set: BTreeMap<Field, Revision> = BTreeMap::new();
    let mut text = Some(to_text(value).map_err(failed)?);
    for (revision, splice) in reads.changes_of(key, Revision(0)).map_err(failed)? {
        text = splice.unapply(text.as_deref()).map_err(|error| failed(error.into()))?;
        let before = text.as_deref().map(from_text).transpose().map_err(failed)?;
        let changed: Vec<Field> = open
            .iter()
            .filter(|(field, value)| before.as_ref().and_then(|before| at(before, &field.0)) != Some(value))
            .map(|(field, _)| field.clone())
            .collect();
        for field in changed {
            open.remove(&field);
            set.insert(field, revision);
        }
        if open.is_empty() {
            break;
        }
    }
    for field in order {
        let mut object = tell::key(key);
        let name = (!field.0.is_empty()).then(|| Value::from(field.0.join(".")));
        object.insert("field".into(), name.unwrap_or_default());
        object.insert("value".into(), at(value, &field.0).cloned().unwrap_or_default());
        entries.tell(set.get(&field).copied(), &mut object)?;
        out.push(Value::Object(object));
    }
    Ok(())
}

// The leaves of nested objects; an empty object, a list and everything else is a leaf.
fn split<'a>(value: &'a Value, path: &mut Vec<String>, visit: &mut impl FnMut(Field, &'a Value)) {
    match value {
        Value::Object(members) if !members.is_empty() && path.len() < DEEPEST => {
            for (name, member) in members {
                path.push(name.clone());
                split(member, path, visit);
                path.pop();
            }
        }
        leaf => visit(Field(path.clone()), leaf),
    }
}

fn at<'a>(value: &'a Value, path: &[String]) -> Option<&'a Value> {
    path.iter().try_fold(value, |value, name| value.as_object()?.get(name))
}

/// Who wrote which entry, each looked up once.
struct Entries<'a> {
    reads: &'a dyn Reads,
    known: BTreeMap<Revision, Object>,
}

impl Entries<'_> {
    fn tell(&mut self, revision: Option<Revision>, object: &mut Object) -> Result<(), Refusal> {
        let Some(revision) = revision else { return Ok(()) };
        if !self.known.contains_key(&revision) {
            let page = EntryPage { before: Some(Revision(revision.0 + 1)), down_to: revision };
            let mut found = Object::new();
            let mut see = |entry: StoredEntry| {
                found.insert("actor".into(), entry.actor.into());
                found.insert("at".into(), entry.at.to_millis_text().into());
                found.insert("session".into(), entry.session.map_or(Value::Null, Value::String));
                found.insert("call".into(), entry.call.into());
                found.insert("revision".into(), entry.revision.0.into());
                ControlFlow::Break(())
            };
            self.reads.entries(&page, &mut see).map_err(failed)?;
            self.known.insert(revision, found);
        }
        object.extend(self.known.get(&revision).cloned().unwrap_or_default());
        Ok(())
    }
}
