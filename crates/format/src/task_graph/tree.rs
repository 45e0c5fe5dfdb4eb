//! Tasks with subtasks: parents that have their children's status, and what they wait for.

use std::collections::HashSet;

use super::{Progress, cycles::cycles};

/// How a task stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Status {
    /// Nobody has begun.
    #[default]
    Pending,
    /// Someone is on it.
    InProgress,
    /// It is done.
    Completed,
    /// It was tried and did not succeed.
    Failed,
    /// It is held by hand.
    Blocked,
    /// It will not be done and holds nobody up.
    Skipped,
}

impl Status {
    /// Whether others that wait for it may begin.
    pub fn is_met(self) -> bool {
        matches!(self, Self::Completed | Self::Skipped)
    }
}

/// Something that a task waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Need<'a> {
    /// A task of the tree, by its place.
    Task(usize),
    /// An id that no task has; it is never met.
    Unknown(&'a str),
}

/// One task, as far as the tree knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeTask<'a> {
    /// Its id.
    pub id: &'a str,
    /// The place of its parent, which stands before it.
    pub parent: Option<usize>,
    /// Its own status; a parent's counts for nothing.
    pub status: Status,
    /// Whether work on it ever began, which a parent remembers.
    pub started: bool,
    /// What it waits for itself, each once.
    pub needs: Vec<Need<'a>>,
}

/// Tasks in document order, with what follows from their order and their children.
#[derive(Debug)]
pub struct TaskTree<'a> {
    tasks: Vec<TreeTask<'a>>,
    children: Vec<Vec<usize>>,
    statuses: Vec<Status>,
    /// What each waits for, with what its ancestors wait for.
    waits: Vec<Waits>,
}

/// Whether a task waits for anything.
#[derive(Clone, Copy, Debug, Default)]
struct Waits {
    /// It does so itself.
    own: bool,
    /// It does, or an ancestor.
    any: bool,
    /// Something of that has failed.
    failed: bool,
}

impl<'a> TaskTree<'a> {
    /// Derives the status of every parent. A parent stands before its children.
    pub fn new(tasks: Vec<TreeTask<'a>>) -> Self {
        let mut children = vec![Vec::new(); tasks.len()];
        for (at, task) in tasks.iter().enumerate() {
            if let Some(parent) = task.parent.filter(|parent| *parent < at) {
                children[parent].push(at);
            }
        }
        let mut statuses: Vec<Status> = tasks.iter().map(|task| task.status).collect();
        for at in (0..tasks.len()).rev() {
            if !children[at].is_empty() {
                statuses[at] = derived(tasks[at].started, children[at].iter().map(|child| statuses[*child]));
            }
        }
        let mut waits: Vec<Waits> = Vec::with_capacity(tasks.len());
        for (at, task) in tasks.iter().enumerate() {
            let up = task.parent.filter(|parent| *parent < at).map(|parent| waits[parent]).unwrap_or_default();
            let mut own = Waits { own: false, ..up };
            for need in &task.needs {
                let status = if let Need::Task(other) = need { statuses[*other] } else { Status::Pending };
                own.own |= !status.is_met();
                own.failed |= status == Status::Failed;
            }
            own.any |= own.own;
            waits.push(own);
        }
        Self { tasks, children, statuses, waits }
    }

    /// How the task at a place stands; for a parent, what its children make of it.
    pub fn status(&self, at: usize) -> Status {
        self.statuses[at]
    }

    /// The places of its children, in order.
    pub fn children(&self, at: usize) -> &[usize] {
        &self.children[at]
    }

    /// Whether it has no children.
    pub fn is_leaf(&self, at: usize) -> bool {
        self.children[at].is_empty()
    }

    /// The places of all leaves, in order.
    pub fn leaves(&self) -> impl Iterator<Item = usize> {
        (0..self.tasks.len()).filter(|at| self.is_leaf(*at))
    }

    /// Whether the task, or one that it stands beneath, waits for anything.
    pub fn waits(&self, at: usize) -> bool {
        self.waits[at].any
    }

    /// Whether anything that the task waits for has failed.
    pub fn waits_for_failed(&self, at: usize) -> bool {
        self.waits[at].failed
    }

