//! Edits of plan.md that leave every other byte where it is.

use super::read::{PlanText, Section, is_rule};

/// A section to be put into the plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::upgrade) struct Insertion<'a> {
    pub(in crate::upgrade) id: &'a str,
    pub(in crate::upgrade) title: &'a str,
    /// The task behind whose section it stands; before all tasks without one.
    pub(in crate::upgrade) after: Option<&'a str>,
    /// Whether it stands behind what follows that section without being read as a task, too.
    pub(in crate::upgrade) is_past_unread: bool,
}

/// Edits that are collected and then made at once.
#[derive(Debug)]
pub(in crate::upgrade) struct PlanEdits<'p, 'a> {
    plan: &'p PlanText<'a>,
    /// What is cut out, and what is put there. **Units**: bytes.
    splices: Vec<(usize, usize, String)>,
    line_end: &'static str,
}

impl<'p, 'a> PlanEdits<'p, 'a> {
    /// No edits yet.
    pub(in crate::upgrade) fn new(plan: &'p PlanText<'a>) -> Self {
        Self { plan, splices: Vec::new(), line_end: line_end(plan.text) }
    }

    /// Whether there are none.
    pub(in crate::upgrade) fn is_empty(&self) -> bool {
        self.splices.is_empty()
    }

    /// Puts sections in, each directly behind the content of the one before it.
    pub(in crate::upgrade) fn insert(&mut self, insertions: &[Insertion<'_>]) {
        let (end, plan) = (self.line_end, self.plan);
        let level = plan.sections.first().map_or(3, |section| section.level);
        for one in insertions {
            let anchor = one.after.and_then(|id| plan.section(id));
            let heading = |level: usize| format!("{} {}: {}", "#".repeat(level), one.id, one.title);
            let (at, text) = match (anchor, plan.sections.first()) {
                (Some(section), _) => {
                    let at = plan.lines[if one.is_past_unread { self.last_unread(section) } else { section.last }].next;
                    (at, format!("{}{end}{}{end}", self.break_before(at), heading(section.level)))
                }
                (None, Some(first)) => (plan.lines[first.heading].start, format!("{}{end}{end}", heading(level))),
                (None, None) => {
                    let at = plan.text.len();
                    let gap = if plan.lines.last().is_some_and(|line| !line.is_blank()) { end } else { "" };
                    (at, format!("{}{gap}{}{end}", self.break_before(at), heading(level)))
                }
            };
            self.splices.push((at, at, text));
        }
    }

    // The last line with content before the next task, or before the next heading above all tasks.
    fn last_unread(&self, section: &Section<'_>) -> usize {
        let lines = &self.plan.lines;
        let ends = |at: &usize| {
            let above = lines[*at].heading().is_some_and(|heading| heading.level < section.level);
            above || self.plan.sections.iter().any(|other| other.heading == *at)
        };
        let end = (section.end..lines.len()).find(ends).unwrap_or(lines.len());
        (section.last..end).rev().find(|at| !lines[*at].is_blank() && !is_rule(lines[*at].text)).unwrap_or(section.last)
    }

    // A last line without an end gets one, once.
    fn break_before(&self, at: usize) -> &'static str {
        let text = self.plan.text;
        let is_open = at == text.len() && !text.is_empty() && !text.ends_with(['\n', '\r']);
        if is_open && self.splices.iter().all(|splice| splice.0 != at) { self.line_end } else { "" }
    }

    /// Takes a section out, with the blank lines that parted it from the next.
    pub(in crate::upgrade) fn remove(&mut self, section: &Section<'_>) {
        let lines = &self.plan.lines;
        let next_is_task = self.plan.sections.iter().any(|other| other.heading == section.end);
        let mut until = section.end;
        if !next_is_task && until < lines.len() {
            until = section.last + 1;
            while lines.get(until).is_some_and(format::spans::SpanLine::is_blank) {
                until += 1;
            }
        }
        let mut from = section.heading;
        if until >= lines.len() {
            while from > 0 && lines[from - 1].is_blank() {
                from -= 1;
            }
        }
        let end = lines.get(until).map_or(self.plan.text.len(), |line| line.start);
        self.splices.push((lines[from].start, end, String::new()));
    }

    /// Replaces the title in a section's heading.
    pub(in crate::upgrade) fn retitle(&mut self, section: &Section<'_>, title: &str) {
        let (start, end) = section.title_at;
        let text = if section.title.is_some() { title.to_owned() } else { format!(": {title}") };
        self.splices.push((start, end, text));
    }

