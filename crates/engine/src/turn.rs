//! A batch on its way: what was taken in and what its requests came to.

use format::{Conflict, Draft, Format, TakeIn, View};
use model::{Change, Context, EntryCause, ExtraFile, Outcome, Refusal, RefusalClass, Reply, Revision, Rewrite, Space};
use store::{NewEntry, Reads, Txn};

use crate::batch::{Answer, Asked, Thinker};
use crate::deed::{self, Deed, Thought};
use crate::engine::Engine;
use crate::ground::Ground;
use crate::ponder::Desk;
use crate::records::StoreRecords;
use crate::tabled::Tabled;
use crate::take_in::{self, TakenIn, take_in};
use crate::tell::Teller;
use crate::write::{ELSEWHERE, reads_of};
use crate::{checkpoint, commit, receipts, refusals, replay};

/// A batch on its way: the spaces as they were found and what was decided so far.
pub(crate) struct Turn<'a> {
    pub(crate) engine: &'a Engine,
    formats: &'a [&'static dyn Format],
    pub(crate) grounds: Vec<Ground>,
    pub(crate) taken: Vec<TakenIn>,
    pub(crate) tabled: Vec<Tabled>,
    pub(crate) changes: Vec<Change>,
    /// What git brought with a checkout or a pull, over all spaces.
    moved: Vec<Change>,
    /// The transaction holds something that is worth a commit.
    pub(crate) written: bool,
    /// Some request of the batch put something there.
    own: bool,
    /// Whatever the transaction reads was brought in by it.
    is_import: bool,
}

/// What one request came to.
#[derive(Default)]
struct Decided {
    reply: Reply,
    changes: Vec<Change>,
    files: Vec<ExtraFile>,
    rewrites: Vec<Rewrite>,
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

impl<'a> Turn<'a> {
    pub(crate) fn new(
        engine: &'a Engine,
        formats: &'a [&'static dyn Format],
        tabled: Vec<Tabled>,
        written: bool,
    ) -> Self {
        let (grounds, taken, changes, moved) = Default::default();
        Self { engine, formats, grounds, taken, tabled, changes, moved, written, own: false, is_import: false }
    }

    /// Replays what a request of the batch brings in from elsewhere.
    pub(crate) fn bring_in(&mut self, txn: &mut dyn Txn, batch: &[Asked]) -> Result<(), Refusal> {
        for asked in batch {
            if let Thinker::Own(Deed::Import(parcel)) = &asked.thinker
                && receipts::is_new(txn, &asked.call, &asked.ctx)?
            {
                self.is_import |= parcel.replay(txn)?;
                self.written |= self.is_import;
            }
        }
        Ok(())
    }

    /// Takes in a space and enters its outside edits into the journal.
    pub(crate) fn take_in(&mut self, txn: &mut dyn Txn, ground: Ground, ctx: &Context) -> Result<(), Refusal> {
        let rows = match self.tabled.iter_mut().find(|tabled| tabled.space == ground.space) {
            Some(tabled) => tabled.survey(ground.format, reads_of(txn), self.is_import, ctx.now)?,
            None => None,
        };
        let records = StoreRecords::new(Some(reads_of(txn)));
        let mut draft = Draft::new(&records);
        draft.lay(&self.moved);
        let view = View { records: &draft, files: self.engine.files(), probes: self.engine.probes() };
        let is_first = ground.is_first_sight() && rows.as_ref().is_none_or(|rows| rows.first_contact);
        let taken = take_in(&ground, rows, Some(reads_of(txn)), &view, ctx)?;
        records.check()?;
        if !taken.changes.is_empty() {
            // What replaces a record is an edit, whoever sees it first. What is seen first stood there before us, whatever
            // git did meanwhile.
            let adopts = is_first && taken.changes.iter().all(|change| change.before.is_none());
            if !adopts && commit::has_moved(self.engine, reads_of(txn), &ground.space)? {
                self.moved.extend(taken.changes.iter().cloned());
            } else {
                let cause = if adopts { EntryCause::Adoption } else { EntryCause::Outside };
                self.enter(txn, take_in::OUTSIDE, &ground.space, &taken.changes, cause, ctx)?;
            }
        }
        self.grounds.push(ground);
        self.taken.push(taken);
        Ok(())
    }

    /// Enters what a move of git's HEAD changed, over all spaces, as one entry.
    pub(crate) fn enter_moved(&mut self, txn: &mut dyn Txn, ctx: &Context) -> Result<(), Refusal> {
        let moved = std::mem::take(&mut self.moved);
        if moved.is_empty() {
            return Ok(());
        }
        let (actor, space) = (commit::actor(self.engine), deed::spanning(&moved));
        self.enter(txn, &actor, &space, &moved, EntryCause::Outside, ctx)
    }

