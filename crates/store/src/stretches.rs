//! Where two texts differ: the stretches between what both share.
//!
//! What is shared at both ends is found at once. What lies between is searched for anchors: runs of
//! the old text that stand in the new one too, so that edits far apart do not cost what lies between.

/// A stretch that differs.
///
/// Invariant: both parts are UTF-8 of their own, and all lengths count bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stretch {
    /// How many bytes before it stay, counted from the stretch before.
    pub kept: usize,
    /// What is taken out.
    pub removed: String,
    /// What is put in.
    pub added: String,
}

/// From what size on a stretch is searched for anchors. **Units**: bytes.
const WORTH: usize = 256;

/// How long the run is that is looked for. **Units**: bytes.
const PROBE: usize = 48;

/// How often stretches are divided.
const DEPTH: usize = 6;

/// The stretches that differ, at least one, and how many bytes behind the last one stay.
pub(crate) fn differences(old: &str, new: &str) -> (Vec<Stretch>, usize) {
    let mut seeker = Seeker { stretches: Vec::new(), kept: 0 };
    seeker.divide(old, new, DEPTH);
    if seeker.stretches.is_empty() {
        seeker.differ("", "");
    }
    (seeker.stretches, seeker.kept)
}

struct Seeker {
    stretches: Vec<Stretch>,
    /// What both share since the last stretch.
    kept: usize,
}

impl Seeker {
    fn divide(&mut self, old: &str, new: &str, depth: usize) {
        let prefix = common_prefix(old, new);
        let (old, new) = (&old[prefix..], &new[prefix..]);
        let suffix = common_suffix(old, new);
        let (old, new) = (&old[..old.len() - suffix], &new[..new.len() - suffix]);
        self.kept += prefix;
        let may_divide = depth > 0 && old.len().min(new.len()) >= WORTH;
        match may_divide.then(|| anchor(old, new)).flatten() {
            Some(Anchor { in_old, in_new, length }) => {
                self.divide(&old[..in_old], &new[..in_new], depth - 1);
                self.kept += length;
                self.divide(&old[in_old + length..], &new[in_new + length..], depth - 1);
            }
            None if old.is_empty() && new.is_empty() => {}
            None => self.differ(old, new),
        }
        self.kept += suffix;
    }

    fn differ(&mut self, removed: &str, added: &str) {
        let kept = std::mem::take(&mut self.kept);
        self.stretches.push(Stretch { kept, removed: removed.to_owned(), added: added.to_owned() });
    }
}

/// A run that stands in both texts.
struct Anchor {
    in_old: usize,
    in_new: usize,
    length: usize,
}

// Looks for what stands at the middle and at the quarters of the old text; of several places in the
// new one the nearest counts.
fn anchor(old: &str, new: &str) -> Option<Anchor> {
    [2, 1, 3].into_iter().find_map(|quarter| {
        let start = old.floor_char_boundary(old.len() / 4 * quarter);
        let end = old.floor_char_boundary((start + PROBE).min(old.len()));
        let places = new.match_indices(&old[start..end]).map(|(place, _)| place);
        let place = places.min_by_key(|place| place.abs_diff(start)).filter(|_| end > start)?;
        let before = common_suffix(&old[..start], &new[..place]);
        let behind = common_prefix(&old[start..], &new[place..]);
        Some(Anchor { in_old: start - before, in_new: place - before, length: before + behind })
    })
}

/// Length of the longest common prefix that ends between two characters.
fn common_prefix(a: &str, b: &str) -> usize {
    let mut length = a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count();
    // Up to here both texts are the same bytes, so a boundary of one is a boundary of the other.
    while !a.is_char_boundary(length) {
        length -= 1;
    }
    length
}

/// Length of the longest common suffix that starts between two characters.
fn common_suffix(a: &str, b: &str) -> usize {
    let mut length = a.bytes().rev().zip(b.bytes().rev()).take_while(|(a, b)| a == b).count();
    while !a.is_char_boundary(a.len() - length) {
        length -= 1;
    }
    length
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_far_apart_do_not_cost_what_lies_between() {
        let items: Vec<String> = (0..1200).map(|n| format!("\"item {n} ä{}\"", "x".repeat(30))).collect();
        let text = |goal: &str, items: &[String], notes: &str| {
            format!("{{\"goal\":\"{goal}\",\"progress\":[{}],\"notes\":\"{notes}\"}}", items.join(","))
        };
        let check = |new: &str, most: usize| {
            let (stretches, _) = differences(&text("old", &items, "old"), new);
            let cost: usize = stretches.iter().map(|it| it.removed.len() + it.added.len()).sum();
            assert!(cost <= most, "{cost} bytes in {} stretches", stretches.len());
        };
        check(&text("a new goal", &items, "note"), 32);
        let more: Vec<String> = items.iter().cloned().chain(["\"one more\"".to_owned()]).collect();
        check(&text("a new goal", &more, "note"), 64);
        let mut fewer = items.clone();
        fewer.remove(500);
        fewer[900] = "\"exchanged\"".to_owned();
        check(&text("new", &fewer, "note"), 256);
    }
}
