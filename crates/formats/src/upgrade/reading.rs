//! What the texts and the tasks themselves make every reply warn of, whoever reads them.

use std::collections::HashSet;

use format::distinct;
use format::task_graph::TaskTree;
use model::Warning;

use super::ids::TaskId;
use super::limits::{MOST_NAMED, MOST_SHOWN, TITLE};
use super::lists::some as named;
use super::place::PLAN;
use super::plan::PlanText;
use super::records::object;
use super::state::State;
use super::take_in::Standing;

/// The warnings, those of the plan first.
///
/// Of one kind there are at most [`MOST_NAMED`], and one more that says how many follow.
pub(super) fn warnings(state: &State, tree: &TaskTree<'_>) -> Vec<Warning> {
    let mut warnings = of_plan(state);
    warnings.extend(of_tasks(state, tree));
    warnings
}

/// What is odd about the tasks themselves: numbers, parents, dependencies.
pub(super) fn of_tasks(state: &State, tree: &TaskTree<'_>) -> Vec<Warning> {
    let mut warnings = Vec::new();
    let orphan = |id: &&String| {
        let message = format!("the parent of {id} is missing");
        Warning::new("orphan_subtask", message).with("id", id.as_str())
    };
    some(&mut warnings, "orphan_subtask", state.orphans.iter(), orphan);
    let double = |id: &&String| {
        let message = format!("{id} has the number of another task; subtasks of that number belong to the first");
        Warning::new("duplicate_number", message).with("id", id.as_str())
    };
    some(&mut warnings, "duplicate_number", state.doubles.iter(), double);
    let is_odd = |id: &&str| TaskId::parse(id).is_ok_and(|id| !id.is_canonical);
    let ids = state.tasks.iter().map(|task| task.id.as_str());
    some(&mut warnings, "noncanonical_id", ids.filter(is_odd), |id| {
        Warning::new("noncanonical_id", format!("{id} is not written as NN(.NN)*-slug")).with("id", *id)
    });
    let index = state.index();
    let unknown = state.tasks.iter().flat_map(|task| {
        let ids = task.depends_on.iter().flatten().filter(|id| index.find(id).is_none());
        distinct(ids).into_iter().map(move |id| (task, id))
    });
    some(&mut warnings, "unknown_dependency", unknown, |(task, id)| {
        let message = format!("{} depends on {id}, which is no task; it stays blocked", task.id);
        Warning::new("unknown_dependency", message).with("id", task.id.as_str()).with("dependency", id.as_str())
    });
    some(&mut warnings, "dependency_cycle", tree.deadlocks().into_iter(), |group| {
        let ids: Vec<String> = group.iter().map(|at| state.tasks[*at].id.clone()).collect();
        let message = format!("these tasks wait for each other: {}", named(&ids));
        let more = ids.len().saturating_sub(MOST_NAMED);
        let ids: Vec<String> = ids.into_iter().take(MOST_NAMED).collect();
        let warning = Warning::new("dependency_cycle", message).with("ids", ids);
        if more > 0 { warning.with("more", more) } else { warning }
    });
    warnings
}

