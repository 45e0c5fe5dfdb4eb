//! Whatever people, tools and git do in whatever order: no task with work is lost.

mod broken;
mod retyped;
mod steps;
mod stranger;
mod words;

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, SystemTime};

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{PLAN, at, ids, state};
use crate::back::{newest, undo};
use crate::desk::{Desk, anyone};
use broken::is_row;
use steps::{Step, steps};

const MARKS: [&str; 6] = ["🔲", "🔄", "✅", "❌", "⚠️", "⏭️"];
const FILES: [&str; 3] = ["plan.md", "tasks.md", "scenario.json"];

/// A project and what was done in it.
struct Story {
    desk: Desk,
    /// Details that an agent wrote: each text must stay somewhere.
    details: BTreeSet<String>,
    /// Lines that people wrote into the sections of the plan: each must stay somewhere.
    lines: BTreeSet<String>,
    /// How the files stood after each step, as commits to go back to.
    commits: Vec<[Option<String>; 3]>,
    words: usize,
}

impl Story {
    fn new() -> Self {
        let desk = super::planned();
        desk.edit(&at("plan.md"), words::written(PLAN));
        desk.done("activity", json!({"text": "begin"}));
        let (details, lines) = (BTreeSet::new(), BTreeSet::new());
        let mut story = Self { desk, details, lines, commits: Vec::new(), words: 0 };
        story.commit();
        story
    }

    fn commit(&mut self) {
        self.commits.push(FILES.map(|name| std::fs::read_to_string(self.desk.at(&at(name))).ok()));
    }

