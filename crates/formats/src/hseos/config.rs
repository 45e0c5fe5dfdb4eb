//! The configuration: `state_management` in `hseos.config.yaml`, read strictly and never written.

use std::fmt;

use format::{FileState, Files, Irregular};
use model::{Context, Object, ProjectPath, Refusal, Value};
use serde::de::{IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

/// The largest configuration that is read. **Units**: bytes.
pub(super) const LIMIT: u64 = 256 * 1024;

const DEFAULT_PORT: u16 = 3100;
const DEFAULT_PLACE: &str = ".hseos/state/project.db";

/// How the project keeps its state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    McpSqlite,
    CliSqlite,
    SkillOnly,
    Hybrid,
}

impl Mode {
    const CONCRETE: [Self; 3] = [Self::McpSqlite, Self::CliSqlite, Self::SkillOnly];

    pub(super) fn word(self) -> &'static str {
        match self {
            Self::McpSqlite => "mcp-sqlite",
            Self::CliSqlite => "cli-sqlite",
            Self::SkillOnly => "skill-only",
            Self::Hybrid => "hybrid",
        }
    }

    /// The name that people read in warnings.
    pub(super) fn title(self) -> &'static str {
        match self {
            Self::McpSqlite => "MCP",
            Self::CliSqlite => "CLI",
            Self::SkillOnly => "markdown",
            Self::Hybrid => "hybrid",
        }
    }
}

/// What a breach of the role table does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RolePolicy {
    Warn,
    Deny,
    Off,
}

/// The configuration of a project, defaults filled in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Config {
    pub(super) mode: Mode,
    /// The database file: relative to the project root, or absolute.
    pub(super) place: String,
    /// Whether the place is the user's own word (`HSEOS_STATE_DB`).
    pub(super) anywhere: bool,
    pub(super) port: u16,
    pub(super) fallback_chain: Vec<Mode>,
    pub(super) role_policy: RolePolicy,
}

/// The configuration file that stands in the project root.
pub(super) fn root_path() -> ProjectPath {
    ProjectPath::known("hseos.config.yaml")
}

fn nested_path() -> ProjectPath {
    ProjectPath::known(".hseos/config/hseos.config.yaml")
}

/// Reads the configuration.
///
/// **Errors**: `config_invalid`, `path_outside_project`.
pub(super) fn read(files: &dyn Files, ctx: &Context) -> Result<Config, Refusal> {
    let section = match [nested_path(), root_path()].into_iter().find_map(|path| text_of(files, &path)) {
        Some(text) => section(&text?)?,
        None => Object::new(),
    };
    let mode = match section.get("mode") {
        None | Some(Value::Null) => Mode::CliSqlite,
        Some(value) => word(value, "mode", &[Mode::McpSqlite, Mode::CliSqlite, Mode::SkillOnly, Mode::Hybrid])?,
    };
    let (place, anywhere) = place(section.get("db_path"), ctx)?;
    let port = port(section.get("mcp_port"))?;
    let fallback_chain = chain(section.get("fallback_chain"))?;
    let role_policy = role_policy(section.get("role_policy"))?;
    Ok(Config { mode, place, anywhere, port, fallback_chain, role_policy })
}

/// The document: a mapping of which only one key is read.
struct Document {
    state_management: Option<Object>,
}

impl<'de> Deserialize<'de> for Document {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Mapping;
        impl<'de> Visitor<'de> for Mapping {
            type Value = Document;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a mapping")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Document, A::Error> {
                let mut state_management = None;
                while let Some(key) = map.next_key::<String>()? {
                    if key == "state_management" {
                        state_management = map.next_value::<Option<Object>>()?;
                    } else {
                        map.next_value::<IgnoredAny>()?;
                    }
                }
                Ok(Document { state_management })
            }
        }
        deserializer.deserialize_map(Mapping)
    }
}

fn text_of(files: &dyn Files, path: &ProjectPath) -> Option<Result<String, Refusal>> {
    let unreadable = |why: &str| Some(Err(Refusal::config(path.as_str(), format!("{path} cannot be read: {why}"))));
    match files.read(path, LIMIT) {
        FileState::Absent => None,
        FileState::Bytes(bytes) => match String::from_utf8(bytes) {
            Ok(text) => Some(Ok(text)),
            Err(_) => unreadable("it is not UTF-8"),
        },
        FileState::Irregular(what) => unreadable(match what {
            Irregular::Folder => "it is a folder",
            Irregular::Link => "it is a symbolic link",
            Irregular::Special => "it is no regular file",
            Irregular::Unreadable => "permission or an input error",
            Irregular::TooLarge => "it is too large",
        }),
    }
}

