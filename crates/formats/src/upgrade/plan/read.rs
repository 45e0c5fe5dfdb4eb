//! Reading plan.md: its task sections and their fields, wherever they stand.

use std::collections::{HashMap, HashSet};

use format::digest;
use format::spans::{Heading, SpanLine, heading, span_lines};

use crate::upgrade::ids::{TaskId, number_text, slug, title_of};
use crate::upgrade::label::Label;
use crate::upgrade::limits::{MOST_TASKS, cut_title};
use crate::upgrade::records::Task;
use crate::upgrade::status::split_mark;

/// plan.md as it was read.
#[derive(Debug)]
pub(in crate::upgrade) struct PlanText<'a> {
    pub(in crate::upgrade) text: &'a str,
    pub(super) lines: Vec<SpanLine<'a>>,
    /// The top-level tasks, each id once.
    pub(in crate::upgrade) sections: Vec<Section<'a>>,
    /// Dotted ids, which are no members of the list.
    pub(in crate::upgrade) subtasks: Vec<&'a str>,
    /// Ids that stood once more.
    pub(in crate::upgrade) repeated: Vec<&'a str>,
    /// Ids for headings that have none, where there is no task at all.
    pub(in crate::upgrade) proposals: Vec<Proposal<'a>>,
}

/// One task of the plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::upgrade) struct Section<'a> {
    pub(in crate::upgrade) id: &'a str,
    pub(in crate::upgrade) is_canonical: bool,
    /// The title as it stands, at most as much as a title may have; `None` where there is none.
    pub(in crate::upgrade) title: Option<&'a str>,
    /// The content beneath the heading, without blank lines around it, with LF.
    pub(in crate::upgrade) body: String,
    pub(in crate::upgrade) fields: Fields,
    pub(super) level: usize,
    /// The line of the heading.
    pub(super) heading: usize,
    /// The last line of the content; the heading's where there is none.
    pub(super) last: usize,
    /// The line behind the section.
    pub(super) end: usize,
    /// Where the title stands in the text, or where one would stand. **Units**: bytes.
    pub(super) title_at: (usize, usize),
}

/// What the lines of a section say about its task.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::upgrade) struct Fields {
    pub(in crate::upgrade) done_when: Option<String>,
    /// `None` where nothing is said: then the task waits for the one before it.
    pub(in crate::upgrade) depends_on: Option<Vec<String>>,
    pub(in crate::upgrade) projects: Vec<String>,
    pub(in crate::upgrade) complexity: Option<String>,
    pub(in crate::upgrade) breakdown: Option<Breakdown>,
}

/// Whether a task is to have subtasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::upgrade) enum Breakdown {
    /// It must.
    Required,
    /// It need not.
    None,
}

/// An id for a heading that has none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::upgrade) struct Proposal<'a> {
    pub(in crate::upgrade) heading: &'a str,
    pub(in crate::upgrade) id: String,
    /// Where the heading's text begins. **Units**: bytes.
    pub(super) at: usize,
}

impl<'a> PlanText<'a> {
    /// Reads a plan; whatever it holds, something is read.
    pub(in crate::upgrade) fn read(text: &'a str) -> Self {
        let lines = span_lines(text);
        let mut plan = Self {
            text,
            lines: Vec::new(),
            sections: Vec::new(),
            subtasks: Vec::new(),
            repeated: Vec::new(),
            proposals: Vec::new(),
        };
        let mut known = HashSet::new();
        // The section that is open, with its place among all headings of tasks.
        let mut open: Option<Section<'a>> = None;
        for (at, line) in lines.iter().enumerate() {
            let Some(heading) = line.heading() else { continue };
            let task = task_heading(line, heading);
            let is_top = task.as_ref().is_some_and(|(label, _)| !label.id.is_dotted());
            if is_top || open.as_ref().is_some_and(|section| heading.level <= section.level) {
                plan.sections.extend(open.take().map(|section| section.close(at, &lines)));
            }
            let Some((label, title_at)) = task else { continue };
            if !is_top {
                plan.subtasks.push(label.id.text);
            } else if known.insert(label.id.text) {
                open = Some(Section::open(&label, heading.level, at, title_at));
            } else {
                plan.repeated.push(label.id.text);
            }
        }
        plan.sections.extend(open.map(|section| section.close(lines.len(), &lines)));
        if plan.sections.is_empty() {
            plan.proposals = proposals(&lines);
        }
        plan.lines = lines;
        plan
    }

    /// The sections by id.
    pub(in crate::upgrade) fn by_id(&self) -> HashMap<&'a str, &Section<'a>> {
        self.sections.iter().map(|section| (section.id, section)).collect()
    }

