//! One changing call: the scenario as it is found, what the call makes of it, and the outcome.

use std::collections::HashSet;

use format::{Draft, FileState, Irregular, View, digest};
use model::{Change, Context, FolderMove, Object, Outcome, ProjectPath, Refusal, Reply, Rewrite, Timestamp, Warning};

use super::forget::forget;
use super::ids;
use super::limits::MOST_NAMED;
use super::lists::some;
use super::place::{FILE_LIMIT, PLAN, Place, SCENARIO, TASKS};
use super::plan::Edited;
use super::reading;
use super::records::{Kind, Owner, Scenario, Task, TaskMd, object};
use super::render::{images, overlaid};
use super::scenario_json;
use super::shelf::Shelf;
use super::state::State;
use super::status::Status;
use super::texts::{Text, irregular, words_lost};
use super::work::{Seeds, Work};

/// A changing call, half done.
pub(super) struct Turn<'a> {
    pub(super) view: &'a View<'a>,
    pub(super) ctx: &'a Context,
    pub(super) place: &'a Place,
    pub(super) state: State,
    /// The folders as they stand before the call.
    pub(super) shelf: Shelf<'a>,
    pub(super) warnings: Vec<Warning>,
    draft: Draft<'a>,
    moves: Vec<FolderMove>,
    /// The tasks whose sections left the plan with the words in them.
    lost: Vec<String>,
}

impl<'a> Turn<'a> {
    /// Looks at the scenario.
    pub(super) fn begin(view: &'a View<'a>, ctx: &'a Context, place: &'a Place) -> Self {
        Self {
            view,
            ctx,
            place,
            state: State::load(view.records, &place.space).unwrap_or_default(),
            shelf: Shelf::new(view.files, place),
            warnings: Vec::new(),
            draft: Draft::new(view.records),
            moves: Vec::new(),
            lost: Vec::new(),
        }
    }

    /// Adds a warning about a task.
    pub(super) fn warn(&mut self, code: &'static str, message: String, id: &str) {
        self.warnings.push(Warning::new(code, message).with("id", id));
    }

    /// The task that an argument means.
    pub(super) fn find(&self, name: &str, field: &str) -> Result<usize, Refusal> {
        find(&self.state, name, field)
    }

    /// Looks for work, with the seeds of the plan.
    pub(super) fn work<'s>(&'s self, seeds: &'s Seeds) -> Work<'s> {
        Work { records: self.view.records, place: self.place, shelf: &self.shelf, seeds }
    }

    /// The seeds of the plan.
    pub(super) fn seeds(&self) -> Seeds {
        Seeds::of(self.state.plan.as_deref())
    }

    /// The caller as the owner of a task that begins now.
    pub(super) fn caller(&self) -> Owner {
        let now = self.ctx.now.as_millis();
        Owner { session: self.ctx.session.clone(), started_at: now, last_call: now }
    }

    /// Now, as records have it.
    pub(super) fn now(&self) -> String {
        self.ctx.now.to_millis_text()
    }

    /// What is known of a task.md.
    pub(super) fn task_md(&self, id: &str) -> Option<TaskMd> {
        TaskMd::get(&self.draft, &self.place.space, id)
    }

    /// Remembers a task.md that was there before us.
    pub(super) fn found_task_md(&mut self, id: &str, text: String) {
        let file = TaskMd { text, wrote: None, is_seed: false, at: String::new() };
        self.put_task_md(id, &file);
    }

    /// Writes a task.md.
    pub(super) fn write_task_md(&mut self, id: &str, text: String, is_seed: bool) {
        let wrote = Some(digest(text.as_bytes()));
        let file = TaskMd { text, wrote, is_seed, at: self.now() };
        self.put_task_md(id, &file);
    }

    /// Writes a task.md that is gone as it was last seen.
    pub(super) fn restore_task_md(&mut self, id: &str, file: TaskMd) {
        // The time moves, even where the clock does not.
        let now = self.now();
        let at = if file.at == now { format!("{now} ") } else { now };
        self.put_task_md(id, &TaskMd { at, ..file });
        let path = self.place.task_file(id, super::place::TASK_MD);
        self.warnings.push(restored(&path));
    }

