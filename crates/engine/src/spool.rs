//! Events that are safe before they are applied: written first, applied once, never lost.
//!
//! A host that reports an event does not wait for locks. The event is written and fsynced to a file
//! of its own; then it is applied if the locks are free within a short wait, or by the next writing
//! request of its format. The file's name is the request id under which it is applied, so that an
//! event whose file outlived its commit is not applied again.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use format::Format;
use model::{Call, Context, Object, Origin, RefusalClass, Reply, Timestamp, Value, Warning};

use crate::clock;
use crate::home::Home;
use crate::write::{Answer, Asked};

/// Largest event file that is read. **Units**: bytes.
const LIMIT: u64 = 4 * 1024 * 1024;

/// The spool of a project.
pub(crate) struct Spool {
    folder: PathBuf,
}

/// A spooled event, ready to be carried out.
pub(crate) struct Spooled {
    path: PathBuf,
    pub(crate) asked: Asked,
}

impl Spool {
    /// Of a project; creates nothing.
    pub(crate) fn of(home: &Home) -> Self {
        Self { folder: home.path().join("spool") }
    }

    /// Writes an event; it is safe on disk when this returns. Answers its request id.
    pub(crate) fn put(&self, asked: &Asked) -> io::Result<String> {
        DirBuilder::new().recursive(true).mode(0o700).create(&self.folder)?;
        let id = format!("spool-{:013}-{:019}-{}", asked.ctx.now.as_millis(), clock::nanos(), clock::random());
        let growing = self.folder.join(format!(".{id}"));
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&growing)?;
        file.write_all(to_text(asked).as_bytes())?;
        file.sync_all()?;
        fs::rename(&growing, self.path(&id))?;
        File::open(&self.folder)?.sync_all()?;
        Ok(id)
    }

    /// The events of a format, oldest first. What cannot be read stays and is not shown.
    pub(crate) fn pending(&self, format: &dyn Format, ctx: &Context) -> Vec<Spooled> {
        let Ok(entries) = fs::read_dir(&self.folder) else {
            return Vec::new();
        };
        let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
        paths.sort_unstable();
        paths.into_iter().filter_map(|path| read(path, format, ctx)).collect()
    }

    /// Whether any event waits, of whatever format.
    pub(crate) fn is_empty(&self) -> bool {
        fs::read_dir(&self.folder).map_or(true, |mut entries| entries.next().is_none())
    }

    fn path(&self, id: &str) -> PathBuf {
        self.folder.join(format!("{id}.json"))
    }
}

impl Spooled {
    /// Removes the file of an event that has been settled.
    ///
    /// One that could not be applied for now (a state that cannot be read, a store that is busy)
    /// stays.
    pub(crate) fn settle(self, answer: &Answer) {
        let stays = matches!(answer, Err(refusal) if matches!(refusal.class, RefusalClass::Corrupt | RefusalClass::Unavailable));
        if !stays {
            // A file that stays is not applied again: its request id has a receipt.
            drop(fs::remove_file(self.path));
        }
    }
}

/// What the caller of an event hears when it is safe but not yet applied.
pub(crate) fn spooled_reply(why: &str) -> Reply {
    let body = Object::from_iter([("outcome".to_owned(), Value::from("spooled"))]);
    let message = format!("the event is kept and will be applied by the next command ({why})");
    Reply { body, warnings: vec![Warning::new("event_spooled", message)] }
}

fn to_text(asked: &Asked) -> String {
    let ctx = &asked.ctx;
    let mut object = Object::new();
    object.insert("tool".into(), asked.call.tool.as_str().into());
    object.insert("arguments".into(), Value::Object(asked.call.arguments.clone()));
    object.insert("at".into(), ctx.now.as_millis().into());
    object.insert("actor".into(), ctx.actor.as_str().into());
    object.insert("session".into(), ctx.session.clone().map_or(Value::Null, Value::String));
    if let Origin::Hook(event) = &ctx.origin {
        object.insert("hook".into(), event.as_str().into());
    }
    Value::Object(object).to_string()
}

fn read(path: PathBuf, format: &dyn Format, ctx: &Context) -> Option<Spooled> {
    let id = id_of(&path)?;
    let metadata = path.symlink_metadata().ok()?;
    if !metadata.is_file() || metadata.len() > LIMIT {
        return None;
    }
    let object: Object = serde_json::from_slice(&fs::read(&path).ok()?).ok()?;
    let tool = format.surface().tool(object.get("tool")?.as_str()?)?;
    let arguments = object.get("arguments")?.as_object()?.clone();
    let ctx = Context {
        now: Timestamp::from_millis(object.get("at")?.as_i64()?),
        actor: object.get("actor")?.as_str()?.to_owned(),
        session: object.get("session").and_then(Value::as_str).map(str::to_owned),
        request_id: Some(id),
        origin: object.get("hook").and_then(Value::as_str).map_or(Origin::Tool, |event| Origin::Hook(event.to_owned())),
        ..ctx.clone()
    };
    Some(Spooled { path, asked: Asked { call: Call::new(tool.name, arguments), ctx, reads: false } })
}

fn id_of(path: &Path) -> Option<String> {
    let name = path.file_name()?.to_str()?;
    Some(name.strip_suffix(".json").filter(|id| id.starts_with("spool-"))?.to_owned())
}
