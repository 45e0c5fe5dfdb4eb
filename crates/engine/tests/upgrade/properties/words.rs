//! What people wrote into the sections of the plan, and agents into the folders of tasks.

use std::collections::BTreeSet;

use super::{Step, Story};
use crate::desk::snapshot;
use crate::upgrade::{SCENARIO, at};

/// A plan in which every section has words of its own.
pub(super) fn written(plan: &str) -> String {
    let lines = plan.lines().map(|line| {
        let words = line.strip_prefix("### ").map(|task| format!("\n\nWords of {task}")).unwrap_or_default();
        format!("{line}{words}\n")
    });
    lines.collect()
}

impl Story {
    /// The lines of the plan as it stands that are no headings.
    pub(super) fn lines_of_plan(&self) -> BTreeSet<String> {
        let text = std::fs::read_to_string(self.desk.at(&at("plan.md"))).unwrap_or_default();
        let is_written = |line: &&str| !line.trim().is_empty() && !line.contains('#') && !line.starts_with("```");
        text.lines().filter(is_written).map(str::to_owned).collect()
    }

    /// Every line that stood in the plan and that no person took out stands in it or in a copy.
    ///
    /// `before` are those that stood there before the step.
    pub(super) fn keeps_lines(&mut self, step: &Step, is_outside: bool, before: &BTreeSet<String>) {
        let now = self.lines_of_plan();
        if is_outside {
            self.lines.retain(|line| !before.contains(line) || now.contains(line));
            self.lines.extend(now);
            return;
        }
        if matches!(step, Step::Back(_)) {
            self.lines = now;
            return;
        }
        let copies = snapshot(&self.desk.root());
        let copies = copies.iter().filter(|(path, _)| path.starts_with(SCENARIO) && path.contains("plan.md"));
        let copies: String = copies.filter_map(|(path, _)| std::fs::read_to_string(self.desk.at(path)).ok()).collect();
        let lost: Vec<&String> = self.lines.iter().filter(|line| !copies.contains(line.as_str())).collect();
        assert!(lost.is_empty(), "{step:?} lost {lost:?} of the plan");
    }

    /// Every text that an agent wrote stands in some file beneath the project.
    pub(super) fn keeps_details(&self) {
        let files = snapshot(&self.desk.root());
        let texts: BTreeSet<String> = files
            .iter()
            .filter(|(path, _)| path.ends_with("progress-details.md"))
            .filter_map(|(path, _)| std::fs::read_to_string(self.desk.at(path)).ok())
            .collect();
        let lost: Vec<&String> = self.details.difference(&texts).collect();
        assert!(lost.is_empty(), "lost {lost:?}");
    }
}
