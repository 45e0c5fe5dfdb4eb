//! A scenario as a request thinks about it: its tasks in order, and what stands beside them.

use std::cell::OnceCell;
use std::collections::{BTreeSet, HashMap, HashSet};

use format::task_graph::{Need, TaskTree, TreeTask};
use format::{Draft, Records};
use model::{Object, RecordKey, Space, Value};

use super::arrange::arrange;
use super::dress::Dress;
use super::ids::{TaskId, number};
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
    was: HashMap<String, Task>,
}

impl State {
    /// The scenario as the records have it; `None` where they do not know it.
    pub(super) fn load(records: &dyn Records, space: &Space) -> Option<Self> {
        let pending = Pending::from_value(&records.get(&Kind::Pending.only(space))?);
        let image = |name: &str| records.get(&Kind::Image.key(space, name));
        let tasks = Kind::Task.all(space, records).into_iter();
        let tasks: Vec<Task> = tasks.map(|(id, value)| Task::from_value(id.as_str(), &value)).collect();
        let mut state = Self {
            was: tasks.iter().map(|task| (task.id.clone(), task.clone())).collect(),
            scenario: Scenario::get(records, space),
            plan: image(PLAN).map(|value| text(&value, "text")),
            layout: image(TASKS).map(|value| Layout::from_value(&value)).unwrap_or_default(),
            json: image(SCENARIO).and_then(|value| value.get("object")?.as_object().cloned()),
            json_dress: image(SCENARIO).map(|value| Dress::read(&value)).unwrap_or_default(),
            drift: records.get(&Kind::Drift.only(space)).map(|value| Drift::from_value(&value)).unwrap_or_default(),
            watched: watched(records, space),
            pending,
            ..Self::default()
        };
        state.arrange(tasks);
        Some(state)
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
        let mut counts: HashMap<Option<usize>, usize> = HashMap::new();
        for at in 0..self.tasks.len() {
            let parent = self.parents[at].map(|up| self.tasks[up].id.clone());
            let count = counts.entry(self.parents[at]).or_default();
            let task = &mut self.tasks[at];
            (task.order, task.parent) = (*count, parent);
            *count += 1;
        }
    }

    /// Writes what differs from the records.
    pub(super) fn save(&self, space: &Space, draft: &mut Draft<'_>) {
        let mut left: HashSet<&str> = self.was.keys().map(String::as_str).collect();
        for task in self.tasks.iter().chain(&self.hidden) {
            left.remove(task.id.as_str());
            if self.was.get(&task.id) != Some(task) {
                draft.put(Kind::Task.key(space, task.id.as_str()), task.to_value());
            }
        }
        let mut left: Vec<&str> = left.into_iter().collect();
        left.sort_unstable();
        for id in left {
            draft.delete(Kind::Task.key(space, id));
        }
        if let Some(scenario) = &self.scenario {
            draft.put(Kind::Scenario.only(space), scenario.to_value());
        }
        let mut image = |name: &str, value: Value| draft.put(Kind::Image.key(space, name), value);
        if let Some(plan) = &self.plan {
            image(PLAN, object([("text", plan.as_str().into())]));
        }
        if self.layout != Layout::default() {
            image(TASKS, self.layout.to_value());
        }
        if let Some(object) = &self.json {
            let mut record = members([("object", Value::Object(object.clone()))]);
            self.json_dress.write(&mut record);
            image(SCENARIO, Value::Object(record));
        }
        draft.put(Kind::Pending.only(space), self.pending.to_value());
        if !self.watched.is_empty() || draft.get(&Kind::Watched.only(space)).is_some() {
            draft.put(Kind::Watched.only(space), self.watched.iter().map(String::as_str).collect());
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
        let index = Index::new(&self.tasks);
        let mut last: HashMap<Option<usize>, usize> = HashMap::new();
        let tasks = self.tasks.iter().enumerate().map(|(at, task)| {
            let previous = last.insert(self.parents[at], at);
            let needs = match &task.depends_on {
                None => previous.map(Need::Task).into_iter().collect(),
                Some(ids) => {
                    ids.iter().map(|id| index.find(id).map_or(Need::Unknown(id.as_str()), Need::Task)).collect()
                }
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

    /// Finds listed tasks by what someone calls them.
    pub(super) fn index(&self) -> Index<'_> {
        Index::new(&self.tasks)
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

/// Tasks by what someone calls them: the id, the id in any case, the number.
pub(super) struct Index<'a> {
    tasks: &'a [Task],
    exact: HashMap<&'a str, usize>,
    loose: OnceCell<Loose>,
}

#[derive(Default)]
struct Loose {
    folded: HashMap<String, Vec<usize>>,
    numbers: HashMap<Vec<u16>, Vec<usize>>,
}

impl<'a> Index<'a> {
    fn new(tasks: &'a [Task]) -> Self {
        let exact = tasks.iter().enumerate().map(|(at, task)| (task.id.as_str(), at)).collect();
        Self { tasks, exact, loose: OnceCell::new() }
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
        if let Some(at) = self.exact.get(name) {
            return vec![*at];
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
            if let Ok(id) = TaskId::parse(&task.id)
                && !id.number.is_empty()
            {
                loose.numbers.entry(id.number).or_default().push(at);
            }
        }
        loose
    }
}
