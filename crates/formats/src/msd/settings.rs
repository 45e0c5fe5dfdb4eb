//! What `mainstay.toml` and `.planning/config.json` say.

use format::{FileState, Files};
use model::{Context, Object, ProjectPath, Refusal, Value};

/// How long to wait for the lock unless told otherwise. **Units**: milliseconds.
const LOCK_WAIT: u64 = 10_000;

/// The longest wait that may be set. **Units**: milliseconds.
const LOCK_WAIT_MOST: u64 = 600_000;

/// Largest `config.json` that is read. **Units**: bytes.
const CONFIG_LIMIT: u64 = 1024 * 1024;

/// `[msd]` in `mainstay.toml`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Settings {
    /// The name of a new version key.
    pub(super) version_key: &'static str,
    /// How long to wait for the lock. **Units**: milliseconds.
    pub(super) lock_wait: u64,
}

/// Both names of the version key; either is read and kept.
pub(super) const VERSION_KEYS: [&str; 2] = ["msd_state_version", "gsd_state_version"];

impl Settings {
    /// **Errors**: `config_invalid`.
    pub(super) fn read(ctx: &Context) -> Result<Self, Refusal> {
        let mut settings = Self { version_key: VERSION_KEYS[0], lock_wait: LOCK_WAIT };
        let Some(section) = ctx.settings.get("msd") else { return Ok(settings) };
        let section = section.as_object().ok_or_else(|| Refusal::config("msd", "[msd] in mainstay.toml is a table"))?;
        for (key, value) in section {
            match (key.as_str(), value) {
                ("compat", Value::String(word)) if word == "mainstay" => {}
                ("compat", Value::String(word)) if word == "upstream" => {
                    let message = "msd.compat = \"upstream\" is not spoken by this version";
                    return Err(Refusal::config("msd.compat", message).allowed(vec![Value::from("mainstay")]));
                }
                ("compat", _) => {
                    return Err(Refusal::config("msd.compat", "msd.compat is a word").allowed(words(&["mainstay"])));
                }
                ("prefix", Value::String(word)) if word == "msd" => settings.version_key = VERSION_KEYS[0],
                ("prefix", Value::String(word)) if word == "gsd" => settings.version_key = VERSION_KEYS[1],
                ("prefix", _) => {
                    return Err(
                        Refusal::config("msd.prefix", "msd.prefix is msd or gsd").allowed(words(&["msd", "gsd"]))
                    );
                }
                ("lock_timeout_ms", value) => {
                    let wait = value.as_u64().filter(|wait| *wait <= LOCK_WAIT_MOST);
                    settings.lock_wait = wait.ok_or_else(|| {
                        let message = format!("msd.lock_timeout_ms is a whole number up to {LOCK_WAIT_MOST}");
                        Refusal::config("msd.lock_timeout_ms", message)
                    })?;
                }
                _ => {
                    let message = format!("[msd] in mainstay.toml may not set {key:?}");
                    let allowed = words(&["compat", "prefix", "lock_timeout_ms"]);
                    return Err(Refusal::config(format!("msd.{key}"), message).allowed(allowed));
                }
            }
        }
        Ok(settings)
    }
}

fn words(words: &[&'static str]) -> Value {
    words.iter().map(|word| Value::from(*word)).collect()
}

/// `.planning/config.json`: another tool's file, read as far as it can be read.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Config {
    /// What stands there; `None` where there is no file or no JSON object in it.
    pub(super) object: Option<Object>,
    /// Whether a file stands there.
    pub(super) exists: bool,
}

impl Config {
    /// Reads the file.
    pub(super) fn read(files: &dyn Files) -> Self {
        let state = files.read(&ProjectPath::known(".planning/config.json"), CONFIG_LIMIT);
        let object = match &state {
            FileState::Bytes(bytes) => {
                serde_json::from_slice(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)).ok()
            }
            FileState::Absent | FileState::Irregular(_) => None,
        };
        Self { object, exists: state != FileState::Absent }
    }

    /// A text, reached by its path of keys; an empty one counts as absent.
    pub(super) fn text(&self, path: &[&str]) -> Option<&str> {
        self.value(path)?.as_str().map(str::trim).filter(|text| !text.is_empty())
    }

    /// Whether a value is `true`.
    pub(super) fn is_true(&self, path: &[&str]) -> bool {
        self.value(path).and_then(Value::as_bool) == Some(true)
    }

    /// Whether the code lives in repositories beneath the project, so that its own HEAD tells nothing.
    pub(super) fn has_sub_repos(&self) -> bool {
        let set = |path: &[&str]| match self.value(path) {
            None | Some(Value::Null | Value::Bool(false)) => false,
            Some(Value::Array(items)) => !items.is_empty(),
            Some(_) => true,
        };
        set(&["planning", "sub_repos"]) || set(&["sub_repos"])
    }

    fn value(&self, path: &[&str]) -> Option<&Value> {
        let (first, rest) = path.split_first()?;
        rest.iter().try_fold(self.object.as_ref()?.get(*first)?, |value, key| value.get(*key))
    }
}