    /// Another commit is checked out: HEAD, bytes and times.
    fn check_out(&self, back: usize) {
        let commit = &self.commits[self.commits.len() - 1 - back % self.commits.len()];
        self.desk.edit(".git/HEAD", "ref: refs/heads/main\n");
        self.desk.edit(".git/refs/heads/main", format!("{:040x}\n", self.words));
        for (name, text) in FILES.iter().zip(commit) {
            let Some(text) = text else { continue };
            self.desk.edit(&at(name), text);
            let file = std::fs::File::options().write(true).open(self.desk.at(&at(name))).unwrap();
            file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000)).unwrap();
        }
    }

    fn known(&self) -> Vec<String> {
        let state = state(&self.desk);
        let lists = ["completedTasks", "inProgressTasks", "failedTasks", "availableTasks", "blockedTasks"];
        let all: BTreeSet<String> = lists.iter().flat_map(|list| ids(&state[*list])).map(str::to_owned).collect();
        all.into_iter().collect()
    }

    fn pick(&self, at: usize) -> Option<String> {
        let known = self.known();
        (!known.is_empty()).then(|| known[at % known.len()].clone())
    }

    fn edit(&self, name: &str, change: impl FnOnce(&str) -> String) {
        if self.desk.stands(&at(name))
            && let Ok(text) = std::fs::read_to_string(self.desk.at(&at(name)))
        {
            self.desk.edit(&at(name), change(&text));
        }
    }

    /// A line of a file that begins like this, picked by number.
    fn line(&self, name: &str, wanted: impl Fn(&str) -> bool, pick: usize) -> Option<String> {
        let text = std::fs::read_to_string(self.desk.at(&at(name))).ok()?;
        let lines: Vec<&str> = text.lines().filter(|line| wanted(line)).collect();
        (!lines.is_empty()).then(|| lines[pick % lines.len()].to_owned())
    }

    fn take(&mut self, step: &Step) {
        self.words += 1;
        let word = self.words;
        match step {
            Step::Start(pick, force) => {
                if let Some(id) = self.pick(*pick) {
                    drop(self.desk.call("start_task", json!({"taskId": id, "force": force})));
                }
            }
            Step::Complete(pick, failed) => {
                if let Some(id) = self.pick(*pick) {
                    let arguments = json!({"taskId": id, "failed": failed, "force": true, "filesModified": ["f"]});
                    drop(self.desk.call("complete_task", arguments));
                }
            }
            Step::BreakDown(pick, count) => {
                if let Some(id) = self.pick(*pick) {
                    let wishes: Vec<Value> = (0..*count).map(|n| json!({"description": format!("part {n}")})).collect();
                    drop(self.desk.call("break_down_task", json!({"parentTaskId": id, "subtasks": wishes})));
                }
            }
            Step::Activity => drop(self.desk.call("activity", json!({"text": format!("line {word}")}))),
            Step::Reconcile(way) => {
                let arguments = match way {
                    0 => json!({"acceptStatusEdits": true}),
                    1 => json!({"discardStatusEdits": true}),
                    2 => json!({"writePlan": true}),
                    3 => json!({"dryRun": true}),
                    _ => json!({}),
                };
                drop(self.desk.call("reconcile", arguments));
            }
            Step::Settle(renames) => self.settle_waiting(*renames),
            Step::Back(forth) => {
                if *forth {
                    drop(self.desk.engine().redo(&anyone()));
                } else {
                    drop(undo(&self.desk, newest()));
                }
            }
            Step::Details(pick) => {
                if let Some(id) = self.pick(*pick) {
                    let text = format!("details {word}\n");
                    let path = at(&format!("tasks/{id}/progress-details.md"));
                    if let Ok(old) = std::fs::read_to_string(self.desk.at(&path)) {
                        self.details.remove(&old);
                    }
                    self.desk.edit(&path, &text);
                    self.details.insert(text);
                }
            }
            _ => self.edit_outside(step),
        }
    }

    fn edit_outside(&self, step: &Step) {
        let word = self.words;
        let cut = |text: &str, line: &str| text.replacen(&format!("{line}\n"), "", 1);
        match step {
            Step::PlanCut(pick) => {
                if let Some(line) = self.line("plan.md", |line| line.starts_with("### "), *pick) {
                    self.edit("plan.md", |text| cut(text, &line));
                }
            }
            Step::PlanTitle(pick, title) => {
                if let Some(line) = self.line("plan.md", |line| line.starts_with("### "), *pick) {
                    let id = line.split(':').next().unwrap_or_default().to_owned();
                    self.edit("plan.md", |text| text.replacen(&line, &format!("{id}: Title {title}"), 1));
                }
            }
            Step::PlanAdd(number) => {
                self.edit("plan.md", |text| format!("{text}\n### {number:02}-new: Task {number}\n"));
            }
            Step::PlanTurn => self.edit("plan.md", |text| {
                let mut sections: Vec<&str> = text.split("### ").collect();
                let front = sections.remove(0);
                sections.reverse();
                let turned: Vec<String> = sections.iter().map(|one| format!("### {}\n\n", one.trim_end())).collect();
                format!("{front}{}", turned.concat())
            }),
            Step::PlanEmpty => self.edit("plan.md", |_| "# Plan\n".to_owned()),
            Step::RowCut(pick) => {
                if let Some(line) = self.line("tasks.md", is_row, *pick) {
                    self.edit("tasks.md", |text| cut(text, &line));
                }
            }
            Step::RowMark(pick, mark) => {
                if let Some(line) = self.line("tasks.md", is_row, *pick) {
                    let mut parts = line.trim_start().splitn(3, ' ');
                    let rest = parts.nth(2).unwrap_or_default().to_owned();
                    let indent = &line[..line.len() - line.trim_start().len()];
                    let marked = format!("{indent}- {} {rest}", MARKS[usize::from(*mark)]);
                    self.edit("tasks.md", |text| text.replacen(&line, &marked, 1));
                }
            }
            Step::RowAdd(number) => {
                if let Some(line) = self.line("tasks.md", is_row, usize::from(*number)) {
                    let row = format!("{line}\n- 🔲 {number:02}-row: Row {number}");
                    self.edit("tasks.md", |text| text.replacen(&line, &row, 1));
                }
            }
            Step::RowTwice(pick) => {
                if let Some(line) = self.line("tasks.md", is_row, *pick) {
                    self.edit("tasks.md", |text| text.replacen(&line, &format!("{line}\n{line}"), 1));
                }
            }
            Step::Prose => {
                let prose = format!("\nprose {word}\n\n## Current");
                self.edit("tasks.md", |text| text.replacen("\n## Current", &prose, 1));
            }
            Step::Gone(file) => {
                let path = at(FILES[usize::from(*file)]);
                if self.desk.stands(&path) {
                    self.desk.remove(&path);
                }
            }
            Step::Garbage(file) => self.desk.edit(&at(FILES[usize::from(*file)]), "{\"oh\": [no\n"),
            Step::Unread(..)
            | Step::Later(_)
            | Step::Typo(..)
            | Step::FencePlan(_)
            | Step::Fence(_)
            | Step::Hurt(..) => {
                self.blur(step);
            }
            Step::Markers(file) => {
                let path = at(FILES[*file]);
                if let Ok(text) = std::fs::read_to_string(self.desk.at(&path)) {
                    self.desk.edit(&path, format!("<<<<<<< ours\n{text}=======\n>>>>>>> theirs\n"));
                    let refused = self.desk.call("activity", json!({"text": "merging"}));
                    assert_eq!(refused.unwrap_err().code, "conflict_markers");
                    self.desk.edit(&path, text);
                }
            }
            Step::Checkout(back) => self.check_out(*back),
            Step::Retype(pick, way) => self.retype(*pick, *way),
            Step::Killed(pick, way) => self.kill(*pick, *way),
            _ => {}
        }
    }

    /// Every task that someone began, with its status, in the lists or waiting.
    fn begun(&self) -> BTreeMap<String, String> {
        let state = state(&self.desk);
        let mut begun = BTreeMap::new();
        for list in ["completedTasks", "inProgressTasks", "failedTasks"] {
            for task in state[list].as_array().unwrap() {
                begun.insert(task["id"].as_str().unwrap().to_owned(), task["status"].as_str().unwrap().to_owned());
            }
        }
        begun
    }

    fn waiting(&self) -> Vec<String> {
        let state = state(&self.desk);
        ids_or_none(&state["drift"]["pendingRemovals"])
    }

    /// After a change everything shows what the records say, and reading it again changes nothing.
    fn is_settled(&self) {
        self.desk.done("activity", json!({"text": "settle"}));
        let now = state(&self.desk);
        let drift = &now["drift"];
        for name in ["planChanged", "tasksChanged", "damaged"] {
            assert!(drift.is_null() || drift[name] == false, "{name} in {drift}");
        }
        for name in ["added", "removed", "titleChanges", "conflicts"] {
            assert!(drift.is_null() || drift[name] == json!([]), "{name} in {drift}");
        }
        assert_eq!(now["tasksOutOfSync"], Value::Null, "{}", self.desk.text(&at("tasks.md")));
        let journal = self.desk.journal();
        assert!(journal[0].ends_with("activity"), "{journal:?}");
        self.desk.done("activity", json!({"text": "again"}));
        assert!(self.desk.journal()[1].ends_with("activity"), "what we wrote was taken for an edit");
    }
}

