//! Tasks that depend on each other: what is ready, what is blocked, where a cycle closes.
//!
//! [`TaskGraph`] knows flat tasks by id; [`TaskTree`] knows tasks with subtasks, whose parents have
//! the status that their children give them.

mod cycles;
mod tree;

use std::collections::{HashMap, VecDeque};

pub use tree::{Need, Status, TaskTree, TreeTask};

/// One task, as far as the graph knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// Its id.
    pub id: String,
    /// Whether it is finished.
    pub done: bool,
    /// The ids that it waits for.
    pub depends: Vec<String>,
}

/// How many tasks are finished.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// The finished ones.
    pub done: usize,
    /// All.
    pub total: usize,
}

/// Tasks by id.
#[derive(Debug)]
pub struct TaskGraph<'a> {
    nodes: &'a [Node],
    by_id: HashMap<&'a str, usize>,
}

impl<'a> TaskGraph<'a> {
    /// Indexes `nodes`; where an id stands twice, the first counts.
    pub fn new(nodes: &'a [Node]) -> Self {
        let mut by_id = HashMap::with_capacity(nodes.len());
        for (at, node) in nodes.iter().enumerate() {
            by_id.entry(node.id.as_str()).or_insert(at);
        }
        Self { nodes, by_id }
    }

    /// The dependencies of `node` that are not finished; an unknown one is not.
    ///
    /// **Order**: as the node lists them.
    pub fn unmet(&self, node: &'a Node) -> Vec<&'a str> {
        let open = |id: &&str| self.by_id.get(id).is_none_or(|at| !self.nodes[*at].done);
        node.depends.iter().map(String::as_str).filter(open).collect()
    }

    /// The unfinished tasks whose dependencies are all finished, in the order of the nodes.
    pub fn ready(&self) -> Vec<&'a Node> {
        self.nodes.iter().filter(|node| !node.done && self.unmet(node).is_empty()).collect()
    }

    /// The unfinished tasks that wait for others, with what they wait for, in the order of the nodes.
    pub fn blocked(&self) -> Vec<(&'a Node, Vec<&'a str>)> {
        let waiting = self.nodes.iter().filter(|node| !node.done).map(|node| (node, self.unmet(node)));
        waiting.filter(|(_, unmet)| !unmet.is_empty()).collect()
    }

    /// How many tasks are finished.
    pub fn progress(&self) -> Progress {
        Progress { done: self.nodes.iter().filter(|node| node.done).count(), total: self.nodes.len() }
    }

    /// The tasks that stand on a cycle, in the order of the nodes.
    ///
    /// They are the members of strongly connected components of more than one task, and the tasks
    /// that depend on themselves. Where an id stands twice, the first counts.
    pub fn on_cycles(&self) -> Vec<&'a Node> {
        let place = |id: &String| self.by_id.get(id.as_str()).copied();
        let is_first = |at: usize| self.by_id.get(self.nodes[at].id.as_str()) == Some(&at);
        let edges: Vec<Vec<usize>> =
            self.nodes.iter().map(|node| node.depends.iter().filter_map(place).collect()).collect();
        let mut members: Vec<usize> = cycles::cycles(&edges).into_iter().flatten().filter(|at| is_first(*at)).collect();
        members.sort_unstable();
        members.into_iter().map(|at| &self.nodes[at]).collect()
    }
}

/// A shortest way from `id` over `depends` back to `id`, if there is one.
///
/// `lookup` gives the dependencies of other tasks, and `None` for unknown ones; it is asked at most
/// once for each. **Shape**: `["T5","T4","T5"]`.
pub fn cycle_through(
    id: &str,
    depends: &[String],
    mut lookup: impl FnMut(&str) -> Option<Vec<String>>,
) -> Option<Vec<String>> {
    let mut came_from: HashMap<String, String> = HashMap::new();
    let mut queue = VecDeque::from([(id.to_owned(), depends.to_vec())]);
    while let Some((from, children)) = queue.pop_front() {
        for child in children {
            if child == id {
                return Some(walk_back(id, from, &came_from));
            }
            if came_from.contains_key(&child) {
                continue;
            }
            came_from.insert(child.clone(), from.clone());
            if let Some(next) = lookup(&child) {
                queue.push_back((child, next));
            }
        }
    }
    None
}

fn walk_back(id: &str, last: String, came_from: &HashMap<String, String>) -> Vec<String> {
    let mut path = vec![id.to_owned()];
    let mut at = last;
    while at != id {
        let before = came_from.get(&at).expect("every task on the way was reached from another").clone();
        path.push(at);
        at = before;
    }
    path.push(id.to_owned());
    path.reverse();
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nodes(all: &[(&str, bool, &[&str])]) -> Vec<Node> {
        let node = |(id, done, depends): &(&str, bool, &[&str])| Node {
            id: (*id).to_owned(),
            done: *done,
            depends: depends.iter().map(|id| (*id).to_owned()).collect(),
        };
        all.iter().map(node).collect()
    }

    fn ids<'a>(nodes: &[&'a Node]) -> Vec<&'a str> {
        nodes.iter().map(|node| node.id.as_str()).collect()
    }

    #[test]
    fn tells_ready_from_blocked() {
        let all =
            nodes(&[("a", true, &[]), ("b", false, &["a"]), ("c", false, &["b", "a"]), ("d", false, &["nowhere"])]);
        let graph = TaskGraph::new(&all);
        assert_eq!(ids(&graph.ready()), ["b"]);
        let blocked: Vec<_> = graph.blocked().into_iter().map(|(node, by)| (node.id.as_str(), by)).collect();
        assert_eq!(blocked, [("c", vec!["b"]), ("d", vec!["nowhere"])]);
        assert_eq!(graph.progress(), Progress { done: 1, total: 4 });
    }

    #[test]
    fn finds_what_stands_on_a_cycle_and_nothing_beside_it() {
        let all = nodes(&[
            ("before", false, &["a"]),
            ("a", false, &["b"]),
            ("b", false, &["a", "between"]),
            ("between", false, &["x"]),
            ("x", false, &["x", "after"]),
            ("after", false, &[]),
        ]);
        assert_eq!(ids(&TaskGraph::new(&all).on_cycles()), ["a", "b", "x"]);
    }

    #[test]
    fn walks_the_shortest_way_back() {
        let all =
            nodes(&[("a", false, &["b", "d"]), ("b", false, &["c"]), ("c", false, &["d"]), ("d", false, &["new"])]);
        let lookup = |id: &str| all.iter().find(|node| node.id == id).map(|node| node.depends.clone());
        let path = cycle_through("new", &["a".to_owned()], lookup);
        assert_eq!(path.unwrap(), ["new", "a", "d", "new"]);
        assert_eq!(cycle_through("s", &["s".to_owned()], lookup).unwrap(), ["s", "s"]);
        assert_eq!(cycle_through("y", &["a".to_owned()], lookup), None);
    }
}
