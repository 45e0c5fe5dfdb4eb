//! scenario.json that others wrote: their keys stay, their states count if they are later.

use std::collections::HashMap;

use format::SeenFile;
use model::{Timestamp, Warning};

use super::Intake;
use crate::upgrade::dress::Dress;
use crate::upgrade::limits::MOST_NAMED;
use crate::upgrade::lists::some;
use crate::upgrade::place::SCENARIO;
use crate::upgrade::scenario_json::{ScenarioFile, has_key};
use crate::upgrade::status::Status;
use crate::upgrade::texts::Text;

impl Intake<'_, '_> {
    /// Takes the file over.
    pub(super) fn json(&mut self, file: Option<&SeenFile>) {
        let Some(file) = file else { return };
        let now = match Text::of(&file.now) {
            Text::Absent | Text::Irregular => return,
            Text::Unreadable => None,
            Text::Is(text) => {
                self.state.json_dress = Dress::of(&text);
                ScenarioFile::read(&text)
            }
        };
        let Some(now) = now else {
            return self.keep(SCENARIO, "scenario_json_unreadable", "cannot be read as a scenario");
        };
        let ours = self.state.scenario.as_ref().and_then(|own| Timestamp::parse_rfc3339(&own.updated_at));
        let theirs = now.time("lastUpdateTime");
        let is_later = match (ours, theirs) {
            (Some(ours), Some(theirs)) => theirs > ours,
            (None, _) => true,
            (Some(_), None) => false,
        };
        if is_later && now.has_states() {
            let base =
                file.base.as_deref().and_then(|bytes| std::str::from_utf8(bytes).ok()).and_then(ScenarioFile::read);
            let mut taken = self.states(&now, base.as_ref());
            if !taken.is_empty() {
                let message = format!("scenario.json had later states; they are taken: {}", some(&taken));
                taken.truncate(MOST_NAMED);
                self.warnings.push(Warning::new("task_states_edited", message).with("ids", taken));
            }
        }
        self.state.json = Some(now.object);
    }

    // The leaves whose key differs from the base: others may be behind without anyone having meant it.
    fn states(&mut self, now: &ScenarioFile, base: Option<&ScenarioFile>) -> Vec<String> {
        let theirs: HashMap<&str, Status> = now.states().into_iter().collect();
        let base: Option<HashMap<&str, Status>> = base.map(|base| base.states().into_iter().collect());
        let at_time = now.text("lastUpdateTime").map(str::to_owned);
        let wanted: Vec<(usize, Status)> = {
            let tree = self.state.tree();
            let leaves = tree.leaves().filter_map(|at| {
                let id = self.state.tasks[at].id.as_str();
                let current = tree.status(at);
                let shown = Some(current).filter(|status| has_key(*status));
                let was = base.as_ref().map_or(shown, |base| base.get(id).copied());
                let is = theirs.get(id).copied();
                let status = is.unwrap_or(if has_key(current) { Status::Pending } else { current });
                (is != was && status != current).then_some((at, status))
            });
            leaves.collect()
        };
        let mut taken = Vec::new();
        for (at, status) in wanted {
            let task = &mut self.state.tasks[at];
            task.set_status(status);
            if status == Status::Completed {
                task.completed_at.clone_from(&at_time);
            }
            taken.push(task.id.clone());
        }
        taken
    }
}