fn section(text: &str) -> Result<Object, Refusal> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let blank = |line: &str| line.trim().is_empty() || line.trim_start().starts_with('#') || line.trim_end() == "---";
    if format::markdown::lines(text).all(blank) {
        return Ok(Object::new());
    }
    let document: Document = serde_saphyr::from_str(text).map_err(|error| {
        let shown = error.to_string();
        let first = shown.lines().next().unwrap_or_default().to_owned();
        Refusal::config("state_management", format!("the configuration is no valid YAML: {first}"))
    })?;
    Ok(document.state_management.unwrap_or_default())
}

fn word(value: &Value, key: &str, modes: &[Mode]) -> Result<Mode, Refusal> {
    let found = modes.iter().find(|mode| value.as_str() == Some(mode.word()));
    found.copied().ok_or_else(|| {
        let words: Vec<Value> = modes.iter().map(|mode| mode.word().into()).collect();
        bad(key, value).allowed(words)
    })
}

fn bad(key: &str, value: &Value) -> Refusal {
    Refusal::config(format!("state_management.{key}"), format!("state_management.{key} cannot be {value}"))
}

fn port(value: Option<&Value>) -> Result<u16, Refusal> {
    let Some(value) = value.filter(|value| !value.is_null()) else { return Ok(DEFAULT_PORT) };
    let port = value.as_u64().and_then(|port| u16::try_from(port).ok()).filter(|port| *port > 0);
    port.ok_or_else(|| bad("mcp_port", value).allowed("a whole number from 1 to 65535"))
}

fn chain(value: Option<&Value>) -> Result<Vec<Mode>, Refusal> {
    let Some(value) = value.filter(|value| !value.is_null()) else { return Ok(Mode::CONCRETE.to_vec()) };
    let modes = value.as_array().filter(|modes| !modes.is_empty());
    let modes = modes.ok_or_else(|| bad("fallback_chain", value).allowed("a list of modes that is not empty"))?;
    modes.iter().map(|mode| word(mode, "fallback_chain", &Mode::CONCRETE)).collect()
}

fn role_policy(value: Option<&Value>) -> Result<RolePolicy, Refusal> {
    match value {
        None | Some(Value::Null) => Ok(RolePolicy::Warn),
        Some(Value::Bool(false)) => Ok(RolePolicy::Off),
        Some(value) => match value.as_str() {
            Some("warn") => Ok(RolePolicy::Warn),
            Some("deny") => Ok(RolePolicy::Deny),
            Some("off") => Ok(RolePolicy::Off),
            _ => Err(bad("role_policy", value).allowed(["warn", "deny", "off"].map(Value::from).to_vec())),
        },
    }
}

/// The database file, and whether it may lie anywhere.
fn place(value: Option<&Value>, ctx: &Context) -> Result<(String, bool), Refusal> {
    let configured = match value {
        None | Some(Value::Null) => DEFAULT_PLACE.to_owned(),
        Some(value) => {
            let path = value.as_str().filter(|path| !path.is_empty() && !path.contains('\0'));
            inside(path.ok_or_else(|| bad("db_path", value).allowed("a path in the project"))?, ctx)?
        }
    };
    Ok(ctx.var("HSEOS_STATE_DB").map_or((configured, false), |own| (own.to_owned(), true)))
}

