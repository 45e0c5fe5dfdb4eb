//! `rebuild`: tables, placeholders and old sessions of STATE.md put right.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use format::document::{Document, Outline, edit as lines, fields};
use format::markdown::{row, split_row};
use model::{Outcome, Refusal, Reply, Value};

use super::arguments::Arguments;
use super::body::Body;
use super::edit::Edit;
use super::members;
use super::metrics::table;
use super::phase_id::PhaseId;
use super::phases::Folder;
use super::position::{is_placeholder, is_whole};
use super::site::Site;

/// How many past sessions stay.
const SESSIONS_KEPT: usize = 3;

const HEADER: [&str; 4] = ["Phase", "Plans", "Total", "Avg/Plan"];

/// One thing that was put right.
struct Mutation {
    kind: &'static str,
    before: String,
    after: String,
}

/// The tool.
pub(super) fn rebuild(given: &Arguments, site: &Site<'_>) -> Result<Outcome, Refusal> {
    let dry_run = given.switch("dry_run")?;
    let mut edit = Edit::open(site)?;
    let mut mutations = Vec::new();
    if let Some(folders) = site.folders() {
        mutations.extend(by_phase(&mut edit.document, folders));
    }
    mutations.extend(placeholders(&mut edit.document));
    mutations.extend(sessions(&mut edit.document));
    let changes: Value = mutations
        .iter()
        .map(|mutation| {
            let Mutation { kind, before, after } = mutation;
            Value::Object(members([
                ("kind", (*kind).into()),
                ("before", before.as_str().into()),
                ("after", after.as_str().into()),
            ]))
        })
        .collect();
    let writes = !dry_run && !mutations.is_empty();
    let body = members([("rebuilt", writes.into()), ("mutations", mutations.len().into()), ("changes", changes)]);
    if writes { edit.finish(body) } else { Ok(Outcome { reply: Reply::new(body, Vec::new()), ..Outcome::default() }) }
}

/// Brings the table by phase in line with the folders.
fn by_phase(document: &mut Document, folders: &[Folder]) -> Option<Mutation> {
    let outline = &Body::of(document).outline;
    let rows = table(outline, outline.all(), &HEADER)?;
    let before = outline.slice(rows.clone()).to_owned();
    let plans = plans_by_phase(folders);
    let mut made: Vec<(Option<PhaseId>, String)> = Vec::new();
    for line in rows.start + 2..rows.end {
        let content = outline.content(line);
        let id = split_row(content).and_then(|cells| phase_of(cells[0]));
        match (&id, id.as_ref().and_then(|id| plans.get(id))) {
            (Some(_), Some(plans)) => made.push((id, with_plans(content, *plans))),
            (Some(_), None) if is_empty(content) => {}
            _ => made.push((id, content.to_owned())),
        }
    }
    let made = with_missing(&made, folders, &plans);
    let rules: Vec<String> = (rows.start..rows.start + 2).map(|line| outline.content(line).to_owned()).collect();
    let wanted: Vec<&str> = rules.iter().chain(&made).map(String::as_str).collect();
    let same = rows.clone().map(|line| outline.content(line)).eq(wanted.iter().copied());
    if same {
        return None;
    }
    let span = lines::bytes(outline, rows.clone());
    let ending = lines::line_ending(outline.text());
    let ends = outline.text()[span.clone()].ends_with('\n');
    let after = wanted.join(ending);
    let made = if ends { format!("{after}{ending}") } else { after.clone() };
    document.edit_body().replace_range(span, &made);
    Some(Mutation { kind: "by_phase_table", before, after })
}

fn phase_of(cell: &str) -> Option<PhaseId> {
    let (id, rest) = PhaseId::leading(cell.strip_prefix("Phase ").unwrap_or(cell))?;
    let behind = !rest.trim_start().starts_with(|c: char| c.is_ascii_digit());
    behind.then_some(id)
}

fn plans_by_phase(folders: &[Folder]) -> BTreeMap<&PhaseId, u64> {
    let mut plans = BTreeMap::new();
    for folder in folders {
        *plans.entry(&folder.id).or_default() += folder.plans;
    }
    plans
}

