//! What a format offers, as data: it feeds the command line, MCP, completions and reference pages.

use std::borrow::Cow;

use model::{Object, Origin, Refusal, Value};

use crate::{BinaryName, Command, Hook, Speech};

/// Everything that a format offers.
#[derive(Debug)]
pub struct Surface {
    /// The tools, in the order in which they are listed.
    pub tools: &'static [Tool],
    /// The commands after `mainstay FORMAT`.
    pub commands: &'static [Command],
    /// Other names of the binary that stand for `mainstay FORMAT`, or for one of its commands.
    pub binary_names: &'static [BinaryName],
    /// How the commands of the format answer.
    pub speech: Speech,
    /// The code of a refusal for an argument that is missing.
    pub missing_argument: &'static str,
    /// Whether text that begins with two dashes is a value only as `--flag=VALUE`.
    pub dashed_values_need_equals: bool,
    /// The option of the commands that names the project root, where there is one.
    pub root_option: Option<&'static str>,
    /// The switch of the commands that asks for errors as JSON on standard error, where there is one.
    pub error_switch: Option<&'static str>,
    /// Tools that become others when a switch of theirs is on.
    pub switches: &'static [Switch],
    /// The host events that the format listens to.
    pub hooks: &'static [Hook],
    /// The argument that names the actor, where tools take one.
    pub actor_argument: Option<&'static str>,
    /// The environment variable that names the actor.
    pub actor_variable: Option<&'static str>,
    /// The actor of a call that names none.
    pub default_actor: fn(&Origin) -> String,
    /// Record kinds that are the format's own bookkeeping.
    ///
    /// `history` leaves them out unless asked for everything.
    pub bookkeeping: &'static [&'static str],
    /// Whether calls of the format move folders.
    ///
    /// One that does not is spared the look for moves that a crash left waiting.
    pub moves_folders: bool,
    /// Whether the format has, or had under another configuration, a table image.
    pub hosts_tables: bool,
    /// The name that `GET /health` gives the server, where clients of the format look for one.
    pub server_name: Option<&'static str>,
    /// What stands behind the first word of a tool's name in the format's seed: a dot in `state.get` for `state_get`.
    pub seed_separator: char,
}

/// A tool that becomes another one: one that only looks, and mends where it is told to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Switch {
    /// The tool as it is called.
    pub tool: &'static str,
    /// The argument that turns it when it is `true`.
    pub argument: &'static str,
    /// The tool that it becomes, with the same arguments.
    pub becomes: &'static str,
}

/// One tool.
#[derive(Debug)]
pub struct Tool {
    /// Its name, with underscores.
    pub name: &'static str,
    /// What it does, for agents: short, since every session carries it.
    pub description: &'static str,
    /// What it may do.
    pub effect: Effect,
    /// Whether `tools/list` shows it; the others answer all the same.
    pub listed: Listed,
    /// Its parameters; others are refused by name.
    pub params: &'static [Param],
}

/// What a tool may do to records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Nothing, but for what its answer notes down in the format's own books.
    ///
    /// It is run without a lock; where it turns out to note something down, once more as a write.
    Read,
    /// Nothing, after the events that wait in the spool were applied.
    ReadEvents,
    /// Change them; a repeat of the same call may change them again.
    Write,
    /// Change them; a repeat of the same call changes nothing more.
    WriteIdempotent,
    /// Record an event that is spooled first.
    Event,
}

/// Whether a tool stands in `tools/list`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Listed {
    /// It does.
    Yes,
    /// It answers without standing there.
    No,
}

/// One parameter of a tool.
#[derive(Debug)]
pub struct Param {
    /// Its name.
    pub name: &'static str,
    /// What it takes.
    pub kind: ParamKind,
    /// Whether it must be given.
    pub required: bool,
    /// What it means; empty where the name says it.
    pub description: &'static str,
}

/// What a parameter takes; the shape of its JSON schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParamKind {
    /// Any text.
    Text,
    /// Text or a whole number.
    TextOrInteger,
    /// A whole number in a range.
    Integer {
        /// The least.
        min: i64,
        /// The greatest.
        max: i64,
    },
    /// True or false.
    Boolean,
    /// One of these words.
    Word(&'static [&'static str]),
    /// A list of texts.
    TextList,
    /// Any object.
    Object,
    /// Anything.
    Any,
}

impl Surface {
    /// A surface that offers nothing: what a format does not say stands as it does here.
    pub const BARE: Self = Self {
        tools: &[],
        commands: &[],
        binary_names: &[],
        speech: Speech::Text,
        missing_argument: "missing_argument",
        dashed_values_need_equals: false,
        root_option: None,
        error_switch: None,
        switches: &[],
        hooks: &[],
        actor_argument: None,
        actor_variable: None,
        default_actor: door,
        bookkeeping: &[],
        moves_folders: false,
        hosts_tables: false,
        server_name: None,
        seed_separator: '_',
    };

