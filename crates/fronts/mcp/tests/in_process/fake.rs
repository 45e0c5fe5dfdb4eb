//! A host whose tools say, refuse, break or wait as their names tell.

use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex};

use engine::{Identity, Resource};
use format::{Effect, Files, Format, Listed, Param, ParamKind, Seen, Sources, Surface, Taken, Tool, Touched, View};
use model::{Call, Context, Image, Object, Outcome, Refusal, RefusalClass, Reply, Space, Value};

use crate::host::Host;

/// A host that keeps what it was asked.
pub(super) struct Fake {
    pub(super) asked: Mutex<Vec<(Call, Identity)>>,
    pub(super) on: bool,
    gate: (Mutex<Gate>, Condvar),
}

#[derive(Default)]
struct Gate {
    waiting: usize,
    open: bool,
}

impl Fake {
    pub(super) fn new() -> Arc<Self> {
        Arc::new(Self { asked: Mutex::default(), on: true, gate: (Mutex::default(), Condvar::new()) })
    }

    /// A project without any format.
    pub(super) fn bare() -> Arc<Self> {
        Arc::new(Self { asked: Mutex::default(), on: false, gate: (Mutex::default(), Condvar::new()) })
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

    fn tool(&self, name: &str) -> Option<&'static Tool> {
        self.formats().iter().find_map(|format| format.surface().tool(name))
    }

    fn call(&self, call: &Call, identity: &Identity) -> Result<Reply, Refusal> {
        self.asked.lock().unwrap().push((call.clone(), identity.clone()));
        let mut body = Object::new();
        match call.tool.as_str() {
            "note_say" => body.insert("said".into(), Value::Object(call.arguments.clone())),
            "note_long" => body.insert("text".into(), "x".repeat(100_000).into()),
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

    fn read_resource(&self, uri: &str) -> Result<String, Refusal> {
        match uri {
            "mainstay://notes/NOTES.md" => Ok("# Notes\n".into()),
            _ => Err(Refusal::refused("resource_not_found", "no such resource")),
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
        tool("note_wait", Effect::Write, Listed::No),
    ],
    default_actor: |_| "unknown".to_owned(),
    server_name: Some("notes-server"),
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
