//! `state_write`: several fields at once, all or nothing.

use format::{Draft, Records, View};
use model::{Context, Object, Refusal, Reply, Value, Warning};

use super::history::Appender;
use super::records::{Field, HistoryRow, Kind, members};
use super::{arguments, concurrency, config, invalid, roles};

/// The tool: `{fields, agent?, expect?}` to `{written, updated_at, changed}`.
pub(super) fn state_write(
    arguments: &Object,
    draft: &mut Draft<'_>,
    view: &View<'_>,
    ctx: &Context,
) -> Result<Reply, Refusal> {
    let agent = arguments::agent(arguments, ctx)?;
    let Fields { fields, mut warnings } = fields(arguments, draft)?;
    let expect = expect(arguments)?;
    let active_agent = Field::get(draft, "active_agent").map(|field| field.value);
    let check = |(key, value): &(&str, String)| roles::check_field(agent, key, value, active_agent.as_deref());
    let breaches: Vec<_> = fields.iter().filter_map(check).collect();
    if !breaches.is_empty() {
        warnings.extend(roles::judge(&breaches, config::read(view.files, ctx)?.role_policy)?);
    }
    meet(&expect, draft)?;

    let unexpected = fields.iter().filter(|(key, _)| expect.iter().all(|(expected, _)| expected != key));
    warnings.extend(unexpected.filter_map(|(key, value)| concurrency::check(draft, key, value, agent, ctx)));
    let clears_notes = clears_notes(&fields, draft);
    let mut writer = Writer { history: Appender::default(), agent, ctx, changed: Vec::new() };
    for (key, value) in &fields {
        writer.write(draft, key, value);
    }
    if clears_notes {
        writer.write(draft, "notes", "");
    }
    let mut changed = writer.changed;
    changed.sort_unstable();
    let updated_at = if fields.is_empty() { Value::Null } else { ctx.now.to_millis_text().into() };
    let body = members([
        ("written", fields.len().into()),
        ("updated_at", updated_at),
        ("changed", Value::Array(changed.into_iter().map(Value::from).collect())),
    ]);
    Ok(Reply::new(body, warnings))
}

struct Fields<'a> {
    fields: Vec<(&'a str, String)>,
    warnings: Vec<Warning>,
}

fn fields<'a>(arguments: &'a Object, records: &dyn Records) -> Result<Fields<'a>, Refusal> {
    let given = arguments.get("fields").and_then(Value::as_object);
    let given = given.ok_or_else(|| Refusal::invalid("fields", "fields is an object of keys and values"))?;
    let mut fields = Vec::with_capacity(given.len());
    let mut warnings = Vec::new();
    for (key, value) in given {
        if key == "last_updated" {
            let message = "last_updated follows from the times of the fields and is not written";
            warnings.push(Warning::new("derived_field", message).with("key", "last_updated"));
            continue;
        }
        if !arguments::is_key(key) && records.get(&Kind::State.key(key.as_str())).is_none() {
            let message = format!("{key:?} is no key");
            return Err(Refusal::invalid("fields", message)
                .allowed("[A-Za-z_][A-Za-z0-9_.-]{0,127}")
                .with("key", key.as_str()));
        }
        let value = arguments::value(value, "fields").map_err(|refusal| refusal.with("key", key.as_str()))?;
        fields.push((key.as_str(), value));
    }
    Ok(Fields { fields, warnings })
}

fn expect(arguments: &Object) -> Result<Vec<(&str, Option<&str>)>, Refusal> {
    let Some(expect) = arguments.get("expect") else { return Ok(Vec::new()) };
    let bad = || Refusal::invalid("expect", "expect is an object of keys and the texts that they hold, or null");
    let all = expect.as_object().ok_or_else(bad)?;
    if !all.values().all(|value| value.is_null() || value.is_string()) {
        return Err(bad());
    }
    Ok(all.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect())
}

fn meet(expect: &[(&str, Option<&str>)], records: &dyn Records) -> Result<(), Refusal> {
    let mut current = Object::new();
    for (key, expected) in expect {
        let value = Field::get(records, key).map(|field| field.value);
        if value.as_deref() != *expected {
            current.insert((*key).to_owned(), value.map_or(Value::Null, Value::String));
        }
    }
    if current.is_empty() {
        return Ok(());
    }
    let keys: Vec<&str> = current.keys().map(String::as_str).collect();
    let message = format!("not what was expected: {}", keys.join(", "));
    Err(Refusal::refused("conflict", message).with("current", current))
}

/// Whether the call ends a phase and leaves the notes to be cleared.
fn clears_notes(fields: &[(&str, String)], records: &dyn Records) -> bool {
    let value = |key| Field::get(records, key).map(|field| field.value).filter(|value| !value.is_empty());
    let written = |key| fields.iter().find(|(written, _)| *written == key).map(|(_, value)| value);
    let Some(phase) = written("phase") else { return false };
    written("notes").is_none() && value("phase").is_some_and(|before| before != *phase) && value("notes").is_some()
}

struct Writer<'a> {
    history: Appender,
    agent: &'a str,
    ctx: &'a Context,
    changed: Vec<String>,
}

impl Writer<'_> {
    fn write(&mut self, draft: &mut Draft<'_>, key: &str, value: &str) {
        let now = self.ctx.now.to_millis_text();
        let before = Field::get(draft, key).map(|field| field.value);
        Field { value: value.to_owned(), updated_at: now.clone() }.put(draft, key);
        let shown = draft.get(&Kind::State.key(key));
        invalid::close_by_call(draft, "state", key, shown);
        if before.as_deref() != Some(value) {
            let row = HistoryRow {
                key: key.to_owned(),
                old_value: before,
                new_value: value.to_owned(),
                changed_by: self.agent.to_owned(),
                changed_at: now,
            };
            self.history.append(draft, &row);
            self.changed.push(key.to_owned());
        }
    }
}
