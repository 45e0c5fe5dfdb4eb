//! `rebuild`: tables, placeholders and old sessions of STATE.md put right.

use format::document::{Outline, edit as lines, fields};
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
        mutations.extend(by_phase(&mut edit.text, folders));
    }
    while let Some(mutation) = placeholder(&mut edit.text) {
        mutations.push(mutation);
    }
    while let Some(mutation) = session(&mut edit.text) {
        mutations.push(mutation);
    }
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
fn by_phase(text: &mut String, folders: &[Folder]) -> Option<Mutation> {
    let body = Body::read(text);
    let outline = &body.outline;
    let rows = table(outline, outline.all(), &HEADER)?;
    let before = outline.slice(rows.clone()).to_owned();
    let mut made: Vec<(Option<PhaseId>, String)> = Vec::new();
    for line in rows.start + 2..rows.end {
        let content = outline.content(line);
        let id = split_row(content).and_then(|cells| phase_of(cells[0]));
        let plans = id.as_ref().and_then(|id| plans_of(folders, id));
        match (&id, plans) {
            (Some(_), Some(plans)) => made.push((id, with_plans(content, plans))),
            (Some(_), None) if is_empty(content) => {}
            _ => made.push((id, content.to_owned())),
        }
    }
    for folder in folders {
        if made.iter().any(|(id, _)| id.as_ref() == Some(&folder.id)) {
            continue;
        }
        let plans = plans_of(folders, &folder.id).unwrap_or_default().to_string();
        let new = row(&[folder.id.as_str(), &plans, "-", "-"]);
        let at = made.iter().position(|(id, _)| id.as_ref().is_some_and(|id| *id > folder.id));
        made.insert(at.unwrap_or(made.len()), (Some(folder.id.clone()), new));
    }
    let rules: Vec<String> = (rows.start..rows.start + 2).map(|line| outline.content(line).to_owned()).collect();
    let wanted: Vec<&str> = rules.iter().chain(made.iter().map(|(_, line)| line)).map(String::as_str).collect();
    let same = rows.clone().map(|line| outline.content(line)).eq(wanted.iter().copied());
    if same {
        return None;
    }
    let span = lines::bytes(outline, rows.clone());
    let ending = lines::line_ending(outline.text());
    let ends = outline.text()[span.clone()].ends_with('\n');
    let after = wanted.join(ending);
    text.replace_range(span, &if ends { format!("{after}{ending}") } else { after.clone() });
    Some(Mutation { kind: "by_phase_table", before, after })
}

fn phase_of(cell: &str) -> Option<PhaseId> {
    let (id, rest) = PhaseId::leading(cell.strip_prefix("Phase ").unwrap_or(cell))?;
    let behind = !rest.trim_start().starts_with(|c: char| c.is_ascii_digit());
    behind.then_some(id)
}

fn plans_of(folders: &[Folder], id: &PhaseId) -> Option<u64> {
    let mut own = folders.iter().filter(|folder| folder.id == *id).peekable();
    own.peek()?;
    Some(own.map(|folder| folder.plans).sum())
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

/// Puts `(pending)` in the place of the first bold placeholder.
fn placeholder(text: &mut String) -> Option<Mutation> {
    let body = Body::read(text);
    let outline = &body.outline;
    let pending = |line: usize| {
        let content = outline.content(line);
        let rest = content.strip_prefix("**").filter(|_| !outline.lines()[line].fenced)?;
        let (label, value) = rest.split_once(":**")?;
        let inner = value.trim().strip_prefix('[')?.strip_suffix(']')?;
        let says_something = |c: char| !matches!(c, '█' | '░' | ' ' | 'x' | 'X');
        (!label.contains("**") && is_placeholder(value.trim()) && inner.contains(says_something))
            .then(|| (line, format!("**{label}:** (pending)")))
    };
    let (line, after) = outline.all().find_map(pending)?;
    let before = outline.content(line).to_owned();
    let line = outline.lines()[line];
    lines::replace(text, line, &after);
    Some(Mutation { kind: "placeholder", before, after })
}

/// Removes the first of more past sessions than are kept.
fn session(text: &mut String) -> Option<Mutation> {
    let body = Body::read(text);
    let outline: &Outline<'_> = &body.outline;
    let is_past = |title: &str| {
        title.get(..7).is_some_and(|word| fields::same_name(word, "Session"))
            && title[7..].trim_start().starts_with('—')
    };
    let past: Vec<_> =
        outline.headings().filter(|heading| heading.level == 3 && is_past(outline.title(*heading))).collect();
    if past.len() <= SESSIONS_KEPT {
        return None;
    }
    let whole = past[0].line..outline.whole(past[0]).end;
    let before = outline.slice(whole.clone()).trim_end().to_owned();
    let span = lines::bytes(outline, whole);
    lines::remove(text, span);
    Some(Mutation { kind: "session_archive", before, after: String::new() })
}
