//! First contact: a scenario that no record knows, read from whatever files there are.
//!
//! **Order** of belief: plan.md for the list, scenario.json for states, then rows, then folders.

use std::collections::{HashMap, HashSet};

use format::{FileState, Files};
use model::Warning;

use super::dress::Dress;
use super::ids::{DEEPEST, TaskId, title_of};
use super::limits::MOST_TASKS;
use super::lists::some;
use super::pending::Unplanned;
use super::place::{PLAN, Place, SCENARIO, TASKS};
use super::plan::{PlanText, Section};
use super::records::{Source, Task};
use super::scenario_json::ScenarioFile;
use super::shelf::Shelf;
use super::state::State;
use super::status::Status;
use super::tasks_md::{Row, TasksText};
use super::texts::{Text, Texts, kept_aside, unreadable_plan};

/// What first contact came to.
pub(super) struct Cold {
    pub(super) state: State,
    pub(super) warnings: Vec<Warning>,
    /// Files that a rewrite would take something from.
    pub(super) kept: Vec<&'static str>,
}

/// Reads a scenario from its files.
pub(super) fn read(files: &dyn Files, place: &Place) -> Cold {
    of(&Texts::read(files, place), files, place)
}

/// The same of texts that were read before.
pub(super) fn of(texts: &Texts, files: &dyn Files, place: &Place) -> Cold {
    let shelf = Shelf::new(files, place);
    let plan = texts.plan.text().map(PlanText::read);
    let rows = texts.tasks.text().map(TasksText::read).unwrap_or_default();
    let json = texts.json.text().and_then(ScenarioFile::read);
    let mut cold = Cold { state: State::default(), warnings: Vec::new(), kept: Vec::new() };
    let mut list = List::default();

    match &plan {
        Some(plan) => plan.sections.iter().for_each(|section| list.add_section(section)),
        None if texts.tasks.text().is_some() => {
            rows.rows.iter().filter(|row| !row.id.is_dotted()).for_each(|row| list.add_row(row));
        }
        None => list.add_folders(&shelf, |id| !id.is_dotted()),
    }
    let numbers: HashSet<u16> = list.numbers().collect();
    let is_damaged = rows.is_damaged(|number| numbers.contains(&number));
    let is_unknown = |row: &&Row<'_>| plan.is_some() && !row.id.is_dotted() && !list.has(row.id.text);
    let strangers: HashSet<u16> =
        rows.rows.iter().filter(is_unknown).filter_map(|row| row.id.number.first().copied()).collect();
    let mut unplanned = HashSet::new();
    let mut not_adopted = Vec::new();
    for row in &rows.rows {
        if list.has(row.id.text) || unplanned.contains(row.id.text) {
            continue;
        }
        let is_strangers = |top: &u16| !numbers.contains(top) && strangers.contains(top);
        if plan.is_some() && (!row.id.is_dotted() || row.id.number.first().is_some_and(is_strangers)) {
            unplanned.insert(row.id.text);
            not_adopted.push(row.id.text);
            if unplanned.len() > MOST_TASKS {
                list.is_cut = true;
                continue;
            }
            cold.state.pending.unplanned.push(Unplanned {
                id: row.id.text.to_owned(),
                title: row.title.map_or_else(|| title_of(row.id.text), str::to_owned),
                status: row.status.unwrap_or_default(),
            });
        } else if row.id.number.len() <= DEEPEST {
            list.add_row(row);
        } else {
            not_adopted.push(row.id.text);
        }
    }
    list.add_folders(&shelf, |id| id.is_dotted() && numbers.contains(&id.number[0]) && id.number.len() <= DEEPEST);
    if is_damaged {
        list.sort_subtasks();
    }
    if list.is_cut {
        let message = format!("there are more than {MOST_TASKS} tasks; the others are not read");
        cold.warnings.push(Warning::new("too_large", message).with("field", "tasks").with("allowed", MOST_TASKS));
    }
    cold.state.arrange(list.tasks);
    Statuses { state: &mut cold.state, rows: rows.by_id(), json: json.as_ref(), is_damaged }.set(&mut cold.warnings);

    cold.state.plan = texts.plan.text().map(str::to_owned);
    if let Some(text) = texts.tasks.text() {
        cold.state.layout.take(&rows, None, text, false);
    }
    cold.state.json = json.map(|file| file.object);
    cold.state.json_dress = texts.json.text().map(Dress::of).unwrap_or_default();
    cold.state.drift.is_damaged = is_damaged;
    cold.tell(texts, place, is_damaged, &not_adopted, rows.has_prose);
    cold
}

impl Cold {
    fn tell(&mut self, texts: &Texts, place: &Place, is_damaged: bool, not_adopted: &[&str], has_prose: bool) {
        if texts.plan == Text::Unreadable {
            self.warnings.push(unreadable_plan(place));
        }
        let mut keep = |name, code, why: &str| {
            self.kept.push(name);
            self.warnings.push(kept_aside(place, name, code, why));
        };
        if is_damaged || texts.tasks == Text::Unreadable {
            keep(TASKS, "tasks_md_damaged", "is damaged");
        } else if has_prose {
            keep(TASKS, "text_not_kept", "holds text that is no task and stands in no section of its own");
        }
        if !not_adopted.is_empty() {
            let not_adopted: Vec<String> = not_adopted.iter().map(|id| (*id).to_owned()).collect();
            let why = format!("has rows that {PLAN} does not know: {}", some(&not_adopted));
            keep(TASKS, "rows_not_adopted", &why);
        }
        let is_lost =
            matches!(texts.json, Text::Unreadable) || texts.json.text().is_some() && self.state.json.is_none();
        if is_lost {
            keep(SCENARIO, "scenario_json_unreadable", "cannot be read as a scenario");
        }
    }
}

