//! Tasks that depend on each other: what is ready, what is blocked, where a cycle closes.

use std::collections::{HashMap, HashSet, VecDeque};

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
    by_id: HashMap<&'a str, &'a Node>,
}

impl<'a> TaskGraph<'a> {
    /// Indexes `nodes`; where an id stands twice, the first counts.
    pub fn new(nodes: &'a [Node]) -> Self {
        let mut by_id = HashMap::with_capacity(nodes.len());
        for node in nodes {
            by_id.entry(node.id.as_str()).or_insert(node);
        }
        Self { nodes, by_id }
    }

    /// The dependencies of `node` that are not finished; an unknown one is not.
    ///
    /// **Order**: as the node lists them.
    pub fn unmet(&self, node: &'a Node) -> Vec<&'a str> {
        let open = |id: &&str| self.by_id.get(id).is_none_or(|other| !other.done);
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
    /// that depend on themselves; one walk over the edges finds them (Tarjan).
    pub fn on_cycles(&self) -> Vec<&'a Node> {
        let mut walk = Walk::default();
        for node in self.nodes {
            self.visit(node, &mut walk);
        }
        let mut listed = HashSet::new();
        let member = |node: &&'a Node| walk.cyclic.contains(node.id.as_str()) && listed.insert(node.id.as_str());
        self.nodes.iter().filter(member).collect()
    }

    /// Walks from `root` without recursion, since a chain may be as long as the backlog.
    fn visit(&self, root: &'a Node, walk: &mut Walk<'a>) {
        if !walk.enter(&root.id) {
            return;
        }
        let mut calls = vec![(root, root.depends.iter())];
        while let Some((node, rest)) = calls.last_mut() {
            let node = *node;
            let Some(child) = rest.next() else {
                calls.pop();
                walk.leave(node);
                if let Some((parent, _)) = calls.last() {
                    walk.reach(&parent.id, walk.lowest[node.id.as_str()]);
                }
                continue;
            };
            let Some(child) = self.by_id.get(child.as_str()).copied() else { continue };
            if walk.enter(&child.id) {
                calls.push((child, child.depends.iter()));
            } else if walk.open.contains(child.id.as_str()) {
                walk.reach(&node.id, walk.order[child.id.as_str()]);
            }
        }
    }
}

/// The state of Tarjan's walk.
#[derive(Default)]
struct Walk<'a> {
    order: HashMap<&'a str, usize>,
    lowest: HashMap<&'a str, usize>,
    stack: Vec<&'a str>,
    open: HashSet<&'a str>,
    cyclic: HashSet<&'a str>,
}

impl<'a> Walk<'a> {
    fn enter(&mut self, id: &'a str) -> bool {
        if self.order.contains_key(id) {
            return false;
        }
        let number = self.order.len();
        self.order.insert(id, number);
        self.lowest.insert(id, number);
        self.stack.push(id);
        self.open.insert(id)
    }

    fn reach(&mut self, id: &'a str, number: usize) {
        let lowest = self.lowest.get_mut(id).expect("a task is entered before it reaches others");
        *lowest = number.min(*lowest);
    }

    fn leave(&mut self, node: &'a Node) {
        let id = node.id.as_str();
        if self.lowest[id] != self.order[id] {
            return;
        }
        let start = self.stack.iter().rposition(|other| *other == id).expect("an open task stands on the stack");
        let component = self.stack.split_off(start);
        let is_cyclic = component.len() > 1 || node.depends.iter().any(|other| other == id);
        for member in component {
            self.open.remove(member);
            if is_cyclic {
                self.cyclic.insert(member);
            }
        }
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