    /// Remembers what stands in a task.md under another id.
    pub(super) fn put_task_md(&mut self, id: &str, file: &TaskMd) {
        self.draft.put(Kind::TaskMd.key(&self.place.space, id), file.to_value());
        self.state.watched.insert(id.to_owned());
    }

    /// Refuses a folder that is none, such as a link that leads elsewhere.
    pub(super) fn check_folder(&self, id: &str) -> Result<(), Refusal> {
        for path in [self.place.tasks(), self.place.task(id)] {
            match self.view.files.read(&path, 0) {
                FileState::Absent | FileState::Irregular(Irregular::Folder) => {}
                FileState::Irregular(what) if what != Irregular::TooLarge => return Err(irregular(&path, what).0),
                _ => {
                    let refusal = Refusal::refused("image_unreadable", format!("{path} is a file, not a folder"));
                    return Err(refusal.hint(format!("move {path} away")));
                }
            }
        }
        Ok(())
    }

    /// Moves a task's folder to the trash. Answers where it will lie.
    pub(super) fn archive(&mut self, id: &str) -> ProjectPath {
        let trash = ProjectPath::known(".mainstay/trash/upgrade");
        let name = format!("{id}-{}", self.ctx.now.to_stamp());
        let numbered = (1..).map(|number| if number == 1 { name.clone() } else { format!("{name}-{number}") });
        let is_taken = |to: &ProjectPath| self.view.files.is_folder(to) || self.moves.iter().any(|step| step.to == *to);
        let paths = numbered.map(|name| trash.join(&format!("{}/{name}", self.place.id)).expect("names make a path"));
        let to = paths.into_iter().find(|to| !is_taken(to)).expect("some number is free");
        let from = self.place.task(id);
        self.move_folder(id, from, to.clone());
        to
    }

    /// Moves a task's folder to that of another id.
    pub(super) fn rename_folder(&mut self, from: &str, to: &str) {
        let (from_path, to_path) = (self.place.task(from), self.place.task(to));
        self.move_folder(from, from_path, to_path);
    }

    fn move_folder(&mut self, id: &str, from: ProjectPath, to: ProjectPath) {
        let record = object([("id", id.into()), ("from", from.as_str().into()), ("to", to.as_str().into())]);
        let key = format!("{id} {} {}", to.name(), self.ctx.now.to_stamp());
        self.draft.put(Kind::Archive.key(&self.place.space, key), record);
        self.moves.push(FolderMove { from, to });
    }

    /// Removes tasks with their records; folders that hold work were archived before.
    pub(super) fn forget(&mut self, ids: &[String]) {
        forget(&mut self.state, &mut self.draft, &self.place.space, ids);
    }

    /// Lets an edited plan take the place of the one that was.
    pub(super) fn put_plan(&mut self, edited: Edited) {
        self.state.plan = Some(edited.text);
        self.lost.extend(edited.lost);
    }

    /// Tells of the words that leave the plan, which is kept beside as it stands.
    pub(super) fn tell_lost(&mut self) {
        if !self.lost.is_empty() {
            self.warnings.push(words_lost(self.place, &self.lost));
        }
    }

