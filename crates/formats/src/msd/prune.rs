//! `prune`: what concerns phases long past moves from STATE.md to STATE-ARCHIVE.md.

use std::collections::BTreeSet;
use std::ops::Range;

use format::document::{Heading, bullets, edit as lines};
use format::markdown::split_row;
use model::{Object, Outcome, Refusal, RefusalClass, Reply, Value};

use super::arguments::Arguments;
use super::body::{BLOCKERS, Body, DECISIONS};
use super::documents::{self, ARCHIVE};
use super::edit::Edit;
use super::members;
use super::phase_id::{PhaseId, at_most};
use super::site::Site;

/// How many phases are kept unless told otherwise.
const KEPT: u64 = 3;

/// Lines of one section that move.
struct Moved {
    /// The section's name in the archive.
    section: String,
    /// The lines of each entry.
    entries: Vec<Range<usize>>,
}

/// The tool.
pub(super) fn prune(given: &Arguments, site: &Site<'_>) -> Result<Outcome, Refusal> {
    let keep = given.count("keep_recent")?.unwrap_or(KEPT);
    if keep == 0 {
        return Err(Refusal::invalid("keep_recent", "one recent phase is kept at least").allowed("1 or more"));
    }
    let dry_run = given.switch("dry_run")?;
    let mut edit = Edit::open(site)?;
    let current = edit
        .current_phase()
        .ok_or_else(|| Refusal::refused("phase_unresolved", "STATE.md names no current phase").field("phase"))?;
    let cutoff = current.whole().parse::<u64>().ok().and_then(|whole| whole.checked_sub(keep)).unwrap_or(0);
    let moved = if cutoff == 0 { Vec::new() } else { moved(&edit.body(), cutoff) };
    if moved.is_empty() {
        return Ok(answer(members([("pruned", false.into()), ("reason", "nothing_to_prune".into())])));
    }
    let total: usize = moved.iter().map(|moved| moved.entries.len()).sum();
    let counted = |name: &str| -> Value {
        moved
            .iter()
            .map(|moved| {
                Value::Object(members([("section", moved.section.as_str().into()), (name, moved.entries.len().into())]))
            })
            .collect()
    };
    if dry_run {
        return Ok(answer(members([
            ("pruned", false.into()),
            ("dry_run", true.into()),
            ("cutoff_phase", cutoff.into()),
            ("keep_recent", keep.into()),
            ("sections", counted("entries_would_archive")),
            ("total_would_archive", total.into()),
            ("archive_file", ARCHIVE.into()),
        ])));
    }
    let body = members([
        ("pruned", true.into()),
        ("cutoff_phase", cutoff.into()),
        ("keep_recent", keep.into()),
        ("sections", counted("entries_archived")),
        ("total_archived", total.into()),
        ("archive_file", ARCHIVE.into()),
    ]);
    let heading = format!("## Pruned {} (phases 1-{cutoff}, kept recent {keep})", site.today());
    let archive = archived(&archive_text(site)?, &heading, &moved, &edit.body());
    let limit = documents::ALL[1].1;
    if archive.len() as u64 > limit {
        let path = site.place.path(ARCHIVE);
        return Err(Refusal::new(
            RefusalClass::Corrupt,
            "too_large",
            format!("{path} would be larger than {limit} bytes"),
        )
        .with("path", path.as_str())
        .hint(format!("move {path} away; prune begins another")));
    }
    let outline = edit.document.outline();
    let moving = moved.iter().flat_map(|moved| &moved.entries);
    let spans: Vec<_> = moving.map(|entry| (lines::bytes(&outline, entry.clone()), "")).collect();
    lines::splice(edit.document.edit_body(), spans);
    let change = documents::change(site.view.records, &site.place, ARCHIVE, Some(archive));
    let mut outcome = edit.finish(body)?;
    outcome.changes.extend(change);
    Ok(outcome)
}

fn answer(body: Object) -> Outcome {
    Outcome { reply: Reply::new(body, Vec::new()), ..Outcome::default() }
}

fn archive_text(site: &Site<'_>) -> Result<String, Refusal> {
    if let Some(stored) = documents::load(site.view.records, &site.place, ARCHIVE) {
        if stored.is_utf8 {
            return Ok(stored.text);
        }
        let path = site.place.path(ARCHIVE);
        return Err(Refusal::new(RefusalClass::Corrupt, "state_corrupt", format!("{path} is not UTF-8 text"))
            .with("path", path.as_str()));
    }
    documents::hidden(&site.view, &site.place, ARCHIVE).map_or_else(|| Ok("# STATE Archive\n".to_owned()), Err)
}