    /// Replaces the id in a section's heading.
    pub(in crate::upgrade) fn rename(&mut self, section: &Section<'_>, id: &str) {
        let line = &self.plan.lines[section.heading];
        // Nothing but signs stands before it.
        if let Some(at) = line.text.find(section.id) {
            let start = line.start + at;
            self.splices.push((start, start + section.id.len(), id.to_owned()));
        }
    }

    /// Writes the proposed ids into their headings.
    pub(in crate::upgrade) fn adopt(&mut self) {
        self.adopt_of(|_| true);
    }

    /// The same of some of them.
    pub(in crate::upgrade) fn adopt_of(&mut self, is_meant: impl Fn(&str) -> bool) {
        let put = |at: usize, id: &str| (at, at, format!("{id}: "));
        let meant = self.plan.proposals.iter().filter(|proposal| is_meant(&proposal.id));
        self.splices.extend(meant.map(|proposal| put(proposal.at, &proposal.id)));
    }

    /// The text with all edits made.
    pub(in crate::upgrade) fn made(mut self) -> String {
        // Stable, so that what is put in at one place keeps its order.
        self.splices.sort_by_key(|splice| splice.0);
        let text = self.plan.text;
        let mut made = String::with_capacity(text.len());
        let mut at = 0;
        for (start, end, new) in &self.splices {
            made.push_str(&text[at.min(*start)..*start]);
            made.push_str(new);
            at = at.max(*end);
        }
        made.push_str(&text[at..]);
        made
    }
}

/// The line end that most lines of a text have.
pub(in crate::upgrade) fn line_end(text: &str) -> &'static str {
    let all = text.matches('\n').count();
    let crlf = text.matches("\r\n").count();
    if crlf * 2 > all { "\r\n" } else { "\n" }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAN: &str = "# P\n\n## Tasks\n\n### 01-a: A\n\ntext\n\n### 02-b: B\n\n---\n\n## Notes\n\nend\n";

    fn edited(text: &str, edit: impl FnOnce(&mut PlanEdits<'_, '_>)) -> String {
        let plan = PlanText::read(text);
        let mut edits = PlanEdits::new(&plan);
        edit(&mut edits);
        edits.made()
    }

    fn put<'a>(id: &'a str, after: Option<&'a str>) -> Insertion<'a> {
        Insertion { id, title: "New", after, is_past_unread: false }
    }

    #[test]
    fn sections_are_put_behind_the_content_before_them() {
        let made = edited(PLAN, |edits| edits.insert(&[put("03-c", Some("01-a")), put("04-d", Some("01-a"))]));
        assert_eq!(made, PLAN.replace("text\n", "text\n\n### 03-c: New\n\n### 04-d: New\n"));
        let made = edited(PLAN, |edits| edits.insert(&[put("03-c", None)]));
        assert_eq!(made, PLAN.replace("### 01-a", "### 03-c: New\n\n### 01-a"));
        let made = edited("## 01-a\r\nx", |edits| edits.insert(&[put("02-b", Some("01-a"))]));
        assert_eq!(made, "## 01-a\r\nx\r\n\r\n## 02-b: New\r\n");
        let made = edited("# P\n", |edits| edits.insert(&[put("02-b", Some("01-a"))]));
        assert_eq!(made, "# P\n\n### 02-b: New\n");
        assert_eq!(edited("", |edits| edits.insert(&[put("02-b", None)])), "### 02-b: New\n");
    }

    #[test]
    fn sections_go_with_what_parted_them() {
        let remove = |text: &str, id: &str| {
            let plan = PlanText::read(text);
            let mut edits = PlanEdits::new(&plan);
            edits.remove(plan.section(id).unwrap());
            edits.made()
        };
        assert_eq!(remove(PLAN, "01-a"), PLAN.replace("### 01-a: A\n\ntext\n\n", ""));
        assert_eq!(remove(PLAN, "02-b"), PLAN.replace("### 02-b: B\n\n", ""));
        assert_eq!(remove("## 01-a\n\n## 02-b\n\nx\n", "02-b"), "## 01-a\n");
    }

    #[test]
    fn titles_alone_are_replaced() {
        let retitle = |text: &str| {
            let plan = PlanText::read(text);
            let mut edits = PlanEdits::new(&plan);
            edits.retitle(&plan.sections[0], "New");
            edits.made()
        };
        assert_eq!(retitle("## [ ] **01-a** -  Old ##\n"), "## [ ] **01-a** -  New ##\n");
        assert_eq!(retitle("## 01-a\n"), "## 01-a: New\n");
        assert_eq!(
            edited("## Tasks\n### Do it\n", |edits| {
                edits.adopt();
            }),
            "## Tasks\n### 01-do-it: Do it\n"
        );
    }
}
