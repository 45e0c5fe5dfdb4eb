//! Whatever was done: the journal tells it, leads back to every moment, and survives its folding.

use std::collections::BTreeMap;

use mainstay_engine::{GcQuery, RollbackQuery};
use model::Value;
use proptest::prelude::*;
use serde_json::json;

use crate::back::{checkpoint, newest, records, undo};
use crate::desk::{Desk, anyone, pair};
use crate::exchange::{exported, import, journal};
use crate::probe::ITEMS;

#[derive(Clone, Debug)]
enum Step {
    Put(u8, u8),
    Bump,
    Settle(u8),
    /// Someone sets a line of the text image.
    Edit(u8, u8),
    Checkpoint,
    Undo,
    Redo,
    Rollback(u8),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let (key, value) = (0..3_u8, 0..4_u8);
    let step = prop_oneof![
        5 => (key.clone(), value.clone()).prop_map(|(key, value)| Step::Put(key, value)),
        1 => Just(Step::Bump),
        1 => value.clone().prop_map(Step::Settle),
        2 => (key, value).prop_map(|(key, value)| Step::Edit(key, value)),
        2 => Just(Step::Checkpoint),
        4 => Just(Step::Undo),
        2 => Just(Step::Redo),
        2 => any::<u8>().prop_map(Step::Rollback),
    ];
    prop::collection::vec(step, 1..14)
}

/// Records and the text image.
type Moment = (BTreeMap<String, Value>, String);

fn moment(desk: &Desk) -> Moment {
    let text = std::fs::read_to_string(desk.at(ITEMS)).unwrap_or_default();
    (records(&desk.engine().show(None, None).unwrap()), text)
}

/// Makes a step; answers the checkpoint that it set.
fn take(desk: &Desk, step: &Step, moments: &[(String, Moment)]) -> Option<String> {
    match step {
        Step::Put(key, value) => drop(desk.done("put", pair(&format!("k{key}"), &format!("v{value}")))),
        Step::Bump => drop(desk.done("bump", json!({"key": "count"}))),
        Step::Settle(value) => drop(desk.done("settle", json!({"name": "n", "value": value.to_string()}))),
        Step::Edit(key, value) => {
            let text = std::fs::read_to_string(desk.at(ITEMS)).unwrap_or_default();
            let other = |line: &&str| !line.starts_with(&format!("k{key}: "));
            let kept: String = text.split_inclusive('\n').filter(other).collect();
            desk.edit(ITEMS, format!("{kept}k{key}: e{value}\n"));
            // Something that changes a record has to take it in.
            desk.done("bump", json!({"key": "taken"}));
        }
        Step::Checkpoint => return Some(checkpoint(desk, "point")),
        Step::Undo => drop(undo(desk, newest())),
        Step::Redo => drop(desk.engine().redo(&anyone())),
        Step::Rollback(choice) if !moments.is_empty() => {
            let (id, _) = &moments[usize::from(*choice) % moments.len()];
            desk.engine().rollback(RollbackQuery { to: id.clone(), space: None }, &anyone()).unwrap();
        }
        Step::Rollback(_) => {}
    }
    None
}

/// What each revision's records are, as the entries alone amount to.
pub(crate) fn folded(desk: &Desk) -> Vec<(u64, BTreeMap<String, Value>)> {
    let mut texts: BTreeMap<String, String> = BTreeMap::new();
    let mut all = Vec::new();
    for entry in journal(desk).0 {
        for change in entry.changes {
            let name = format!("{} {}/{}", change.key.space, change.key.kind, change.key.id);
            let before = texts.remove(&name);
            if let Some(after) = change.splice.apply(before.as_deref()).unwrap() {
                texts.insert(name, after);
            }
        }
        let values = texts.iter().map(|(name, text)| (name.clone(), serde_json::from_str(text).unwrap()));
        all.push((entry.revision.0, values.collect()));
    }
    all
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn time_travel_is_exact(steps in steps()) {
        let desk = Desk::new();
        desk.done("put", pair("start", "here"));
        let mut moments: Vec<(String, Moment)> = Vec::new();
        for step in &steps {
            let made = take(&desk, step, &moments);
            moments.extend(made.map(|id| (id, moment(&desk))));
            desk.is_in_order();
        }

        // Undo, then redo: as if nothing had been.
        let before = moment(&desk);
        if undo(&desk, newest()).is_ok() {
            desk.engine().redo(&anyone()).unwrap();
            prop_assert_eq!(&moment(&desk), &before);
        }

        // The journal tells every revision.
        for (revision, values) in folded(&desk) {
            let shown = desk.engine().show(None, Some(&revision.to_string())).unwrap();
            prop_assert_eq!(records(&shown), values, "revision {}", revision);
        }

        // An export makes an equal project.
        let other = Desk::new();
        import(&other, &exported(&desk, None), false).unwrap();
        prop_assert_eq!(journal(&other), journal(&desk));
        prop_assert_eq!(&moment(&other), &moment(&desk));
        other.is_in_order();

        // Every checkpoint is reached, exactly, before and after folding.
        for fold in [false, true] {
            if fold {
                desk.engine().gc(&GcQuery { keep: "0s".into(), dry_run: false }, &anyone()).unwrap();
                let late = desk.at_time("2027-01-01T00:00:00Z");
                late.engine().gc(&GcQuery { keep: "1s".into(), dry_run: false }, &anyone()).unwrap();
                desk.is_in_order();
            }
            for (id, (then, text)) in &moments {
                desk.engine().rollback(RollbackQuery { to: id.clone(), space: None }, &anyone()).unwrap();
                prop_assert_eq!(&moment(&desk).0, then);
                prop_assert_eq!(&moment(&desk).1, text);
                desk.is_in_order();
            }
        }
    }
}
