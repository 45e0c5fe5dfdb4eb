//! A write: locks, healing, taking in, thinking, preparing, committing, publishing, confirming.
//!
//! The seven steps stand here in their order; each step's doing stands in a file of its own.

use std::time::Duration;

use format::{Format, View};
use model::{
    Call, Change, Context, EntryCause, ExtraFile, ProjectPath, Refusal, RefusalClass, Reply, Revision, Space, Value,
    Warning,
};
use store::{NewEntry, Reads, Txn};

use crate::engine::Engine;
use crate::foreign::ForeignGuard;
use crate::ground::Ground;
use crate::locks::{Deadline, EVENT_WAIT, FileLock};
use crate::mutants::{self, planted};
use crate::outset::{rehearse, spaces_of};
use crate::plan::Plan;
use crate::records::StoreRecords;
use crate::spool::{Spool, spooled_reply};
use crate::tabled::{Tabled, begin_tables, leave_behind};
use crate::take_in::{self, TakenIn, outside_context, take_in};
use crate::{heal, receipts, refusals, replay};

/// One request of a batch.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub(crate) call: Call,
    pub(crate) ctx: Context,
    /// The tool only reads; it is here because something waited to be taken in.
    pub(crate) reads: bool,
}

/// How often a request is thought again because it turned out to be about another space.
const TRIES: usize = 3;

/// The code of a request that is about a space that was not looked at; it is thought again.
const ELSEWHERE: &str = "space_changed";

/// What one request of a batch is told.
pub(crate) type Answer = Result<Reply, Refusal>;

/// Carries out a batch of requests of one format in one commit.
///
/// Each has its own answer. Events of the format that are spooled go first.
/// What fails for the batch as a whole fails for each request, with nothing changed.
pub(crate) fn write(engine: &Engine, format: &dyn Format, asked: &[Asked], wait: Duration) -> Vec<Answer> {
    let count = asked.len();
    let ctx = &asked.first().expect("a batch holds a request").ctx;
    let spooled = Spool::of(engine.home()).pending(format, ctx);
    let batch: Vec<Asked> = spooled.iter().map(|event| event.asked.clone()).chain(asked.iter().cloned()).collect();
    let ctx = outside_context(ctx);
    match carry_out(engine, format, &batch, &ctx, wait) {
        Ok(mut answers) => {
            let own = answers.split_off(spooled.len());
            for (event, answer) in spooled.into_iter().zip(&answers) {
                event.settle(answer);
            }
            let again = |(asked, answer)| think_again(engine, format, asked, answer, &ctx, wait);
            asked.iter().zip(own).map(again).collect()
        }
        Err(refusal) => vec![Err(refusal); count],
    }
}

/// Makes an event safe, then applies it with all that are spooled if the locks are free in time.
pub(crate) fn event(engine: &Engine, format: &dyn Format, mut asked: Asked) -> Answer {
    engine.home().make()?;
    let spool = Spool::of(engine.home());
    let id = spool.put(&asked).map_err(|error| refusals::of_io(engine.home().path(), &error))?;
    // The event is in the spool already; this one is its caller, who hears the receipt's reply.
    asked.ctx.request_id = Some(id);
    match write(engine, format, &[asked], engine.lock_wait(EVENT_WAIT)).pop().expect("one request has one answer") {
        Err(refusal) if refusal.class == RefusalClass::Unavailable => Ok(spooled_reply(&refusal.message)),
        Ok(mut reply) => {
            reply.body.shift_remove("replayed");
            Ok(reply)
        }
        refused => refused,
    }
}

// A request that turned out to be about a space that was not looked at gets a turn of its own.
fn think_again(
    engine: &Engine,
    format: &dyn Format,
    asked: &Asked,
    mut answer: Answer,
    ctx: &Context,
    wait: Duration,
) -> Answer {
    for _ in 0..TRIES {
        if !matches!(&answer, Err(refusal) if refusal.code == ELSEWHERE) {
            break;
        }
        answer = carry_out(engine, format, std::slice::from_ref(asked), ctx, wait)
            .and_then(|mut answers| answers.pop().expect("one request has one answer"));
    }
    answer
}

