//! Which task stands beneath which, from the numbers of their ids.

use std::collections::{HashMap, HashSet};

use super::ids::TaskId;
use super::records::Task;

/// Tasks in document order.
#[derive(Clone, Debug, Default)]
pub(super) struct Arranged {
    pub(super) tasks: Vec<Task>,
    /// The place of each task's parent, which stands before it.
    pub(super) parents: Vec<Option<usize>>,
    /// Ids of subtasks whose own parent is missing.
    pub(super) orphans: Vec<String>,
    /// Ids whose number another task before them has.
    pub(super) doubles: Vec<String>,
}

/// Brings tasks into document order: by number for what stands beneath what, by `order` among siblings.
///
/// Of several tasks with one number the first has the children, but a child that is known to stand
/// beneath another of them stays there.
pub(super) fn arrange(mut tasks: Vec<Task>) -> Arranged {
    let number = |task: &Task| TaskId::parse(&task.id).map(|id| id.number).unwrap_or_default();
    let mut keyed: Vec<(Vec<u16>, Task)> = tasks.drain(..).map(|task| (number(&task), task)).collect();
    keyed.sort_by(|(a, one), (b, other)| a.len().cmp(&b.len()).then(one.order.cmp(&other.order)));
    let mut by_number: HashMap<&[u16], Vec<usize>> = HashMap::with_capacity(keyed.len());
    for (at, (number, _)) in keyed.iter().enumerate().filter(|(_, (number, _))| !number.is_empty()) {
        by_number.entry(number).or_default().push(at);
    }
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); keyed.len()];
    let mut roots = Vec::new();
    let (mut orphans, mut doubles) = (HashSet::new(), HashSet::new());
    for (at, (number, task)) in keyed.iter().enumerate() {
        let known = |prefix: &[u16]| {
            let all = by_number.get(prefix)?;
            let stays = all.iter().find(|at| task.parent.as_deref() == Some(keyed[**at].1.id.as_str()));
            stays.or(all.first()).copied()
        };
        let parent = (1..number.len()).rev().find_map(|length| Some((length, known(&number[..length])?)));
        if number.len() > 1 && parent.is_none_or(|(length, _)| length + 1 < number.len()) {
            orphans.insert(at);
        }
        if by_number.get(number.as_slice()).is_some_and(|all| all[0] != at) {
            doubles.insert(at);
        }
        match parent {
            Some((_, parent)) => children[parent].push(at),
            None => roots.push(at),
        }
    }
    for siblings in children.iter_mut().chain([&mut roots]) {
        siblings.sort_by_key(|at| keyed[*at].1.order);
    }
    let mut order = Vec::with_capacity(keyed.len());
    let mut stack: Vec<(usize, Option<usize>)> = roots.iter().rev().map(|at| (*at, None)).collect();
    while let Some((at, parent)) = stack.pop() {
        stack.extend(children[at].iter().rev().map(|child| (*child, Some(order.len()))));
        order.push((at, parent));
    }
    drop(by_number);
    let mut taken: Vec<Option<Task>> = keyed.into_iter().map(|(_, task)| Some(task)).collect();
    let mut arranged = Arranged::default();
    for (at, parent) in order {
        let task = taken[at].take().expect("every task stands once in the order");
        if orphans.contains(&at) {
            arranged.orphans.push(task.id.clone());
        }
        if doubles.contains(&at) {
            arranged.doubles.push(task.id.clone());
        }
        arranged.tasks.push(task);
        arranged.parents.push(parent);
    }
    arranged
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::upgrade::records::Source;

    fn check(ids: &[(&str, usize)], expected: &[(&str, Option<&str>)], orphans: &[&str], doubles: &[&str]) {
        let task = |(id, order): &(&str, usize)| Task { order: *order, ..Task::new(id, "", Source::Plan) };
        let arranged = arrange(ids.iter().map(task).collect());
        let id = |at: usize| arranged.tasks[at].id.as_str();
        let found: Vec<_> = arranged.parents.iter().enumerate().map(|(at, up)| (id(at), up.map(id))).collect();
        assert_eq!(found, expected);
        assert_eq!(
            (arranged.orphans, arranged.doubles),
            (orphans.iter().map(|id| (*id).to_owned()).collect(), doubles.iter().map(|id| (*id).to_owned()).collect())
        );
    }

    #[test]
    fn numbers_decide() {
        check(
            &[("02.01-x", 0), ("01-a", 1), ("02-b", 0), ("02.01.01-y", 0), ("TASK-1", 2)],
            &[
                ("02-b", None),
                ("02.01-x", Some("02-b")),
                ("02.01.01-y", Some("02.01-x")),
                ("01-a", None),
                ("TASK-1", None),
            ],
            &[],
            &[],
        );
        check(
            &[("01-a", 0), ("01-b", 1), ("01.02.03-x", 0), ("09.01-y", 5)],
            &[("01-a", None), ("01.02.03-x", Some("01-a")), ("01-b", None), ("09.01-y", None)],
            &["01.02.03-x", "09.01-y"],
            &["01-b"],
        );
    }
}
