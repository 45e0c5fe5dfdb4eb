//! Where edges lead back: strongly connected components, found in one walk.

/// The groups of nodes that lead back to themselves.
///
/// `edges[n]` are the nodes that `n` leads to. A group is a strongly connected component of more
/// than one node, or one node with an edge to itself. The walk has no recursion, since a chain may
/// be as long as the list.
///
/// **Order**: the nodes of a group ascend, the groups stand by their first node.
/// **Source**: Tarjan's algorithm.
pub(super) fn cycles(edges: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut walk = Walk {
        edges,
        order: vec![UNSEEN; edges.len()],
        lowest: vec![UNSEEN; edges.len()],
        open: vec![false; edges.len()],
        stack: Vec::new(),
        entered: 0,
        groups: Vec::new(),
    };
    for root in 0..edges.len() {
        walk.visit(root);
    }
    walk.groups.sort_unstable();
    walk.groups
}

const UNSEEN: usize = usize::MAX;

/// The state of the walk.
struct Walk<'a> {
    edges: &'a [Vec<usize>],
    order: Vec<usize>,
    lowest: Vec<usize>,
    open: Vec<bool>,
    stack: Vec<usize>,
    entered: usize,
    groups: Vec<Vec<usize>>,
}

impl Walk<'_> {
    fn visit(&mut self, root: usize) {
        if !self.enter(root) {
            return;
        }
        let mut calls = vec![(root, 0)];
        while let Some((node, next)) = calls.last_mut() {
            let node = *node;
            let Some(child) = self.edges[node].get(*next).copied() else {
                calls.pop();
                self.leave(node);
                if let Some((parent, _)) = calls.last() {
                    self.lowest[*parent] = self.lowest[*parent].min(self.lowest[node]);
                }
                continue;
            };
            *next += 1;
            if self.enter(child) {
                calls.push((child, 0));
            } else if self.open[child] {
                self.lowest[node] = self.lowest[node].min(self.order[child]);
            }
        }
    }

    fn enter(&mut self, node: usize) -> bool {
        if self.order[node] != UNSEEN {
            return false;
        }
        self.order[node] = self.entered;
        self.lowest[node] = self.entered;
        self.entered += 1;
        self.stack.push(node);
        self.open[node] = true;
        true
    }

    fn leave(&mut self, node: usize) {
        if self.lowest[node] != self.order[node] {
            return;
        }
        let start = self.stack.iter().rposition(|other| *other == node).expect("an open node stands on the stack");
        let mut group = self.stack.split_off(start);
        for member in &group {
            self.open[*member] = false;
        }
        if group.len() > 1 || self.edges[node].contains(&node) {
            group.sort_unstable();
            self.groups.push(group);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::cycles;

    #[test]
    fn finds_every_group_once() {
        let edges = [vec![1], vec![2], vec![1, 3], vec![3], vec![0, 5], vec![]];
        assert_eq!(cycles(&edges), [vec![1, 2], vec![3]]);
    }

    #[test]
    fn walks_a_chain_of_any_length() {
        let edges: Vec<Vec<usize>> = (0..200_000).map(|node| vec![(node + 1) % 200_000]).collect();
        assert_eq!(cycles(&edges).len(), 1);
    }
}
