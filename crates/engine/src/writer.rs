//! The one writer of a server: requests that arrive during a commit share the next one.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, PoisonError, Weak};

use format::Format;
use model::{Refusal, RefusalClass, Reply};

use crate::batch::{Asked, write};
use crate::engine::Engine;
use crate::locks::WAIT;

/// How many requests share one commit at most.
const BATCH: usize = 64;

struct Job {
    format: &'static dyn Format,
    asked: Asked,
    answer: Sender<Result<Reply, Refusal>>,
}

/// A queue into the writer thread; the thread ends when the engine is gone.
pub(crate) struct Writer {
    jobs: Mutex<Sender<Job>>,
}

impl Writer {
    /// Starts the thread.
    pub(crate) fn start(engine: Weak<Engine>) -> Self {
        let (sender, receiver) = channel();
        std::thread::Builder::new()
            .name("mainstay-writer".into())
            .spawn(move || run(&engine, &receiver))
            .expect("the operating system gives a thread at start");
        Self { jobs: Mutex::new(sender) }
    }

    /// Hands a request over and waits for its answer, which comes after its commit.
    pub(crate) fn submit(&self, format: &'static dyn Format, asked: Asked) -> Result<Reply, Refusal> {
        let (answer, answered) = channel();
        let job = Job { format, asked, answer };
        let sent = self.jobs.lock().unwrap_or_else(PoisonError::into_inner).send(job);
        match sent.ok().and_then(|()| answered.recv().ok()) {
            Some(reply) => reply,
            None => {
                Err(Refusal::new(RefusalClass::Unavailable, "store_unavailable", "the server's writer has stopped")
                    .hint("restart the server"))
            }
        }
    }
}

fn run(engine: &Weak<Engine>, jobs: &Receiver<Job>) {
    let mut next = jobs.recv().ok();
    while let Some(first) = next.take() {
        let Some(engine) = engine.upgrade() else { return };
        let mut batch = vec![first];
        while batch.len() < BATCH {
            match jobs.try_recv() {
                // A batch takes one format's locks; order between formats is kept.
                Ok(job) if job.format.name() == batch[0].format.name() => batch.push(job),
                Ok(job) => {
                    next = Some(job);
                    break;
                }
                Err(_) => break,
            }
        }
        answer(&engine, batch);
        drop(engine);
        if next.is_none() {
            next = jobs.recv().ok();
        }
    }
}

// A panic in one batch answers that batch and leaves the writer running.
fn answer(engine: &Engine, batch: Vec<Job>) {
    let format = batch[0].format;
    let (asked, waiting): (Vec<Asked>, Vec<_>) = batch.into_iter().map(|job| (job.asked, job.answer)).unzip();
    let count = asked.len();
    let carry = std::panic::AssertUnwindSafe(|| write(engine, format, &asked, engine.lock_wait(WAIT)));
    let answers = std::panic::catch_unwind(carry).unwrap_or_else(|_| {
        let refusal = Refusal::new(RefusalClass::Unavailable, "internal_error", "the request failed unexpectedly")
            .hint("mainstay doctor; nothing was reported done");
        vec![Err(refusal); count]
    });
    for (reply, answer) in answers.into_iter().zip(waiting) {
        // A client that went away is no reason to stop.
        drop(answer.send(reply));
    }
}
