//! Outside edits of a scenario: a three-way merge of the plan, the rows and the states.
//!
//! The plan decides what tasks there are and in which order, the records how they stand and what
//! subtasks they have; tasks.md counts where it differs from what we last wrote. A task with work is
//! never removed by an edit alone.

mod membership;
mod rebase;
mod removal;
mod seeds;
mod standing;
mod states;
mod subtasks;
mod titles;

use std::collections::HashSet;

use format::{Conflict, Draft, FileState, Seen, SeenFile, Taken, View};
use model::{Change, Context, Space, Warning};

use super::cold;
use super::limits::{MOST_NAMED, cut_title};
use super::lists::{quoted, some};
use super::place::{INSTRUCTIONS, PLAN, Place, SCENARIO, TASK_MD, TASKS};
use super::plan::PlanText;
use super::records::{Kind, TaskMd};
use super::shelf::Shelf;
use super::state::State;
use super::tasks_md::TasksText;
use super::texts::{Text, Texts, irregular, kept_aside, markers, unreadable_plan};

use seeds::Rows;
pub(super) use standing::Standing;

/// Turns everything that was seen into one set of changes.
pub(super) fn take_in(space: &Space, seen: &[Seen], view: &View<'_>, ctx: &Context) -> Taken {
    let Some(place) = Place::of(space) else { return Taken::default() };
    let mut answer = Taken::default();
    let files: Vec<&SeenFile> = seen
        .iter()
        .filter_map(|seen| match seen {
            Seen::File(file) => Some(file),
            Seen::Rows(_) => None,
        })
        .collect();
    for file in &files {
        if let FileState::Irregular(what) = &file.now {
            let (refusal, warning) = irregular(&file.path, *what);
            answer.warnings.push(warning);
            if file.path.name() != TASK_MD && file.path.name() != INSTRUCTIONS {
                answer.blocked.get_or_insert(refusal);
            }
        }
    }
    let shelf = Shelf::new(view.files, &place);
    let mut draft = Draft::new(view.records);
    let (state, kept) = match State::load(view.records, space) {
        None => {
            let mut texts = Texts::default();
            for file in &files {
                match file.path.name() {
                    PLAN => texts.plan = Text::of(&file.now),
                    TASKS => texts.tasks = Text::of(&file.now),
                    SCENARIO => texts.json = Text::of(&file.now),
                    _ => {}
                }
            }
            let cold = cold::of(&texts, view.files, &place);
            answer.warnings.extend(cold.warnings);
            (cold.state, cold.kept)
        }
        Some(state) => {
            let mut intake = Intake::new(&place, view, ctx, &shelf, state, &mut draft);
            intake.merge(&files);
            answer.warnings.append(&mut intake.warnings);
            let Intake { state, kept, .. } = intake;
            (state, kept)
        }
    };
    state.save(space, &mut draft);
    answer.changes = draft.into_changes();
    for name in kept {
        let path = place.file(name);
        if answer.conflicts.iter().all(|conflict| conflict.path != path) {
            answer.conflicts.push(Conflict { path });
        }
    }
    let key = Kind::Drift.only(space);
    answer.aside.push(Change { key, before: None, after: Some(state.drift.to_value()) });
    answer
}

/// A taking in, half done.
struct Intake<'a, 'd> {
    place: &'a Place,
    view: &'a View<'a>,
    ctx: &'a Context,
    shelf: &'a Shelf<'a>,
    state: State,
    draft: &'d mut Draft<'a>,
    warnings: Vec<Warning>,
    kept: Vec<&'static str>,
    /// How many tasks found no room.
    refused: usize,
}