/// The tasks as they are found, in the order in which they are to stand.
#[derive(Default)]
struct List {
    tasks: Vec<Task>,
    known: HashSet<String>,
    is_cut: bool,
}

impl List {
    fn has(&self, id: &str) -> bool {
        self.known.contains(id)
    }

    fn add(&mut self, mut task: Task) {
        if self.tasks.len() >= MOST_TASKS {
            self.is_cut = true;
        } else if self.known.insert(task.id.clone()) {
            task.order = self.tasks.len();
            self.tasks.push(task);
        }
    }

    fn add_section(&mut self, section: &Section<'_>) {
        let mut task = Task::new(section.id, "", Source::Plan);
        section.apply(&mut task);
        self.add(task);
    }

    fn add_row(&mut self, row: &Row<'_>) {
        let title = row.title.map_or_else(|| title_of(row.id.text), str::to_owned);
        let source = if row.id.is_dotted() { Source::Breakdown } else { Source::Plan };
        self.add(Task::new(row.id.text, &title, source));
    }

    fn add_folders(&mut self, folders: &Shelf<'_>, wanted: impl Fn(&TaskId<'_>) -> bool) {
        let ids = folders.names().filter_map(|name| TaskId::parse(name).ok());
        let mut ids: Vec<TaskId<'_>> = ids.filter(|id| wanted(id) && !self.has(id.text)).collect();
        ids.sort_by(|a, b| a.number.cmp(&b.number));
        for found in ids.into_iter().filter(|id| folders.has_folder(id.text)) {
            let source = if found.is_dotted() { Source::Breakdown } else { Source::Plan };
            self.add(Task::new(found.text, &folder_title(folders, found.text), source));
        }
    }

    fn numbers(&self) -> impl Iterator<Item = u16> {
        self.tasks.iter().filter_map(|task| TaskId::parse(&task.id).ok()?.number.first().copied())
    }

    // Among themselves; tasks of the top level keep their order.
    fn sort_subtasks(&mut self) {
        let number = |task: &Task| TaskId::parse(&task.id).map(|id| id.number).unwrap_or_default();
        let (mut subtasks, tops): (Vec<Task>, Vec<Task>) =
            std::mem::take(&mut self.tasks).into_iter().partition(|task| number(task).len() > 1);
        subtasks.sort_by_key(number);
        self.tasks = tops.into_iter().chain(subtasks).collect();
        for (order, task) in self.tasks.iter_mut().enumerate() {
            task.order = order;
        }
    }
}

// What stands behind `ID: ` in the first heading of task.md.
fn folder_title(shelf: &Shelf<'_>, id: &str) -> String {
    let FileState::Bytes(bytes) = shelf.task_md(id) else { return title_of(id) };
    let text = String::from_utf8_lossy(&bytes);
    let heading = text.lines().find(|line| line.starts_with('#'));
    let title = heading.and_then(|line| line.trim_start_matches('#').trim().strip_prefix(id)?.strip_prefix(':'));
    title.map(str::trim).filter(|title| !title.is_empty()).map_or_else(|| title_of(id), str::to_owned)
}

/// Where the statuses of first contact come from.
struct Statuses<'a> {
    state: &'a mut State,
    rows: HashMap<&'a str, &'a Row<'a>>,
    json: Option<&'a ScenarioFile>,
    is_damaged: bool,
}

impl Statuses<'_> {
    fn set(self, warnings: &mut Vec<Warning>) {
        let keys: HashMap<&str, Status> = self.json.map(ScenarioFile::states).unwrap_or_default().into_iter().collect();
        let current = self.json.and_then(ScenarioFile::current_task).and_then(|id| self.state.index().find(id));
        let mark = |id: &str| self.rows.get(id).and_then(|row| row.status);
        let is_leaf: Vec<bool> = {
            let tree = self.state.tree();
            (0..self.state.tasks.len()).map(|at| tree.is_leaf(at)).collect()
        };
        let (mut disagreeing, mut inferred) = (Vec::new(), Vec::new());
        for (at, is_leaf) in is_leaf.into_iter().enumerate() {
            let id = self.state.tasks[at].id.clone();
            let key = keys.get(id.as_str()).copied();
            let key = key.or((current == Some(at)).then_some(Status::InProgress));
            let marked = mark(&id);
            if !is_leaf {
                // A parent's own state is derived; that it was begun is all that counts.
                self.state.tasks[at].started =
                    key.or(marked).is_some_and(|s| !matches!(s, Status::Pending | Status::Blocked));
                continue;
            }
            let parent = self.state.parent(at).map(|up| self.state.tasks[up].id.as_str());
            let parent_is_done = parent.is_some_and(|parent| {
                keys.get(parent) == Some(&Status::Completed)
                    || !self.is_damaged && mark(parent) == Some(Status::Completed)
            });
            let infers = key.is_none() && !self.rows.contains_key(id.as_str()) && parent_is_done;
            if infers {
                inferred.push(id.clone());
            }
            if !self.is_damaged && key.zip(marked).is_some_and(|(key, marked)| key != marked) {
                disagreeing.push(id);
            }
            let status = if infers { Status::Completed } else { key.or(marked).unwrap_or_default() };
            self.state.tasks[at].set_status(status);
        }
        if !disagreeing.is_empty() {
            let message = format!("scenario.json and tasks.md disagree; the former counts: {}", disagreeing.join(", "));
            warnings.push(Warning::new("status_disagrees", message).with("ids", disagreeing));
        }
        if !inferred.is_empty() {
            let message = format!("taken for completed because their parent is: {}", inferred.join(", "));
            warnings.push(Warning::new("inferred_from_parent", message).with("ids", inferred));
        }
    }
}
