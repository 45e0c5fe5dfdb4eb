//! What calls may say, checked before anything is decided.

use format::{FileState, Param, ParamKind, Tool, View};
use model::{Context, Object, ProjectPath, Refusal, RefusalClass, Value};

use super::phase_id::PhaseId;
use super::status;

/// The longest text. **Units**: characters.
const TEXT_LIMIT: usize = 4_000;

/// The largest file that a text is read from. **Units**: bytes.
const TEXT_FILE_LIMIT: u64 = 64 * 1024;

/// The arguments of a call; texts that were named as files are read.
pub(super) struct Arguments {
    object: Object,
}

impl Arguments {
    /// Checks the names of a call's arguments, and reads the files that `X_file` names for `X`.
    ///
    /// **Errors**: `invalid_argument`, `missing_argument`, `conflicting_arguments`,
    /// `path_outside_project`, `file_unreadable`.
    pub(super) fn read(tool: &Tool, given: &Object, view: &View<'_>, ctx: &Context) -> Result<Self, Refusal> {
        let mut object = given.clone();
        let is_text =
            |param: &&Param| !matches!(param.kind, ParamKind::Boolean | ParamKind::Object) && param.name != "ws";
        for param in tool.params.iter().filter(is_text) {
            let key = format!("{}_file", param.name);
            let Some(path) = object.shift_remove(&key) else { continue };
            if object.contains_key(param.name) {
                return Err(conflict(&key, format!("{} and {key} exclude each other", param.name)));
            }
            let Value::String(path) = path else {
                return Err(Refusal::invalid(key.as_str(), format!("{key} is the path of a file of the project")));
            };
            object.insert(param.name.to_owned(), text_of_file(&key, &path, view, ctx)?.into());
        }
        tool.check_names(&object, "missing_argument")?;
        Ok(Self { object })
    }

    /// Whether an argument is given.
    pub(super) fn has(&self, name: &str) -> bool {
        self.object.contains_key(name)
    }

    /// Any argument, unread.
    pub(super) fn value(&self, name: &str) -> Option<&Value> {
        self.object.get(name)
    }

    /// A text on one line.
    pub(super) fn text(&self, name: &'static str) -> Result<Option<String>, Refusal> {
        self.object.get(name).map(|value| line(value, name)).transpose()
    }

    /// A text that must not be empty.
    pub(super) fn filled(&self, name: &'static str) -> Result<Option<String>, Refusal> {
        match self.text(name)? {
            Some(text) if text.is_empty() => Err(Refusal::invalid(name, format!("{name} is empty"))),
            text => Ok(text),
        }
    }

    /// A text that must be given.
    pub(super) fn needed(&self, name: &'static str) -> Result<String, Refusal> {
        self.filled(name)?.ok_or_else(|| missing(name))
    }

    /// The id of a phase.
    pub(super) fn phase(&self, name: &'static str) -> Result<Option<PhaseId>, Refusal> {
        self.text(name)?.map(|text| phase(&text, name)).transpose()
    }

    /// The id of a phase that must be given.
    pub(super) fn needed_phase(&self, name: &'static str) -> Result<PhaseId, Refusal> {
        self.phase(name)?.ok_or_else(|| missing(name))
    }

    /// A version.
    pub(super) fn version(&self, name: &'static str) -> Result<Option<String>, Refusal> {
        let text = self.text(name)?;
        text.as_deref().map_or(Ok(()), |text| version(text, name))?;
        Ok(text)
    }

    /// A whole number that is not negative, as a number or as digits.
    pub(super) fn count(&self, name: &'static str) -> Result<Option<u64>, Refusal> {
        let Some(value) = self.object.get(name) else { return Ok(None) };
        let number = match value {
            Value::Number(number) => number.as_u64(),
            Value::String(text) => {
                Some(text.trim()).filter(|text| super::position::is_whole(text)).and_then(|text| text.parse().ok())
            }
            _ => None,
        };
        let number = number.filter(|number| *number <= 1_000_000);
        number
            .map(Some)
            .ok_or_else(|| Refusal::invalid(name, format!("{name} is a whole number")).allowed("0 to 1000000"))
    }

    /// A switch.
    pub(super) fn switch(&self, name: &'static str) -> Result<bool, Refusal> {
        match self.object.get(name) {
            None | Some(Value::Bool(false)) => Ok(false),
            Some(Value::Bool(true)) => Ok(true),
            Some(_) => Err(Refusal::invalid(name, format!("{name} is true or false"))),
        }
    }

    /// A list of texts: a list, or one text with a separator.
    pub(super) fn list(&self, name: &'static str, separator: char) -> Result<Option<Vec<String>>, Refusal> {
        let Some(value) = self.object.get(name) else { return Ok(None) };
        let items: Vec<String> = match value {
            Value::Array(items) if items.len() <= 100 => {
                items.iter().map(|item| line(item, name)).collect::<Result<_, _>>()?
            }
            Value::Array(_) => return Err(Refusal::invalid(name, format!("{name} has at most 100 items"))),
            value => line(value, name)?.split(separator).map(|item| item.trim().to_owned()).collect(),
        };
        Ok(Some(items.into_iter().filter(|item| !item.is_empty()).collect()))
    }