    /// The first `most` ids that the task waits for, each once.
    ///
    /// A list that a parent has is every child's too, so that all of them together may grow as the square of
    /// what is written down. **Order**: what ancestors wait for first, outermost first.
    pub fn unmet(&self, at: usize, most: usize) -> Vec<&'a str> {
        if !self.waits(at) {
            return Vec::new();
        }
        let mut line = vec![at];
        while let Some(parent) = self.tasks[line[line.len() - 1]].parent {
            line.push(parent);
        }
        line.retain(|at| self.waits[*at].own);
        let mut seen = HashSet::new();
        let all = line.into_iter().rev().flat_map(|at| self.own_unmet(at));
        all.filter(|id| seen.insert(*id)).take(most).collect()
    }

    fn own_unmet(&self, at: usize) -> impl Iterator<Item = &'a str> {
        self.tasks[at].needs.iter().filter_map(|need| match need {
            Need::Task(other) => (!self.statuses[*other].is_met()).then_some(self.tasks[*other].id),
            Need::Unknown(id) => Some(*id),
        })
    }

    /// The leaves that wait for nothing and nobody has begun.
    pub fn available(&self) -> Vec<usize> {
        let is_free = |at: &usize| self.statuses[*at] == Status::Pending && !self.waits(*at);
        self.leaves().filter(is_free).collect()
    }

    /// How many leaves are completed, of all.
    pub fn progress(&self) -> Progress {
        let mut progress = Progress::default();
        for leaf in self.leaves() {
            progress.total += 1;
            progress.done += usize::from(self.statuses[leaf] == Status::Completed);
        }
        progress
    }

    /// The groups of tasks that wait for each other and so for ever, through parents and children too.
    ///
    /// **Order**: places ascend within a group.
    pub fn deadlocks(&self) -> Vec<Vec<usize>> {
        let count = self.tasks.len();
        // Node `at` is the task's beginning, node `count + at` its end.
        let mut edges = vec![Vec::new(); 2 * count];
        for (at, task) in self.tasks.iter().enumerate() {
            let open = |other: &usize| !self.statuses[*other].is_met();
            let needs = task.needs.iter().filter_map(|need| match need {
                Need::Task(other) => Some(*other).filter(open),
                Need::Unknown(_) => None,
            });
            edges[at] = needs.map(|other| count + other).chain(task.parent).collect();
            edges[count + at] = if self.is_leaf(at) {
                if self.statuses[at] == Status::Pending { vec![at] } else { Vec::new() }
            } else {
                self.children[at].iter().copied().filter(open).map(|child| count + child).collect()
            };
        }
        let groups = cycles(&edges).into_iter().map(|group| {
            let mut tasks: Vec<usize> = group.into_iter().map(|node| node % count).collect();
            tasks.sort_unstable();
            tasks.dedup();
            tasks
        });
        groups.collect()
    }
}

// The first that fits. **Source**: the rule that parents are never set, only derived.
fn derived(started: bool, children: impl Iterator<Item = Status>) -> Status {
    let (mut all_met, mut any) = (true, [false; 6]);
    for status in children {
        all_met &= status.is_met();
        any[status as usize] = true;
    }
    let has = |status: Status| any[status as usize];
    if all_met {
        Status::Completed
    } else if has(Status::InProgress) {
        Status::InProgress
    } else if has(Status::Failed) {
        Status::Failed
    } else if has(Status::Completed) || has(Status::Skipped) || started {
        Status::InProgress
    } else if has(Status::Blocked) {
        Status::Blocked
    } else {
        Status::Pending
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn task(id: &'static str, parent: Option<usize>, status: Status, needs: Vec<Need<'static>>) -> TreeTask<'static> {
        TreeTask { id, parent, status, started: false, needs }
    }

    #[test]
    fn parents_are_what_their_children_make_of_them() {
        use Status::{Blocked, Completed, Failed, InProgress, Pending, Skipped};
        for (started, children, expected) in [
            (false, vec![Completed, Skipped], Completed),
            (false, vec![Failed, InProgress], InProgress),
            (true, vec![Completed, Failed, Pending], Failed),
            (false, vec![Skipped, Pending], InProgress),
            (true, vec![Pending, Blocked], InProgress),
            (false, vec![Pending, Blocked], Blocked),
            (false, vec![Pending], Pending),
        ] {
            assert_eq!(derived(started, children.iter().copied()), expected, "{started} {children:?}");
        }
    }

    #[test]
    fn children_wait_for_what_their_parent_waits_for() {
        use Status::{Completed, Pending};
        let tree = TaskTree::new(vec![
            task("01", None, Pending, vec![]),
            task("02", None, Pending, vec![Need::Task(0), Need::Unknown("99")]),
            task("02.01", Some(1), Pending, vec![Need::Task(4)]),
            task("02.02", Some(1), Completed, vec![]),
            task("03", None, Pending, vec![]),
        ]);
        assert_eq!(tree.unmet(2, 9), ["01", "99", "03"]);
        assert_eq!(tree.unmet(2, 2), ["01", "99"]);
        assert_eq!((0..5).map(|at| tree.waits(at)).collect::<Vec<_>>(), [false, true, true, true, false]);
        assert_eq!(tree.available(), [0, 4]);
        assert_eq!(tree.progress(), Progress { done: 1, total: 4 });
        assert_eq!(tree.leaves().collect::<Vec<_>>(), [0, 2, 3, 4]);
    }

    #[test]
    fn children_know_of_what_failed_above_them() {
        use Status::{Completed, Failed, Pending};
        let tree = TaskTree::new(vec![
            task("01", None, Failed, vec![]),
            task("02", None, Pending, vec![Need::Task(0)]),
            task("02.01", Some(1), Pending, vec![Need::Task(3)]),
            task("03", None, Completed, vec![Need::Unknown("9")]),
        ]);
        assert_eq!([1, 2, 3].map(|at| tree.waits_for_failed(at)), [true, true, false]);
        assert_eq!(tree.unmet(2, 9), ["01"]);
    }

    #[test]
    fn deadlocks_go_through_parents_and_children() {
        use Status::{Completed, Pending};
        let tree = TaskTree::new(vec![
            task("a", None, Pending, vec![Need::Task(2)]),
            task("p", None, Pending, vec![]),
            task("c", Some(1), Pending, vec![Need::Task(1)]),
            task("self", None, Pending, vec![Need::Task(3)]),
            task("done", None, Completed, vec![Need::Task(5)]),
            task("after", None, Pending, vec![Need::Task(4)]),
        ]);
        assert_eq!(tree.deadlocks(), [vec![1, 2], vec![3]]);
    }
}