    /// Ends the call: remembers who called, adopts the scenario, and moves its times if anything moved.
    pub(super) fn finish(mut self, mut body: Object) -> Outcome {
        self.touch_owner();
        self.prune();
        let was_adopted = self.state.scenario.is_some();
        self.adopt();
        self.state.save(&self.place.space, &mut self.draft);
        let moved = self.has_moved();
        if moved {
            // The time moves, even where the clock does not: without a change nothing would be written.
            let stands = self.draft.changes().is_empty();
            if let Some(scenario) = &mut self.state.scenario {
                // Nor does it go back: a scenario.json of before would be the later one.
                let was = Timestamp::parse_rfc3339(&scenario.updated_at).map_or(i64::MIN, Timestamp::as_millis);
                let least = if stands { was.saturating_add(1) } else { was };
                let moved_to = Timestamp::from_millis(self.ctx.now.as_millis().max(least));
                scenario.updated_at = moved_to.to_millis_text();
            }
            self.state.save(&self.place.space, &mut self.draft);
        }
        if was_adopted {
            let gone = [PLAN, TASKS, SCENARIO].into_iter().filter(|name| *name != PLAN || self.state.plan.is_some());
            for path in gone.map(|name| self.place.file(name)) {
                if self.view.files.read(&path, 0) == FileState::Absent {
                    self.warnings.push(restored(&path));
                }
            }
        }
        self.tell_reading();
        body.insert("scenarioId".to_owned(), self.place.id.as_str().into());
        let changes = self.draft.into_changes();
        let minor = !moved && self.moves.is_empty() && changes.iter().all(is_touch);
        let reply = Reply { body, warnings: self.warnings, ..Reply::default() };
        let kept = (!self.lost.is_empty()).then(|| Rewrite { path: self.place.file(PLAN), keeps_old: true });
        let rewrites = kept.into_iter().collect();
        Outcome { changes, moves: self.moves, rewrites, minor, reply, ..Outcome::default() }
    }

    // What reading the files made one warn of comes first.
    fn tell_reading(&mut self) {
        let mut first = reading::warnings(&self.state, &self.state.tree());
        let drift = &self.state.drift;
        if !drift.removed.is_empty() {
            let ids: Vec<String> = drift.removed.iter().chain(&drift.beneath).cloned().collect();
            let message = format!("tasks without work were taken out of the files and are removed: {}", some(&ids));
            let ids: Vec<String> = ids.into_iter().take(MOST_NAMED).collect();
            first.push(Warning::new("tasks_removed", message).with("ids", ids));
        }
        first.append(&mut self.warnings);
        self.warnings = first;
    }

    // The caller is alive: every task that the session holds knows.
    fn touch_owner(&mut self) {
        let now = self.ctx.now.as_millis();
        for task in self.state.tasks.iter_mut().filter(|task| task.status == Status::InProgress) {
            if let Some(owner) = task.owner.as_mut().filter(|owner| owner.session == self.ctx.session) {
                owner.last_call = now;
            }
        }
    }

    /// Drops what waits for nobody any more: what was reached, or is about tasks that are no more.
    pub(super) fn prune(&mut self) {
        // The rows that tasks.md lost are written back.
        self.state.pending.mass = self.state.pending.mass.take().filter(|mass| mass.file != TASKS);
        let mut pending = std::mem::take(&mut self.state.pending);
        if !(pending.status_edits.is_empty() && pending.removals.is_empty()) {
            let (tree, index) = (self.state.tree(), self.state.index());
            let open = |id: &str, to: Status| {
                let at = index.exactly(id).filter(|at| tree.is_leaf(*at));
                at.is_some_and(|at| tree.status(at) != to)
            };
            pending.status_edits.retain(|(id, to)| open(id, *to));
            let hidden: HashSet<&str> = self.state.hidden.iter().map(|task| task.id.as_str()).collect();
            let stands = |id: &str| index.exactly(id).is_some() || hidden.contains(id);
            pending.removals.retain(|removal| stands(&removal.id));
        }
        self.state.pending = pending;
    }

    fn adopt(&mut self) {
        let now = self.now();
        let told = self.state.json.as_ref().and_then(|object| object.get("startTime")?.as_str());
        let start = told.filter(|time| !time.is_empty()).map(str::to_owned);
        if let Some(scenario) = &mut self.state.scenario {
            scenario.start_time = start.unwrap_or_else(|| std::mem::take(&mut scenario.start_time));
        } else {
            let began = || {
                let date = self.state.layout.started.as_deref()?.get(..10)?;
                Timestamp::parse_rfc3339(&format!("{date}T00:00:00Z")).map(Timestamp::to_millis_text)
            };
            let start_time = start.or_else(began).unwrap_or(now);
            let names = [PLAN, TASKS, SCENARIO].into_iter().filter(|name| *name != PLAN || self.state.plan.is_some());
            let is_absent = |name: &&'static str| self.view.files.read(&self.place.file(name), 0) == FileState::Absent;
            let made = names.filter(is_absent).map(str::to_owned).collect();
            self.state.scenario = Some(Scenario { start_time, updated_at: String::new(), made });
        }
        if self.state.json.is_none() {
            let began = self.state.scenario.as_ref().map_or("", |scenario| scenario.start_time.as_str());
            self.state.json = Some(scenario_json::new(&self.place.id, began));
        }
        self.state.layout.started = None;
    }

