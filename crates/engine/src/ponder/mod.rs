//! Pondering: what formats work out may take long, so it happens outside of every lock.
//!
//! Under the locks only a brief effort is made. What needs more is noted on the request's [`Slate`] and
//! the request is given up; its question is worked out, and the request comes again with the answer. An
//! answer that is about other records than those that are found then is not used: compare and swap.

mod child;
mod helper;
mod slate;

use std::time::{Duration, Instant};

use format::{DatabaseProbe, Effort, FileState, Format, GitProbe, HealthProbe, Probes, Sheet};
use model::{ProjectPath, Refusal, RefusalClass, Value};

use crate::engine::Engine;

pub(crate) use helper::Helper;
pub(crate) use slate::{Answer, Slate};

pub use child::answer;

/// How long a question may be worked at.
const PATIENCE: Duration = Duration::from_secs(2);

/// How long it may be worked at while others wait behind a lock.
const BRIEF: Duration = Duration::from_millis(20);

/// Works a question out in this process.
fn work_out(format: &dyn Format, question: &[Value], is_brief: bool) -> Option<Sheet> {
    let begun = Instant::now();
    let patience = if is_brief { BRIEF } else { PATIENCE };
    format.ponder(question, Effort { is_brief, is_over: &|| begun.elapsed() >= patience })
}

impl Engine {
    /// Works a question out; nobody waits behind a lock.
    ///
    /// **Errors**: `store_busy` where too many questions are being worked at.
    pub(crate) fn work_out(&self, format: &dyn Format, question: &[Value]) -> Result<Option<Sheet>, Refusal> {
        match self.helper() {
            Some(helper) => helper.work_out(format, question),
            None => Ok(work_out(format, question, false)),
        }
    }
}

/// The refusal of a request that comes again with the answer to the question on its slate.
fn comes_again() -> Refusal {
    Refusal::new(RefusalClass::Unavailable, "question_open", "something has to be worked out first")
        .hint("repeat the command")
}

/// The refusal of a request whose question was another one each time.
pub(crate) fn overtaken() -> Refusal {
    let message = "what the request computes from was changed each time before it had finished";
    Refusal::new(RefusalClass::Unavailable, "store_busy", message)
        .with("holder", "other writers of the same records")
        .hint("repeat the command, or have it compute less")
}

/// The world outside for a format that thinks about a call.
pub(crate) struct Desk<'a> {
    engine: &'a Engine,
    format: &'static dyn Format,
    /// Where a question is left that takes more than a brief effort; without one nobody waits.
    slate: Option<&'a Slate>,
}

impl<'a> Desk<'a> {
    /// Of a request that holds no lock.
    pub(crate) fn free(engine: &'a Engine, format: &'static dyn Format) -> Self {
        Self { engine, format, slate: None }
    }

    /// Of a request that others may wait for.
    pub(crate) fn hurried(engine: &'a Engine, format: &'static dyn Format, slate: &'a Slate) -> Self {
        Self { engine, format, slate: Some(slate) }
    }
}

impl Probes for Desk<'_> {
    fn ponder(&self, question: &[Value]) -> Result<Option<Sheet>, Refusal> {
        let Some(slate) = self.slate else { return self.engine.work_out(self.format, question) };
        if let Some(Answer(answer)) = slate.answer_to(question) {
            return Ok(answer);
        }
        // A server runs nothing of its clients in its own process.
        let brief = self.engine.helper().is_none().then(|| work_out(self.format, question, true)).flatten();
        if brief.is_some() {
            return Ok(brief);
        }
        slate.note(question);
        Err(comes_again())
    }

    fn health(&self, port: u16) -> HealthProbe {
        self.engine.probes().health(port)
    }

    fn database(&self, place: &str) -> DatabaseProbe {
        self.engine.probes().database(place)
    }

    fn file(&self, place: &str, limit: u64) -> FileState {
        self.engine.probes().file(place, limit)
    }

    fn folder(&self, place: &str) -> Option<Vec<String>> {
        self.engine.probes().folder(place)
    }

    fn git(&self, folder: &str) -> GitProbe {
        self.engine.probes().git(folder)
    }

    fn head(&self) -> Option<String> {
        self.engine.probes().head()
    }

    fn commits_between(&self, ancestor: &str, head: &str) -> Option<u64> {
        self.engine.probes().commits_between(ancestor, head)
    }

    fn spooled(&self, tool: &str) -> usize {
        self.engine.probes().spooled(tool)
    }

    fn is_abandoned(&self, lock: &ProjectPath) -> bool {
        self.engine.probes().is_abandoned(lock)
    }

    fn program(&self) -> String {
        self.engine.probes().program()
    }
}
