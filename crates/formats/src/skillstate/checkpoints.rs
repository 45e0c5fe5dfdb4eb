//! Checkpoints: their ids, their records, their files.

use format::{Draft, Records};
use model::{Context, Object, ProjectPath, Refusal, Scan, Value};

use super::records::{Kind, members};
use super::scope::Scope;

/// The largest checkpoint file that is read. **Units**: bytes.
pub(super) const LIMIT: u64 = super::present::LIMIT;

/// The longest label. **Units**: bytes.
const LABEL_LIMIT: usize = 64;

/// The most digits of a number: whatever can follow a number is a number.
const NUMBER_LIMIT: usize = 20;

/// The labels of checkpoints that the program makes by itself.
const AUTOMATIC: [&str; 2] = [BEFORE_ROLLBACK, BEFORE_FRESH];

/// What stands before a rollback.
pub(super) const BEFORE_ROLLBACK: &str = "before-rollback";

/// What stands before a fresh start.
pub(super) const BEFORE_FRESH: &str = "before-fresh";

/// A checkpoint of a scope.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Checkpoint {
    /// `NUMBER-LABEL`.
    pub(super) id: String,
    pub(super) number: u64,
    pub(super) label: String,
    pub(super) created_at: Option<String>,
    /// Whether the program made it by itself; such a one is not the latest.
    pub(super) is_automatic: bool,
    /// The state; `None` where the file cannot be read.
    pub(super) state: Option<Object>,
}

impl Checkpoint {
    /// Every checkpoint of a scope, by number.
    pub(super) fn all(records: &dyn Records, scope: &Scope) -> Vec<Self> {
        let stored = records.scan(&scope.checkpoint_space(), Kind::Checkpoint.word(), &Scan::all());
        let mut all: Vec<Self> = stored.into_iter().filter_map(|(id, value)| Self::of(id.as_str(), &value)).collect();
        all.sort_by(|a, b| (a.number, &a.id).cmp(&(b.number, &b.id)));
        all
    }

    /// What a record holds.
    fn of(id: &str, value: &Value) -> Option<Self> {
        let (number, label) = parts(id)?;
        let state = value.get("state").and_then(Value::as_object).cloned();
        Some(Self {
            id: id.to_owned(),
            number,
            label: label.to_owned(),
            created_at: value.get("createdAt").and_then(Value::as_str).map(str::to_owned),
            is_automatic: value.get("auto").and_then(Value::as_bool) == Some(true)
                || state.is_none() && AUTOMATIC.contains(&label),
            state,
        })
    }

    /// What `state.checkpoint` lists of it.
    pub(super) fn to_value(&self) -> Value {
        let created_at = self.created_at.as_deref().map_or(Value::Null, Value::from);
        Value::Object(members([
            ("checkpointId", self.id.as_str().into()),
            ("seq", self.number.into()),
            ("label", self.label.as_str().into()),
            ("createdAt", created_at),
        ]))
    }
}

/// Stores a state as the next checkpoint.
///
/// **Errors**: `too_large` where no number is left.
pub(super) fn add(
    draft: &mut Draft<'_>,
    scope: &Scope,
    label: &str,
    is_automatic: bool,
    state: &Object,
    ctx: &Context,
) -> Result<Checkpoint, Refusal> {
    let last = Checkpoint::all(draft, scope).pop();
    let number = last.as_ref().map_or(0, |last| last.number).checked_add(1).ok_or_else(|| {
        let last = last.map(|last| last.id).unwrap_or_default();
        Refusal::refused("too_large", format!("there is no number left behind the checkpoint {last}"))
            .hint("give its file a smaller number, or remove it")
    })?;
    let id = format!("{number}-{label}");
    let created_at = ctx.now.to_millis_text();
    let mut value = members([("createdAt", created_at.as_str().into())]);
    if is_automatic {
        value.insert("auto".into(), true.into());
    }
    value.insert("state".into(), Value::Object(state.clone()));
    draft.put(Kind::Checkpoint.one(scope.checkpoint_space(), id.as_str()), Value::Object(value));
    let (label, created_at) = (label.to_owned(), Some(created_at));
    Ok(Checkpoint { id, number, label, created_at, is_automatic, state: Some(state.clone()) })
}