// What the plan's own text makes one warn of.
fn of_plan(state: &State) -> Vec<Warning> {
    let Some(text) = &state.plan else {
        let message = "there is no plan.md; the list is what was found elsewhere";
        let warning = Warning::new("plan_missing", format!("{message}; reconcile with writePlan makes one"));
        return vec![warning];
    };
    let plan = PlanText::read(text);
    let mut warnings = Vec::new();
    some(&mut warnings, "plan_subtask_ignored", plan.subtasks.iter(), |id| {
        let message = format!("{id} is a subtask and no member of the plan's list");
        Warning::new("plan_subtask_ignored", message).with("id", **id)
    });
    some(&mut warnings, "duplicate_plan_id", plan.repeated.iter(), |id| {
        let message = format!("{id} stands more than once; the first counts");
        Warning::new("duplicate_plan_id", message).with("id", **id)
    });
    let long: Vec<&str> =
        plan.sections.iter().filter(|section| section.has_long_title()).map(|section| section.id).collect();
    some(&mut warnings, "too_large", long.iter(), |id| {
        let message = format!("the title of {id} in plan.md has more than {TITLE} characters; the first count");
        Warning::new("too_large", message).with("id", **id).with("field", "title").with("allowed", TITLE)
    });
    warnings.extend(unread(state, &plan));
    if plan.sections.is_empty() {
        warnings.push(if plan.proposals.is_empty() {
            Warning::new(
                "plan_unrecognised",
                "plan.md has no heading that names a task, such as ### 01-first-step: Title",
            )
        } else {
            let proposed = plan.proposals.iter().take(MOST_SHOWN).map(|proposal| {
                let heading: String = proposal.heading.chars().take(TITLE).collect();
                object([("heading", heading.into()), ("id", proposal.id.as_str().into())])
            });
            let message = "the tasks of plan.md have no ids; reconcile with adoptIds writes the proposed ones";
            let warning = Warning::new("plan_has_no_ids", message).with("proposed", proposed.collect::<Vec<_>>());
            match plan.proposals.len().checked_sub(MOST_SHOWN).filter(|more| *more > 0) {
                Some(more) => warning.with("more", more),
                None => warning,
            }
        });
    }
    warnings
}

/// The listed tasks of the top level that have no section in a plan that has some.
///
/// Those that a guarded plan lost are told of as such, and are not among them.
pub(super) fn left_out<'s>(state: &'s State, plan: &PlanText<'_>) -> Vec<&'s str> {
    if plan.sections.is_empty() {
        return Vec::new();
    }
    let sections = plan.by_id();
    let mass = state.pending.mass.iter().filter(|mass| mass.file == PLAN).flat_map(|mass| &mass.ids);
    let mass: HashSet<&str> = mass.map(String::as_str).collect();
    let tops = state.tasks.iter().enumerate().filter(|(at, _)| state.parent(*at).is_none());
    let ids = tops.map(|(_, task)| task.id.as_str());
    ids.filter(|id| !sections.contains_key(id) && !mass.contains(id)).collect()
}

// Tasks whose headings stand there and cannot be read, and tasks that the plan does not name at all.
fn unread(state: &State, plan: &PlanText<'_>) -> Vec<Warning> {
    let left = left_out(state, plan);
    let waiting: Vec<&str> =
        state.pending.removals.iter().filter(|one| one.from_plan).map(|one| one.id.as_str()).collect();
    if left.is_empty() && waiting.is_empty() {
        return Vec::new();
    }
    let standing = Standing::in_plan(None, plan);
    let mut warnings = Vec::new();
    let (unread, unnamed): (Vec<&str>, Vec<&str>) = left.into_iter().partition(|id| standing.holds(id));
    let mut tell = |code, ids: Vec<&str>, what: &str, mend: &str| {
        if !ids.is_empty() {
            let ids: Vec<String> = ids.into_iter().map(str::to_owned).collect();
            let message = format!("{what}: {}; {mend}", named(&ids));
            let ids: Vec<String> = ids.into_iter().take(MOST_NAMED).collect();
            warnings.push(Warning::new(code, message).with("ids", ids));
        }
    };
    let write = "write its heading as ### 02-name: Title";
    tell(
        "plan_heading_unreadable",
        unread,
        "plan.md names these tasks in no heading that can be read; they stay",
        write,
    );
    tell(
        "plan_heading_unreadable",
        waiting.into_iter().filter(|id| standing.holds(id)).collect(),
        "plan.md names these tasks in no heading that can be read; they wait to be removed",
        write,
    );
    tell(
        "task_not_in_plan",
        unnamed,
        "plan.md has no heading for these tasks, which stay on the list",
        "reconcile with writePlan adds one, with confirmRemovals it takes the task out",
    );
    warnings
}

// One warning for each of the first, and one for all the rest.
fn some<T>(
    warnings: &mut Vec<Warning>,
    code: &'static str,
    mut all: impl Iterator<Item = T>,
    one: impl Fn(&T) -> Warning,
) {
    warnings.extend(all.by_ref().take(MOST_NAMED).map(|each| one(&each)));
    let more = all.count();
    if more > 0 {
        warnings.push(Warning::new(code, format!("and {more} more")).with("more", more));
    }
}
