//! `reconcile`: what was taken in is settled, and what waits is done as the caller says.

mod plan;
mod removals;
mod renames;
mod statuses;

use model::{Object, Outcome, Refusal, Reply, Value};

use super::arguments;
use super::get_state::out_of_sync;
use super::lists::{progress, put_lists};
use super::pending::Drift;
use super::place::{FILE_LIMIT, TASKS};
use super::records::{members, object};
use super::report;
use super::turn::Turn;

/// What a caller says about what waits.
struct Asked<'a> {
    removals: Vec<&'a str>,
    renames: Vec<(&'a str, &'a str)>,
    statuses: Statuses,
    adopts_ids: bool,
    writes_plan: bool,
    is_dry: bool,
}

/// What becomes of marks that someone set by hand.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Statuses {
    Wait,
    Accept,
    Discard,
}

/// One thing that was done; the kinds stand in the order of replies.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Added,
    Removed,
    Retitled,
    Reordered,
    Regenerated,
    Status,
    Renamed,
    Archived,
    Adopted,
    Planned,
}

impl Kind {
    const fn word(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Removed => "removed",
            Self::Retitled => "retitled",
            Self::Reordered => "reordered",
            Self::Regenerated => "regenerated",
            Self::Status => "status",
            Self::Renamed => "renamed",
            Self::Archived => "archived",
            Self::Adopted => "adopted",
            Self::Planned => "planned",
        }
    }
}

/// What was done so far, each with the task, where it is about one.
#[derive(Default)]
struct Applied(Vec<(Kind, Option<String>)>);

impl Applied {
    fn add(&mut self, kind: Kind, id: impl Into<Option<String>>) {
        self.0.push((kind, id.into()));
    }

    // By kind; within one by document order, removals as they were asked for.
    fn into_value(mut self, turn: &Turn<'_>) -> Value {
        let place = |kind: Kind, id: &Option<String>| match kind {
            Kind::Removed | Kind::Archived => None,
            _ => id.as_deref().and_then(|id| turn.state.place(id)),
        };
        self.0.sort_by_key(|(kind, id)| (*kind, place(*kind, id)));
        let one = |(kind, id): (Kind, Option<String>)| {
            object([("kind", kind.word().into()), ("id", id.map_or(Value::Null, Value::String))])
        };
        self.0.into_iter().map(one).collect()
    }
}

/// The tool.
pub(super) fn reconcile(arguments: &Object, mut turn: Turn<'_>) -> Result<Outcome, Refusal> {
    let asked = asked(arguments)?;
    let mut applied = safe(&turn);
    statuses::settle(&mut turn, asked.statuses, &mut applied);
    for (old, new) in &asked.renames {
        renames::rename(&mut turn, old, new, &mut applied)?;
    }
    removals::confirm(&mut turn, &asked.removals, &mut applied)?;
    if asked.adopts_ids {
        plan::adopt_ids(&mut turn, &mut applied)?;
    }
    if asked.writes_plan {
        plan::write(&mut turn, &mut applied)?;
    }
    turn.state.drift = Drift::default();
    turn.tell_lost();
    turn.prune();
    let tree = turn.state.tree();
    let seeds = turn.seeds();
    let mut body = members([
        ("scenarioId", turn.place.id.as_str().into()),
        ("applied", applied.into_value(&turn)),
        ("drift", report::drift(&turn.state, &tree, &turn.work(&seeds))),
        ("progress", progress(&tree)),
    ]);
    put_lists(&mut body, &turn.state, &tree);
    body.insert("dryRun".to_owned(), asked.is_dry.into());
    drop(tree);
    if asked.is_dry {
        let reply = Reply { body, warnings: turn.warnings, ..Reply::default() };
        return Ok(Outcome { reply, ..Outcome::default() });
    }
    Ok(turn.finish(body))
}

fn asked(arguments: &Object) -> Result<Asked<'_>, Refusal> {
    let accepts = arguments::flag(arguments, "acceptStatusEdits")?;
    let discards = arguments::flag(arguments, "discardStatusEdits")?;
    let statuses = match (accepts, discards) {
        (true, true) => {
            let message = "status edits are accepted or discarded, not both";
            return Err(Refusal::invalid("discardStatusEdits", message));
        }
        (true, false) => Statuses::Accept,
        (false, true) => Statuses::Discard,
        (false, false) => Statuses::Wait,
    };
    let renames = match arguments.get("renames") {
        None | Some(Value::Null) => Vec::new(),
        Some(Value::Object(renames)) => {
            let text = |new: &'_ Value| -> Result<(), Refusal> {
                new.as_str().map(|_| ()).ok_or_else(|| Refusal::invalid("renames", "renames maps old ids to new ids"))
            };
            renames.values().try_for_each(text)?;
            renames.iter().filter_map(|(old, new)| Some((old.as_str(), new.as_str()?))).collect()
        }
        Some(_) => return Err(Refusal::invalid("renames", "renames maps old ids to new ids")),
    };
    Ok(Asked {
        removals: arguments::texts(arguments, "confirmRemovals")?,
        renames,
        statuses,
        adopts_ids: arguments::flag(arguments, "adoptIds")?,
        writes_plan: arguments::flag(arguments, "writePlan")?,
        is_dry: arguments::flag(arguments, "dryRun")?,
    })
}

// What the outside changed and this request settles by itself.
fn safe(turn: &Turn<'_>) -> Applied {
    let drift = &turn.state.drift;
    let mut applied = Applied::default();
    for id in &drift.added {
        applied.add(Kind::Added, id.clone());
    }
    for id in drift.removed.iter().chain(&drift.beneath) {
        applied.add(Kind::Removed, id.clone());
    }
    for title in &drift.titles {
        applied.add(Kind::Retitled, title.id.clone());
    }
    if drift.reordered.is_some() {
        applied.add(Kind::Reordered, None);
    }
    let file = turn.view.files.read(&turn.place.file(TASKS), FILE_LIMIT);
    if !out_of_sync(&turn.state, &turn.shelf, &file).is_null() {
        applied.add(Kind::Regenerated, None);
    }
    applied
}
