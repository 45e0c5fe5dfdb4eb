//! One project, ready to answer requests.

use std::path::{Path, PathBuf};
use std::slice;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use format::{Effect, Format, HealthProbe, Probes, Tool};
use model::{Call, Environment, Object, Origin, Refusal, RefusalClass, Reply};
use store::{Opener, Store, StoreError};

use crate::batch::{Asked, Thinker, event, replay, write};
use crate::home::Home;
use crate::images::ProjectFiles;
use crate::locks::{Deadline, WAIT};
use crate::ponder::{self, Answer, Helper, Slate};
use crate::probes::{self, HostProbes};
use crate::read::{Read, read, read_in_memory, unwritable};
use crate::writer::Writer;
use crate::{clock, project, refusals, stray::Stray};

/// The refusals of a project that cannot be written; a read is answered all the same.
const UNWRITABLE: [&str; 3] = ["write_failed", "store_unavailable", "backend_unavailable"];

/// What an engine is made from. Only `main.rs` names concrete formats and stores.
pub struct Setup {
    /// The `--project` option; otherwise the root is found from the environment and upwards.
    pub project: Option<PathBuf>,
    /// The working folder of the process.
    pub cwd: PathBuf,
    /// The admitted environment variables.
    pub env: Environment,
    /// The roll-call of formats.
    pub formats: &'static [&'static dyn Format],
    /// How to open the project's store.
    pub stores: Arc<dyn Opener>,
}

/// Who calls, as far as the front knows.
#[derive(Clone, Debug)]
pub struct Identity {
    /// `--actor`, `MAINSTAY_ACTOR` (fronts read both), or what the client says.
    pub actor: Option<String>,
    /// `--session`, `MAINSTAY_SESSION`, a hook's or client's session id.
    pub session: Option<String>,
    /// The idempotency key.
    pub request_id: Option<String>,
    /// The door.
    pub origin: Origin,
}

/// One project. Every method blocks; calls may come from many threads.
pub struct Engine {
    root: PathBuf,
    home: Home,
    files: ProjectFiles,
    probes: HostProbes,
    pub(crate) stray: Stray,
    pub(crate) settings: Object,
    pub(crate) env: Environment,
    /// Why the settings are not those that someone wrote.
    broken: Option<Refusal>,
    /// How long requests wait for locks, where `MAINSTAY_LOCK_WAIT_MS` says so.
    wait: Option<Duration>,
    formats: &'static [&'static dyn Format],
    stores: Arc<dyn Opener>,
    store: Mutex<Option<Arc<dyn Store>>>,
    writer: OnceLock<Writer>,
    helper: OnceLock<Helper>,
}

impl Engine {
    /// Finds the project and reads `mainstay.toml`; opens no store and creates nothing.
    ///
    /// **Errors**: `invalid_argument` for a root that does not exist, `config_invalid` for settings and
    /// for a `MAINSTAY_LOCK_WAIT_MS` that is no number.
    pub fn open(setup: Setup) -> Result<Self, Refusal> {
        let engine = Self::open_for_host(setup)?;
        engine.broken.clone().map_or(Ok(engine), Err)
    }

    /// As [`Engine::open`], for what a host asks: where the settings cannot be read the usual ones hold.
    ///
    /// What is wrong is told by [`Engine::broken`]. Until it is mended events are kept, gates and status lines
    /// work, and every other call is refused: nothing is written by settings that nobody chose.
    ///
    /// **Errors**: `invalid_argument` for a root that does not exist.
    pub fn open_for_host(setup: Setup) -> Result<Self, Refusal> {
        let variable = |name: &str| setup.env.get(name).map(String::as_str).filter(|value| !value.is_empty());
        let variables = [variable("MAINSTAY_PROJECT"), variable("CLAUDE_PROJECT_DIR")];
        let root = project::find_root(setup.project.as_deref(), variables, &setup.cwd, setup.formats)?;
        let files = ProjectFiles::open(&root).map_err(|error| refusals::of_io(&root, &error))?;
        let settings = project::read_settings(&files, setup.formats);
        let wait = clock::wait(setup.env.get("MAINSTAY_LOCK_WAIT_MS").map(String::as_str));
        Ok(Self {
            broken: settings.as_ref().err().or(wait.as_ref().err()).cloned(),
            home: Home::of(&root),
            probes: HostProbes { root: root.clone() },
            root,
            files,
            stray: Stray::of(setup.project.is_some() || variables[0].is_some()),
            settings: settings.unwrap_or_default(),
            wait: wait.unwrap_or_default(),
            env: setup.env,
            formats: setup.formats,
            stores: setup.stores,
            store: Mutex::new(None),
            writer: OnceLock::new(),
            helper: OnceLock::new(),
        })
    }

    /// What is wrong with the settings of a project that was opened for a host.
    pub fn broken(&self) -> Option<&Refusal> {
        self.broken.as_ref()
    }

