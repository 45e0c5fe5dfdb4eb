//! Which task stands beneath which, from the numbers of their ids.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::ids::number_of;
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
    let numbers: Vec<Vec<u16>> = tasks.iter().map(|task| number_of(&task.id)).collect();
    let mut sorted: Vec<usize> = (0..tasks.len()).collect();
    sorted.sort_by_key(|at| (numbers[*at].len(), tasks[*at].order));
    let (mut is_orphan, mut is_double) = (vec![false; tasks.len()], vec![false; tasks.len()]);
    let mut by_number: HashMap<&[u16], Numbered> = HashMap::with_capacity(tasks.len());
    for at in sorted.iter().copied().filter(|at| !numbers[*at].is_empty()) {
        let of_number = by_number.entry(&numbers[at]);
        is_double[at] = matches!(of_number, Entry::Occupied(_));
        of_number.and_modify(|all| all.others.push(at)).or_insert(Numbered { first: at, others: Vec::new() });
    }
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); tasks.len()];
    let mut roots = Vec::new();
    for at in sorted {
        let (number, own) = (&numbers[at], tasks[at].parent.as_deref());
        let known = |prefix: &[u16]| {
            let all = by_number.get(prefix)?;
            let stays = all.others.iter().find(|at| own == Some(tasks[**at].id.as_str()));
            Some(stays.copied().unwrap_or(all.first))
        };
        let parent = (1..number.len()).rev().find_map(|length| Some((length, known(&number[..length])?)));
        is_orphan[at] = number.len() > 1 && parent.is_none_or(|(length, _)| length + 1 < number.len());
        match parent {
            Some((_, parent)) => children[parent].push(at),
            None => roots.push(at),
        }
    }
    for siblings in children.iter_mut().chain([&mut roots]) {
        siblings.sort_by_key(|at| tasks[*at].order);
    }
    let mut order = Vec::with_capacity(tasks.len());
    let mut stack: Vec<(usize, Option<usize>)> = roots.iter().rev().map(|at| (*at, None)).collect();
    while let Some((at, parent)) = stack.pop() {
        stack.extend(children[at].iter().rev().map(|child| (*child, Some(order.len()))));
        order.push((at, parent));
    }
    let mut arranged = Arranged { tasks: Vec::with_capacity(order.len()), ..Arranged::default() };
    for (at, parent) in order {
        // Every task stands once in the order.
        let task = std::mem::take(&mut tasks[at]);
        if is_orphan[at] {
            arranged.orphans.push(task.id.clone());
        }
        if is_double[at] {
            arranged.doubles.push(task.id.clone());
        }
        arranged.tasks.push(task);
        arranged.parents.push(parent);
    }
    arranged
}

/// The tasks of one number; most numbers have one.
struct Numbered {
    first: usize,
    others: Vec<usize>,
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
