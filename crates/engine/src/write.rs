//! A write: locks, healing, taking in, thinking, preparing, committing, publishing, confirming.
//!
//! The seven steps stand here in their order; each step's doing stands in a file of its own.

use format::Format;
use model::{Context, ProjectPath, Refusal, Reply, Value, Warning};
use mutants::planted;
use store::{Reads, Txn};

use crate::batch::{Answer, Asked};
use crate::clock::Running;
use crate::engine::Engine;
use crate::foreign::ForeignGuard;
use crate::ground::Ground;
use crate::locks::{Deadline, FileLock};
use crate::once::Once;
use crate::outset::{Sourced, rehearse, spaces_of};
use crate::plan::Plan;
use crate::spool::{self, Events, Spool};
use crate::tabled::{Tabled, begin_tables, leave_behind};
use crate::turn::Turn;
use crate::{commit as checked_out, faults, heal, refusals};

/// The code of a request that is about a space that was not looked at; it is thought again.
pub(crate) const ELSEWHERE: &str = "space_changed";

/// Carries out requests about some formats, after the spooled events that go first, in one commit.
///
/// A call is about its own format, what the engine does itself about all that are on; `formats`
/// stand in the order of the roll-call, and so do their locks. Each request has its own answer.
/// **Errors**: what fails for all of them; then nothing is changed.
pub(crate) fn carry_out(
    engine: &Engine,
    formats: &[&'static dyn Format],
    asked: &[Asked],
    events: Events<'_>,
    ctx: &Context,
    mut deadline: Deadline,
) -> Result<Vec<Answer>, Refusal> {
    engine.home().check()?;
    let clock = Running::from(ctx.now);
    let spool = Spool::of(engine.home());
    let is_quiet = events == Events::None || spool.is_empty();
    if let Some(answers) = is_quiet.then(|| rehearse(engine, asked)).flatten() {
        return Ok(answers);
    }

    // Locks: the formats' own, the foreign ones, the queue, the write transaction. An event is taken
    // from the spool and removed from it under the first of them, so that nobody else applies it too.
    engine.home().make()?;
    let own = formats.iter().map(|format| FileLock::acquire(&engine.home().lock(format.name()), deadline));
    let mut locks = own.collect::<Result<Vec<_>, Refusal>>()?;
    spool.sweep();
    let spooled = spool.pending(formats, ctx, events);
    let batch: Vec<Asked> = spooled.iter().map(|event| &event.asked).chain(asked).cloned().collect();
    if let Some(answers) = (!is_quiet).then(|| rehearse(engine, &batch)).flatten() {
        return Ok(spool::settle(spooled, answers));
    }
    let about = spaces_of(engine, formats, &batch, ctx)?;
    if let Some(refused) = about.all_refused() {
        return Ok(spool::settle(spooled, refused));
    }
    let mut foreign = Vec::new();
    let mut tabled = Vec::new();
    for Sourced { space, sources, .. } in &about.spaces {
        // A foreign lock has a wait of its own, which takes nothing from the locks after it.
        let left = deadline.left();
        foreign.extend(ForeignGuard::acquire(engine, sources.lock.as_ref(), clock)?);
        deadline = Deadline::within(left);
        tabled.extend(begin_tables(engine, space, sources, deadline)?);
    }
    locks.push(FileLock::acquire(&engine.home().lock("queue"), deadline)?);
    let store = engine.created_store()?;
    let mut txn = store.begin().map_err(|error| refusals::of_store(&error))?;

    // Heal and take in. What the engine brings in from elsewhere is there before that.
    let mut healing = Vec::new();
    let any_moves = formats.iter().any(|format| format.surface().moves_folders);
    let written = any_moves && heal::moves(engine, txn.as_mut(), &mut healing)?;
    let mut turn = Turn::new(engine, formats, tabled, written);
    turn.bring_in(txn.as_mut(), &batch)?;
    for sourced in about.spaces {
        let ground = Ground::survey(engine.files(), Some(reads_of(txn.as_ref())), sourced)?;
        turn.take_in(txn.as_mut(), ground, ctx)?;
    }
    turn.enter_moved(txn.as_mut(), ctx)?;

    // Think, request by request.
    let (answers, mut extra) = turn.think(txn.as_mut(), &batch, about.refused)?;

    if !written && turn.leaves_alone() {
        drop(txn);
        drop(foreign);
        let answers = spool::settle(spooled, answers);
        drop(locks);
        let before: Vec<Warning> =
            healing.into_iter().chain(turn.taken.into_iter().flat_map(|taken| taken.warnings)).collect();
        return Ok(answers.into_iter().map(|answer| answer.map(|reply| with_warnings(reply, &before, &[]))).collect());
    }

    // Render and prepare; from here on nothing can be refused for want of space.
    let mut plan = Plan::render(engine, txn.as_ref(), &turn.grounds, &turn.changes, &turn.taken, ctx)?;
    plan.prepare(engine, &turn.grounds, &turn.taken, ctx)?;
    let once = Once::write(engine.files(), &mut extra, &plan).inspect_err(|_| plan.abandon(engine))?;
    faults::reply_early(&answers);
    let early = planted("publish_before_commit").then(|| plan.publish(engine, store.as_ref(), &extra, ctx.now));
    let committed = commit(&mut turn, txn, &mut plan, &foreign, ctx);
    if let Err(refusal) = committed {
        plan.abandon(engine);
        once.withdraw(engine.files(), &refusal);
        return Err(refusal);
    }

    // Publish and confirm. What fails now is mended by the next request.
    if planted("images_outside_lock") {
        Tabled::commit_all(std::mem::take(&mut turn.tabled));
        locks.clear();
        faults::linger();
    }
    let mut warnings = early.unwrap_or_else(|| plan.publish(engine, store.as_ref(), &extra, ctx.now));
    let (stale, marks) = Tabled::commit_all(turn.tabled);
    warnings.extend(stale);
    drop(foreign);
    plan.confirm(store.as_ref(), &marks);
    let answers = spool::settle(spooled, answers);
    drop(locks);
    // What publishing tried once more is told once.
    healing.retain(|warning| !warnings.contains(warning));
    let mut before: Vec<Warning> =
        healing.into_iter().chain(turn.taken.into_iter().flat_map(|taken| taken.warnings)).collect();
    name_copies(&mut before, plan.kept(), &turn.grounds);
    let told = |mut reply: Reply| {
        name_copies(&mut reply.warnings, plan.kept(), &turn.grounds);
        with_warnings(reply, &before, &warnings)
    };
    Ok(answers.into_iter().map(|answer| answer.map(told)).collect())
}

// In the order in which they came about: taking in, the call, publishing.
fn with_warnings(mut reply: Reply, before: &[Warning], after: &[Warning]) -> Reply {
    let mut warnings = before.to_vec();
    warnings.append(&mut reply.warnings);
    warnings.extend_from_slice(after);
    Reply { warnings, ..reply }
}

// Says in the warning about a file where its outside bytes are kept.
fn name_copies(warnings: &mut [Warning], kept: &[(ProjectPath, ProjectPath)], grounds: &[Ground]) {
    for (path, copy) in kept {
        let about = |warning: &&mut Warning| warning.details.get("path").and_then(Value::as_str) == Some(path.as_str());
        let shows = |ground: &&Ground| ground.files.iter().any(|file| file.source.path == *path);
        if let (Some(warning), Some(ground)) = (warnings.iter_mut().find(about), grounds.iter().find(shows)) {
            warning.details.insert(ground.format.kept_as().to_owned(), copy.as_str().into());
        }
    }
}

/// The store's transaction as something to read from.
pub(crate) fn reads_of(txn: &dyn Txn) -> &dyn Reads {
    txn
}

fn commit(
    turn: &mut Turn<'_>,
    mut txn: Box<dyn Txn + '_>,
    plan: &mut Plan,
    foreign: &[ForeignGuard],
    ctx: &Context,
) -> Result<(), Refusal> {
    let head = txn.head().map_err(|error| refusals::of_store(&error))?;
    let mut something = turn.written;
    for tabled in &mut turn.tabled {
        let place = turn.grounds.iter().position(|ground| ground.space == tabled.space).expect("surveyed above");
        let format = turn.grounds[place].format;
        something |= tabled.record(format, txn.as_mut(), &turn.taken[place], &turn.changes, head, ctx.now)?;
    }
    for (ground, taken) in turn.grounds.iter().zip(&turn.taken) {
        let changed = turn.changes.iter().chain(&taken.changes).any(|change| change.key.space == ground.space);
        if changed && ground.format.surface().hosts_tables {
            let present = turn.tabled.iter().find(|tabled| tabled.space == ground.space).map(Tabled::place);
            leave_behind(txn.as_mut(), &ground.space, present.as_deref(), head)?;
        }
    }
    something |= plan.record(txn.as_mut())?;
    for guard in foreign {
        guard.check()?;
    }
    if something {
        checked_out::remember(turn.engine, txn.as_mut(), turn.grounds.iter().map(|ground| &ground.space))?;
        txn.commit().map_err(|error| refusals::of_commit(&error))?;
    }
    Ok(())
}
