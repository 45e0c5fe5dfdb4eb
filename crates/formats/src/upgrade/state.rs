//! A scenario as a request thinks about it: its tasks in order, and what stands beside them.

use std::cell::OnceCell;
use std::collections::{BTreeSet, HashMap, HashSet};

use format::task_graph::{Need, TaskTree, TreeTask};
use format::{Draft, Records, distinct};
use model::{Object, RecordKey, Space, Value};

use super::arrange::arrange;
use super::dress::Dress;
use super::ids::{number, number_of};
use super::layout::Layout;
use super::pending::{Drift, Pending};
use super::place::{PLAN, SCENARIO, TASKS};
use super::records::{Kind, Scenario, Task, members, object, text};
use super::status::Status;

/// A scenario.
#[derive(Debug, Default)]
pub(super) struct State {
    /// The tasks that are listed, in document order.
    pub(super) tasks: Vec<Task>,
    /// The place of each task's parent.
    parents: Vec<Option<usize>>,
    /// Tasks that the plan dropped and that have work: they wait, out of sight, in document order.
    pub(super) hidden: Vec<Task>,
    /// `None` until the first changing call.
    pub(super) scenario: Option<Scenario>,
    /// The text of plan.md, if there ever was one.
    pub(super) plan: Option<String>,
    /// What tasks.md holds beside the tasks.
    pub(super) layout: Layout,
    /// scenario.json, if there ever was one.
    pub(super) json: Option<Object>,
    pub(super) json_dress: Dress,
    pub(super) pending: Pending,
    pub(super) drift: Drift,
    /// The tasks whose task.md is looked at.
    pub(super) watched: BTreeSet<String>,
    pub(super) orphans: Vec<String>,
    pub(super) doubles: Vec<String>,
    /// What the records say, for those who write.
    was: Option<Box<Was>>,
}

/// A scenario as the records have it.
#[derive(Debug)]
struct Was {
    tasks: HashMap<String, Task>,
    scenario: Option<Scenario>,
    plan: Option<String>,
    layout: Layout,
    json: Option<(Object, Dress)>,
    pending: Pending,
    watched: BTreeSet<String>,
}

impl State {
    /// The scenario as the records have it, to be changed and saved; `None` where they do not know it.
    pub(super) fn load(records: &dyn Records, space: &Space) -> Option<Self> {
        let (mut state, tasks) = Self::read(records, space)?;
        state.was = Some(Box::new(Was {
            tasks: tasks.iter().map(|task| (task.id.clone(), task.clone())).collect(),
            scenario: state.scenario.clone(),
            plan: state.plan.clone(),
            layout: state.layout.clone(),
            json: state.json.clone().map(|object| (object, state.json_dress)),
            pending: state.pending.clone(),
            watched: state.watched.clone(),
        }));
        state.arrange(tasks);
        Some(state)
    }

    /// The same, to be looked at.
    pub(super) fn look(records: &dyn Records, space: &Space) -> Option<Self> {
        let (mut state, tasks) = Self::read(records, space)?;
        state.arrange(tasks);
        Some(state)
    }

    // Everything but the order of the tasks.
    fn read(records: &dyn Records, space: &Space) -> Option<(Self, Vec<Task>)> {
        let pending = Pending::from_value(&records.get(&Kind::Pending.only(space))?);
        let mut state = Self {
            scenario: Scenario::get(records, space),
            drift: records.get(&Kind::Drift.only(space)).map(|value| Drift::from_value(&value)).unwrap_or_default(),
            watched: watched(records, space),
            pending,
            ..Self::default()
        };
        for (name, mut value) in Kind::Image.all(space, records) {
            match name.as_str() {
                PLAN => state.plan = Some(text(&value, "text")),
                TASKS => state.layout = Layout::from_value(&value),
                SCENARIO => (state.json_dress, state.json) = (Dress::read(&value), taken_object(&mut value)),
                _ => {}
            }
        }
        let tasks = Kind::Task.all(space, records).into_iter();
        Some((state, tasks.map(|(id, value)| Task::from_value(id.as_str(), value)).collect()))
    }

    /// Brings tasks into document order and parts those that wait for their removal from the rest.
    pub(super) fn arrange(&mut self, tasks: Vec<Task>) {
        let roots: HashSet<&str> =
            self.pending.removals.iter().filter(|one| one.from_plan).map(|one| one.id.as_str()).collect();
        let mut arranged = arrange(tasks);
        if !roots.is_empty() {
            let mut is_hidden = vec![false; arranged.tasks.len()];
            for (at, task) in arranged.tasks.iter().enumerate() {
                is_hidden[at] =
                    roots.contains(task.id.as_str()) || arranged.parents[at].is_some_and(|up| is_hidden[up]);
            }
            if is_hidden.contains(&true) {
                let mut shown = Vec::new();
                self.hidden.clear();
                for (task, is_hidden) in arranged.tasks.into_iter().zip(is_hidden) {
                    if is_hidden { self.hidden.push(task) } else { shown.push(task) }
                }
                arranged = arrange(shown);
                (self.tasks, self.parents) = (arranged.tasks, arranged.parents);
                (self.orphans, self.doubles) = (arranged.orphans, arranged.doubles);
                return self.renumber();
            }
        }
        self.hidden.clear();
        (self.tasks, self.parents) = (arranged.tasks, arranged.parents);
        (self.orphans, self.doubles) = (arranged.orphans, arranged.doubles);
        self.renumber();
    }

