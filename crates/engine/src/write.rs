//! A write: locks, healing, taking in, thinking, preparing, committing, publishing, confirming.
//!
//! The seven steps stand here in their order; each step's doing stands in a file of its own.

use format::{Draft, Format, TakeIn, View};
use model::{
    Change, Context, EntryCause, ExtraFile, ProjectPath, Refusal, RefusalClass, Reply, Revision, Space, Value, Warning,
};
use mutants::planted;
use store::{NewEntry, Reads, Txn};

use crate::batch::{Answer, Asked};
use crate::engine::Engine;
use crate::foreign::ForeignGuard;
use crate::ground::Ground;
use crate::locks::{Deadline, FileLock};
use crate::outset::{rehearse, spaces_of};
use crate::plan::Plan;
use crate::records::StoreRecords;
use crate::spool::{self, Events, Spool};
use crate::tabled::{Tabled, begin_tables, leave_behind};
use crate::take_in::{self, TakenIn, take_in};
use crate::{faults, heal, receipts, refusals, replay};

/// The code of a request that is about a space that was not looked at; it is thought again.
pub(crate) const ELSEWHERE: &str = "space_changed";

/// Carries out requests of one format, after the spooled events that go first, in one commit.
///
/// Each has its own answer. **Errors**: what fails for all of them; then nothing is changed.
pub(crate) fn carry_out(
    engine: &Engine,
    format: &dyn Format,
    asked: &[Asked],
    events: Events<'_>,
    ctx: &Context,
    mut deadline: Deadline,
) -> Result<Vec<Answer>, Refusal> {
    engine.home().check()?;
    let spool = Spool::of(engine.home());
    let is_quiet = events == Events::None || spool.is_empty();
    if let Some(answers) = is_quiet.then(|| rehearse(engine, format, asked)).flatten() {
        return Ok(answers);
    }

    // Locks: the format's own, the foreign ones, the queue, the write transaction. An event is taken
    // from the spool and removed from it under the first of them, so that nobody else applies it too.
    engine.home().make()?;
    let mut locks = vec![FileLock::acquire(&engine.home().lock(format.name()), deadline)?];
    spool.sweep();
    let spooled = spool.pending(format, ctx, events);
    let batch: Vec<Asked> = spooled.iter().map(|event| &event.asked).chain(asked).cloned().collect();
    if let Some(answers) = (!is_quiet).then(|| rehearse(engine, format, &batch)).flatten() {
        return Ok(spool::settle(spooled, answers));
    }
    let about = spaces_of(engine, format, &batch, ctx)?;
    if let Some(refused) = about.all_refused() {
        return Ok(spool::settle(spooled, refused));
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
    let mut turn = Turn {
        engine,
        format,
        grounds: Vec::new(),
        taken: Vec::new(),
        tabled,
        changes: Vec::new(),
        written,
        own: false,
    };
    for (space, sources) in about.spaces {
        let ground = Ground::survey(engine.files(), Some(reads_of(txn.as_ref())), space, sources)?;
        turn.take_in(txn.as_mut(), ground, ctx)?;
    }

    // Think, request by request.
    let (answers, extra) = turn.think(txn.as_mut(), &batch, about.refused)?;

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
    let mut plan = Plan::render(engine, format, txn.as_ref(), &turn.grounds, &turn.changes, &turn.taken, ctx)?;
    plan.prepare(engine, &turn.grounds, &turn.taken, ctx)?;
    faults::reply_early(&answers);
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
        faults::linger();
    }
    let mut warnings = early.unwrap_or_else(|| plan.publish(engine, store.as_ref(), &extra));
    warnings.extend(Tabled::commit_all(turn.tabled));
    drop(foreign);
    plan.confirm(store.as_ref());
    let answers = spool::settle(spooled, answers);
    drop(locks);
    // What publishing tried once more is told once.
    healing.retain(|warning| !warnings.contains(warning));
    let mut before: Vec<Warning> =
        healing.into_iter().chain(turn.taken.into_iter().flat_map(|taken| taken.warnings)).collect();
    name_copies(&mut before, plan.kept(), format.kept_as());
    Ok(answers.into_iter().map(|answer| answer.map(|reply| with_warnings(reply, &before, &warnings))).collect())
}

// In the order in which they came about: taking in, the call, publishing.
fn with_warnings(mut reply: Reply, before: &[Warning], after: &[Warning]) -> Reply {
    let mut warnings = before.to_vec();
    warnings.append(&mut reply.warnings);
    warnings.extend_from_slice(after);
    Reply { warnings, ..reply }
}

// Says in the warning about a file where its outside bytes are kept.
fn name_copies(warnings: &mut [Warning], kept: &[(ProjectPath, ProjectPath)], member: &str) {
    for (path, copy) in kept {
        let about = |warning: &&mut Warning| warning.details.get("path").and_then(Value::as_str) == Some(path.as_str());
        if let Some(warning) = warnings.iter_mut().find(about) {
            warning.details.insert(member.to_owned(), copy.as_str().into());
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
    /// Some request of the batch put something there.
    own: bool,
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

    // Nothing was changed by the batch itself, and what waits outside waits for a change.
    fn leaves_alone(&self) -> bool {
        let waits = |ground: &Ground| ground.sources.take_in == TakeIn::OnChange && !ground.is_unfinished();
        !self.own && self.grounds.iter().all(waits)
    }

    // One request's refusal takes back what it wrote, and nothing else.
    fn think(
        &mut self,
        txn: &mut dyn Txn,
        batch: &[Asked],
        refused: Vec<Option<Refusal>>,
    ) -> Result<(Vec<Answer>, Extra), Refusal> {
        let mut answers = Vec::with_capacity(batch.len());
        let mut extra = Extra::default();
        for (asked, refused) in batch.iter().zip(refused) {
            if let Some(refusal) = refused {
                answers.push(Err(refusal));
                continue;
            }
            txn.savepoint().map_err(|error| refusals::of_store(&error))?;
            match self.decide(txn, asked) {
                Ok(decided) => {
                    txn.release().map_err(|error| refusals::of_store(&error))?;
                    self.written |= decided.written;
                    self.own |= decided.written || !decided.files.is_empty();
                    self.changes.extend(decided.changes);
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
        Ok((answers, extra))
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
        let mut shown = Draft::new(&records);
        self.taken.iter().for_each(|taken| shown.lay(&taken.aside));
        let thought = self.format.handle(call, &view.over(&shown), ctx);
        records.check()?;
        let outcome = thought?;
        let head = txn.head().map_err(|error| refusals::of_store(&error))?;
        let appended = self.append(txn, asked, &spaces, &outcome)?;
        let keeps_receipt = !asked.reads && ctx.request_id.is_some();
        if keeps_receipt {
            receipts::keep(txn, asked, &outcome.reply, appended.unwrap_or(head))?;
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
