//! Edits of plan.md that leave every other byte where it is.

use std::collections::{HashMap, HashSet};

use super::read::{PlanText, Section, is_rule};

/// A section to be put into the plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::upgrade) struct Insertion<'a> {
    pub(in crate::upgrade) id: &'a str,
    pub(in crate::upgrade) title: &'a str,
    /// What stands beneath its heading, with LF.
    pub(in crate::upgrade) body: &'a str,
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
    lost: Vec<String>,
    /// The lines with the headings of sections.
    headings: HashSet<usize>,
    line_end: &'static str,
}

/// A plan that was edited.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::upgrade) struct Edited {
    pub(in crate::upgrade) text: String,
    /// The tasks whose sections went with the words in them.
    ///
    /// Whoever lets this text take the plan's place keeps the old one beside.
    pub(in crate::upgrade) lost: Vec<String>,
}

impl Edited {
    /// A text that nobody edited.
    pub(in crate::upgrade) fn untouched(text: &str) -> Self {
        Self { text: text.to_owned(), lost: Vec::new() }
    }
}

impl<'p, 'a> PlanEdits<'p, 'a> {
    /// No edits yet.
    pub(in crate::upgrade) fn new(plan: &'p PlanText<'a>) -> Self {
        let headings = plan.sections.iter().map(|section| section.heading).collect();
        Self { plan, splices: Vec::new(), lost: Vec::new(), headings, line_end: line_end(plan.text) }
    }

    /// Whether there are none.
    pub(in crate::upgrade) fn is_empty(&self) -> bool {
        self.splices.is_empty()
    }

    /// Puts sections in, each directly behind the content of the one before it.
    pub(in crate::upgrade) fn insert(&mut self, insertions: &[Insertion<'_>]) {
        let (end, plan) = (self.line_end, self.plan);
        let level = plan.sections.first().map_or(3, |section| section.level);
        let sections = plan.by_id();
        // Many may stand behind one section: what follows it is looked at once.
        let mut last_unread: HashMap<usize, usize> = HashMap::new();
        for one in insertions {
            let anchor = one.after.and_then(|id| sections.get(id));
            let heading = |level: usize| {
                let heading = format!("{} {}: {}", "#".repeat(level), one.id, one.title);
                if one.body.is_empty() {
                    heading
                } else {
                    format!("{heading}{end}{end}{}", one.body.replace('\n', end))
                }
            };
            let (at, text) = match (anchor, plan.sections.first()) {
                (Some(section), _) => {
                    let last = if one.is_past_unread {
                        *last_unread.entry(section.heading).or_insert_with(|| self.last_unread(section))
                    } else {
                        section.last
                    };
                    let at = plan.lines[last].next;
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
            #[cfg(test)]
            tests::count_work();
            self.headings.contains(at) || lines[*at].heading().is_some_and(|heading| heading.level < section.level)
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
        if !section.body.is_empty() {
            self.lost.push(section.id.to_owned());
        }
        let next_is_task = self.headings.contains(&section.end);
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

    /// Gives the section of a task that goes to the one that takes its place, with the words in it.
    ///
    /// One that has words of its own keeps them, and the old section goes. Answers whether it stays.
    pub(in crate::upgrade) fn pass_on(&mut self, old: &Section<'_>, id: &str, title: &str) -> bool {
        match self.plan.section(id) {
            Some(own) if !own.body.is_empty() || old.body.is_empty() => {
                self.remove(old);
                return false;
            }
            Some(own) => self.remove(own),
            None => {}
        }
        self.rename(old, id);
        if old.title_or_slug() != title {
            self.retitle(old, title);
        }
        true
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
    pub(in crate::upgrade) fn made(mut self) -> Edited {
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
        Edited { text: made, lost: self.lost }
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
    use std::cell::Cell;

    use super::*;

    thread_local! {
        static WORK: Cell<u64> = const { Cell::new(0) };
    }

    /// Counts one look at a line.
    pub(super) fn count_work() {
        WORK.with(|work| work.set(work.get() + 1));
    }

    const PLAN: &str = "# P\n\n## Tasks\n\n### 01-a: A\n\ntext\n\n### 02-b: B\n\n---\n\n## Notes\n\nend\n";

    fn edited(text: &str, edit: impl FnOnce(&mut PlanEdits<'_, '_>)) -> String {
        let plan = PlanText::read(text);
        let mut edits = PlanEdits::new(&plan);
        edit(&mut edits);
        edits.made().text
    }

    fn put<'a>(id: &'a str, after: Option<&'a str>) -> Insertion<'a> {
        Insertion { id, title: "New", body: "", after, is_past_unread: false }
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
            edits.made().text
        };
        assert_eq!(remove(PLAN, "01-a"), PLAN.replace("### 01-a: A\n\ntext\n\n", ""));
        assert_eq!(remove(PLAN, "02-b"), PLAN.replace("### 02-b: B\n\n", ""));
        assert_eq!(remove("## 01-a\n\n## 02-b\n\nx\n", "02-b"), "## 01-a\n");
    }

    #[test]
    fn a_section_with_words_never_goes_silently() {
        let plan = PlanText::read("### 01-a: A\n\n### 02-b: B\n\nwords\n\n### 03-c: C\n\nmore\n");
        let pass_on = |old: &str, id: &str| {
            let mut edits = PlanEdits::new(&plan);
            edits.pass_on(plan.section(old).unwrap(), id, "New");
            edits.made()
        };
        let expect = |text: &str, lost: &[&str]| Edited {
            text: text.to_owned(),
            lost: lost.iter().map(|id| (*id).to_owned()).collect(),
        };
        // A heading alone gives way, a new id takes over, and of two sections with words one goes.
        assert_eq!(pass_on("02-b", "01-a"), expect("### 01-a: New\n\nwords\n\n### 03-c: C\n\nmore\n", &[]));
        assert_eq!(pass_on("02-b", "02-bb").text, plan.text.replace("02-b: B", "02-bb: New"));
        assert_eq!(pass_on("02-b", "03-c"), expect("### 01-a: A\n\n### 03-c: C\n\nmore\n", &["02-b"]));
        assert_eq!(pass_on("01-a", "02-b"), expect("### 02-b: B\n\nwords\n\n### 03-c: C\n\nmore\n", &[]));
    }

    #[test]
    fn what_follows_a_section_is_looked_at_once() {
        let text = format!("### 01-a: A\n\n###02-b: B\n{}\n### 03-c: C\n", "words\n".repeat(1_000));
        let ids: Vec<String> = (0..500).map(|number| format!("04-x{number}")).collect();
        let all: Vec<Insertion<'_>> =
            ids.iter().map(|id| Insertion { is_past_unread: true, ..put(id, Some("01-a")) }).collect();
        // The body of the first section is what follows it; the rest stands behind a heading.
        let text = text.replace("###02-b", "## Notes\n\n###02-b");
        let before = WORK.with(Cell::get);
        let made = edited(&text, |edits| edits.insert(&all));
        assert!(WORK.with(Cell::get) - before <= 1_100);
        assert_eq!(made.matches(": New").count(), 500);
    }

    #[test]
    fn titles_alone_are_replaced() {
        let retitle = |text: &str| {
            let plan = PlanText::read(text);
            let mut edits = PlanEdits::new(&plan);
            edits.retitle(&plan.sections[0], "New");
            edits.made().text
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
