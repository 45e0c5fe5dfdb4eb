//! Events that are safe before they are applied: written first, applied once, never lost.
//!
//! A host that reports an event does not wait for locks. The event is written and fsynced to a file
//! of its own; then it is applied if the locks are free within a short wait, or by the next writing
//! request of its format. It is applied under its caller's request id, else under the file's name, so
//! that an event whose file outlived its commit is not applied again.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use format::{Effect, Format};
use model::{Call, Context, Object, Origin, Refusal, Reply, Timestamp, Value, Warning};

use crate::batch::{Answer, Asked, Thinker};
use crate::home::{Home, open_plain};
use crate::ponder::Slate;
use crate::{clock, refusals};

/// Largest event file that is written or read. **Units**: bytes.
const LIMIT: u64 = 4 * 1024 * 1024;

/// The age from which a half-written file is nobody's any more. **Units**: nanoseconds.
const ABANDONED: i128 = 60_000_000_000;

/// The refusals after which an event is gone: it can never be applied.
const FINAL: [&str; 5] =
    ["invalid_argument", "missing_argument", "unknown_tool", "request_id_reused", refusals::UNSTORABLE];

/// The spool of a project.
pub(crate) struct Spool {
    home: PathBuf,
    folder: PathBuf,
}

/// Which spooled events a request applies before its own work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Events<'a> {
    /// All of the format.
    All,
    /// The one of this name.
    One(&'a str),
    /// None.
    None,
}

/// A spooled event, ready to be carried out.
pub(crate) struct Spooled {
    /// The name of its file.
    pub(crate) id: String,
    path: PathBuf,
    pub(crate) asked: Asked,
}

impl Spool {
    /// Of a project; creates nothing.
    pub(crate) fn of(home: &Home) -> Self {
        Self { home: home.path().to_owned(), folder: home.spool() }
    }

    /// Writes an event; it is safe on disk when this returns. Answers its request id.
    ///
    /// **Errors**: `too_large`, `invalid_argument` for what could not be read back, `write_failed`.
    pub(crate) fn put(&self, asked: &Asked) -> Result<String, Refusal> {
        let text = to_text(asked);
        if text.len() as u64 > LIMIT {
            let message = format!("the event is larger than {LIMIT} bytes");
            return Err(Refusal::refused("too_large", message).field("arguments"));
        }
        if let Err(error) = serde_json::from_str::<Object>(&text) {
            return Err(Refusal::invalid("arguments", format!("the event could not be read back: {error}")));
        }
        let id = format!("spool-{:013}-{:019}-{}", asked.ctx.now.as_millis(), clock::nanos(), clock::random());
        self.keep(&id, &text).map_err(|error| refusals::of_opening(&self.folder, &error))?;
        Ok(asked.ctx.request_id.clone().unwrap_or(id))
    }

    fn keep(&self, id: &str, text: &str) -> io::Result<()> {
        match DirBuilder::new().mode(0o700).create(&self.folder) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
        let growing = self.folder.join(format!(".{id}"));
        let mut file = open_plain(OpenOptions::new().write(true).create_new(true).mode(0o600), &growing)?;
        let written = file.write_all(text.as_bytes()).and_then(|()| file.sync_all());
        if let Err(error) = written.and_then(|()| fs::rename(&growing, self.path(id))) {
            // What cannot be removed either is swept later.
            drop(fs::remove_file(&growing));
            return Err(error);
        }
        File::open(&self.folder)?.sync_all()?;
        // The folder's own name counts too; another process may have made it just now.
        File::open(&self.home)?.sync_all()
    }

    /// The events of these formats, oldest first. What cannot be read stays and is not shown.
    pub(crate) fn pending(&self, formats: &[&'static dyn Format], ctx: &Context, events: Events<'_>) -> Vec<Spooled> {
        let mut ids: Vec<String> = match events {
            Events::All => self.names().filter_map(|name| id_of(&name)).collect(),
            Events::One(id) => vec![id.to_owned()],
            Events::None => Vec::new(),
        };
        ids.sort_unstable();
        ids.into_iter().filter_map(|id| self.read(id, formats, ctx)).collect()
    }

    /// Whether no event waits, of whatever format.
    pub(crate) fn is_empty(&self) -> bool {
        self.names().all(|name| id_of(&name).is_none())
    }

    /// How many events of a tool wait.
    pub(crate) fn count(&self, tool: &str) -> usize {
        let is_of_tool = |id: &String| {
            let object = bytes_of(&self.path(id)).and_then(|bytes| serde_json::from_slice::<Object>(&bytes).ok());
            object.is_some_and(|object| object.get("tool").and_then(Value::as_str) == Some(tool))
        };
        self.names().filter_map(|name| id_of(&name)).filter(is_of_tool).count()
    }

    /// Removes what writers that are gone left half written.
    pub(crate) fn sweep(&self) {
        for name in self.names().filter(|name| name.starts_with(".spool-")) {
            let path = self.folder.join(name);
            let Ok(metadata) = path.symlink_metadata() else { continue };
            let written = i128::from(metadata.mtime()) * 1_000_000_000 + i128::from(metadata.mtime_nsec());
            if metadata.is_file() && clock::nanos() - written > ABANDONED {
                // What stays is in nobody's way.
                drop(fs::remove_file(path));
            }
        }
    }

    fn names(&self) -> impl Iterator<Item = String> {
        let entries = fs::read_dir(&self.folder).into_iter().flatten();
        entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok())
    }

