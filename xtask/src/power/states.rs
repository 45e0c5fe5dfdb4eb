//! What a power failure at one moment may leave of what was not safe.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use super::disk::{Disk, Model, Node, Op, Tree};

/// A choice among the pending ops: which survive, and how one of them was cut.
#[derive(Clone, Debug)]
pub(super) struct Loss {
    kept: Vec<bool>,
    cut: Option<(usize, Cut)>,
}

/// A write that survives in part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cut {
    /// Its first half.
    Half,
    /// Its length alone: the file grew, and reads as zeros there.
    Zeros,
}

/// How thorough the choices are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Moment {
    /// Something is about to be made safe, to be named or to be told: everything that may be lost is tried.
    Barrier,
    /// One more write among others: what survives is a beginning of what was done, or one thing alone.
    Between,
}

/// So many pending ops are lost or kept one by one; of more, which only a program that syncs too little has, a part.
const MOST: usize = 96;

/// All choices of the moment that are legal under the disk's model.
pub(super) fn losses(disk: &Disk, moment: Moment) -> Vec<Loss> {
    let count = disk.pending.len();
    let pick = |keep: &dyn Fn(usize, &Op) -> bool| -> Vec<bool> {
        disk.pending.iter().enumerate().map(|(place, op)| keep(place, op)).collect()
    };
    let mut choices = vec![vec![true; count], vec![false; count]];
    let every = count.div_ceil(MOST).max(1);
    for chosen in (0..count).filter(|place| place % every == 0 || place + 1 == count) {
        choices.push(pick(&|place, _| place < chosen));
        choices.push(pick(&|place, _| place == chosen));
        if moment == Moment::Barrier {
            choices.push(pick(&|place, _| place != chosen));
        }
    }
    if moment == Moment::Barrier {
        // Names without data, as where space is given to files late; and the other way round.
        choices.push(pick(&|_, op| op.is_name()));
        choices.push(pick(&|_, op| !op.is_name()));
        let files: BTreeSet<usize> = disk.pending.iter().filter_map(file_of).collect();
        for file in files {
            choices.push(pick(&|_, op| file_of(op) != Some(file)));
            choices.push(pick(&|_, op| op.is_name() || file_of(op) == Some(file)));
        }
    }
    choices.retain(|kept| disk.model() == Model::Strict || names_in_order(disk, kept));
    let mut losses: Vec<Loss> = choices.into_iter().map(|kept| Loss { kept, cut: None }).collect();
    let writes = (0..count).filter(|place| matches!(disk.pending[*place], Op::Write { .. }) && place % every == 0);
    for place in writes {
        let last = moment == Moment::Barrier || place + 1 == count;
        let cuts = [Cut::Half, Cut::Zeros].into_iter().filter(|_| last);
        losses.extend(cuts.map(|cut| Loss { kept: vec![true; count], cut: Some((place, cut)) }));
    }
    losses
}

fn file_of(op: &Op) -> Option<usize> {
    match op {
        Op::Write { file, .. } | Op::Length { file, .. } => Some(*file),
        _ => None,
    }
}

// A name survives only where all names before it do.
fn names_in_order(disk: &Disk, kept: &[bool]) -> bool {
    let names = disk.pending.iter().zip(kept).filter(|(op, _)| op.is_name());
    names.map(|(_, kept)| *kept).collect::<Vec<_>>().windows(2).all(|pair| pair[0] || !pair[1])
}