    fn enter(
        &mut self,
        txn: &mut dyn Txn,
        actor: &str,
        space: &Space,
        changes: &[Change],
        cause: EntryCause,
        ctx: &Context,
    ) -> Result<(), Refusal> {
        // What nobody is told of nobody wants to take back either.
        let told = Teller::of(self.engine);
        let is_minor = cause == EntryCause::Outside && !changes.iter().any(|change| told.tells(&change.key));
        let cause = if is_minor { EntryCause::Minor } else { cause };
        let entry = NewEntry {
            at: ctx.now,
            actor,
            session: None,
            request_id: None,
            space,
            call: take_in::CALL,
            cause,
            changes,
            moves: &[],
            takes_back: &[],
        };
        txn.append(&entry).map_err(|error| refusals::of_store(&error))?;
        self.written = true;
        Ok(())
    }

    /// Whether nothing was changed by the batch itself, and what waits outside waits for a change.
    pub(crate) fn leaves_alone(&self) -> bool {
        let waits = |ground: &Ground| ground.sources.take_in == TakeIn::OnChange && !ground.is_unfinished();
        !self.own && self.grounds.iter().all(waits)
    }

    /// Thinks about each request; one's refusal takes back what it wrote, and nothing else.
    pub(crate) fn think(
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
                    self.own |= decided.written || !decided.files.is_empty() || !decided.rewrites.is_empty();
                    self.changes.extend(decided.changes);
                    extra.files.extend(decided.files);
                    self.rewrite(decided.rewrites);
                    extra.moves |= decided.moves;
                    answers.push(Ok(decided.reply));
                }
                // What was brought in has no savepoint of its own.
                Err(refusal) if matches!(asked.thinker, Thinker::Own(Deed::Import(_))) => return Err(refusal),
                Err(refusal) => {
                    txn.rollback().map_err(|error| refusals::of_store(&error))?;
                    answers.push(Err(refusal));
                }
            }
        }
        Ok((answers, extra))
    }

    // Each file belongs to the space whose source it is.
    fn rewrite(&mut self, rewrites: Vec<Rewrite>) {
        for Rewrite { path, keeps_old } in rewrites {
            let is_there = |ground: &Ground| ground.files.iter().any(|file| file.source.path == path);
            let Some(place) = self.grounds.iter().position(is_there) else { continue };
            let taken = &mut self.taken[place];
            if keeps_old && taken.conflicts.iter().all(|conflict| conflict.path != path) {
                taken.conflicts.push(Conflict { path: path.clone() });
            }
            taken.rewrites.push(path);
        }
    }

    fn decide(&self, txn: &mut dyn Txn, asked: &Asked) -> Result<Decided, Refusal> {
        match receipts::find(txn, &asked.call, &asked.ctx)? {
            receipts::Found::Nothing => {}
            receipts::Found::Reply(reply) => {
                return Ok(Decided { reply, ..Decided::default() });
            }
            receipts::Found::Compute(receipt) => {
                let reply = replay::reply(self.engine, reads_of(txn), asked, &receipt)?;
                return Ok(Decided { reply, ..Decided::default() });
            }
        }
        match &asked.thinker {
            Thinker::Format(format) => self.handle(txn, asked, *format),
            Thinker::Own(deed) => self.carry(txn, asked, deed),
        }
    }

    // A tool's call: its format decides.
    fn handle(&self, txn: &mut dyn Txn, asked: &Asked, format: &'static dyn Format) -> Result<Decided, Refusal> {
        let (call, ctx) = (&asked.call, &asked.ctx);
        let records = StoreRecords::new(Some(reads_of(txn)));
        let desk = Desk::hurried(self.engine, format, &asked.slate);
        let view = View { records: &records, files: self.engine.files(), probes: &desk };
        let spaces = format.spaces(Some(call), &view, ctx)?;
        self.have_been_looked_at(&spaces)?;
        if !asked.reads {
            self.are_open(format.writes(call, &spaces))?;
        }
        let mut shown = Draft::new(&records);
        self.taken.iter().for_each(|taken| shown.lay(&taken.aside));
        let thought = format.handle(call, &view.over(&shown), ctx);
        records.check()?;
        let outcome = thought?;
        let says_so = format.surface().moves_folders;
        debug_assert!(outcome.moves.is_empty() || says_so, "{} moves a folder", format.name());
        let head = head(reads_of(txn))?;
        let whole = Space::new(format.name());
        let cause = if outcome.minor { EntryCause::Minor } else { EntryCause::Call };
        let appended = append(txn, asked, spaces.first().unwrap_or(&whole), &outcome, cause, &[])?;
        settled(txn, asked, outcome, appended, head, false)
    }

    // What the engine does itself: it thinks, the formats add what their rules ask.
    fn carry(&self, txn: &mut dyn Txn, asked: &Asked, deed: &Deed) -> Result<Decided, Refusal> {
        let records = StoreRecords::new(Some(reads_of(txn)));
        let view = View { records: &records, files: self.engine.files(), probes: self.engine.probes() };
        let thought = deed.think(self.engine, reads_of(txn), &view, &asked.ctx)?;
        let Thought { changes, moves, cause, takes_back, checkpoints, is_entered, warnings, reply } = thought;
        let mut outcome = if is_entered {
            Outcome { changes, ..Outcome::default() }
        } else {
            deed::with_restored(self.formats, &changes, moves, &view, &asked.ctx)?
        };
        records.check()?;
        outcome.reply.warnings.extend(warnings);
        let mut spaces: Vec<Space> = outcome.changes.iter().map(|change| change.key.space.clone()).collect();
        spaces.dedup();
        self.have_been_looked_at(&spaces)?;
        if !is_entered {
            self.are_open(&spaces)?;
        }
        let before = head(reads_of(txn))?;
        // What was brought in, or only settled, is to be committed whatever else there is.
        let kept = is_entered
            || matches!(deed, Deed::Settle)
            || !(checkpoints.put.is_empty() && checkpoints.dropped.is_empty());
        for checkpoint in &checkpoints.put {
            let number = checkpoint::number_of(&checkpoint.id).map(|number| number.to_string());
            txn.put_checkpoint(checkpoint)
                .and_then(|()| txn.put_meta(checkpoint::LAST, number.as_deref()))
                .map_err(|error| refusals::of_store(&error))?;
        }
        for id in &checkpoints.dropped {
            txn.delete_checkpoint(id).map_err(|error| refusals::of_store(&error))?;
        }
        let space = deed::spanning(&outcome.changes);
        let appended = if is_entered { None } else { append(txn, asked, &space, &outcome, cause, &takes_back)? };
        outcome.reply.body = reply(appended.unwrap_or(before), &outcome.changes);
        settled(txn, asked, outcome, appended, before, kept)
    }

    fn have_been_looked_at(&self, spaces: &[Space]) -> Result<(), Refusal> {
        let elsewhere = |space: &&Space| self.grounds.iter().all(|ground| ground.space != **space);
        let Some(space) = spaces.iter().find(elsewhere) else { return Ok(()) };
        let is_on = self.formats.iter().any(|format| format.name() == space.format());
        Err(if is_on {
            let message = format!("{space} came to be while the request waited");
            Refusal::new(RefusalClass::Unavailable, ELSEWHERE, message).hint("repeat the command")
        } else {
            deed::format_off(space)
        })
    }

    fn are_open(&self, spaces: &[Space]) -> Result<(), Refusal> {
        let blocked = |space: &Space| {
            let place = self.grounds.iter().position(|ground| ground.space == *space)?;
            self.taken[place].blocked.clone()
        };
        spaces.iter().find_map(blocked).map_or(Ok(()), Err)
    }
}

