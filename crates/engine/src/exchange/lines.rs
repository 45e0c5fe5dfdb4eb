//! Lines: entries, records and checkpoints as JSON objects, and back.

use model::{EntryCause, FolderMove, Object, ProjectPath, RecordKey, Revision, Space, Timestamp, Value};
use store::{Checkpoint, Splice, StoredChange, StoredEntry, Stretch};

use super::FULL;
use crate::images;

/// How many hexadecimal digits of a line's digest stand in it.
const DIGITS: usize = 16;

/// The name of the member that holds it, as it stands in a line.
const SUM: &str = ",\"sum\":\"";

/// A line's text with its digest as the last member.
pub(super) fn sealed(object: Object) -> String {
    let mut text = Value::Object(object).to_string();
    text.pop();
    let sum = sum_of(&text);
    text + SUM + &sum + "\"}"
}

/// The object of a line whose digest is right.
pub(super) fn opened(line: &str) -> Option<Object> {
    let rest = line.strip_suffix("\"}")?;
    let (body, sum) = rest.split_at_checked(rest.len().checked_sub(DIGITS)?)?;
    let body = body.strip_suffix(SUM)?;
    if sum_of(body) != sum {
        return None;
    }
    serde_json::from_str(&format!("{body}}}")).ok()
}

fn sum_of(text: &str) -> String {
    images::digest(text.as_bytes())[..DIGITS].to_owned()
}

/// **Shape**: `{name: object}`.
pub(super) fn line(name: &str, object: Object) -> String {
    sealed(Object::from_iter([(name.to_owned(), Value::Object(object))]))
}

fn text(value: Option<&str>) -> Value {
    value.map_or(Value::Null, Value::from)
}

/// An entry as lines: itself, and those that its changes go on in.
pub(super) fn entry_lines(entry: &StoredEntry) -> Vec<String> {
    let mut changes = entry.changes.iter().map(|change| Value::Object(of_change(change)));
    let mut next = || {
        let (mut size, mut some) = (0, Vec::new());
        while let Some(change) = (size < FULL).then(|| changes.next()).flatten() {
            size += size_of(&change);
            some.push(change);
        }
        Value::Array(some)
    };
    let mut first = of_entry(entry);
    first.insert("changes".into(), next());
    let mut all = vec![line("entry", first)];
    loop {
        let more = next();
        if more.as_array().is_none_or(Vec::is_empty) {
            return all;
        }
        all.push(line("more", Object::from_iter([("changes".to_owned(), more)])));
    }
}

// About as many bytes as its text has.
fn size_of(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len() + 3,
        Value::Array(items) => items.iter().map(size_of).sum(),
        Value::Object(members) => members.iter().map(|(name, value)| name.len() + 4 + size_of(value)).sum(),
        _ => 8,
    }
}

/// The changes of a line that goes on with an entry.
pub(super) fn more(object: &Object) -> Option<Vec<StoredChange>> {
    let changes = object.get("changes")?.as_array().filter(|changes| !changes.is_empty())?;
    changes.iter().map(|one| change(one.as_object()?)).collect()
}

// Without its changes.
fn of_entry(entry: &StoredEntry) -> Object {
    let mut object = Object::new();
    object.insert("revision".into(), entry.revision.0.into());
    object.insert("at".into(), entry.at.to_millis_text().into());
    object.insert("actor".into(), entry.actor.as_str().into());
    object.insert("session".into(), text(entry.session.as_deref()));
    object.insert("request_id".into(), text(entry.request_id.as_deref()));
    object.insert("space".into(), entry.space.as_str().into());
    object.insert("call".into(), entry.call.as_str().into());
    object.insert("cause".into(), entry.cause.word().into());
    let moves = entry.moves.iter().map(|step| Value::from(vec![step.from.as_str(), step.to.as_str()]));
    object.insert("moves".into(), moves.collect());
    object.insert("takes_back".into(), entry.takes_back.iter().map(|revision| Value::from(revision.0)).collect());
    object
}