/// A path in normal form beneath the project root, clear of what others own.
fn inside(path: &str, ctx: &Context) -> Result<String, Refusal> {
    let outside = || {
        let message = format!("state_management.db_path {path:?} lies outside the project");
        Refusal::refused("path_outside_project", message)
            .field("state_management.db_path")
            .hint("name a file in the project, or set HSEOS_STATE_DB yourself")
    };
    let relative = if path.starts_with('/') {
        let root = ctx.root.trim_end_matches('/');
        let rest = path.strip_prefix(root).filter(|rest| rest.starts_with('/')).ok_or_else(outside)?;
        rest.trim_start_matches('/')
    } else {
        path
    };
    let place = ProjectPath::normalise(relative).map_err(|_| outside())?;
    // Some file systems take `.MAINSTAY` for `.mainstay`.
    let lower = place.as_str().to_ascii_lowercase();
    let first = lower.split('/').next().unwrap_or_default();
    let taken = [".mainstay", ".git", "state.md", "tasks.md", "mainstay.toml", "hseos.config.yaml"];
    let ours = [".hseos/config", ".hseos/state/mcp-server.json"];
    let within = |folder: &&str| lower == **folder || lower.starts_with(&format!("{folder}/"));
    if taken.contains(&first) || ours.iter().any(within) {
        let message = format!("state_management.db_path {path:?} is the place of something else");
        return Err(Refusal::config("state_management.db_path", message));
    }
    Ok(place.as_str().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hseos::tests::{World, context};

    fn check(yaml: &str) -> Result<Config, Refusal> {
        read(&World::new().with_file("hseos.config.yaml", yaml), &context())
    }

    #[test]
    fn fills_in_defaults() {
        let default = Config {
            mode: Mode::CliSqlite,
            place: DEFAULT_PLACE.into(),
            anywhere: false,
            port: 3100,
            fallback_chain: Mode::CONCRETE.to_vec(),
            role_policy: RolePolicy::Warn,
        };
        let same = [
            "",
            "# only a comment\n",
            "---\n",
            "other: 1\n",
            "state_management:\n",
            "state_management: {}\n",
            "\u{feff}\n",
        ];
        for yaml in same {
            assert_eq!(check(yaml).as_ref(), Ok(&default), "{yaml:?}");
        }
        assert_eq!(read(&World::new(), &context()), Ok(default));
    }

    #[test]
    fn reads_every_key_and_ignores_others() {
        let yaml = "x: [1, {y: 2}]\n1: one\nstate_management:\n  mode: hybrid # here\n  db_path: ./a//p.db\n  mcp_port: 65535\n  \
                    fallback_chain:\n    - skill-only\n  role_policy: off\n  extra: {a: b}\n";
        let config = check(yaml).unwrap();
        assert_eq!((config.mode, config.port, config.role_policy), (Mode::Hybrid, 65535, RolePolicy::Off));
        assert_eq!((config.place.as_str(), config.fallback_chain), ("a/p.db", vec![Mode::SkillOnly]));
        for off in ["off", "false", "\"off\"", "no"] {
            let policy = check(&format!("state_management:\n  role_policy: {off}\n"));
            assert!(matches!(&policy, Ok(config) if config.role_policy == RolePolicy::Off) || off == "no", "{off}");
        }
        assert_eq!(check("state_management:\n  db_path: /project/x.db\n").unwrap().place, "x.db");
    }

    #[test]
    fn the_nested_file_wins() {
        let world = World::new()
            .with_file("hseos.config.yaml", "state_management: {mode: hybrid}\n")
            .with_file(".hseos/config/hseos.config.yaml", "state_management: {mode: skill-only}\n");
        assert_eq!(read(&world, &context()).unwrap().mode, Mode::SkillOnly);
    }

    #[test]
    fn refuses_bad_values_and_broken_yaml() {
        let bad = [
            "mode: banana",
            "mode: 5",
            "mode: [hybrid]",
            "mcp_port: 0",
            "mcp_port: 65536",
            "mcp_port: \"3100\"",
            "mcp_port: 1.5",
            "fallback_chain: []",
            "fallback_chain: hybrid",
            "fallback_chain: [hybrid]",
            "role_policy: true",
            "role_policy: maybe",
            "db_path: \"\"",
            "db_path: 7",
            "db_path: .mainstay/state.db",
            "db_path: STATE.md",
            "db_path: .Mainstay/state.db",
            "db_path: .hseos/config/hseos.config.yaml",
            "db_path: .hseos/config",
            "db_path: .hseos/state/mcp-server.json",
            "mode: hybrid\n  mode: skill-only",
        ];
        for line in bad {
            assert_eq!(check(&format!("state_management:\n  {line}\n")).unwrap_err().code, "config_invalid", "{line}");
        }
        for yaml in ["state_management: [unclosed\n", "state_management: 5\n", "- a\n", "a: b: c\n", "just text\n"] {
            assert_eq!(check(yaml).expect_err(yaml).code, "config_invalid", "{yaml:?}");
        }
        for path in ["../x.db", "/etc/x.db", "a/../../x", "/project2/x.db", "/project/../x.db"] {
            let refusal = check(&format!("state_management:\n  db_path: {path}\n")).unwrap_err();
            assert_eq!(refusal.code, "path_outside_project", "{path}");
        }
    }

    #[test]
    fn the_environment_replaces_the_place_alone() {
        let mut ctx = context();
        ctx.env.insert("HSEOS_STATE_DB".into(), "/elsewhere/q.db".into());
        let world = World::new().with_file("hseos.config.yaml", "state_management: {mode: hybrid, db_path: a.db}\n");
        let config = read(&world, &ctx).unwrap();
        assert_eq!((config.place.as_str(), config.anywhere, config.mode), ("/elsewhere/q.db", true, Mode::Hybrid));
    }
}