    /// The same after tasks came, went or changed their `order`.
    pub(super) fn rearrange(&mut self) {
        let mut tasks = std::mem::take(&mut self.tasks);
        tasks.append(&mut self.hidden);
        self.arrange(tasks);
    }

    // `order` and `parent` follow from the document order.
    fn renumber(&mut self) {
        let mut counts = vec![0; self.tasks.len() + 1];
        for at in 0..self.tasks.len() {
            let (before, rest) = self.tasks.split_at_mut(at);
            let (task, parent) = (&mut rest[0], self.parents[at].map(|up| &before[up].id));
            if task.parent.as_ref() != parent {
                task.parent = parent.cloned();
            }
            let count = &mut counts[slot(self.parents[at])];
            task.order = *count;
            *count += 1;
        }
    }

    /// Writes what differs from the records, or from what was saved before.
    pub(super) fn save(&self, space: &Space, draft: &mut Draft<'_>) {
        let was = self.was.as_deref();
        let mut stand = 0;
        for task in self.tasks.iter().chain(&self.hidden) {
            let before = was.and_then(|was| was.tasks.get(&task.id));
            stand += usize::from(before.is_some());
            if before != Some(task) {
                draft.put(Kind::Task.key(space, task.id.as_str()), task.to_value());
            }
        }
        if let Some(was) = was.filter(|was| was.tasks.len() > stand) {
            let all = self.tasks.iter().chain(&self.hidden);
            let left: HashSet<&str> = all.map(|task| task.id.as_str()).collect();
            let mut gone: Vec<&String> = was.tasks.keys().filter(|id| !left.contains(id.as_str())).collect();
            gone.sort_unstable();
            for id in gone {
                draft.delete(Kind::Task.key(space, id.as_str()));
            }
        }
        // What a call has put before is put again: it may have come back to what it was.
        let mut put = |key: RecordKey, is_as_was: bool, value: &dyn Fn() -> Value| {
            if !is_as_was || draft.has(&key) {
                draft.put(key, value());
            }
        };
        let image = |name: &str| Kind::Image.key(space, name);
        if let Some(scenario) = &self.scenario {
            let is_as_was = was.is_some_and(|was| was.scenario.as_ref() == Some(scenario));
            put(Kind::Scenario.only(space), is_as_was, &|| scenario.to_value());
        }
        if let Some(plan) = &self.plan {
            let is_as_was = was.is_some_and(|was| was.plan.as_ref() == Some(plan));
            put(image(PLAN), is_as_was, &|| object([("text", plan.as_str().into())]));
        }
        if self.layout != Layout::default() {
            let is_as_was = was.is_some_and(|was| was.layout == self.layout);
            put(image(TASKS), is_as_was, &|| self.layout.to_value());
        }
        if let Some(object) = &self.json {
            let before = was.and_then(|was| was.json.as_ref());
            let is_as_was = before.is_some_and(|(was, dress)| was == object && *dress == self.json_dress);
            put(image(SCENARIO), is_as_was, &|| {
                let mut record = members([("object", Value::Object(object.clone()))]);
                self.json_dress.write(&mut record);
                Value::Object(record)
            });
        }
        let is_as_was = was.is_some_and(|was| was.pending == self.pending);
        put(Kind::Pending.only(space), is_as_was, &|| self.pending.to_value());
        let was_watched = was.map(|was| &was.watched);
        if !self.watched.is_empty() || was_watched.is_some_and(|was| !was.is_empty()) {
            let is_as_was = was_watched == Some(&self.watched);
            put(Kind::Watched.only(space), is_as_was, &|| self.watched.iter().map(String::as_str).collect());
        }
    }

    /// The place of a listed task.
    pub(super) fn place(&self, id: &str) -> Option<usize> {
        self.tasks.iter().position(|task| task.id == id)
    }

    /// The place of a task's parent.
    pub(super) fn parent(&self, at: usize) -> Option<usize> {
        self.parents[at]
    }

    /// The task's children, in order.
    pub(super) fn children(&self, at: usize) -> Vec<usize> {
        self.descendants(at).filter(|child| self.parents[*child] == Some(at)).collect()
    }