    /// The tool of that name; a dot counts as an underscore.
    pub fn tool(&self, name: &str) -> Option<&'static Tool> {
        let listed = name.replace('.', "_");
        self.tools.iter().find(|tool| tool.name == listed)
    }

    /// The name of a tool as the format's seed spells it.
    pub fn seed_name(&self, tool: &Tool) -> Cow<'static, str> {
        match tool.name.split_once('_') {
            Some((first, rest)) if self.seed_separator != '_' => {
                Cow::Owned(format!("{first}{}{rest}", self.seed_separator))
            }
            _ => Cow::Borrowed(tool.name),
        }
    }

    /// The tool that a call of `tool` with these arguments is for.
    pub fn switched(&self, tool: &'static Tool, arguments: &Object) -> &'static Tool {
        let is_on =
            |switch: &&Switch| switch.tool == tool.name && arguments.get(switch.argument) == Some(&Value::Bool(true));
        self.switches.iter().find(is_on).and_then(|switch| self.tool(switch.becomes)).unwrap_or(tool)
    }
}

impl Tool {
    /// Whether it never changes a record.
    pub fn is_read(&self) -> bool {
        matches!(self.effect, Effect::Read | Effect::ReadEvents)
    }

    /// The JSON schema of its arguments.
    ///
    /// **Source**: JSON Schema 2020-12, the part that MCP hosts agree on.
    pub fn input_schema(&self) -> Object {
        let mut properties = Object::new();
        for param in self.params {
            properties.insert(param.name.to_owned(), Value::Object(param.schema()));
        }
        let mut schema = Object::new();
        schema.insert("type".into(), "object".into());
        schema.insert("properties".into(), Value::Object(properties));
        let required: Vec<Value> = self.params.iter().filter(|p| p.required).map(|p| p.name.into()).collect();
        if !required.is_empty() {
            schema.insert("required".into(), Value::Array(required));
        }
        schema.insert("additionalProperties".into(), false.into());
        schema
    }

    /// Refuses arguments that the tool does not have, and missing required ones under `missing`.
    ///
    /// **Errors**: `invalid_argument`, or `missing` as its format's [`Surface::missing_argument`].
    pub fn check_names(&self, arguments: &Object, missing: &'static str) -> Result<(), Refusal> {
        let names = || self.params.iter().map(|param| Value::from(param.name)).collect::<Vec<_>>();
        if let Some(unknown) = arguments.keys().find(|name| self.params.iter().all(|p| p.name != name.as_str())) {
            let message = format!("{} has no argument named {unknown:?}", self.name);
            return Err(Refusal::invalid(unknown.as_str(), message).allowed(names()));
        }
        let given = |param: &Param| arguments.contains_key(param.name);
        if let Some(param) = self.params.iter().find(|param| param.required && !given(param)) {
            let message = format!("{} needs the argument {}", self.name, param.name);
            let mut refusal = Refusal::invalid(param.name, message).allowed(names());
            refusal.code = missing.into();
            return Err(refusal);
        }
        Ok(())
    }
}

/// The actor of a call that names none: the door that it came through.
fn door(origin: &Origin) -> String {
    match origin {
        Origin::Command | Origin::Tool => "cli".to_owned(),
        Origin::Mcp => "mcp".to_owned(),
        Origin::Hook(event) => format!("hook:{event}"),
    }
}

impl Param {
    fn schema(&self) -> Object {
        let mut schema = Object::new();
        let mut set = |name: &str, value: Value| drop(schema.insert(name.to_owned(), value));
        match self.kind {
            ParamKind::Text => set("type", "string".into()),
            ParamKind::TextOrInteger => set("type", Value::Array(vec!["string".into(), "integer".into()])),
            ParamKind::Integer { min, max } => {
                set("type", "integer".into());
                set("minimum", min.into());
                set("maximum", max.into());
            }
            ParamKind::Boolean => set("type", "boolean".into()),
            ParamKind::Word(words) => set("enum", words.iter().map(|word| Value::from(*word)).collect()),
            ParamKind::TextList => {
                set("type", "array".into());
                let items = Object::from_iter([("type".to_owned(), Value::from("string"))]);
                set("items", Value::Object(items));
            }
            ParamKind::Object => set("type", "object".into()),
            ParamKind::Any => {}
        }
        if !self.description.is_empty() {
            set("description", self.description.into());
        }
        schema
    }
}
