//! A host whose tools say, refuse, break or wait as their names tell.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use engine::{Completable, Completion, Identity, PromptText, Resource, ResourceText, Stir};
use format::{Effect, Files, Format, Listed, Param, ParamKind, Seen, Sources, Surface, Taken, Tool, Touched, View};
use model::{Call, Context, Image, Object, Outcome, Refusal, RefusalClass, Reply, Revision, Space, Value, Warning};

use crate::host::Host;

/// A host that keeps what it was asked.
pub(super) struct Fake {
    pub(super) asked: Mutex<Vec<(Call, Identity)>>,
    pub(super) on: bool,
    gate: (Mutex<Gate>, Condvar),
    stirs: Mutex<Vec<Stir>>,
    stirred: Condvar,
    /// How many threads follow what happens.
    followers: (Mutex<usize>, Condvar),
    /// How many times what happens cannot be followed yet.
    busy: Mutex<usize>,
}

#[derive(Default)]
struct Gate {
    waiting: usize,
    open: bool,
}

impl Fake {
    pub(super) fn new() -> Arc<Self> {
        Arc::new(Self::of(true))
    }

    /// A project without any format.
    pub(super) fn bare() -> Arc<Self> {
        Arc::new(Self::of(false))
    }

    fn of(on: bool) -> Self {
        Self {
            asked: Mutex::default(),
            on,
            gate: (Mutex::default(), Condvar::new()),
            stirs: Mutex::default(),
            stirred: Condvar::new(),
            followers: (Mutex::default(), Condvar::new()),
            busy: Mutex::default(),
        }
    }

    /// Lets an entry touch spaces; says what its revision is.
    pub(super) fn stir(&self, spaces: &[&str], lists: bool) -> u64 {
        let mut stirs = self.stirs.lock().unwrap();
        let revision = stirs.len() as u64 + 1;
        let spaces = spaces.iter().map(|space| Space::new(*space)).collect();
        stirs.push(Stir { revision: Revision(revision), spaces, lists, missed: false });
        self.stirred.notify_all();
        revision
    }

    pub(super) fn count(&self) -> usize {
        self.asked.lock().unwrap().len()
    }

    /// Blocks until `number` calls of the tool `wait` are under way.
    pub(super) fn until_waiting(&self, number: usize) {
        let (gate, changed) = &self.gate;
        drop(changed.wait_while(gate.lock().unwrap(), |gate| gate.waiting < number).unwrap());
    }

    /// Lets all calls of `wait` go on.
    pub(super) fn open_gate(&self) {
        self.gate.0.lock().unwrap().open = true;
        self.gate.1.notify_all();
    }

    /// Lets the next attempts to follow what happens fail.
    pub(super) fn be_busy(&self, times: usize) {
        *self.busy.lock().unwrap() = times;
    }

    /// How many threads follow what happens.
    pub(super) fn followers(&self) -> usize {
        *self.followers.0.lock().unwrap()
    }

    /// Blocks until nobody follows any more.
    pub(super) fn until_unfollowed(&self) {
        let (followers, changed) = &self.followers;
        drop(changed.wait_while(followers.lock().unwrap(), |followers| *followers > 0).unwrap());
    }

    fn follow(&self, change: isize) {
        let mut followers = self.followers.0.lock().unwrap();
        *followers = followers.checked_add_signed(change).unwrap();
        self.followers.1.notify_all();
    }

    fn wait(&self) {
        let (gate, changed) = &self.gate;
        let mut inside = gate.lock().unwrap();
        inside.waiting += 1;
        changed.notify_all();
        drop(changed.wait_while(inside, |gate| !gate.open).unwrap());
    }
}

impl Host for Fake {
    fn root(&self) -> PathBuf {
        "/projects/fake".into()
    }