    // Whether a leaf's status moves: its mark shows it, so that nothing need be rendered to know.
    fn moves_a_mark(&self, change: &Change) -> bool {
        let (Some(before), Some(after)) = (&change.before, &change.after) else { return false };
        if change.key.kind != Kind::Task.word() || before.get("status") == after.get("status") {
            return false;
        }
        let at = self.state.place(change.key.id.as_str());
        at.is_some_and(|at| self.state.descendants(at).next().is_none())
    }

    // Whether any of the rendered files would differ from what stands there; a plan that is no text
    // is left alone.
    fn has_moved(&self) -> bool {
        let plan = Text::of(&self.view.files.read(&self.place.file(PLAN), FILE_LIMIT));
        let is_other = match &plan {
            Text::Absent => true,
            Text::Is(text) => self.state.plan.as_ref() != Some(text),
            Text::Unreadable | Text::Irregular => false,
        };
        if is_other && self.state.plan.is_some() {
            return true;
        }
        let changes: Vec<Change> = self.draft.changes();
        if changes.iter().any(|change| self.moves_a_mark(change)) {
            return true;
        }
        let folders = overlaid(self.view, self.place, &changes);
        let shown = images(&self.state, &folders);
        shown.into_iter().any(|(name, text)| {
            let path = self.place.file(name);
            let limit = u64::try_from(text.len()).unwrap_or(u64::MAX);
            self.view.files.read(&path, limit) != FileState::Bytes(text.into_bytes())
        })
    }
}

/// The listed task that a name means.
pub(super) fn find(state: &State, name: &str, field: &str) -> Result<usize, Refusal> {
    if ids::is_forbidden(name) {
        return Err(invalid_id(name, field));
    }
    match state.called(name).as_slice() {
        [only] => Ok(*only),
        [] => {
            let numbered = ids::number(name);
            let is_meant = |id: &str| {
                id.to_lowercase() == name.to_lowercase()
                    || numbered.as_ref().is_some_and(|own| ids::number_of(id) == *own)
            };
            let waits = state.hidden.iter().any(|task: &Task| is_meant(&task.id));
            Err(if waits {
                let message = format!("{name} was taken out of {PLAN} and waits to be removed");
                let hint = "put its heading back, or call reconcile with confirmRemovals or renames";
                Refusal::refused("drift_conflict", message).field(field).hint(hint)
            } else {
                Refusal::refused("task_not_found", format!("there is no task {name:?}")).field(field)
            })
        }
        several => Err(ambiguous(name, field, several.iter().map(|at| state.tasks[*at].id.as_str()))),
    }
}

/// What no task can be called.
pub(super) fn invalid_id(name: &str, field: &str) -> Refusal {
    let refusal = Refusal::refused("invalid_task_id", format!("{name:?} can be no task id"));
    refusal.field(field).allowed("NN(.NN)*-slug, as 02.01-move-code")
}

/// A name that fits several tasks.
pub(super) fn ambiguous<'i>(name: &str, field: &str, ids: impl Iterator<Item = &'i str>) -> Refusal {
    let refusal = Refusal::refused("ambiguous_task_id", format!("{name:?} may mean several tasks"));
    refusal.field(field).allowed(ids.collect::<Vec<_>>())
}

fn restored(path: &ProjectPath) -> Warning {
    Warning::new("image_restored", format!("{path} was gone and is written again")).with("path", path.as_str())
}

// Whether a change only notes that an owner is alive.
fn is_touch(change: &Change) -> bool {
    let without_owner = |value: &Option<model::Value>| {
        let mut value = value.clone()?;
        value.as_object_mut()?.shift_remove("owner");
        Some(value)
    };
    change.key.kind == Kind::Task.word()
        && change.before.is_some()
        && without_owner(&change.before) == without_owner(&change.after)
}