fn head(reads: &dyn Reads) -> Result<Revision, Refusal> {
    reads.head().map_err(|error| refusals::of_store(&error))
}

fn append(
    txn: &mut dyn Txn,
    asked: &Asked,
    space: &Space,
    outcome: &Outcome,
    cause: EntryCause,
    takes_back: &[Revision],
) -> Result<Option<Revision>, Refusal> {
    if outcome.changes.is_empty() && outcome.moves.is_empty() && takes_back.is_empty() {
        return Ok(None);
    }
    let entry = NewEntry {
        at: asked.ctx.now,
        actor: &asked.ctx.actor,
        session: asked.ctx.session.as_deref(),
        request_id: asked.ctx.request_id.as_deref(),
        space,
        call: &asked.call.tool,
        cause,
        changes: &outcome.changes,
        moves: &outcome.moves,
        takes_back,
    };
    txn.append(&entry).map(Some).map_err(|error| refusals::of_store(&error))
}

// Keeps the receipt of a request that was decided.
fn settled(
    txn: &mut dyn Txn,
    asked: &Asked,
    outcome: Outcome,
    appended: Option<Revision>,
    head: Revision,
    kept: bool,
) -> Result<Decided, Refusal> {
    let keeps_receipt = !asked.reads && asked.ctx.request_id.is_some();
    if keeps_receipt {
        receipts::keep(txn, asked, &outcome.reply, appended.unwrap_or(head))?;
    }
    Ok(Decided {
        written: appended.is_some() || keeps_receipt || kept,
        reply: outcome.reply,
        moves: !outcome.moves.is_empty(),
        changes: outcome.changes,
        files: outcome.files,
        rewrites: outcome.rewrites,
    })
}