    fn formats(&self) -> &'static [&'static dyn Format] {
        ALL
    }

    fn formats_on(&self) -> Vec<&'static dyn Format> {
        if self.on { vec![&NOTES] } else { Vec::new() }
    }

    fn no_project(&self) -> Option<Refusal> {
        None
    }

    fn tool(&self, name: &str) -> Option<&'static Tool> {
        self.formats().iter().find_map(|format| format.surface().tool(name))
    }

    fn call(&self, call: &Call, identity: &Identity) -> Result<Reply, Refusal> {
        self.asked.lock().unwrap().push((call.clone(), identity.clone()));
        let mut body = Object::new();
        match call.tool.as_str() {
            "note_say" => body.insert("said".into(), Value::Object(call.arguments.clone())),
            "note_long" => body.insert("text".into(), "x".repeat(100_000).into()),
            "note_warn" => {
                let warnings = vec![Warning::new("w1", "first"), Warning::new("w2", "second")];
                return Ok(Reply::new(Object::new(), warnings));
            }
            "note_panic" => panic!("as asked"),
            "note_wait" => {
                self.wait();
                body.insert("waited".into(), true.into())
            }
            "note_missing" => return Err(Refusal::refused("note_not_found", "no such note").with("id", "N1")),
            "note_invalid" => return Err(Refusal::invalid("id", "an id has digits").allowed("N1")),
            _ => return Err(Refusal::new(RefusalClass::Usage, "unknown_tool", "no such tool")),
        };
        Ok(Reply::new(body, Vec::new()))
    }

    fn resources(&self) -> Result<Vec<Resource>, Refusal> {
        Ok(vec![Resource {
            uri: "mainstay://notes/NOTES.md".into(),
            name: "NOTES.md".into(),
            description: String::new(),
            mime: "text/markdown",
        }])
    }

    fn read_resource(&self, uri: &str) -> Result<ResourceText, Refusal> {
        self.check_resource(uri)?;
        Ok(ResourceText { text: "# Notes\n".into(), mime: "text/markdown" })
    }

    fn check_resource(&self, uri: &str) -> Result<(), Refusal> {
        match uri {
            "mainstay://notes/NOTES.md" | "mainstay://state" => Ok(()),
            _ => Err(Refusal::refused("resource_not_found", "no such resource")),
        }
    }

    fn is_resource(&self, uri: &str) -> bool {
        engine::is_resource(uri)
    }

    fn stirrings(&self, told: &mut dyn FnMut(&Stir) -> ControlFlow<()>) -> Result<(), Refusal> {
        let mut busy = self.busy.lock().unwrap();
        if *busy > 0 {
            *busy -= 1;
            return Err(Refusal::refused("store_busy", "another process holds the store"));
        }
        drop(busy);
        self.follow(1);
        let mut seen = self.stirs.lock().unwrap().len();
        let mut goes_on = told(&Stir::default());
        while goes_on.is_continue() {
            let stirs = self.stirs.lock().unwrap();
            let waited = self.stirred.wait_timeout_while(stirs, Duration::from_millis(20), |all| all.len() <= seen);
            let next = waited.unwrap().0.get(seen).cloned();
            seen += usize::from(next.is_some());
            goes_on = told(&next.unwrap_or_default());
        }
        self.follow(-1);
        Ok(())
    }

    fn prompt(&self, name: &str, arguments: &Object, identity: &Identity) -> Result<PromptText, Refusal> {
        match name {
            "resume" => Ok(PromptText {
                description: "As asked.",
                text: format!("{} {:?}", Value::Object(arguments.clone()), identity.actor),
            }),
            _ => Err(Refusal::invalid("name", "no such prompt")),
        }
    }

    fn complete(&self, what: Completable<'_>, argument: &str, begun: &str) -> Result<Completion, Refusal> {
        match what {
            Completable::Prompt("resume") => Ok(Completion { values: vec![format!("{argument}={begun}")], total: 7 }),
            _ => Err(Refusal::invalid("ref", "no such reference")),
        }
    }
}

struct Notes;
struct Other;

static NOTES: Notes = Notes;
static OTHER: Other = Other;
static ALL: &[&dyn Format] = &[&NOTES, &OTHER];

const fn tool(name: &'static str, effect: Effect, listed: Listed) -> Tool {
    Tool { name, description: "", effect, listed, params: &[] }
}

static NOTES_SURFACE: Surface = Surface {
    tools: &[
        Tool {
            name: "note_say",
            description: "Says it again.",
            effect: Effect::Read,
            listed: Listed::Yes,
            params: &[Param { name: "text", kind: ParamKind::Text, required: true, description: "" }],
        },
        tool("note_invalid", Effect::Write, Listed::Yes),
        tool("note_missing", Effect::WriteIdempotent, Listed::Yes),
        tool("note_event", Effect::Event, Listed::Yes),
        tool("note_long", Effect::Read, Listed::No),
        tool("note_panic", Effect::Write, Listed::No),
        tool("note_warn", Effect::Write, Listed::No),
        tool("note_wait", Effect::Write, Listed::No),
    ],
    default_actor: |_| "unknown".to_owned(),
    server_name: Some("notes-server"),
    seed_separator: '.',
    ..Surface::BARE
};

static OTHER_SURFACE: Surface = Surface {
    tools: &[tool("other_read", Effect::Read, Listed::Yes)],
    default_actor: |_| "unknown".to_owned(),
    ..Surface::BARE
};

macro_rules! surface_only {
    ($format:ty, $name:literal, $surface:ident) => {
        impl Format for $format {
            fn name(&self) -> &'static str {
                $name
            }
            fn surface(&self) -> &'static Surface {
                &$surface
            }
            fn is_used(&self, _: &dyn Files) -> bool {
                true
            }
            fn spaces(&self, _: Option<&Call>, _: &View<'_>, _: &Context) -> Result<Vec<Space>, Refusal> {
                unreachable!("the front asks for the surface alone")
            }
            fn sources(&self, _: &Space, _: &View<'_>, _: &Context) -> Result<Sources, Refusal> {
                unreachable!("the front asks for the surface alone")
            }
            fn take_in(&self, _: &Space, _: &[Seen], _: &View<'_>, _: &Context) -> Taken {
                unreachable!("the front asks for the surface alone")
            }
            fn handle(&self, _: &Call, _: &View<'_>, _: &Context) -> Result<Outcome, Refusal> {
                unreachable!("the front asks for the surface alone")
            }
            fn render(&self, _: &Space, _: &Touched<'_>, _: &View<'_>, _: &Context) -> Vec<Image> {
                unreachable!("the front asks for the surface alone")
            }
        }
    };
}

surface_only!(Notes, "notes", NOTES_SURFACE);
surface_only!(Other, "other", OTHER_SURFACE);