    /// The canonical project root.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// All formats that this program speaks.
    pub fn formats(&self) -> &'static [&'static dyn Format] {
        self.formats
    }

    /// The formats that are on in this project.
    ///
    /// Those that `mainstay.toml` lists, else those whose marker stands or that have records.
    pub fn formats_on(&self) -> Vec<&'static dyn Format> {
        if let Some(listed) = self.formats_listed() {
            return listed;
        }
        let spaces = match self.opened_store() {
            Ok(Some(store)) => store.read().and_then(|reads| reads.spaces()).unwrap_or_default(),
            _ => Vec::new(),
        };
        let is_on = |format: &&dyn Format| {
            format.is_used(&self.files) || spaces.iter().any(|space| space.format() == format.name())
        };
        self.formats.iter().copied().filter(is_on).collect()
    }

    /// The formats that are on as far as files tell; opens no store.
    pub(crate) fn formats_marked(&self) -> Vec<&'static dyn Format> {
        let marked = |format: &&dyn Format| format.is_used(&self.files);
        self.formats_listed().unwrap_or_else(|| self.formats.iter().copied().filter(marked).collect())
    }

    /// The formats that `mainstay.toml` lists, if it does.
    pub(crate) fn formats_listed(&self) -> Option<Vec<&'static dyn Format>> {
        let listed = self.settings.get("formats")?.as_array()?;
        let is_listed = |format: &&dyn Format| listed.iter().any(|name| name.as_str() == Some(format.name()));
        Some(self.formats.iter().copied().filter(is_listed).collect())
    }

    /// That the project's own list, if it has one, does not leave the format out.
    ///
    /// **Errors**: `format_off`: what is written there would be in nobody's sight, and out of reach for undo.
    pub(crate) fn check_is_not_off(&self, format: &dyn Format) -> Result<(), Refusal> {
        let name = format.name();
        match self.formats_listed() {
            Some(listed) if listed.iter().all(|one| one.name() != name) => {
                Err(refusals::format_off(name, format!("mainstay.toml lists the formats that are on, without {name}")))
            }
            _ => Ok(()),
        }
    }

    /// The format and tool of a name; dots count as underscores.
    pub fn tool(&self, name: &str) -> Option<(&'static dyn Format, &'static Tool)> {
        self.formats.iter().find_map(|format| Some((*format, format.surface().tool(name)?)))
    }

    /// Carries a call through the rooms.
    ///
    /// **Errors**: `unknown_tool`, and whatever format, store and sources refuse.
    pub fn call(&self, call: &Call, identity: &Identity) -> Result<Reply, Refusal> {
        let (format, tool) = self.tool(&call.tool).ok_or_else(|| self.unknown_tool(&call.tool))?;
        let tool = format.surface().switched(tool, &call.arguments);
        let call = Call::new(tool.name, call.arguments.clone());
        self.carry_out(format, tool, call, identity).map_err(|refusal| format.refused(tool, refusal))
    }

    fn carry_out(
        &self,
        format: &'static dyn Format,
        tool: &'static Tool,
        call: Call,
        identity: &Identity,
    ) -> Result<Reply, Refusal> {
        let ctx = self.context(format, &call, identity)?;
        if tool.effect != Effect::Event
            && let Some(broken) = &self.broken
        {
            return Err(broken.clone());
        }
        if !tool.is_read() {
            self.check_is_not_off(format)?;
        }
        if tool.effect == Effect::ReadEvents {
            replay(self, format, &ctx);
        }
        if tool.is_read() {
            match self.opened_store() {
                Ok(store) => {
                    let damage = store.as_deref().and_then(Store::damage);
                    match (read(self, store.as_deref(), format, &call, &ctx)?, damage) {
                        (Read::Answer(mut reply), damage) => {
                            reply.warnings.splice(0..0, damage.as_ref().map(refusals::warning_of));
                            return Ok(reply);
                        }
                        (Read::Waiting, Some(damage)) => {
                            let why = refusals::warning_of(&damage);
                            return read_in_memory(self, store.as_deref(), format, &call, &ctx, why);
                        }
                        (Read::Waiting, None) => {}
                    }
                }
                Err(refusal) if refusal.code == "store_unavailable" => {
                    return read_in_memory(self, None, format, &call, &ctx, unwritable(&refusal, None));
                }
                Err(refusal) => return Err(refusal),
            }
        }
        let (applied, reads, slate) = (ctx.now, tool.is_read(), Slate::default());
        let asked = Asked { thinker: Thinker::Format(format), applied, call, ctx, reads, slate };
        if tool.effect == Effect::Event {
            return event(self, format, asked);
        }
        if !asked.reads {
            return self.submit(format, &asked);
        }
        match self.submit(format, &asked) {
            Err(refusal) if UNWRITABLE.contains(&refusal.code.as_ref()) => {
                let store = self.opened_store()?;
                let why = unwritable(&refusal, store.as_deref());
                read_in_memory(self, store.as_deref(), format, &asked.call, &asked.ctx, why)
            }
            answer => answer,
        }
    }

    // What a request has to work out first is worked out here, where it holds no lock.
    fn submit(&self, format: &'static dyn Format, asked: &Asked) -> Result<Reply, Refusal> {
        let deadline = Deadline::within(self.lock_wait(WAIT));
        let slate = &asked.slate;
        let mut is_first = true;
        loop {
            let answer = self.submit_once(format, asked);
            let Some(question) = slate.open() else { return answer };
            if !is_first && deadline.left().is_zero() {
                return Err(ponder::overtaken());
            }
            is_first = false;
            slate.keep(&question, Answer(self.work_out(format, &question)?));
        }
    }

    fn submit_once(&self, format: &'static dyn Format, asked: &Asked) -> Result<Reply, Refusal> {
        if let Some(writer) = self.writer.get() {
            return writer.submit(format, asked.clone());
        }
        let mut answers = write(self, format, slice::from_ref(asked), self.lock_wait(WAIT));
        answers.pop().expect("one request has one answer")
    }

    /// From now on questions that take long are worked out by processes that run `program`, which is our own.
    pub fn ponder_in(&self, program: PathBuf) {
        self.helper.get_or_init(|| Helper::of(program));
    }

    pub(crate) fn helper(&self) -> Option<&Helper> {
        self.helper.get()
    }

    /// Starts the one writer thread of a server: from now on writing calls share commits.
    pub fn start_writer(self: &Arc<Self>) {
        self.writer.get_or_init(|| Writer::start(Arc::downgrade(self)));
    }

    /// Makes sure that the project can be written, making its store where there is none.
    ///
    /// **Errors**: what the first write would meet. A store that is busy is ready.
    pub fn make_ready(&self) -> Result<(), Refusal> {
        self.home.make()?;
        match self.created_store()?.begin() {
            Ok(_) | Err(StoreError::Busy) => Ok(()),
            Err(error) => Err(refusals::of_store(&error)),
        }
    }

    /// Asks a server on a loopback port how it is.
    pub fn health(&self, port: u16) -> HealthProbe {
        probes::health(port)
    }

    fn unknown_tool(&self, name: &str) -> Refusal {
        let names: Vec<model::Value> = self
            .formats
            .iter()
            .flat_map(|format| format.surface().tools)
            .filter(|tool| tool.listed == format::Listed::Yes)
            .map(|tool| tool.name.into())
            .collect();
        Refusal::new(RefusalClass::Usage, "unknown_tool", format!("there is no tool named {name:?}"))
            .field("tool")
            .allowed(names)
    }

    /// How long a request waits for locks: what `MAINSTAY_LOCK_WAIT_MS` says, or `usual`.
    pub(crate) fn lock_wait(&self, usual: Duration) -> Duration {
        self.wait.unwrap_or(usual)
    }

    pub(crate) fn files(&self) -> &ProjectFiles {
        &self.files
    }

    pub(crate) fn probes(&self) -> &dyn Probes {
        &self.probes
    }

    pub(crate) fn stores(&self) -> &dyn Opener {
        self.stores.as_ref()
    }

    pub(crate) fn home(&self) -> &Home {
        &self.home
    }

    /// The store, if there is one; it stays open for as long as it stands at its place.
    ///
    /// **Errors**: `path_outside_project`, and what keeps the store from opening.
    pub(crate) fn opened_store(&self) -> Result<Option<Arc<dyn Store>>, Refusal> {
        self.home.check()?;
        let mut slot = self.store.lock().unwrap_or_else(PoisonError::into_inner);
        *slot = slot.take().filter(|store| store.is_current());
        if slot.is_none() {
            let opened = self.stores.open(self.home.path()).map_err(|error| refusals::of_store(&error))?;
            *slot = opened.map(Arc::from);
        }
        Ok(slot.clone())
    }

    /// Closes the store, which is about to be replaced; the next request opens what stands there then.
    pub(crate) fn let_go_of_store(&self) {
        *self.store.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// The store, made where there is none.
    pub(crate) fn created_store(&self) -> Result<Arc<dyn Store>, Refusal> {
        if let Some(store) = self.opened_store()? {
            return Ok(store);
        }
        let made = self.stores.create(self.home.path()).map_err(|error| refusals::of_store(&error))?;
        let made: Arc<dyn Store> = Arc::from(made);
        *self.store.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(&made));
        Ok(made)
    }
}

#[cfg(test)]
mod tests {
    use super::{Engine, Setup};
    use std::sync::Arc;
    use std::time::Duration;

    #[test]
    fn the_wait_for_locks_is_the_variables_word() {
        let folder = tempfile::tempdir().unwrap();
        let usual = Duration::from_secs(5);
        for (said, expected) in
            [(None, 5000), (Some("0"), 0), (Some("120"), 120), (Some("3000000000"), 600_000), (Some(""), 5000)]
        {
            let env = said.map(|said| ("MAINSTAY_LOCK_WAIT_MS".to_owned(), said.to_owned())).into_iter().collect();
            let (project, cwd) = (Some(folder.path().to_path_buf()), folder.path().to_path_buf());
            let stores = Arc::new(store_memory::MemoryOpener::default());
            let engine = Engine::open(Setup { project, cwd, env, formats: &[], stores }).unwrap();
            assert_eq!(engine.lock_wait(usual), Duration::from_millis(expected), "{said:?}");
        }
    }
}
