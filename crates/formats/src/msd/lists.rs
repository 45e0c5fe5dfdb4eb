//! `add-decision`, `add-blocker`, `resolve-blocker`, `add-roadmap-evolution`: bullets of sections.

use std::ops::Range;

use format::document::{Heading, bullets, edit as lines};
use model::{Object, Outcome, Refusal, Value};

use super::arguments::{Arguments, conflict, missing};
use super::body::{BLOCKERS, Body, DECISIONS};
use super::edit::Edit;
use super::members;
use super::site::Site;

/// `add-decision`.
pub(super) fn add_decision(given: &Arguments, site: &Site<'_>) -> Result<Outcome, Refusal> {
    let summary = given.needed("summary")?;
    let (phase, why) = (given.phase("phase")?, given.filled("rationale")?);
    let mut edit = Edit::open(site)?;
    let why = why.map(|why| format!(" — {why}")).unwrap_or_default();
    let bullet = format!("- [Phase {}]: {summary}{why}", phase.as_ref().map_or("?", |id| id.as_str()));
    let created = add(&mut edit, &DECISIONS, "## Decisions", &bullet);
    edit.check_reads("summary", &[&bullet])?;
    let mut body = members([("added", true.into()), ("decision", bullet.into())]);
    note_created(&mut body, created);
    edit.finish(body)
}

/// `add-blocker`.
pub(super) fn add_blocker(given: &Arguments, site: &Site<'_>) -> Result<Outcome, Refusal> {
    let text = given.needed("text")?;
    let phase = given.phase("phase")?;
    let bullet = phase.map_or_else(|| format!("- {text}"), |id| format!("- [Phase {}]: {text}", id.as_str()));
    if bullets::says_none(&bullet) {
        return Err(Refusal::invalid("text", format!("{text:?} would be read as no blocker")));
    }
    let mut edit = Edit::open(site)?;
    let created = add(&mut edit, &BLOCKERS, "### Blockers", &bullet);
    edit.check_reads("text", &[&bullet])?;
    let mut body = members([("added", true.into()), ("blocker", text.into())]);
    note_created(&mut body, created);
    edit.finish(body)
}

/// Adds a bullet to the first of the sections; says whether the section had to be made.
fn add(edit: &mut Edit<'_>, sections: &[&str], heading: &str, bullet: &str) -> bool {
    let section = edit.body().first_of(sections);
    match section {
        Some(section) => bullets::add(&mut edit.document, section, bullet),
        None => lines::append_section(&mut edit.document, heading, &[bullet]),
    }
    section.is_none()
}

fn note_created(body: &mut Object, created: bool) {
    if created {
        body.insert("created".into(), true.into());
    }
}

/// How a blocker is picked.
enum Pick {
    Containing(String),
    Exactly(String),
    Numbered(u64),
}

/// `resolve-blocker`.
pub(super) fn resolve_blocker(given: &Arguments, site: &Site<'_>) -> Result<Outcome, Refusal> {
    let picks = [
        given.filled("text")?.map(Pick::Containing),
        given.filled("exact")?.map(Pick::Exactly),
        given.count("index")?.map(Pick::Numbered),
    ];
    let all = given.switch("all")?;
    let mut picks = picks.into_iter().flatten();
    let pick = picks.next().ok_or_else(|| missing("text"))?;
    if picks.next().is_some() {
        return Err(conflict("text", "text, exact and index exclude each other"));
    }
    let mut edit = Edit::open(site)?;
    let matches = |text: &str, number: u64| match &pick {
        Pick::Containing(part) => text.to_lowercase().contains(&part.to_lowercase()),
        Pick::Exactly(whole) => text == whole,
        Pick::Numbered(wanted) => number == *wanted,
    };
    let (picked, removed) = pick_blockers(&edit.body(), &matches);
    let blocker = match &pick {
        Pick::Containing(text) | Pick::Exactly(text) => Value::from(text.as_str()),
        Pick::Numbered(number) => Value::from(*number),
    };
    let list = || removed.iter().map(|text| Value::from(text.as_str())).collect::<Vec<_>>();
    match removed.len() {
        0 => {
            return Err(Refusal::refused("blocker_not_found", format!("no blocker fits {blocker}"))
                .hint("mainstay msd state snapshot lists the blockers"));
        }
        1 => {}
        _ if all => {}
        _ => {
            return Err(Refusal::refused("ambiguous_blocker", format!("{} blockers fit {blocker}", removed.len()))
                .with("matches", list())
                .hint("say --exact TEXT or --index N, or --all for every one"));
        }
    }
    bullets::remove(&mut edit.document, &picked);
    edit.finish(members([("resolved", true.into()), ("blocker", blocker), ("removed", list().into())]))
}

/// Bullets of sections, by their lines.
type Picked = Vec<(Heading, Vec<Range<usize>>)>;

/// The blockers that fit, section by section, and their texts; they are numbered from 1 over all sections.
fn pick_blockers(body: &Body<'_>, fits: &dyn Fn(&str, u64) -> bool) -> (Picked, Vec<String>) {
    let (mut picked, mut texts, mut number) = (Vec::new(), Vec::new(), 0);
    for heading in body.every(&BLOCKERS) {
        let mut of_section = Vec::new();
        for bullet in bullets::read(&body.outline, body.outline.own(heading)) {
            number += 1;
            if fits(&bullet.text, number) {
                of_section.push(bullet.lines);
                texts.push(bullet.text);
            }
        }
        picked.push((heading, of_section));
    }
    (picked, texts)
}

/// `add-roadmap-evolution`.
pub(super) fn add_evolution(given: &Arguments, site: &Site<'_>) -> Result<Outcome, Refusal> {
    let phase = given.needed_phase("phase")?;
    let note = given.needed("note")?;
    let action = given.filled("action")?.unwrap_or_else(|| "added".to_owned());
    let (after, urgent) = (given.phase("after")?, given.switch("urgent")?);
    let mut edit = Edit::open(site)?;
    let after = after.map(|id| format!(" after Phase {}", id.as_str())).unwrap_or_default();
    let urgent = if urgent { " (URGENT)" } else { "" };
    let entry = format!("- Phase {} {action}{after}: {note}{urgent}", phase.as_str());
    let outline = edit.document.outline();
    let section = outline.section("Roadmap Evolution");
    if let Some(section) = section {
        let mut own = outline.own(section);
        if own.any(|line| !outline.lines()[line].fenced && outline.content(line).trim_end() == entry) {
            let reply = members([("added", false.into()), ("reason", "duplicate".into()), ("entry", entry.into())]);
            return edit.finish(reply);
        }
        bullets::add(&mut edit.document, section, &entry);
        edit.check_reads("note", &[&entry])?;
        return edit.finish(members([("added", true.into()), ("entry", entry.into())]));
    }
    let block = ["### Roadmap Evolution", "", entry.as_str()];
    match outline.section("Accumulated Context").map(|context| outline.whole(context)) {
        Some(beneath) => lines::append_block(&mut edit.document, beneath, &block),
        None => lines::append_section(&mut edit.document, "## Accumulated Context", &block),
    }
    edit.check_reads("note", &[&entry])?;
    edit.finish(members([
        ("added", true.into()),
        ("entry", entry.as_str().into()),
        ("subsection_created", true.into()),
        ("created", true.into()),
    ]))
}
