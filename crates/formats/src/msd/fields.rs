//! `get`, `update` and `patch`: single fields, keys and sections by name.

use format::document::{Document, fields::same_name};
use format::front_matter::{self, Change, Entry, FrontMatter, Held, Scalar};
use model::{Object, Outcome, Refusal, Reply, Value, Warning};

use super::arguments::{self, Arguments};
use super::body::Body;
use super::derive::ORDER;
use super::edit::Edit;
use super::members;
use super::settings::VERSION_KEYS;
use super::site::Site;

/// `get`: a body field, else a key, else a whole section; everything without a name.
pub(super) fn get(given: &Arguments, site: &Site<'_>) -> Result<Outcome, Refusal> {
    let name = given.text("name")?;
    let text = site.state()?.text;
    let Some(name) = name else {
        return Ok(reply(members([("content", text.into())])));
    };
    arguments::field_name(&name, "name")?;
    let document = Document::new(text);
    let body = Body::of(&document);
    if let Some(value) = body.field(&name) {
        let found = members([(name.as_str(), value.into())]);
        return Ok(Outcome { reply: Reply::new(found, body.warnings()), ..Outcome::default() });
    }
    if let Some(entry) = document.front().and_then(|front| entry(front, &name)) {
        return Ok(reply(members([(name.as_str(), shown(entry))])));
    }
    if let Some(heading) = body.outline.section(&name) {
        let lines = body.outline.whole(heading);
        let section = body.outline.slice(lines).trim_matches(['\r', '\n']).trim_end();
        return Ok(reply(members([(name.as_str(), section.into())])));
    }
    Err(not_found(&name))
}

fn reply(body: Object) -> Outcome {
    Outcome { reply: Reply::new(body, Vec::new()), ..Outcome::default() }
}

/// What a key holds, as JSON.
pub(super) fn shown(entry: &Entry) -> Value {
    match &entry.held {
        Held::Null => Value::Null,
        Held::Text(text) => text.as_str().into(),
        Held::List(items) => items.iter().map(|item| Value::from(item.as_str())).collect(),
        Held::Map => Value::Object(entry.nested.iter().map(|inner| (inner.key.clone(), shown(inner))).collect()),
    }
}

fn entry<'f>(front: &'f FrontMatter, name: &str) -> Option<&'f Entry> {
    front.entry(name).or_else(|| front.entries.iter().rev().find(|entry| same_name(&entry.key, name)))
}

fn not_found(name: &str) -> Refusal {
    Refusal::refused("field_not_found", format!("STATE.md has no field, key or section {name:?}"))
        .field(name)
        .hint("mainstay msd state get shows the whole document")
}

/// `update`: one field.
pub(super) fn update(given: &Arguments, site: &Site<'_>) -> Result<Outcome, Refusal> {
    let name = given.needed("field")?;
    let value = given.text("value")?.ok_or_else(|| arguments::missing("value"))?;
    arguments::field_name(&name, "field")?;
    let mut edit = Edit::open(site)?;
    write(&mut edit, &name, &value, "value")?;
    edit.warnings = strays(&edit, [name.as_str()]);
    edit.finish(members([("updated", true.into()), ("field", name.into()), ("value", value.into())]))
}

/// `patch`: several fields; what cannot be written is listed.
pub(super) fn patch(given: &Arguments, site: &Site<'_>) -> Result<Outcome, Refusal> {
    let fields = given.value("fields").and_then(Value::as_object).filter(|fields| !fields.is_empty());
    let fields =
        fields.ok_or_else(|| Refusal::invalid("fields", "fields is an object of names and texts, at least one"))?;
    let mut texts: Vec<(&str, String)> = Vec::new();
    for (name, value) in fields {
        arguments::field_name(name, "fields")?;
        if texts.iter().any(|(other, _)| same_name(other, name)) {
            return Err(Refusal::invalid(name, format!("{name} is given twice"))
                .hint("names are the same without regard to case, and _ equals a blank"));
        }
        texts.push((name.as_str(), arguments::line(value, name)?));
    }
    let mut edit = Edit::open(site)?;
    let (mut updated, mut failed, mut first) = (Vec::new(), Vec::new(), None);
    for (name, value) in texts {
        match write(&mut edit, name, &value, name) {
            Ok(()) => updated.push(Value::from(name)),
            Err(refusal) => {
                failed.push(Value::from(name));
                first.get_or_insert(refusal);
            }
        }
    }
    if let Some(refusal) = first.filter(|_| updated.is_empty()) {
        return Err(refusal.beside("updated", updated).beside("failed", failed));
    }
    edit.warnings = strays(&edit, updated.iter().filter_map(Value::as_str));
    edit.finish(members([("updated", updated.into()), ("failed", failed.into())]))
}

/// A warning for each section outside of which one of the fields stands.
fn strays<'n>(edit: &Edit<'_>, names: impl IntoIterator<Item = &'n str>) -> Vec<Warning> {
    let body = edit.body();
    for name in names {
        body.field(name);
    }
    body.warnings()
}

/// Writes a body field, else an existing key that is not the format's own to keep.
fn write(edit: &mut Edit<'_>, name: &str, value: &str, argument: &str) -> Result<(), Refusal> {
    if edit.set_given(name, value, argument)? {
        return Ok(());
    }
    let owned = |key: &str| !matches!(key, "milestone" | "milestone_name") && same_name(key, name);
    if ORDER[1..].iter().chain(&VERSION_KEYS).any(|key| owned(key)) {
        let message = format!("{name} follows from the body or belongs to a verb of its own");
        return Err(Refusal::refused("field_reserved", message)
            .field(name)
            .hint("mainstay msd --help lists the verbs"));
    }
    let entry = edit.document.front().and_then(|front| entry(front, name)).ok_or_else(|| not_found(name))?;
    if matches!(entry.held, Held::List(_) | Held::Map) || entry.lines.len() > 1 {
        let message = format!("{name} is no single value; edit it by hand");
        return Err(Refusal::refused("field_reserved", message).field(name));
    }
    let key = entry.key.clone();
    if key == "milestone" {
        arguments::version(value, argument)?;
    }
    front_matter::write(&mut edit.document, &[Change::Value(&key, Scalar::Text(value.to_owned()))]);
    Ok(())
}