fn carry_out(
    engine: &Engine,
    format: &dyn Format,
    batch: &[Asked],
    ctx: &Context,
    wait: Duration,
) -> Result<Vec<Answer>, Refusal> {
    if let Some(answers) = rehearse(engine, format, batch) {
        return Ok(answers);
    }

    // Locks: the format's own, the foreign ones, the queue, the write transaction.
    let mut deadline = Deadline::within(wait);
    engine.home().make()?;
    let mut locks = vec![FileLock::acquire(&engine.home().lock(format.name()), deadline)?];
    let about = spaces_of(engine, format, batch, ctx)?;
    if let Some(refused) = about.all_refused() {
        return Ok(refused);
    }
    let mut foreign = Vec::new();
    let mut tabled = Vec::new();
    for (space, sources) in &about.spaces {
        // A foreign lock has a wait of its own, which takes nothing from the locks after it.
        let left = deadline.left();
        foreign.extend(ForeignGuard::acquire(engine, sources.lock.as_ref(), ctx.now)?);
        deadline = Deadline::within(left);
        tabled.extend(begin_tables(engine, space, sources, deadline)?);
    }
    locks.push(FileLock::acquire(&engine.home().lock("queue"), deadline)?);
    let store = engine.created_store()?;
    let mut txn = store.begin().map_err(|error| refusals::of_store(&error))?;

    // Heal and take in.
    let mut healing = Vec::new();
    let written = heal::moves(engine, txn.as_mut(), &mut healing)?;
    let mut turn =
        Turn { engine, format, grounds: Vec::new(), taken: Vec::new(), tabled, changes: Vec::new(), written };
    for (space, sources) in about.spaces {
        let ground = Ground::survey(engine.files(), Some(reads_of(txn.as_ref())), space, sources)?;
        turn.take_in(txn.as_mut(), ground, ctx)?;
    }

    // Think, request by request.
    let mut answers = Vec::with_capacity(batch.len());
    let mut extra = Extra::default();
    for (asked, refused) in batch.iter().zip(about.refused) {
        if let Some(refusal) = refused {
            answers.push(Err(refusal));
            continue;
        }
        txn.savepoint().map_err(|error| refusals::of_store(&error))?;
        match turn.decide(txn.as_mut(), asked) {
            Ok(decided) => {
                txn.release().map_err(|error| refusals::of_store(&error))?;
                turn.written |= decided.written;
                turn.changes.extend(decided.changes);
                extra.files.extend(decided.files);
                extra.moves |= decided.moves;
                answers.push(Ok(decided.reply));
            }
            Err(refusal) => {
                txn.rollback().map_err(|error| refusals::of_store(&error))?;
                answers.push(Err(refusal));
            }
        }
    }

    // Render and prepare; from here on nothing can be refused for want of space.
    let mut plan = Plan::render(engine, format, txn.as_ref(), &turn.grounds, &turn.changes, &turn.taken, ctx)?;
    plan.prepare(engine, &turn.grounds, &turn.taken, ctx)?;
    mutants::reply_early(&answers);
    let early = planted("publish_before_commit").then(|| plan.publish(engine, store.as_ref(), &extra));
    let committed = commit(&mut turn, txn, &mut plan, &foreign, ctx);
    if let Err(refusal) = committed {
        plan.abandon(engine);
        return Err(refusal);
    }

    // Publish and confirm. What fails now is mended by the next request.
    if planted("images_outside_lock") {
        Tabled::commit_all(std::mem::take(&mut turn.tabled));
        locks.clear();
        mutants::linger();
    }
    let mut warnings = early.unwrap_or_else(|| plan.publish(engine, store.as_ref(), &extra));
    warnings.extend(Tabled::commit_all(turn.tabled));
    drop(foreign);
    plan.confirm(store.as_ref());
    drop(locks);
    // What publishing tried once more is told once.
    healing.retain(|warning| !warnings.contains(warning));
    let mut before: Vec<Warning> =
        healing.into_iter().chain(turn.taken.into_iter().flat_map(|taken| taken.warnings)).collect();
    name_copies(&mut before, plan.kept());
    Ok(answers.into_iter().map(|answer| answer.map(|reply| with_warnings(reply, &before, &warnings))).collect())
}

// In the order in which they came about: taking in, the call, publishing.
fn with_warnings(mut reply: Reply, before: &[Warning], after: &[Warning]) -> Reply {
    let mut warnings = before.to_vec();
    warnings.append(&mut reply.warnings);
    warnings.extend_from_slice(after);
    Reply { body: reply.body, warnings }
}

// Says in the warning about a file where its outside bytes are kept.
fn name_copies(warnings: &mut [Warning], kept: &[(ProjectPath, ProjectPath)]) {
    for (path, copy) in kept {
        let about = |warning: &&mut Warning| warning.details.get("path").and_then(Value::as_str) == Some(path.as_str());
        if let Some(warning) = warnings.iter_mut().find(about) {
            warning.details.insert("kept_as".into(), copy.as_str().into());
        }
    }
}

/// The store's transaction as something to read from.
pub(crate) fn reads_of(txn: &dyn Txn) -> &dyn Reads {
    txn
}

/// A batch on its way: the spaces as they were found and what was decided so far.
struct Turn<'a> {
    engine: &'a Engine,
    format: &'a dyn Format,
    grounds: Vec<Ground>,
    taken: Vec<TakenIn>,
    tabled: Vec<Tabled>,
    changes: Vec<Change>,
    /// The transaction holds something that is worth a commit.
    written: bool,
}

#[derive(Default)]
struct Decided {
    reply: Reply,
    changes: Vec<Change>,
    files: Vec<ExtraFile>,
    moves: bool,
    written: bool,
}

/// What a batch does to the project beside its images.
#[derive(Default)]
pub(crate) struct Extra {
    pub(crate) files: Vec<ExtraFile>,
    /// There are folders to move.
    pub(crate) moves: bool,
}