/// What moves, section by section in the order of the archive.
fn moved(body: &Body<'_>, cutoff: u64) -> Vec<Moved> {
    let old = |id: &PhaseId| at_most(id.whole(), cutoff);
    let concerns_old = |text: &str| first_phase(text).is_some_and(|id| old(&id));
    let of_bullets = |heading: Heading, wanted: &dyn Fn(&str) -> bool| -> Vec<Range<usize>> {
        let all = bullets::read(&body.outline, body.outline.own(heading));
        all.into_iter().filter(|bullet| wanted(&bullet.text)).map(|bullet| bullet.lines).collect()
    };
    let mut all = Vec::new();
    for heading in body.every(&DECISIONS).into_iter().chain(body.every(&["Recently Completed"])) {
        all.push(Moved {
            section: body.outline.title(heading).to_owned(),
            entries: of_bullets(heading, &concerns_old),
        });
    }
    for heading in body.every(&BLOCKERS) {
        let settled =
            |text: &str| (text.contains("~~") || text.to_uppercase().contains("[RESOLVED]")) && concerns_old(text);
        all.push(Moved { section: "Blockers (resolved)".to_owned(), entries: of_bullets(heading, &settled) });
    }
    // A section may lie in another; no line moves twice.
    let mut taken: BTreeSet<usize> = all.iter().flat_map(|moved| &moved.entries).cloned().flatten().collect();
    for heading in body.every(&["Performance Metrics"]) {
        let is_old = |line: &usize| {
            let cells = split_row(body.outline.content(*line)).filter(|_| !body.outline.lines()[*line].fenced);
            cells.and_then(|cells| row_phase(cells[0])).is_some_and(|id| old(&id))
        };
        let rows = body
            .outline
            .whole(heading)
            .filter(is_old)
            .filter(|line| taken.insert(*line))
            .map(|line| line..line + 1)
            .collect();
        all.push(Moved { section: body.outline.title(heading).to_owned(), entries: rows });
    }
    let mut joined: Vec<Moved> = Vec::new();
    for moved in all.into_iter().filter(|moved| !moved.entries.is_empty()) {
        match joined.iter_mut().find(|there| there.section == moved.section) {
            Some(there) => there.entries.extend(moved.entries),
            None => joined.push(moved),
        }
    }
    joined
}

/// The first phase that a text names, as `Phase n`.
fn first_phase(text: &str) -> Option<PhaseId> {
    let starts = text.match_indices("Phase ").filter(|(at, _)| !text[..*at].ends_with(|c: char| c.is_alphanumeric()));
    starts.map(|(at, word)| &text[at + word.len()..]).find_map(|rest| Some(PhaseId::leading(rest)?.0))
}

/// The phase of a row whose first cell is `n` or `Phase n …`.
fn row_phase(cell: &str) -> Option<PhaseId> {
    let Some(rest) = cell.strip_prefix("Phase ") else { return PhaseId::parse(cell) };
    let (id, rest) = PhaseId::leading(rest)?;
    (rest.is_empty() || rest.starts_with(' ')).then_some(id)
}

/// The archive with a block of its own for this pruning.
fn archived(archive: &str, heading: &str, moved: &[Moved], body: &Body<'_>) -> String {
    let ending = lines::line_ending(archive);
    let mut text = archive.to_owned();
    let mut append = |line: &str| {
        text.push_str(line);
        text.push_str(ending);
    };
    if !archive.is_empty() && !archive.ends_with('\n') {
        append("");
    }
    let ends_blank = archive.is_empty() || archive.lines().last().is_some_and(|line| line.trim().is_empty());
    if !ends_blank {
        append("");
    }
    append(heading);
    for moved in moved {
        append("");
        append(&format!("### {}", moved.section));
        append("");
        for line in moved.entries.iter().cloned().flatten() {
            append(body.outline.content(line));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_phase_named_decides() {
        let check = |text: &str, expected: Option<&str>| {
            assert_eq!(first_phase(text).map(|id| id.as_str().to_owned()).as_deref(), expected, "{text:?}");
        };
        check("[Phase 7]: replaces Phase 1", Some("7"));
        check("~~Phase 1: fog~~", Some("1"));
        check("[Phase ?]: until Phase 8.2", Some("8.2"));
        check("Subphase 3, phases", None);
        let row = |cell: &str| row_phase(cell).map(|id| id.as_str().to_owned());
        assert_eq!(row("01").as_deref(), Some("01"));
        assert_eq!(row("Phase 2 P1").as_deref(), Some("2"));
        assert_eq!(row("Phase 2P1"), None);
        assert_eq!(row("Plan"), None);
    }
}