    /// One of some words.
    pub(super) fn word(&self, name: &'static str, words: &[&'static str]) -> Result<Option<&'static str>, Refusal> {
        let Some(text) = self.text(name)? else { return Ok(None) };
        let found = words.iter().find(|word| **word == text).copied();
        let allowed = || words.iter().map(|word| Value::from(*word)).collect::<Vec<_>>();
        found
            .map(Some)
            .ok_or_else(|| Refusal::invalid(name, format!("{text:?} is not among the {name}s")).allowed(allowed()))
    }
}

/// The id of a phase.
pub(super) fn phase(text: &str, name: &str) -> Result<PhaseId, Refusal> {
    let id = PhaseId::parse(text).filter(|id| id.as_str().len() <= 64);
    id.ok_or_else(|| Refusal::invalid(name, format!("{text:?} names no phase")).allowed(r"[0-9]+[A-Z]?(\.[0-9]+)*"))
}

/// The name of a body field, a key or a section.
pub(super) fn field_name(text: &str, field: &str) -> Result<(), Refusal> {
    let bytes = text.as_bytes();
    let allowed = |byte: &u8| byte.is_ascii_alphanumeric() || b" /_-".contains(byte);
    if (1..=60).contains(&bytes.len()) && bytes[0].is_ascii_alphabetic() && bytes.iter().all(allowed) {
        return Ok(());
    }
    Err(Refusal::invalid(field, format!("{text:?} names no field")).allowed("[A-Za-z][A-Za-z0-9 /_-]{0,59}"))
}

/// A value as one line: trimmed, each line break with the blanks round it one blank.
pub(super) fn line(value: &Value, name: &str) -> Result<String, Refusal> {
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        _ => return Err(Refusal::invalid(name, format!("{name} is a text"))),
    };
    // Blank lines in between count as line breaks with blanks round them.
    let parts: Vec<&str> = text.split(['\n', '\r']).map(|part| part.trim_matches([' ', '\t'])).collect();
    let text = parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ");
    let text = text.trim();
    if text.chars().any(char::is_control) {
        return Err(Refusal::invalid(name, format!("{name} holds control characters")));
    }
    if text.chars().count() > TEXT_LIMIT {
        return Err(Refusal::invalid(name, format!("{name} is longer than {TEXT_LIMIT} characters")));
    }
    Ok(text.to_owned())
}

fn text_of_file(key: &str, path: &str, view: &View<'_>, ctx: &Context) -> Result<String, Refusal> {
    let beneath = path.strip_prefix(&ctx.root).and_then(|rest| rest.strip_prefix('/')).unwrap_or(path);
    let outside =
        |_| Refusal::refused("path_outside_project", format!("{path:?} is no path beneath the project")).field(key);
    let place = ProjectPath::normalise(beneath).map_err(outside)?;
    let unreadable = |why: String| Refusal::refused("file_unreadable", format!("{place} {why}")).field(key);
    match view.files.read(&place, TEXT_FILE_LIMIT) {
        FileState::Bytes(bytes) => {
            let text = String::from_utf8(bytes).map_err(|_| unreadable("is not UTF-8 text".into()))?;
            Ok(text.strip_prefix('\u{feff}').map_or_else(|| text.clone(), str::to_owned))
        }
        FileState::Absent => Err(unreadable("does not exist".into())),
        FileState::Irregular(what) => Err(unreadable(what.to_string())),
    }
}

/// The refusal for an argument that is missing.
pub(super) fn missing(name: &str) -> Refusal {
    Refusal::new(RefusalClass::Usage, "missing_argument", format!("{name} is missing")).field(name)
}

/// The refusal for arguments that exclude each other.
pub(super) fn conflict(field: &str, message: impl Into<String>) -> Refusal {
    Refusal::new(RefusalClass::Usage, "conflicting_arguments", message).field(field)
}

/// Refuses a text that is no version.
///
/// **Errors**: `invalid_argument`.
pub(super) fn version(text: &str, name: &str) -> Result<(), Refusal> {
    if status::is_version(text) && text.len() <= 64 {
        return Ok(());
    }
    Err(Refusal::invalid(name, format!("{text:?} is no version")).allowed(r"v?[0-9]+(\.[0-9]+)*"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_become_one_line() {
        let check = |text: &str| line(&text.into(), "x").map_err(|refusal| refusal.code.into_owned());
        assert_eq!(check(" a \r\n\t b\n\nc\n").unwrap(), "a b c");
        assert_eq!(check(&"x".repeat(4_000)).map(|text| text.len()), Ok(4_000));
        for text in ["a\tb", "a\0", "\u{1b}[2J", "a\u{85}b", &"é".repeat(4_001)] {
            assert_eq!(check(text).unwrap_err(), "invalid_argument", "{text:?}");
        }
        assert_eq!(line(&3.into(), "x").unwrap(), "3");
        assert!(line(&Value::Null, "x").is_err());
    }

    #[test]
    fn names_of_fields_are_plain() {
        for name in ["Status", "Blockers/Concerns", "Last_activity", "a-b 2"] {
            assert!(field_name(name, "field").is_ok(), "{name}");
        }
        for name in ["", "Sta(tus", "1x", "a.b", "a:b", "é", &"a".repeat(61)] {
            assert!(field_name(name, "field").is_err(), "{name}");
        }
    }
}