/// The file of a checkpoint; `None` for a record that came from a file that cannot be read.
pub(super) fn file(id: &str, record: &Value) -> Option<Object> {
    let checkpoint = Checkpoint::of(id, record)?;
    let state = checkpoint.state.clone()?;
    let Value::Object(mut file) = checkpoint.to_value() else { return None };
    if checkpoint.is_automatic {
        file.insert("auto".into(), true.into());
    }
    file.insert("state".into(), Value::Object(state));
    Some(file)
}

/// The record of a file; one without a state where its bytes are no checkpoint.
pub(super) fn from_file(bytes: &[u8]) -> Value {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let read: Option<Object> = serde_json::from_slice(bytes).ok();
    let kept = |name: &&str| read.as_ref()?.get(*name).cloned().map(|value| ((*name).to_owned(), value));
    let has_state = read.as_ref().is_some_and(|read| read.get("state").is_some_and(Value::is_object));
    let names = ["createdAt", "auto", "state"];
    Value::Object(if has_state { names.iter().filter_map(kept).collect() } else { Object::new() })
}

/// Where the file of a checkpoint stands; `None` for a text that is no id.
pub(super) fn path(scope: &Scope, id: &str) -> Option<ProjectPath> {
    parts(id)?;
    scope.checkpoint_folder().join(&format!("{id}.json")).ok()
}

/// The id that a file name stands for.
pub(super) fn id_of(name: &str) -> Option<&str> {
    name.strip_suffix(".json").filter(|id| parts(id).is_some())
}

// Number and label of an id.
fn parts(id: &str) -> Option<(u64, &str)> {
    let (number, label) = id.split_once('-')?;
    let is_number = (1..=NUMBER_LIMIT).contains(&number.len()) && number.bytes().all(|byte| byte.is_ascii_digit());
    let is_label = (1..=LABEL_LIMIT).contains(&label.len()) && label.bytes().all(is_label_byte);
    (is_number && is_label).then(|| Some((number.parse().ok()?, label))).flatten()
}

fn is_label_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_-".contains(&byte)
}

/// The label that a text becomes.
pub(super) fn label(text: &str) -> String {
    let mut label = String::new();
    for c in text.chars() {
        let is_plain = u8::try_from(c).is_ok_and(is_label_byte);
        if is_plain {
            label.push(c);
        } else if !label.ends_with('\0') {
            // Stands for a run of other characters; dashes that were typed stay as they are.
            label.push('\0');
        }
    }
    let dashed = label.replace('\0', "-");
    let trimmed = dashed.trim_matches('-');
    let cut = &trimmed[..trimmed.len().min(LABEL_LIMIT)];
    if cut.is_empty() { "checkpoint".to_owned() } else { cut.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_become_names_of_files() {
        for (text, expected) in [
            ("before risk!", "before-risk"),
            ("", "checkpoint"),
            ("../../etc/passwd", "etc-passwd"),
            ("--a  b--", "a-b"),
            ("a--b", "a--b"),
            ("äö", "checkpoint"),
            ("\0", "checkpoint"),
        ] {
            assert_eq!(label(text), expected, "{text:?}");
        }
        assert_eq!(label(&"x".repeat(100)).len(), 64);
    }

    #[test]
    fn ids_are_numbers_and_labels() {
        for id in ["1-a", "12-before-rollback", "007-x", "1000000000000000-a", "18446744073709551615-a"] {
            assert!(path(&Scope::Main, id).is_some(), "{id}");
        }
        for id in [
            "",
            "a",
            "1",
            "1-",
            "-a",
            "../evil",
            "1-a/b",
            "1-a.b",
            "+1-a",
            "18446744073709551616-a",
            "000000000000000000001-a",
        ] {
            assert!(path(&Scope::Main, id).is_none(), "{id}");
        }
        assert_eq!(id_of("3-x.json"), Some("3-x"));
        assert_eq!(id_of("3-x.json.tmp"), None);
    }
}