impl Loss {
    /// What stands on the disk when power is back.
    pub(super) fn tree(&self, disk: &Disk) -> Tree {
        let mut tree = disk.safe.clone();
        for (place, op) in disk.pending.iter().enumerate().filter(|(place, _)| self.kept[*place]) {
            match (op, self.cut.filter(|(cut, _)| *cut == place)) {
                (Op::Write { file, at, bytes }, Some((_, Cut::Half))) => {
                    let half = bytes[..bytes.len() / 2].into();
                    tree.apply(&Op::Write { file: *file, at: *at, bytes: half });
                }
                (Op::Write { file, at, bytes }, Some((_, Cut::Zeros))) => {
                    let end = at + bytes.len();
                    match tree.node(*file) {
                        Node::File(held) if held.len() < end => tree.apply(&Op::Length { file: *file, length: end }),
                        // Bytes that were there before are still there.
                        _ => {}
                    }
                }
                _ => tree.apply(op),
            }
        }
        tree
    }

    /// Words for a report: how many ops were lost, and the first of them.
    pub(super) fn shown(&self, disk: &Disk) -> String {
        let lost: Vec<&Op> =
            disk.pending.iter().zip(&self.kept).filter(|(_, kept)| !**kept).map(|(op, _)| op).collect();
        let first: Vec<String> = lost.iter().take(3).map(|op| brief(op)).collect();
        let cut =
            self.cut.map_or_else(String::new, |(place, cut)| format!(", {cut:?} of {}", brief(&disk.pending[place])));
        format!("{} of {} lost: [{}]{cut}", lost.len(), self.kept.len(), first.join("; "))
    }
}

fn brief(op: &Op) -> String {
    match op {
        Op::Write { file, at, bytes } => format!("{} bytes at {at} of file {file}", bytes.len()),
        Op::Length { file, length } => format!("length {length} of file {file}"),
        Op::Name { name, .. } => format!("name {name}"),
        Op::NoName { name, .. } => format!("removal of {name}"),
        Op::Rename { from, to, .. } => format!("rename of {} to {}", from.1, to.1),
    }
}

/// What tells one outcome from another.
pub(super) fn fingerprint(tree: &Tree, acknowledged: bool) -> u64 {
    let mut hasher = DefaultHasher::new();
    acknowledged.hash(&mut hasher);
    for (path, node) in tree.walk() {
        path.hash(&mut hasher);
        match node {
            Node::File(bytes) => bytes.hash(&mut hasher),
            Node::Link(target) => target.hash(&mut hasher),
            Node::Folder(_) => 0_u8.hash(&mut hasher),
        }
    }
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::{Moment, losses};
    use crate::power::disk::{Disk, Model, Node, Op, ROOT};
    use std::collections::BTreeSet;

    fn outcomes(model: Model, moment: Moment) -> BTreeSet<String> {
        let mut disk = Disk::empty(model);
        for name in ["a", "b"] {
            let node = disk.make(Node::File(Vec::new()));
            disk.act(Op::Name { folder: ROOT, name: name.into(), node });
            disk.act(Op::Write { file: node, at: 0, bytes: name.repeat(2).into_bytes().into() });
        }
        let shown = |loss: super::Loss| {
            let tree = loss.tree(&disk);
            let parts = tree.walk().into_iter().skip(1).map(|(path, node)| match node {
                Node::File(bytes) => format!("{path}={}", String::from_utf8_lossy(bytes).replace('\0', "0")),
                _ => path,
            });
            parts.collect::<Vec<_>>().join(" ")
        };
        losses(&disk, moment).into_iter().map(shown).collect()
    }

    #[test]
    fn without_promises_any_name_may_be_lost() {
        let strict = outcomes(Model::Strict, Moment::Barrier);
        for state in ["", "a=aa b=bb", "b=bb", "a= b=", "a=a b=bb", "a=00 b=bb", "a=aa", "a=aa b="] {
            assert!(strict.contains(state), "{state:?} is not among {strict:?}");
        }
    }

    #[test]
    fn a_journal_loses_no_name_before_another() {
        let ordered = outcomes(Model::Ordered, Moment::Barrier);
        assert!(!ordered.contains("b=bb"), "{ordered:?}");
        assert!(ordered.contains("a= b=bb"), "{ordered:?}");
        assert!(outcomes(Model::Ordered, Moment::Between).is_subset(&ordered));
    }
}