/// The entry of an object.
pub(super) fn entry(object: &Object) -> Option<StoredEntry> {
    let list = |name: &str| object.get(name)?.as_array();
    let moves = list("moves")?.iter().map(|pair| {
        let [from, to] = pair.as_array()?.as_slice() else { return None };
        let path = |value: &Value| ProjectPath::new(value.as_str()?).ok();
        Some(FolderMove { from: path(from)?, to: path(to)? })
    });
    Some(StoredEntry {
        revision: revision(object)?,
        at: at(object)?,
        actor: word_of(object, "actor")?,
        session: optional(object, "session")?,
        request_id: optional(object, "request_id")?,
        space: Space::new(word_of(object, "space")?),
        call: word_of(object, "call")?,
        cause: EntryCause::from_word(object.get("cause")?.as_str()?)?,
        moves: moves.collect::<Option<_>>()?,
        takes_back: list("takes_back")?.iter().map(|one| one.as_u64().map(Revision)).collect::<Option<_>>()?,
        changes: list("changes")?.iter().map(|one| change(one.as_object()?)).collect::<Option<_>>()?,
    })
}

fn of_change(change: &StoredChange) -> Object {
    let mut object = key_object(&change.key);
    let mut put = |name: &str, value: Value| drop(object.insert(name.to_owned(), value));
    match &change.splice {
        Splice::Absent => {}
        Splice::Created { after } => put("created", after.as_str().into()),
        Splice::Deleted { before } => put("deleted", before.as_str().into()),
        Splice::Replaced { stretches, suffix } => {
            let stretch = |one: &Stretch| {
                Value::Array(vec![one.kept.into(), one.removed.as_str().into(), one.added.as_str().into()])
            };
            put("stretches", stretches.iter().map(stretch).collect());
            put("suffix", (*suffix).into());
        }
    }
    object
}

fn change(object: &Object) -> Option<StoredChange> {
    let text = |name: &str| Some(object.get(name)?.as_str()?.to_owned());
    let splice = if object.contains_key("created") {
        Splice::Created { after: text("created")? }
    } else if object.contains_key("deleted") {
        Splice::Deleted { before: text("deleted")? }
    } else if let Some(stretches) = object.get("stretches") {
        let stretches = stretches.as_array().filter(|stretches| !stretches.is_empty())?;
        let stretches = stretches.iter().map(stretch).collect::<Option<Vec<_>>>()?;
        let suffix = number(object.get("suffix")?)?;
        Splice::Replaced { stretches, suffix }
    } else {
        Splice::Absent
    };
    Some(StoredChange { key: key(object)?, splice })
}

// **Shape**: `[kept,"removed","added"]`.
fn stretch(value: &Value) -> Option<Stretch> {
    let [kept, removed, added] = value.as_array()?.as_slice() else { return None };
    let text = |value: &Value| value.as_str().map(str::to_owned);
    Some(Stretch { kept: number(kept)?, removed: text(removed)?, added: text(added)? })
}

fn number(value: &Value) -> Option<usize> {
    usize::try_from(value.as_u64()?).ok()
}

/// A record as an object.
pub(super) fn of_record(key: &RecordKey, value: Value) -> Object {
    let mut object = key_object(key);
    object.insert("value".into(), value);
    object
}

fn key_object(key: &RecordKey) -> Object {
    Object::from_iter([
        ("space".to_owned(), key.space.as_str().into()),
        ("kind".to_owned(), key.kind.as_ref().into()),
        ("id".to_owned(), key.id.as_str().into()),
    ])
}

/// The key that an object names; its space consists of plain parts.
pub(super) fn key(object: &Object) -> Option<RecordKey> {
    let space = word_of(object, "space")?;
    let is_plain =
        |part: &str| !matches!(part, "" | "." | "..") && !part.contains(|c: char| c.is_control() || c == '\\');
    if !space.split('/').all(is_plain) {
        return None;
    }
    Some(RecordKey::new(Space::new(space), word_of(object, "kind")?, word_of(object, "id")?))
}

/// A checkpoint as an object.
pub(super) fn of_checkpoint(checkpoint: &Checkpoint) -> Object {
    crate::checkpoint::object(checkpoint)
}

/// The checkpoint of an object.
pub(super) fn checkpoint(object: &Object) -> Option<Checkpoint> {
    let id = word_of(object, "id")?;
    crate::checkpoint::number_of(&id)?;
    Some(Checkpoint {
        id,
        revision: revision(object)?,
        label: optional(object, "label")?,
        space: optional(object, "space")?.map(Space::new),
        at: at(object)?,
        actor: word_of(object, "actor")?,
    })
}