    fn path(&self, id: &str) -> PathBuf {
        self.folder.join(format!("{id}.json"))
    }

    fn read(&self, id: String, formats: &[&'static dyn Format], ctx: &Context) -> Option<Spooled> {
        let path = self.path(&id);
        let object: Object = serde_json::from_slice(&bytes_of(&path)?).ok()?;
        let name = object.get("tool")?.as_str()?;
        let (format, tool) = formats.iter().find_map(|format| Some((*format, format.surface().tool(name)?)))?;
        if tool.effect != Effect::Event {
            return None;
        }
        let arguments = object.get("arguments")?.as_object()?.clone();
        let word = |name: &str| object.get(name).and_then(Value::as_str).map(str::to_owned);
        let event = Context {
            now: Timestamp::from_millis(object.get("at")?.as_i64()?),
            actor: word("actor")?,
            session: word("session"),
            request_id: word("request_id").or_else(|| Some(id.clone())),
            origin: word("hook").map_or(Origin::Tool, Origin::Hook),
            ..ctx.clone()
        };
        let noted = object.get("noted").and_then(Value::as_object).cloned().unwrap_or_default();
        let call = Call { noted, applied: Some(ctx.now), ..Call::new(tool.name, arguments) };
        let (thinker, slate) = (Thinker::Format(format), Slate::default());
        let asked = Asked { thinker, call, ctx: event, applied: ctx.now, reads: false, slate };
        Some(Spooled { id, path, asked })
    }
}

/// Removes the files of events that are done with; answers what stands after their answers.
///
/// An event stays unless it was applied, or refused for what it says itself: a state that cannot be
/// read, a configuration that is wrong, a store that is busy are mended one day.
pub(crate) fn settle(events: Vec<Spooled>, mut answers: Vec<Answer>) -> Vec<Answer> {
    let own = answers.split_off(events.len());
    for (event, answer) in events.into_iter().zip(answers) {
        if answer.err().is_none_or(|refusal| FINAL.contains(&refusal.code.as_ref())) {
            // A file that cannot be removed is not applied again: its request id has a receipt.
            drop(fs::remove_file(event.path));
        }
    }
    own
}

/// What the caller of an event hears when it is safe but not yet applied.
pub(crate) fn spooled_reply(why: &str) -> Reply {
    let body = Object::from_iter([("outcome".to_owned(), Value::from("spooled"))]);
    let message = format!("the event is kept and will be applied by the next command ({why})");
    Reply::new(body, vec![Warning::new("event_spooled", message)])
}

fn to_text(asked: &Asked) -> String {
    let ctx = &asked.ctx;
    let mut object = Object::new();
    object.insert("tool".into(), asked.call.tool.as_str().into());
    object.insert("arguments".into(), Value::Object(asked.call.arguments.clone()));
    if !asked.call.noted.is_empty() {
        object.insert("noted".into(), Value::Object(asked.call.noted.clone()));
    }
    object.insert("at".into(), ctx.now.as_millis().into());
    object.insert("actor".into(), ctx.actor.as_str().into());
    object.insert("session".into(), ctx.session.clone().map_or(Value::Null, Value::String));
    if let Some(id) = &ctx.request_id {
        object.insert("request_id".into(), id.as_str().into());
    }
    if let Origin::Hook(event) = &ctx.origin {
        object.insert("hook".into(), event.as_str().into());
    }
    Value::Object(object).to_string()
}

fn bytes_of(path: &Path) -> Option<Vec<u8>> {
    let file = open_plain(OpenOptions::new().read(true), path).ok()?;
    let mut bytes = Vec::new();
    file.take(LIMIT + 1).read_to_end(&mut bytes).ok()?;
    (bytes.len() as u64 <= LIMIT).then_some(bytes)
}

fn id_of(name: &str) -> Option<String> {
    Some(name.strip_suffix(".json").filter(|id| id.starts_with("spool-"))?.to_owned())
}