/// Both sides of the two files, as texts that were read.
#[allow(clippy::struct_excessive_bools, reason = "each file may have changed and may be mistrusted by itself")]
struct Sides<'t> {
    /// The plan as it was last known, and as it stands now; the same where it did not change.
    plan_was: Option<&'t PlanText<'t>>,
    plan: Option<&'t PlanText<'t>>,
    plan_changed: bool,
    /// The rows as we last wrote them, and as they stand now; none where they did not change.
    tasks_was: Option<&'t TasksText<'t>>,
    tasks: Option<&'t TasksText<'t>>,
    is_damaged: bool,
    /// The plan lost most of its tasks at once: nothing is removed for it, and it is left as it is.
    plan_guarded: bool,
    /// The same of tasks.md.
    tasks_guarded: bool,
    /// What stands in each file without having been read as a task.
    in_plan: Standing<'t>,
    in_rows: Standing<'t>,
}

impl Sides<'_> {
    /// Whether a missing row stands there unread, or, if it was shown, may be what nobody can read.
    fn may_stand(&self, id: &str, was_shown: bool) -> bool {
        self.in_rows.holds(id) || was_shown && self.in_rows.strange().is_some()
    }
}

impl<'a, 'd> Intake<'a, 'd> {
    fn new(
        place: &'a Place,
        view: &'a View<'a>,
        ctx: &'a Context,
        shelf: &'a Shelf<'a>,
        state: State,
        draft: &'d mut Draft<'a>,
    ) -> Self {
        Self { place, view, ctx, shelf, state, draft, warnings: Vec::new(), kept: Vec::new(), refused: 0 }
    }

    fn merge(&mut self, files: &[&SeenFile]) {
        let find =
            |name: &str| files.iter().copied().find(|file| file.path == self.place.folder.join(name).expect("valid"));
        let (plan, tasks, json) = (find(PLAN), find(TASKS), find(SCENARIO));
        self.state.drift.instructions_changed =
            find(INSTRUCTIONS).is_some_and(|file| matches!(file.now, FileState::Bytes(_)));
        for file in files.iter().filter(|file| file.path.name() == TASK_MD) {
            self.task_md(file);
        }

        let plan_was = self.state.plan.clone();
        let plan_now = plan.map(|file| Text::of(&file.now));
        if plan_now == Some(Text::Unreadable) {
            self.warnings.push(unreadable_plan(self.place));
        }
        let plan_now = plan.zip(plan_now.as_ref().and_then(Text::text));
        let plan_now = plan_now.map(|(file, text)| rebase::rebased(file, plan_was.as_deref(), text));
        self.keep_words(plan_now.as_ref().map_or(&[], |plan| plan.lost.as_slice()));
        let plan_now = plan_now.as_ref().map(|plan| plan.text.as_str());
        self.state.drift.plan_changed = plan_now.is_some();
        let was = plan_was.as_deref().map(PlanText::read);
        let now = plan_now.map(PlanText::read);
        let plan_text = plan_now.or(plan_was.as_deref());

        let tasks_text = tasks.map(|file| Text::of(&file.now)).unwrap_or_default();
        let tasks_base = tasks.and_then(|file| file.base.as_deref()).and_then(|bytes| std::str::from_utf8(bytes).ok());
        self.state.drift.tasks_changed = !matches!(tasks_text, Text::Absent | Text::Irregular);
        let base = tasks_base.map(TasksText::read);
        let rows = tasks_text.text().map(TasksText::read);
        let in_plan = now.as_ref().or(was.as_ref());
        let numbers = in_plan.map(PlanText::numbers).unwrap_or_default();
        let is_damaged = tasks_text == Text::Unreadable
            || rows.as_ref().is_some_and(|rows| rows.is_damaged(|number| numbers.contains(&number)));
        self.state.drift.is_damaged = is_damaged;

        let in_plan_text = now.as_ref().map(|now| Standing::in_plan(was.as_ref(), now)).unwrap_or_default();
        let in_rows = match (tasks_base, &base, tasks_text.text()) {
            (Some(base_text), Some(base), Some(now)) => {
                rows.as_ref().map(|rows| Standing::in_rows(base_text, base, now, rows)).unwrap_or_default()
            }
            _ => Standing::default(),
        };
        let mut sides = Sides {
            plan_was: was.as_ref(),
            plan: in_plan,
            plan_changed: now.is_some(),
            tasks_was: base.as_ref(),
            tasks: rows.as_ref(),
            is_damaged,
            plan_guarded: false,
            tasks_guarded: false,
            in_plan: in_plan_text,
            in_rows,
        };
        self.guard(&mut sides);
        let additions = self.members(&sides);
        self.json(json);
        let titles = self.titles(&sides);
        let removed = self.removals(&sides);
        let not_adopted = self.subtasks(&sides);
        self.status_edits(&sides);
        let listed = self.tops().map(|task| task.id.clone()).collect();
        let renamed = seeds::renamed(&sides, &additions, &removed);
        let for_plan = Rows { additions: &additions, titles: &titles, removed: &removed, renamed, listed };
        let edited = seeds::write_plan(&sides, plan_text, &for_plan);
        self.keep_words(edited.as_ref().map_or(&[], |plan| plan.lost.as_slice()));
        if let Some(plan) = &edited {
            self.settle_renamed(&plan.text, &for_plan.renamed);
        }
        self.settle(&sides, edited.map(|plan| plan.text), plan_was.as_deref());
        if let (Some(rows), Some(text)) = (&rows, tasks_text.text()) {
            if !text.trim().is_empty() {
                let none = TasksText::default();
                let base = base.as_ref().or(tasks.filter(|file| !file.known).map(|_| &none));
                self.state.layout.take(rows, base, text, is_damaged);
            }
            if rows.rows.iter().any(|row| row.is_cut) && !is_damaged {
                self.keep(TASKS, "text_not_kept", "has titles that are too long and are cut");
            }
            if rows.has_prose && !is_damaged {
                self.keep(TASKS, "text_not_kept", "holds text that is no task and stands in no section of its own");
            }
        }
        if is_damaged {
            self.keep(TASKS, "tasks_md_damaged", "is damaged");
        }
        self.unread_rows(&sides);
        if !not_adopted.is_empty() {
            let why = format!("has rows that cannot be adopted: {}", some(&not_adopted));
            self.keep(TASKS, "rows_not_adopted", &why);
        }
    }

