//! Tasks in progress that nobody seems to be on any more.

use format::task_graph::{Status, TaskTree};
use model::{Context, Timestamp, Value};

use super::records::{Owner, object};
use super::state::State;
use super::work::Work;

/// For how long a caller without a session is taken for the one who called before. **Units**: milliseconds.
const SAME_CALLER: i64 = 4 * 60 * 60 * 1000;

/// Within what time an owner may still be at work. **Units**: milliseconds.
const MAYBE_LIVE: i64 = 10 * 60 * 1000;

/// `staleTaskWarnings`, but for one task. They never refuse a call.
///
/// **Order**: by when the task was begun, unknown first, then document order.
pub(super) fn warnings(
    state: &State,
    tree: &TaskTree<'_>,
    work: &Work<'_>,
    ctx: &Context,
    except: Option<&str>,
) -> Vec<Value> {
    let needs_word = |at: &usize| {
        let task = &state.tasks[*at];
        let in_progress = tree.status(*at) == Status::InProgress && except != Some(task.id.as_str());
        in_progress && !task.owner.as_ref().is_some_and(|owner| is_caller(owner, ctx))
    };
    let mut left: Vec<usize> = tree.leaves().filter(needs_word).collect();
    left.sort_by_key(|at| state.tasks[*at].owner.as_ref().map(|owner| owner.started_at));
    left.into_iter().map(|at| warning(state, at, work, ctx)).collect()
}

fn is_caller(owner: &Owner, ctx: &Context) -> bool {
    match (&owner.session, &ctx.session) {
        (Some(owner), Some(caller)) => owner == caller,
        (None, None) => ctx.now.as_millis() - owner.last_call < SAME_CALLER,
        _ => false,
    }
}

fn warning(state: &State, at: usize, work: &Work<'_>, ctx: &Context) -> Value {
    let task = &state.tasks[at];
    let id = &task.id;
    let maybe_live = task.owner.as_ref().is_some_and(|owner| ctx.now.as_millis() - owner.last_call <= MAYBE_LIVE);
    let (evidence, instruction) = if work.shelf.has_details(id) {
        ("progress_details", format!("Its details say what was done: verify it, then call complete_task({id})."))
    } else if work.is_enriched(task) {
        ("task_md", format!("Its task.md was worked on: call start_task({id}) to resume."))
    } else {
        (
            "none",
            format!("Nothing shows work: call start_task({id}) to begin again, or complete_task({id}, failed=true)."),
        )
    };
    let ask = "Another session may be on it right now: ask the user first. ";
    let instruction = if maybe_live { format!("{ask}{instruction}") } else { instruction };
    let started = task.owner.as_ref().map(|owner| Timestamp::from_millis(owner.started_at).to_millis_text());
    object([
        ("TaskId", id.as_str().into()),
        ("Description", task.title.as_str().into()),
        ("Instruction", instruction.into()),
        ("evidence", evidence.into()),
        ("startedAt", started.map_or(Value::Null, Value::String)),
        ("maybeLive", maybe_live.into()),
    ])
}
