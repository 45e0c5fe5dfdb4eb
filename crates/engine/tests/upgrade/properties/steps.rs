//! What may happen to a scenario, and how often.

use proptest::prelude::*;

#[derive(Clone, Debug)]
pub(super) enum Step {
    Start(usize, bool),
    Complete(usize, bool),
    BreakDown(usize, u8),
    Activity,
    Reconcile(u8),
    /// An agent writes details into the folder of a task.
    Details(usize),
    PlanCut(usize),
    PlanTitle(usize, u8),
    PlanAdd(u8),
    PlanTurn,
    PlanEmpty,
    RowCut(usize),
    RowMark(usize, u8),
    RowAdd(u8),
    RowTwice(usize),
    Prose,
    Gone(u8),
    Garbage(u8),
    /// Someone opens fenced code in tasks.md and forgets to close it.
    Fence(usize),
    /// A row that nothing reads any more, in one of several ways.
    Unread(usize, u8),
    /// A heading of its own above a row, and all that follows.
    Later(usize),
    /// A heading of the plan that nothing reads any more.
    Typo(usize, u8),
    /// The same as a fence, in the plan.
    FencePlan(usize),
    /// One character of an id is hurt: in a row or a heading, at some place, in one of several ways.
    Hurt(bool, usize, usize, u8),
    /// Another good id is typed over that of a row, in one of several ways.
    Retype(usize, u8),
    /// The call that takes a retyped or a cut row in is killed before plan.md is published.
    ///
    /// Then somebody edits plan.md.
    Killed(usize, u8),
    /// What waits is settled: a possible rename is made, or else the first removal confirmed.
    Settle(bool),
    /// A merge leaves conflict markers, which somebody resolves after calls were refused.
    Markers(usize),
    /// git moves HEAD and writes all files as they stood at some moment, with the times of long ago.
    Checkout(usize),
    /// What happened last is taken back, or what was taken back is done again.
    Back(bool),
}

pub(super) fn steps() -> impl Strategy<Value = Vec<Step>> {
    let task = || 0..8_usize;
    let step = prop_oneof![
        3 => (task(), any::<bool>()).prop_map(|(at, force)| Step::Start(at, force)),
        3 => (task(), any::<bool>()).prop_map(|(at, failed)| Step::Complete(at, failed)),
        2 => (task(), 0..4_u8).prop_map(|(at, count)| Step::BreakDown(at, count)),
        1 => Just(Step::Activity),
        2 => (0..6_u8).prop_map(Step::Reconcile),
        2 => task().prop_map(Step::Details),
        2 => task().prop_map(Step::PlanCut),
        1 => (task(), 0..3_u8).prop_map(|(at, title)| Step::PlanTitle(at, title)),
        1 => (4..8_u8).prop_map(Step::PlanAdd),
        1 => Just(Step::PlanTurn),
        1 => Just(Step::PlanEmpty),
        2 => task().prop_map(Step::RowCut),
        2 => (task(), 0..6_u8).prop_map(|(at, mark)| Step::RowMark(at, mark)),
        1 => (4..8_u8).prop_map(Step::RowAdd),
        1 => task().prop_map(Step::RowTwice),
        1 => Just(Step::Prose),
        1 => (0..3_u8).prop_map(Step::Gone),
        1 => (0..3_u8).prop_map(Step::Garbage),
        1 => (0..40_usize).prop_map(Step::Fence),
        2 => (task(), 0..6_u8).prop_map(|(at, way)| Step::Unread(at, way)),
        1 => task().prop_map(Step::Later),
        2 => (task(), 0..6_u8).prop_map(|(at, way)| Step::Typo(at, way)),
        1 => (0..20_usize).prop_map(Step::FencePlan),
        3 => (any::<bool>(), task(), 0..12_usize, 0..7_u8).prop_map(|(row, at, place, way)| Step::Hurt(row, at, place, way)),
        2 => (task(), 0..4_u8).prop_map(|(at, way)| Step::Retype(at, way)),
        3 => (task(), 0..5_u8).prop_map(|(at, way)| Step::Killed(at, way)),
        3 => any::<bool>().prop_map(Step::Settle),
        1 => (0..2_usize).prop_map(Step::Markers),
        3 => (0..4_usize).prop_map(Step::Checkout),
        1 => any::<bool>().prop_map(Step::Back),
    ];
    prop::collection::vec(step, 1..18)
}