/// The rows with one more for each phase that has none, before the first row of a later phase.
fn with_missing(
    made: &[(Option<PhaseId>, String)],
    folders: &[Folder],
    plans: &BTreeMap<&PhaseId, u64>,
) -> Vec<String> {
    let there: BTreeSet<&PhaseId> = made.iter().filter_map(|(id, _)| id.as_ref()).collect();
    // Of folders of one phase, the first one names it.
    let mut new: BTreeMap<&PhaseId, String> = BTreeMap::new();
    for id in folders.iter().map(|folder| &folder.id).filter(|id| !there.contains(id)) {
        new.entry(id).or_insert_with(|| row(&[id.as_str(), &plans[id].to_string(), "-", "-"]));
    }
    let mut rows = Vec::with_capacity(made.len() + new.len());
    for (id, line) in made {
        while let Some(entry) = new.first_entry().filter(|entry| id.as_ref().is_some_and(|id| *id > **entry.key())) {
            rows.push(entry.remove());
        }
        rows.push(line.clone());
    }
    rows.extend(new.into_values());
    rows
}

/// The row with another second cell; the rest of it stays as it is.
fn with_plans(content: &str, plans: u64) -> String {
    let cells = split_row(content).unwrap_or_default();
    let holds = |cell: &str| is_whole(cell) && cell.parse() == Ok(plans);
    if cells.get(1).is_none_or(|cell| holds(cell)) {
        return content.to_owned();
    }
    let pipes: Vec<usize> =
        content.match_indices('|').map(|(at, _)| at).filter(|at| !content[..*at].ends_with('\\')).collect();
    format!("{} {plans} {}", &content[..=pipes[1]], &content[pipes[2]..])
}

/// Whether the last two cells of a row say nothing.
fn is_empty(content: &str) -> bool {
    split_row(content).is_some_and(|cells| cells.len() == HEADER.len() && cells[2..].iter().all(|cell| *cell == "-"))
}

/// Puts `(pending)` in the place of bold placeholders.
fn placeholders(document: &mut Document) -> Vec<Mutation> {
    let outline = &Body::of(document).outline;
    let pending = |line: usize| {
        let content = outline.content(line);
        let rest = content.strip_prefix("**").filter(|_| !outline.lines()[line].fenced)?;
        let (label, value) = rest.split_once(":**")?;
        let inner = value.trim().strip_prefix('[')?.strip_suffix(']')?;
        let says_something = |c: char| !matches!(c, '█' | '░' | ' ' | 'x' | 'X');
        (!label.contains("**") && is_placeholder(value.trim()) && inner.contains(says_something))
            .then(|| (line, format!("**{label}:** (pending)")))
    };
    let found: Vec<(usize, String)> = outline.all().filter_map(pending).collect();
    let place = |line: usize| outline.lines()[line].start..outline.lines()[line].end;
    let edits = found.iter().map(|(line, after)| (place(*line), after.as_str())).collect();
    let before: Vec<String> = found.iter().map(|(line, _)| outline.content(*line).to_owned()).collect();
    lines::splice(document.edit_body(), edits);
    let mutation = |(before, (_, after))| Mutation { kind: "placeholder", before, after };
    before.into_iter().zip(found).map(mutation).collect()
}

/// Removes the first of more past sessions than are kept.
fn sessions(document: &mut Document) -> Vec<Mutation> {
    let outline: &Outline<'_> = &Body::of(document).outline;
    let is_past = |title: &str| {
        title.get(..7).is_some_and(|word| fields::same_name(word, "Session"))
            && title[7..].trim_start().starts_with('—')
    };
    let past: Vec<_> =
        outline.headings().filter(|heading| heading.level == 3 && is_past(outline.title(*heading))).collect();
    let surplus = &past[..past.len().saturating_sub(SESSIONS_KEPT)];
    let whole: Vec<_> = surplus.iter().map(|heading| heading.line..outline.whole(*heading).end).collect();
    let removed = |lines: &Range<usize>| Mutation {
        kind: "session_archive",
        before: outline.slice(lines.clone()).trim_end().to_owned(),
        after: String::new(),
    };
    let mutations = whole.iter().map(removed).collect();
    let spans = whole.into_iter().map(|whole| (lines::bytes(outline, whole), "")).collect();
    lines::splice(document.edit_body(), spans);
    mutations
}
