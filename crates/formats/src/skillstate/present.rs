//! The state of a scope as it stands now.

use format::{FileState, View};
use model::{Object, Refusal, RefusalClass, Value};

use super::envelope::{Envelope, Unreadable};
use super::records::{self, Kind, object};
use super::scope::{self, Scope};
use super::spec::Spec;

/// The largest state file that is read. **Units**: bytes.
pub(super) const LIMIT: u64 = 8 * 1024 * 1024;

/// A state and its version.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Present {
    /// The version, as the store has it.
    pub(super) seq: u64,
    /// The state.
    pub(super) state: Object,
}

impl Present {
    /// The state of a scope; the defaults, or a copy's base, while nothing is stored.
    ///
    /// An unknown copy is what forking it now would give.
    ///
    /// **Errors**: `state_corrupt`, `version_unsupported`, `too_large`, `path_outside_project`.
    pub(super) fn load(view: &View<'_>, scope: &Scope, spec: Option<&Spec>) -> Result<Self, Refusal> {
        check_readable(view, scope)?;
        if let Some(state) = records::state(view.records, scope) {
            return Ok(Self { seq: records::stored_seq(view.records, scope), state });
        }
        let state = match scope {
            Scope::Main => spec.map(|spec| spec.schema.defaults()).unwrap_or_default(),
            Scope::Agent(_) => match object(view.records, &Kind::Base.only(scope)) {
                Some(base) => base.get("state").and_then(Value::as_object).cloned().unwrap_or_default(),
                None => Self::load(view, &Scope::Main, spec)?.state,
            },
        };
        Ok(Self { seq: records::seq(view.records, scope), state })
    }
}

/// Refuses a scope whose state file cannot be read.
///
/// What taking in noted down is looked at once more: the very bytes that stood there before may be
/// back, and then nothing is taken in. Calls and images decide by this alike: what is accepted is
/// also written.
pub(super) fn check_readable(view: &View<'_>, scope: &Scope) -> Result<(), Refusal> {
    if view.records.get(&Kind::Trouble.only(scope)).is_none() {
        return Ok(());
    }
    let path = scope.state_path();
    trouble(scope, &view.files.read(&path, LIMIT)).map_or(Ok(()), Err)
}

/// Why a state file cannot be read; nothing for one that can, or that is not there.
pub(super) fn trouble(scope: &Scope, file: &FileState) -> Option<Refusal> {
    let path = scope.state_path();
    let refusal =
        |code, message: String| Refusal::new(RefusalClass::Corrupt, code, message).with("path", path.as_str());
    let refusal = match file {
        FileState::Absent => return None,
        FileState::Irregular(format::Irregular::Link) => return Some(scope::outside(&path)),
        FileState::Irregular(format::Irregular::TooLarge) => {
            refusal("too_large", format!("{path} is larger than {LIMIT} bytes"))
        }
        FileState::Irregular(why) => refusal("state_corrupt", format!("{path} is no state file: it {why}")),
        FileState::Bytes(bytes) => match Envelope::read(bytes) {
            Ok(_) => return None,
            Err(Unreadable::Newer) => refusal("version_unsupported", format!("{path} was written by a newer program")),
            Err(Unreadable::Corrupt) => refusal("state_corrupt", format!("{path} is no state file")),
        },
    };
    Some(refusal.hint("repair the file, or move it away and the last stored state returns"))
}

/// The size of a state as compact JSON. **Units**: bytes.
pub(super) fn size(state: &Object) -> usize {
    serde_json::to_string(state).map_or(0, |text| text.len())
}