    /// The places of everything beneath a task, in order: they follow it without a gap.
    pub(super) fn descendants(&self, at: usize) -> impl Iterator<Item = usize> + '_ {
        (at + 1..self.tasks.len()).take_while(move |child| self.parents[*child].is_some_and(|up| up >= at))
    }

    /// The graph of the listed tasks.
    pub(super) fn tree(&self) -> TaskTree<'_> {
        let index = self.index();
        let mut last: Vec<Option<usize>> = vec![None; self.tasks.len() + 1];
        let tasks = self.tasks.iter().enumerate().map(|(at, task)| {
            let previous = last[slot(self.parents[at])].replace(at);
            let need = |id: &'_ String| index.find(id).map(Need::Task);
            let needs = match &task.depends_on {
                None => previous.map(Need::Task).into_iter().collect(),
                Some(ids) => distinct(ids.iter().map(|id| need(id).unwrap_or(Need::Unknown(id.as_str())))),
            };
            TreeTask { id: &task.id, parent: self.parents[at], status: task.status, started: task.started, needs }
        });
        TaskTree::new(tasks.collect())
    }

    /// How the hidden tasks stand, in their order.
    pub(super) fn hidden_statuses(&self) -> Vec<Status> {
        let places: HashMap<&str, usize> =
            self.hidden.iter().enumerate().map(|(at, task)| (task.id.as_str(), at)).collect();
        let tasks = self.hidden.iter().map(|task| TreeTask {
            id: &task.id,
            parent: task.parent.as_deref().and_then(|id| places.get(id)).copied(),
            status: task.status,
            started: task.started,
            needs: Vec::new(),
        });
        let tree = TaskTree::new(tasks.collect());
        (0..self.hidden.len()).map(|at| tree.status(at)).collect()
    }

    /// Finds listed tasks by what someone calls them, many times.
    pub(super) fn index(&self) -> Index<'_> {
        Index { tasks: &self.tasks, exact: OnceCell::new(), loose: OnceCell::new() }
    }

    /// Every listed task that a name may mean, as [`Index::all`] answers, for a single name.
    pub(super) fn called(&self, name: &str) -> Vec<usize> {
        if let Some(at) = self.place(name) {
            return vec![at];
        }
        let folded = name.to_lowercase();
        let all = |is_meant: &dyn Fn(&str) -> bool| -> Vec<usize> {
            let tasks = self.tasks.iter().enumerate();
            tasks.filter(|(_, task)| is_meant(&task.id)).map(|(at, _)| at).collect()
        };
        let found = all(&|id| id.to_lowercase() == folded);
        match number(name) {
            Some(number) if found.is_empty() => all(&|id| number_of(id) == number),
            _ => found,
        }
    }

    /// The watched ids as their record has them.
    pub(super) fn watched(records: &dyn Records, space: &Space) -> BTreeSet<String> {
        watched(records, space)
    }

    /// Whether the records know the scenario.
    pub(super) fn is_known(records: &dyn Records, space: &Space) -> bool {
        records.get(&Kind::Pending.only(space)).is_some()
    }
}

fn watched(records: &dyn Records, space: &Space) -> BTreeSet<String> {
    let key: RecordKey = Kind::Watched.only(space);
    let value = records.get(&key);
    let ids = value.as_ref().and_then(Value::as_array).into_iter().flatten();
    ids.filter_map(Value::as_str).map(str::to_owned).collect()
}

// A task's place among counts for all parents, the first of which is that of the top level.
fn slot(parent: Option<usize>) -> usize {
    parent.map_or(0, |up| up + 1)
}

fn taken_object(value: &mut Value) -> Option<Object> {
    match value.get_mut("object").map(Value::take) {
        Some(Value::Object(object)) => Some(object),
        _ => None,
    }
}

/// Tasks by what someone calls them: the id, the id in any case, the number.
pub(super) struct Index<'a> {
    tasks: &'a [Task],
    exact: OnceCell<HashMap<&'a str, usize>>,
    loose: OnceCell<Loose>,
}

#[derive(Default)]
struct Loose {
    folded: HashMap<String, Vec<usize>>,
    numbers: HashMap<Vec<u16>, Vec<usize>>,
}

impl Index<'_> {
    /// The task of that very id.
    pub(super) fn exactly(&self, id: &str) -> Option<usize> {
        let places = || self.tasks.iter().enumerate().map(|(at, task)| (task.id.as_str(), at)).collect();
        self.exact.get_or_init(places).get(id).copied()
    }

    /// The only task that is meant.
    pub(super) fn find(&self, name: &str) -> Option<usize> {
        match self.all(name).as_slice() {
            [only] => Some(*only),
            _ => None,
        }
    }

    /// Every task that may be meant: one by its id, else those by its id in any case, else by number.
    pub(super) fn all(&self, name: &str) -> Vec<usize> {
        if let Some(at) = self.exactly(name) {
            return vec![at];
        }
        let loose = self.loose.get_or_init(|| self.loosely());
        if let Some(all) = loose.folded.get(&name.to_lowercase()) {
            return all.clone();
        }
        number(name).and_then(|number| loose.numbers.get(&number)).cloned().unwrap_or_default()
    }

    fn loosely(&self) -> Loose {
        let mut loose = Loose::default();
        for (at, task) in self.tasks.iter().enumerate() {
            loose.folded.entry(task.id.to_lowercase()).or_default().push(at);
            let number = number_of(&task.id);
            if !number.is_empty() {
                loose.numbers.entry(number).or_default().push(at);
            }
        }
        loose
    }
}
