//! TASKS.md as text: its task lines, and what a line says about its task.

use format::markdown::{escape_line, lines};

use crate::hseos::records::{Status, Task};
use crate::hseos::render_state::DASH;
use crate::hseos::render_tasks::{BLOCKED, QUOTES, SECTIONS, TITLE};

const CLAUSE: &str = "(depends:";
const SHORT_BLOCKED: &str = "Blocked:";

/// What was understood of a file.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct TasksText {
    /// The task lines, in the order of the file.
    pub(super) lines: Vec<Line>,
    /// The lines that are nothing known.
    pub(super) odd: Vec<String>,
    /// Whether one of the four sections stands.
    pub(super) is_ours: bool,
}

/// One task line, cut but not yet read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Line {
    mark: Mark,
    beneath: Option<Status>,
    /// The id as it stands.
    pub(super) id: String,
    owner: String,
    body: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mark {
    Open,
    Started,
    Done,
}

/// What a line says; texts are still escaped, and `None` means that the line does not speak of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Item {
    pub(super) status: Status,
    pub(super) owner: String,
    pub(super) description: Option<String>,
    pub(super) depends: Option<String>,
    pub(super) note: Option<String>,
}

/// Reads a file; never fails.
pub(super) fn parse(text: &str) -> TasksText {
    let mut out = TasksText::default();
    let mut beneath = None;
    for line in lines(text) {
        let line = line.trim_end();
        if let Some((_, status)) = SECTIONS.iter().find(|(heading, _)| *heading == line) {
            out.is_ours = true;
            beneath = Some(*status);
        } else if let Some(task) = task_line(line, beneath) {
            out.lines.push(task);
        } else if !line.is_empty() && line != TITLE && !QUOTES.contains(&line) {
            out.odd.push(line.to_owned());
        }
    }
    out
}

/// One line alone, as if it stood in the section of `status`.
pub(super) fn parse_line(line: &str, status: Status) -> Option<Line> {
    task_line(line.trim_end(), Some(status))
}

fn task_line(line: &str, beneath: Option<Status>) -> Option<Line> {
    let rest = line.strip_prefix("- [")?;
    let (mark, rest) = rest.split_once("] ")?;
    let mark = match mark {
        " " => Mark::Open,
        "~" => Mark::Started,
        "x" | "X" => Mark::Done,
        _ => return None,
    };
    let (id, rest) = rest.split_once(" — [")?;
    let (owner, body) = rest.split_once(']')?;
    let part = |text: &str| text.trim().to_owned();
    let line = Line { mark, beneath, id: part(id), owner: part(owner), body: part(body) };
    (!line.id.is_empty()).then_some(line)
}

impl Line {
    /// What the line says.
    ///
    /// `known` is the task of that id as the records hold it: where the line begins with its
    /// description, whatever that looks like, it is its description.
    pub(super) fn read(&self, known: Option<&Task>) -> Item {
        let described = known.map(|task| escape_line(&task.description).trim().to_owned());
        let said = described.and_then(|text| {
            let tail = self.body.strip_prefix(text.as_str()).and_then(|rest| tail(rest, known))?;
            Some(Said { text, ..tail })
        });
        let Said { text, depends, note } = said.unwrap_or_else(|| self.cut());
        let is_short = self.mark == Mark::Started
            && note.is_none()
            && text.starts_with(SHORT_BLOCKED)
            && known.is_none_or(|task| escape_line(&task.description).trim() != text);
        let (description, note) =
            if is_short { (None, Some(text[SHORT_BLOCKED.len()..].trim().to_owned())) } else { (Some(text), note) };
        let status = match self.mark {
            Mark::Open => Status::Pending,
            Mark::Done => Status::Done,
            Mark::Started if self.beneath == Some(Status::Blocked) || note.is_some() => Status::Blocked,
            Mark::Started => Status::InProgress,
        };
        Item { status, owner: self.owner.clone(), description, depends, note }
    }

    /// Cuts a body whose description is not known.
    fn cut(&self) -> Said {
        let (front, mut note) = split_reason(&self.body);
        let (text, mut depends) = split_clause(front);
        if depends.is_none() {
            clause_behind_reason(&mut depends, &mut note);
        }
        Said { text: text.trim().to_owned(), depends, note }
    }
}

/// What may follow a description: nothing, a clause, a reason, or both.
fn tail(rest: &str, known: Option<&Task>) -> Option<Said> {
    if !rest.is_empty() && !rest.starts_with(char::is_whitespace) {
        return None;
    }
    let (front, mut note) = split_reason(rest);
    let (left, mut depends) = split_clause(front);
    if !left.trim().is_empty() {
        return None;
    }
    let is_known = known
        .and_then(|task| task.note.as_deref())
        .is_some_and(|known| note.as_deref() == Some(escape_line(known).trim()));
    if depends.is_none() && !is_known {
        clause_behind_reason(&mut depends, &mut note);
    }
    Some(Said { text: String::new(), depends, note })
}

struct Said {
    text: String,
    depends: Option<String>,
    note: Option<String>,
}

/// The text before ` — **Blocked:**`, and the reason behind it; the dash may be missing.
fn split_reason(text: &str) -> (&str, Option<String>) {
    match text.find(BLOCKED) {
        Some(at) if at == 0 || text[..at].ends_with(char::is_whitespace) => {
            let front = text[..at].trim_end();
            let front = front.strip_suffix(DASH).unwrap_or(front);
            (front, Some(text[at + BLOCKED.len()..].trim().to_owned()))
        }
        _ => (text, None),
    }
}

/// The text before a closing `*(depends: …)*`, and what stands in it; the asterisks may be missing.
fn split_clause(text: &str) -> (&str, Option<String>) {
    let trimmed = text.trim_end();
    let inner = trimmed.strip_suffix('*').unwrap_or(trimmed).strip_suffix(')');
    let Some((inner, at)) = inner.and_then(|inner| inner.rfind(CLAUSE).map(|at| (inner, at))) else {
        return (text, None);
    };
    let ids = &inner[at + CLAUSE.len()..];
    if ids.contains(')') {
        return (text, None);
    }
    let front = &inner[..at];
    (front.strip_suffix('*').unwrap_or(front), Some(ids.trim().to_owned()))
}

fn clause_behind_reason(depends: &mut Option<String>, note: &mut Option<String>) {
    let Some(reason) = note else { return };
    if let (front, Some(ids)) = split_clause(reason) {
        *depends = Some(ids);
        *note = Some(front.trim().to_owned());
    }
}