    /// The numbers that tasks of the top level have.
    pub(in crate::upgrade) fn numbers(&self) -> HashSet<u16> {
        self.sections.iter().filter_map(|section| TaskId::parse(section.id).ok()?.number.first().copied()).collect()
    }

    /// The lines that are no heading of a task on the list.
    pub(in crate::upgrade) fn other_lines(&self) -> impl Iterator<Item = &'a str> {
        let headings: HashSet<usize> = self.sections.iter().map(|section| section.heading).collect();
        let lines = self.lines.iter().enumerate();
        lines.filter(move |(at, _)| !headings.contains(at)).map(|(_, line)| line.text)
    }

    /// The section of a task.
    pub(in crate::upgrade) fn section(&self, id: &str) -> Option<&Section<'a>> {
        self.sections.iter().find(|section| section.id == id)
    }
}

/// Whether a line is a heading that names a task, wherever it stands.
pub(in crate::upgrade) fn names_task(line: &str) -> bool {
    let bare = SpanLine { text: line, start: 0, next: line.len(), is_code: false };
    heading(line).is_some_and(|heading| task_heading(&bare, heading).is_some())
}

// The task that a heading names, and where its title stands.
fn task_heading<'a>(line: &SpanLine<'a>, heading: Heading) -> Option<(Label<'a>, (usize, usize))> {
    if !(2..=4).contains(&heading.level) {
        return None;
    }
    let text = &line.text[heading.start..heading.end];
    let behind_box = split_mark(text).filter(|_| text.starts_with('[')).map(|(_, rest)| rest.trim_start());
    let label = Label::read(behind_box.unwrap_or(text))?;
    let title = label.title()?;
    let end = line.start + heading.end;
    let start = if title.is_empty() { end } else { end - title.len() };
    Some((label, (start, end)))
}

impl<'a> Section<'a> {
    fn open(label: &Label<'a>, level: usize, heading: usize, title_at: (usize, usize)) -> Self {
        Self {
            id: label.id.text,
            is_canonical: label.id.is_canonical,
            title: label.title().filter(|title| !title.is_empty()).map(cut_title),
            body: String::new(),
            fields: Fields::default(),
            level,
            heading,
            last: heading,
            end: heading + 1,
            title_at,
        }
    }

    /// Whether more stands there than a title may have.
    pub(in crate::upgrade) fn has_long_title(&self) -> bool {
        self.title.is_some_and(|title| title.len() < self.title_at.1 - self.title_at.0)
    }

    /// The title, or the one that the slug makes.
    pub(in crate::upgrade) fn title_or_slug(&self) -> String {
        self.title.map_or_else(|| title_of(self.id), str::to_owned)
    }

    /// Gives a task what the section says of it.
    pub(in crate::upgrade) fn apply(&self, task: &mut Task) {
        task.title = self.title_or_slug();
        self.apply_fields(task);
    }

    /// The same but for the title.
    pub(in crate::upgrade) fn apply_fields(&self, task: &mut Task) {
        let fields = self.fields.clone();
        task.done_when = fields.done_when;
        task.depends_on = fields.depends_on;
        task.projects = fields.projects;
        task.complexity = fields.complexity;
        task.breakdown = fields.breakdown;
        task.body = (!self.body.is_empty()).then(|| digest(self.body.as_bytes())[..16].to_owned());
    }