/// The revision of an object.
pub(super) fn revision(object: &Object) -> Option<Revision> {
    // What a store can hold.
    object.get("revision")?.as_u64().filter(|number| i64::try_from(*number).is_ok()).map(Revision)
}

fn at(object: &Object) -> Option<Timestamp> {
    Timestamp::parse_rfc3339(object.get("at")?.as_str()?)
}

fn word_of(object: &Object, name: &str) -> Option<String> {
    Some(object.get(name)?.as_str()?.to_owned())
}

// Nothing for what is neither text nor null.
#[expect(clippy::option_option, reason = "the outer one is whether the member can be read")]
fn optional(object: &Object, name: &str) -> Option<Option<String>> {
    match object.get(name) {
        None | Some(Value::Null) => Some(None),
        Some(Value::String(text)) => Some(Some(text.clone())),
        Some(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn full() -> StoredEntry {
        let key = |id: &str| RecordKey::new(Space::known("upgrade/x"), "task", id);
        let splices = [
            Splice::Absent,
            Splice::Created { after: "{\"a\":1.0}".into() },
            Splice::Deleted { before: "\"é\"".into() },
            Splice::Replaced {
                stretches: vec![Stretch { kept: 3, removed: String::new(), added: "x\"y".into() }],
                suffix: 1,
            },
        ];
        let changes = splices.into_iter().enumerate();
        StoredEntry {
            revision: Revision(9),
            at: Timestamp::from_millis(1_234_567_890_123),
            actor: "a \"b\"".into(),
            session: Some("s".into()),
            request_id: None,
            space: Space::known("upgrade"),
            call: "task_start".into(),
            cause: EntryCause::Undo,
            changes: changes.map(|(id, splice)| StoredChange { key: key(&id.to_string()), splice }).collect(),
            moves: vec![FolderMove { from: ProjectPath::known("a/b"), to: ProjectPath::known("c") }],
            takes_back: vec![Revision(8), Revision(3)],
        }
    }

    #[test]
    fn an_entry_comes_back_from_its_line() {
        let [text] = entry_lines(&full()).try_into().unwrap();
        let object = opened(&text).unwrap();
        assert_eq!(entry(object["entry"].as_object().unwrap()), Some(full()));
    }

    #[test]
    fn what_stands_for_many_entries_goes_on_in_further_lines() {
        let created = |text: &str| Splice::Created { after: format!("\"{}\"", text.repeat(FULL / 2)) };
        let mut whole = full();
        let key = whole.changes[0].key.clone();
        whole.changes.extend(["a", "b", "c", "d"].map(|text| StoredChange { key: key.clone(), splice: created(text) }));
        let lines = entry_lines(&whole);
        assert!(lines.len() == 2 && lines.iter().all(|line| line.len() < 2 * FULL), "{}", lines.len());
        let mut back = entry(opened(&lines[0]).unwrap()["entry"].as_object().unwrap()).unwrap();
        for line in &lines[1..] {
            back.changes.extend(more(opened(line).unwrap()["more"].as_object().unwrap()).unwrap());
        }
        assert_eq!(back, whole);
        assert_eq!(more(&Object::from_iter([("changes".to_owned(), Value::Array(Vec::new()))])), None);
    }

    #[test]
    fn damage_anywhere_in_a_line_is_seen() {
        let text = entry_lines(&full()).remove(0);
        for place in 0..text.len() {
            let mut bytes = text.clone().into_bytes();
            bytes[place] ^= 1;
            let seen = String::from_utf8(bytes).ok().and_then(|line| opened(&line));
            assert!(seen.is_none(), "byte {place}");
            assert!(opened(text.get(..place).unwrap_or_default()).is_none(), "cut at {place}");
        }
    }

    #[test]
    fn spaces_are_plain() {
        for space in ["", "a//b", "../x", "a/./b", "a\\b", "a\nb"] {
            let object = key_object(&RecordKey::new(Space::new(space), "k", "1"));
            assert_eq!(key(&object), None, "{space:?}");
        }
    }
}