    // Rows whose ids still stand in the file: their tasks stay, and so does the text.
    fn unread_rows(&mut self, sides: &Sides<'_>) {
        let (Some(was), Some(now)) = (sides.tasks_was, sides.tasks.filter(|_| !sides.is_damaged)) else { return };
        let rows = now.by_id();
        let is_listed: HashSet<&str> = self.state.tasks.iter().map(|task| task.id.as_str()).collect();
        let is_unread = |id: &&str| !rows.contains_key(id) && sides.may_stand(id, true) && is_listed.contains(id);
        let ids: Vec<String> = was.rows.iter().map(|row| row.id.text).filter(is_unread).map(str::to_owned).collect();
        let Some(line) = ids.first().and_then(|id| sides.in_rows.left_of(id)) else { return };
        let why = format!("has rows that cannot be read, whose tasks stay as they are: {}", some(&ids));
        let why = format!("{why}; what stands there is {}, and a row taken out once more is believed", quoted(line));
        self.kept.push(TASKS);
        let warning = kept_aside(self.place, TASKS, "rows_not_adopted", &why).with("line", cut_title(line.trim()));
        self.warnings.push(warning.with("ids", ids.into_iter().take(MOST_NAMED).collect::<Vec<_>>()));
    }

    fn keep(&mut self, name: &'static str, code: &'static str, why: &str) {
        self.kept.push(name);
        self.warnings.push(kept_aside(self.place, name, code, why));
    }

    // What an agent wrote into task.md survives its loss.
    fn task_md(&mut self, file: &SeenFile) {
        let FileState::Bytes(bytes) = &file.now else { return };
        self.warnings.extend(markers(&file.path, bytes));
        let Some(id) = file.path.parent().map(|folder| folder.name().to_owned()) else { return };
        let Some(known) = TaskMd::get(self.draft, &self.place.space, &id) else { return };
        let Ok(text) = std::str::from_utf8(bytes).map(str::to_owned) else { return };
        let key = Kind::TaskMd.key(&self.place.space, id.as_str());
        self.draft.put(key, TaskMd { text, ..known }.to_value());
    }
}