    fn close(mut self, end: usize, lines: &[SpanLine<'a>]) -> Self {
        let is_content = |line: &SpanLine<'_>| !line.is_blank() && (line.is_code || !is_rule(line.text));
        let content = |at: &usize| is_content(&lines[*at]);
        self.end = end;
        self.last = (self.heading + 1..end).rev().find(content).unwrap_or(self.heading);
        let first = (self.heading + 1..=self.last).find(|at| !lines[*at].is_blank()).unwrap_or(self.last + 1);
        let body: Vec<&str> = lines[first..=self.last.max(first - 1)].iter().map(|line| line.text).collect();
        self.body = body.join("\n");
        for line in lines[first..=self.last.max(first - 1)].iter().filter(|line| !line.is_code) {
            self.fields.take(line.text);
        }
        self
    }
}

// `---` and longer.
pub(super) fn is_rule(line: &str) -> bool {
    let text = line.trim();
    text.len() >= 3 && text.bytes().all(|byte| byte == b'-')
}

impl Fields {
    // The first of several lines with one name counts.
    fn take(&mut self, line: &str) {
        let text = line.trim();
        let text = ["- ", "* ", "+ "].iter().find_map(|bullet| text.strip_prefix(bullet)).unwrap_or(text);
        let Some((name, value)) = text.split_once(':') else { return };
        let name = name.trim_matches(['*', '_', ' ']).to_lowercase();
        let value = value.trim_start_matches('*').trim();
        match name.as_str() {
            "done when" if self.done_when.is_none() && !value.is_empty() => self.done_when = Some(value.to_owned()),
            "depends on" if self.depends_on.is_none() => {
                let mut ids = list(value);
                // Of more ids than there can be tasks one is none, and the task stays blocked all the same.
                ids.truncate(MOST_TASKS + 1);
                self.depends_on = Some(ids);
            }
            "projects" | "projects affected" | "affected items" if self.projects.is_empty() => {
                self.projects = list(value);
            }
            "complexity" if self.complexity.is_none() && !value.is_empty() => {
                self.complexity = Some(value.trim_end_matches('.').to_lowercase());
            }
            "breakdown" if self.breakdown.is_none() => {
                self.breakdown = match value.trim_end_matches('.').to_lowercase().as_str() {
                    "required" => Some(Breakdown::Required),
                    "none" => Some(Breakdown::None),
                    _ => None,
                };
            }
            _ => {}
        }
    }
}

// A comma list; `none` and dashes stand for nothing at all.
fn list(value: &str) -> Vec<String> {
    let plain = |part: &str| part.trim_matches(['`', '*', ' ', '\t']).trim_end_matches('.').to_owned();
    if value.trim_end_matches('.').eq_ignore_ascii_case("none") {
        return Vec::new();
    }
    value.split(',').map(plain).filter(|part| !matches!(part.as_str(), "" | "-" | "—" | "–")).collect()
}

fn proposals<'a>(lines: &[SpanLine<'a>]) -> Vec<Proposal<'a>> {
    let mut proposals: Vec<Proposal<'a>> = Vec::new();
    let mut within = false;
    for line in lines {
        let Some(heading) = line.heading() else { continue };
        let text = &line.text[heading.start..heading.end];
        if heading.level <= 2 {
            within = heading.level == 2 && text.eq_ignore_ascii_case("tasks");
        } else if within && heading.level == 3 && !text.is_empty() {
            let position = u16::try_from(proposals.len() + 1).unwrap_or(u16::MAX);
            let id = format!("{}-{}", number_text(&[position]), slug(text));
            proposals.push(Proposal { heading: text, id, at: line.start + heading.start });
        }
    }
    proposals
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_end_where_the_next_one_of_their_kind_begins() {
        let text = "# P\n\n## 01-a: A\ntext\n### detail\nmore\n#### 01.01-x: X\n\n---\n\n### 02-b\n## Notes\nend\n";
        let plan = PlanText::read(text);
        let found: Vec<_> = plan.sections.iter().map(|s| (s.id, s.title, s.body.as_str())).collect();
        assert_eq!(found, [("01-a", Some("A"), "text\n### detail\nmore\n#### 01.01-x: X"), ("02-b", None, "")]);
        assert_eq!(plan.subtasks, ["01.01-x"]);
    }

    #[test]
    fn fields_are_read_in_many_spellings() {
        let text = "## 01-a: A\n- **Done When:** all green: yes\nDEPENDS ON: `02-b`, 03-c.\n**Affected items**: none\n\
                    Complexity: High\n**Breakdown**: None\n```\nDone when: never\n```\n";
        let fields = PlanText::read(text).sections[0].fields.clone();
        let expected = Fields {
            done_when: Some("all green: yes".into()),
            depends_on: Some(vec!["02-b".into(), "03-c".into()]),
            projects: vec![],
            complexity: Some("high".into()),
            breakdown: Some(Breakdown::None),
        };
        assert_eq!(fields, expected);
        for word in ["", "none", "-", "—", "None."] {
            let text = format!("## 01-a\nDepends on: {word}\n");
            assert_eq!(PlanText::read(&text).sections[0].fields.depends_on, Some(vec![]), "{word:?}");
        }
    }

    #[test]
    fn headings_without_ids_get_proposals_only_where_no_task_is() {
        let text = "## Tasks\n### Check tools\n### Move code\n## Notes\n### Not this\n";
        let ids: Vec<_> = PlanText::read(text).proposals.into_iter().map(|proposal| proposal.id).collect();
        assert_eq!(ids, ["01-check-tools", "02-move-code"]);
        assert!(PlanText::read("## Tasks\n### 01-a: A\n### Move code\n").proposals.is_empty());
    }
}
