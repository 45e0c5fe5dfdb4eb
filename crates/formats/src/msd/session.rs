//! `record-session`, `signal-waiting` and `signal-resume`.

use format::document::{Document, edit as lines, fields};
use model::{Outcome, Refusal, Reply, Value};

use super::arguments::{Arguments, conflict};
use super::body::{Body, SESSIONS};
use super::documents::{self, WAITING};
use super::edit::{self, Edit};
use super::members;
use super::site::Site;

/// `record-session`.
pub(super) fn record(given: &Arguments, site: &Site<'_>) -> Result<Outcome, Refusal> {
    let values = [
        ("Stopped at", given.filled("stopped_at")?),
        ("Resume file", given.filled("resume_file")?),
        ("Paused at", given.filled("paused_at")?),
    ];
    let resumed = given.switch("resumed")?;
    if resumed && values[2].1.is_some() {
        return Err(conflict("resumed", "paused_at and resumed exclude each other"));
    }
    let mut edit = Edit::open(site)?;
    let now = site.ctx.now.to_millis_text();
    let has_section = edit.body().first_of(&SESSIONS).is_some();
    let given_any = values.iter().any(|(_, value)| value.is_some());
    if !has_section && !given_any {
        return Err(Refusal::refused("section_not_found", "STATE.md has no section Session Continuity")
            .hint("give --stopped-at, which makes one"));
    }
    let dated = if edit.field("Last session").is_none() && edit.field("Last Date").is_some() {
        "Last Date"
    } else {
        "Last session"
    };
    let said = ["stopped_at", "resume_file", "paused_at"].into_iter().zip(&values);
    let texts: Vec<(&str, String)> = said.filter_map(|(name, (_, value))| Some((name, value.clone()?))).collect();
    let wanted = std::iter::once((dated, Some(now))).chain(values).filter_map(|(name, value)| Some((name, value?)));
    if has_section {
        for (name, value) in wanted {
            if !edit.set(name, &value)? {
                let section = edit.body().first_of(&SESSIONS).expect("it stood there before");
                lines::append_line(&mut edit.document, section, &format!("{name}: {value}"));
                edit.updated.push(name.to_owned());
                edit.note_written(name, &value);
            }
        }
    } else {
        let mut added = Vec::new();
        for (name, value) in wanted {
            added.push(format!("{name}: {value}"));
            edit.updated.push(name.to_owned());
            edit.note_written(name, &value);
        }
        let added: Vec<&str> = added.iter().map(String::as_str).collect();
        lines::append_section(&mut edit.document, "## Session Continuity", &added);
    }
    for (argument, text) in &texts {
        edit.check_reads(argument, &[text])?;
    }
    if resumed {
        if remove_field(&mut edit.document, "Paused at") {
            edit.updated.push("Paused at".to_owned());
        }
        edit.clear("paused_at");
    }
    let mut body = members([("recorded", true.into()), ("updated", edit.updated_list())]);
    if !has_section {
        body.insert("created".into(), true.into());
    }
    edit.finish(body)
}

/// Removes the lines that begin with a field; says whether there were any.
///
/// A bold label inside a line of prose is not the field's own line.
fn remove_field(document: &mut Document, name: &str) -> bool {
    let body = Body::of(document);
    let (scope, _) = body.scope(name);
    let own = fields::own_lines(&body.outline, scope, name);
    let spans: Vec<_> = own.into_iter().map(|line| (lines::bytes(&body.outline, line..line + 1), "")).collect();
    let is_there = !spans.is_empty();
    lines::splice(document.edit_body(), spans);
    is_there
}

/// `signal-waiting`.
pub(super) fn wait(given: &Arguments, site: &Site<'_>) -> Result<Outcome, Refusal> {
    let question = given.needed("question")?;
    let kind = given.filled("type")?.unwrap_or_else(|| "decision".to_owned());
    let options = given.list("options", '|')?.unwrap_or_default();
    let phase = given.phase("phase")?;
    edit::check(site)?;
    let waiting = members([
        ("status", "waiting".into()),
        ("type", kind.into()),
        ("question", question.into()),
        ("options", options.into()),
        ("since", site.ctx.now.to_millis_text().into()),
        ("phase", phase.map(|id| id.as_str().to_owned()).into()),
    ]);
    let text = format::pretty::document(&Value::Object(waiting));
    let path = site.place.path(WAITING);
    if let Some(refusal) = documents::hidden(&site.view, &site.place, WAITING) {
        return Err(refusal);
    }
    let change = documents::change(site.view.records, &site.place, WAITING, Some(text));
    let body = members([("signaled", true.into()), ("path", path.as_str().into())]);
    Ok(Outcome { changes: change.into_iter().collect(), reply: Reply::new(body, Vec::new()), ..Outcome::default() })
}

/// `signal-resume`.
pub(super) fn resume(_given: &Arguments, site: &Site<'_>) -> Result<Outcome, Refusal> {
    edit::check(site)?;
    if let Some(refusal) = documents::hidden(&site.view, &site.place, WAITING) {
        return Err(refusal);
    }
    let change = documents::change(site.view.records, &site.place, WAITING, None);
    let body = members([("resumed", true.into()), ("removed", change.is_some().into())]);
    Ok(Outcome { changes: change.into_iter().collect(), reply: Reply::new(body, Vec::new()), ..Outcome::default() })
}
