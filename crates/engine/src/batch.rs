//! Batches: several requests in one commit, each with an answer and with trouble of its own.

use std::slice;
use std::time::Duration;

use format::{Format, Look, Spooling};
use model::{Call, Context, ProjectPath, Refusal, RefusalClass, Reply, Timestamp, Value};

use crate::deed::Deed;
use crate::engine::Engine;
use crate::locks::{Deadline, EVENT_WAIT};
use crate::outset::spaces_of;
use crate::ponder::Slate;
use crate::refusals::OUTCOME_UNKNOWN;
use crate::spool::{Events, Spool, spooled_reply};
use crate::take_in::outside_context;
use crate::write::{ELSEWHERE, carry_out};

/// One request of a batch.
#[derive(Clone)]
pub(crate) struct Asked {
    /// Who thinks about it.
    pub(crate) thinker: Thinker,
    pub(crate) call: Call,
    pub(crate) ctx: Context,
    /// The clock of the request that applies it: its own, but for a spooled event.
    pub(crate) applied: Timestamp,
    /// The tool only reads; it is here because something waited to be taken in.
    pub(crate) reads: bool,
    /// What has to be worked out before it can go on.
    pub(crate) slate: Slate,
}

/// Who thinks about a request.
#[derive(Clone)]
pub(crate) enum Thinker {
    /// The format of the tool that is called.
    Format(&'static dyn Format),
    /// The engine itself, about all formats that are on.
    Own(Deed),
}

/// What one request of a batch is told.
pub(crate) type Answer = Result<Reply, Refusal>;

/// How often a request is thought again because it turned out to be about another space.
const TRIES: usize = 3;

/// The refusals of a batch that each of its requests would meet alone, or must not meet twice.
const SHARED: [&str; 2] = ["store_busy", OUTCOME_UNKNOWN];

/// The refusal of a request whose space another program has locked.
const LOCKED: &str = "lock_timeout";

/// Carries out a batch of requests of one format in one commit.
///
/// Each has its own answer. Events of the format that are spooled go first.
/// What fails for the batch as a whole is tried once more, request by request.
pub(crate) fn write(engine: &Engine, format: &'static dyn Format, asked: &[Asked], wait: Duration) -> Vec<Answer> {
    write_over(engine, &[format], asked, wait)
}

/// Carries out what the engine does itself, about all of `formats`, in one commit.
pub(crate) fn write_own(engine: &Engine, formats: &[&'static dyn Format], asked: Asked, wait: Duration) -> Answer {
    write_over(engine, formats, &[asked], wait).pop().expect("one request has one answer")
}

fn write_over(engine: &Engine, formats: &[&'static dyn Format], asked: &[Asked], wait: Duration) -> Vec<Answer> {
    let ctx = outside_context(&asked.first().expect("a batch holds a request").ctx);
    let answers = match carry_out(engine, formats, asked, Events::All, &ctx, Deadline::within(wait)) {
        Ok(answers) => answers,
        Err(refusal) if SHARED.contains(&refusal.code.as_ref()) => return vec![Err(refusal); asked.len()],
        Err(refusal) => singly(engine, formats, asked, &ctx, Deadline::within(wait), &refusal),
    };
    let again = |(asked, answer)| think_again(engine, formats, asked, answer, &ctx, wait);
    asked.iter().zip(answers).map(again).collect()
}

/// Makes an event safe, then applies it with all that are spooled if the locks are free in time.
pub(crate) fn event(engine: &Engine, format: &'static dyn Format, mut asked: Asked) -> Answer {
    let is_repeat = has_receipt(engine, &asked);
    if !is_repeat {
        let look = Look { files: engine.files(), probes: engine.probes() };
        match format.spooling(&asked.call, &look) {
            Spooling::Keep(noted) => asked.call.noted = noted,
            Spooling::Ignore(body) => return Ok(Reply::new(body, Vec::new())),
        }
        engine.home().make()?;
        // The event is in the spool then; this one is its caller, who hears the receipt's reply.
        asked.ctx.request_id = Some(Spool::of(engine.home()).put(&asked)?);
    }
    if let Some(broken) = engine.broken() {
        return Ok(spooled_reply(&broken.message));
    }
    match write(engine, format, &[asked], engine.lock_wait(EVENT_WAIT)).pop().expect("one request has one answer") {
        Err(refusal) if !is_repeat && refusal.class == RefusalClass::Unavailable => Ok(spooled_reply(&refusal.message)),
        Ok(mut reply) if !is_repeat => {
            reply.body.shift_remove("replayed");
            Ok(reply)
        }
        answer => answer,
    }
}

/// Applies the events of a format that are spooled, if the locks are free in time.
///
/// What becomes of them is told by their files: those that stay are still to be applied.
pub(crate) fn replay(engine: &Engine, format: &'static dyn Format, ctx: &Context) {
    let spool = Spool::of(engine.home());
    if engine.home().check().is_ok() && !spool.is_empty() && !spool.pending(&[format], ctx, Events::All).is_empty() {
        let deadline = Deadline::within(engine.lock_wait(EVENT_WAIT));
        drop(carry_out(engine, &[format], &[], Events::All, &outside_context(ctx), deadline));
    }
}

// Where that cannot be told, the event is spooled once more: it is applied once all the same.
fn has_receipt(engine: &Engine, asked: &Asked) -> bool {
    let receipt = || {
        let id = asked.ctx.request_id.as_deref()?;
        let store = engine.opened_store().ok()??;
        store.read().ok()?.receipt(&asked.call.tool, id).ok()?
    };
    receipt().is_some()
}

// One request's trouble is nobody else's. A space that another program has locked is waited for once.
fn singly(
    engine: &Engine,
    formats: &[&'static dyn Format],
    asked: &[Asked],
    ctx: &Context,
    deadline: Deadline,
    why: &Refusal,
) -> Vec<Answer> {
    let spooled = Spool::of(engine.home()).pending(formats, ctx, Events::All);
    if asked.len() + spooled.len() == 1 {
        return vec![Err(why.clone())];
    }
    let locks = |asked: &Asked| -> Vec<ProjectPath> {
        let about = spaces_of(engine, formats, slice::from_ref(asked), ctx).unwrap_or_default();
        about.spaces.iter().filter_map(|sourced| sourced.sources.lock.as_ref()?.path().cloned()).collect()
    };
    // The whole batch has waited for one already.
    let mut locked: Vec<Refusal> = Some(why.clone()).filter(|why| why.code == LOCKED).into_iter().collect();
    let mut alone = |one: &Asked, asked: &[Asked], events: Events<'_>| {
        let needed = locks(one);
        let is_needed = |refusal: &&Refusal| {
            refusal
                .details
                .get("lock")
                .and_then(Value::as_str)
                .is_some_and(|lock| needed.iter().any(|one| one.as_str() == lock))
        };
        if let Some(refusal) = locked.iter().find(is_needed) {
            return Err(refusal.clone());
        }
        let answers = carry_out(engine, formats, asked, events, ctx, deadline);
        locked.extend(answers.as_ref().err().filter(|refusal| refusal.code == LOCKED).cloned());
        answers
    };
    for event in &spooled {
        // What becomes of it is told by its file.
        drop(alone(&event.asked, &[], Events::One(&event.id)));
    }
    asked.iter().map(|asked| alone(asked, slice::from_ref(asked), Events::None).and_then(only)).collect()
}

// A request that turned out to be about a space that was not looked at gets a turn of its own.
fn think_again(
    engine: &Engine,
    formats: &[&'static dyn Format],
    asked: &Asked,
    mut answer: Answer,
    ctx: &Context,
    wait: Duration,
) -> Answer {
    for _ in 0..TRIES {
        if !matches!(&answer, Err(refusal) if refusal.code == ELSEWHERE) {
            break;
        }
        let deadline = Deadline::within(wait);
        answer = carry_out(engine, formats, slice::from_ref(asked), Events::All, ctx, deadline).and_then(only);
    }
    answer
}

fn only(mut answers: Vec<Answer>) -> Answer {
    answers.pop().expect("one request has one answer")
}
