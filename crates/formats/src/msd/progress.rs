//! Progress: what the roadmap and the folders on disk say about a milestone.

use std::collections::{BTreeMap, BTreeSet};

use super::phase_id::PhaseId;
use super::phases::Folder;
use super::roadmap::{Phases, Roadmap};

/// The keys of the progress block, in the order of the seed.
pub(super) const KEYS: [&str; 5] = ["total_phases", "completed_phases", "total_plans", "completed_plans", "percent"];

/// The counts of a milestone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Progress {
    pub(super) total_phases: u64,
    pub(super) completed_phases: u64,
    pub(super) total_plans: u64,
    pub(super) completed_plans: u64,
    /// 0 to 100; 100 only when everything is complete.
    pub(super) percent: u64,
}

impl Progress {
    /// The counts in the order of [`KEYS`].
    pub(super) fn counts(&self) -> [(&'static str, u64); 5] {
        let counts = [self.total_phases, self.completed_phases, self.total_plans, self.completed_plans, self.percent];
        std::array::from_fn(|at| (KEYS[at], counts[at]))
    }
}

/// A phase of a milestone with what stands on disk for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Listed {
    pub(super) id: PhaseId,
    pub(super) name: Option<String>,
    plans: u64,
    done: u64,
}

impl Listed {
    /// One plan or more, all done.
    pub(super) fn is_complete(&self) -> bool {
        self.plans > 0 && self.done == self.plans
    }
}

/// The phases of a milestone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PhaseList {
    /// The phases, lowest id first.
    pub(super) phases: Vec<Listed>,
    /// Whether the roadmap names versions, but not this one.
    pub(super) is_elsewhere: bool,
}

impl PhaseList {
    /// Puts roadmap and folders together.
    pub(super) fn of(roadmap: Option<&Roadmap>, folders: &[Folder], milestone: Option<&str>) -> Self {
        let known = roadmap.map_or(Phases::Unlimited(Vec::new()), |roadmap| roadmap.phases(milestone));
        let (phases, folders_count) = match known {
            Phases::Unlimited(phases) => (phases, true),
            Phases::Limited(phases) => (phases, false),
            Phases::Elsewhere => return Self { phases: Vec::new(), is_elsewhere: true },
        };
        let mut listed: BTreeMap<PhaseId, Listed> = BTreeMap::new();
        let entry = |id: &PhaseId, name: Option<String>| Listed { id: id.clone(), name, plans: 0, done: 0 };
        for phase in phases.iter().filter(|phase| counts(&phase.id) && !phase.is_struck) {
            listed.entry(phase.id.clone()).or_insert_with(|| entry(&phase.id, phase.name.clone()));
        }
        let struck: BTreeSet<&PhaseId> = phases.iter().filter(|phase| phase.is_struck).map(|phase| &phase.id).collect();
        for folder in folders.iter().filter(|folder| counts(&folder.id) && !struck.contains(&folder.id)) {
            if folders_count {
                listed.entry(folder.id.clone()).or_insert_with(|| entry(&folder.id, None));
            }
            if let Some(listed) = listed.get_mut(&folder.id) {
                listed.plans += folder.plans;
                listed.done += folder.done;
            }
        }
        Self { phases: listed.into_values().collect(), is_elsewhere: false }
    }

    /// The lowest phase above `id` that is not complete.
    pub(super) fn next(&self, id: &PhaseId) -> Option<&Listed> {
        self.phases.iter().find(|listed| listed.id > *id && !listed.is_complete())
    }

    /// The counts; `None` without a phase.
    pub(super) fn progress(&self) -> Option<Progress> {
        if self.phases.is_empty() {
            return None;
        }
        let total_phases = self.phases.len() as u64;
        let completed_phases = self.phases.iter().filter(|listed| listed.is_complete()).count() as u64;
        let total_plans = self.phases.iter().map(|listed| listed.plans).sum();
        let completed_plans = self.phases.iter().map(|listed| listed.done).sum();
        let parts = [percent(completed_plans, total_plans), percent(completed_phases, total_phases)];
        let all = completed_phases == total_phases && completed_plans == total_plans;
        let percent = parts.into_iter().flatten().min().unwrap_or(0).min(if all { 100 } else { 99 });
        Some(Progress { total_phases, completed_phases, total_plans, completed_plans, percent })
    }
}

fn counts(id: &PhaseId) -> bool {
    !id.is_number(0) && !id.is_number(999)
}

// Half up.
fn percent(done: u64, total: u64) -> Option<u64> {
    (total > 0).then(|| (200 * done + total) / (2 * total))
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::ProjectPath;

    fn folder(name: &str, plans: u64, done: u64) -> Folder {
        Folder { id: PhaseId::parse(name).unwrap(), path: ProjectPath::known("x"), plans, done }
    }

    fn check(roadmap: &str, folders: &[Folder], expected: Option<[u64; 5]>) {
        let list = PhaseList::of(Some(&Roadmap::read(roadmap)), folders, Some("v2.0"));
        assert_eq!(list.progress().map(|progress| progress.counts().map(|(_, count)| count)), expected, "{roadmap:?}");
    }

    #[test]
    fn the_smaller_fraction_counts() {
        let three = "## v2.0\n### Phase 1: A\n### Phase 2: B\n### ~~Phase 3: C~~\n### Phase 999: D\n";
        check(
            three,
            &[folder("01", 2, 2), folder("2", 3, 1), folder("3", 9, 0), folder("7", 1, 0)],
            Some([2, 1, 5, 3, 50]),
        );
        check(three, &[folder("01", 2, 2), folder("2", 1, 1)], Some([2, 2, 3, 3, 100]));
        check(three, &[folder("01", 2, 2)], Some([2, 1, 2, 2, 50]));
        check(three, &[], Some([2, 0, 0, 0, 0]));
        check("## v1.0\n### Phase 1: A\n", &[folder("1", 1, 1)], None);
        check("", &[folder("1", 200, 200), folder("2", 1, 1), folder("0", 1, 0)], Some([2, 2, 201, 201, 100]));
        check("### ~~Phase 1: A~~\n", &[folder("1", 1, 1)], None);
        check("", &[folder("1", 399, 398), folder("01", 1, 1)], Some([1, 0, 400, 399, 0]));
    }

    #[test]
    fn nothing_rounds_up_to_complete() {
        let folders: Vec<Folder> = (1..=300).map(|id| folder(&id.to_string(), 1, u64::from(id < 300))).collect();
        check("", &folders, Some([300, 299, 300, 299, 99]));
    }
}