impl Turn<'_> {
    fn take_in(&mut self, txn: &mut dyn Txn, ground: Ground, ctx: &Context) -> Result<(), Refusal> {
        let rows = match self.tabled.iter_mut().find(|tabled| tabled.space == ground.space) {
            Some(tabled) => tabled.survey(self.format, reads_of(txn), ctx.now)?,
            None => None,
        };
        let records = StoreRecords::new(Some(reads_of(txn)));
        let view = View { records: &records, files: self.engine.files(), probes: self.engine.probes() };
        let taken = take_in(self.format, &ground, rows, Some(reads_of(txn)), &view, ctx)?;
        records.check()?;
        if !taken.changes.is_empty() {
            let entry = NewEntry {
                at: ctx.now,
                actor: take_in::OUTSIDE,
                session: None,
                request_id: None,
                space: &ground.space,
                call: take_in::CALL,
                cause: EntryCause::Outside,
                changes: &taken.changes,
                moves: &[],
            };
            txn.append(&entry).map_err(|error| refusals::of_store(&error))?;
            self.written = true;
        }
        self.grounds.push(ground);
        self.taken.push(taken);
        Ok(())
    }

    fn decide(&self, txn: &mut dyn Txn, asked: &Asked) -> Result<Decided, Refusal> {
        let (call, ctx) = (&asked.call, &asked.ctx);
        match receipts::find(txn, call, ctx)? {
            receipts::Found::Nothing => {}
            receipts::Found::Reply(reply) => {
                return Ok(Decided { reply, ..Decided::default() });
            }
            receipts::Found::Compute(receipt) => {
                let reply = replay::reply(self.engine, self.format, reads_of(txn), call, ctx, &receipt)?;
                return Ok(Decided { reply, ..Decided::default() });
            }
        }
        let records = StoreRecords::new(Some(reads_of(txn)));
        let view = View { records: &records, files: self.engine.files(), probes: self.engine.probes() };
        let spaces = self.format.spaces(Some(call), &view, ctx)?;
        if let Some(space) = spaces.iter().find(|space| self.grounds.iter().all(|ground| ground.space != **space)) {
            let message = format!("{space} came to be while the request waited");
            return Err(Refusal::new(RefusalClass::Unavailable, ELSEWHERE, message).hint("repeat the command"));
        }
        if !asked.reads {
            let blocked = |space: &Space| {
                let place = self.grounds.iter().position(|ground| ground.space == *space)?;
                self.taken[place].blocked.clone()
            };
            if let Some(refusal) = spaces.iter().find_map(blocked) {
                return Err(refusal);
            }
        }
        let thought = self.format.handle(call, &view, ctx);
        records.check()?;
        let outcome = thought?;
        let head = txn.head().map_err(|error| refusals::of_store(&error))?;
        let appended = self.append(txn, asked, &spaces, &outcome)?;
        let keeps_receipt = !asked.reads && ctx.request_id.is_some();
        if keeps_receipt {
            receipts::keep(txn, call, ctx, &outcome.reply, appended.unwrap_or(head))?;
        }
        Ok(Decided {
            reply: outcome.reply,
            changes: outcome.changes,
            files: outcome.files,
            moves: !outcome.moves.is_empty(),
            written: appended.is_some() || keeps_receipt,
        })
    }

    fn append(
        &self,
        txn: &mut dyn Txn,
        asked: &Asked,
        spaces: &[Space],
        outcome: &model::Outcome,
    ) -> Result<Option<Revision>, Refusal> {
        if outcome.changes.is_empty() && outcome.moves.is_empty() {
            return Ok(None);
        }
        let whole = Space::new(self.format.name());
        let entry = NewEntry {
            at: asked.ctx.now,
            actor: &asked.ctx.actor,
            session: asked.ctx.session.as_deref(),
            request_id: asked.ctx.request_id.as_deref(),
            space: spaces.first().unwrap_or(&whole),
            call: &asked.call.tool,
            cause: if outcome.minor { EntryCause::Minor } else { EntryCause::Call },
            changes: &outcome.changes,
            moves: &outcome.moves,
        };
        txn.append(&entry).map(Some).map_err(|error| refusals::of_store(&error))
    }
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
        something |= tabled.record(turn.format, txn.as_mut(), &turn.taken[place], &turn.changes, head, ctx.now)?;
    }
    for (ground, taken) in turn.grounds.iter().zip(&turn.taken) {
        let changed = turn.changes.iter().chain(&taken.changes).any(|change| change.key.space == ground.space);
        if changed {
            let present = turn.tabled.iter().find(|tabled| tabled.space == ground.space).map(Tabled::place);
            leave_behind(txn.as_mut(), &ground.space, present.as_deref(), head)?;
        }
    }
    something |= plan.record(txn.as_mut())?;
    for guard in foreign {
        guard.check()?;
    }
    if something {
        txn.commit().map_err(|error| refusals::of_commit(&error))?;
    }
    Ok(())
}