fn ids_or_none(list: &Value) -> Vec<String> {
    list.as_array().map(|_| ids(list).into_iter().map(str::to_owned).collect()).unwrap_or_default()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]
    #[test]
    fn no_task_with_work_is_lost(steps in steps()) {
        let mut story = Story::new();
        for step in &steps {
            let outside = !matches!(
                step,
                Step::Start(..)
                    | Step::Complete(..)
                    | Step::BreakDown(..)
                    | Step::Activity
                    | Step::Reconcile(_)
                    | Step::Settle(_)
                    | Step::Back(_)
            );
            let takes_all = matches!(step, Step::PlanEmpty | Step::Gone(_) | Step::Garbage(0 | 1));
            let takes_none = broken::takes_none(step);
            if takes_all || takes_none {
                // Only what was taken in can be missed.
                story.take(&Step::Activity);
            }
            let (before, known) = (story.begun(), story.known());
            let written = story.lines_of_plan();
            story.take(step);
            story.commit();
            story.keeps_lines(step, outside, &written);
            if takes_all || takes_none {
                let left = story.known();
                let lost: Vec<_> = known.iter().filter(|id| !left.contains(id)).collect();
                prop_assert!(lost.is_empty(), "{:?} took {:?}", step, lost);
            }
            if takes_none {
                story.take(&Step::Activity);
                let left = story.known();
                let lost: Vec<_> = known.iter().filter(|id| !left.contains(id)).collect();
                prop_assert!(lost.is_empty(), "taking in {:?} took {:?}", step, lost);
            }
            story.keeps_details();
            if outside && !matches!(step, Step::Garbage(2)) {
                let (after, waiting) = (story.begun(), story.waiting());
                for (id, status) in before {
                    let parent_waits = waiting.iter().any(|up| id.starts_with(up.split('-').next().unwrap_or_default()));
                    // Of two tasks with one number the first gets the subtasks of the other when that is retyped.
                    let beneath = format!("{}.", id.split('-').next().unwrap_or_default());
                    let is_parent = story.known().iter().any(|other| other.starts_with(&beneath));
                    prop_assert!(after.get(&id) == Some(&status) || parent_waits || is_parent, "{} was {} before {:?}", id, status, step);
                }
            }
        }
        story.is_settled();
        story.keeps_details();
        story.keeps_lines(&Step::Activity, false, &BTreeSet::new());
        story.reads_alike();
    }
}

#[test]
fn the_plan_of_these_tests_is_read_as_it_is_meant() {
    assert_eq!(PLAN.matches("### ").count(), 3);
    assert_eq!(ids(&state(&super::planned())["availableTasks"]), ["01-a"]);
}
