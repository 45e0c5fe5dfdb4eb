//! `OpenCode`, whose plugin is ours: it passes on what we say.
//!
//! **Shape**: `{"context"?,"message"?,"denied"?}`, each a text.

use model::Object;

use super::{Speech, Wire, denied, line};
use crate::Said;
use crate::spoken::Spoken;

/// `OpenCode`.
pub(super) static WIRE: Wire = Wire {
    host: "opencode",
    names: &[],
    tools: &[
        ("bash", "Bash"),
        ("shell", "Bash"),
        ("edit", "Edit"),
        ("write", "Write"),
        ("apply_patch", "Edit"),
        ("patch", "Edit"),
    ],
    seekers: &[],
    says,
};

fn says(_: &str, spoken: &Spoken, _: Speech) -> Said {
    let mut object = Object::new();
    let mut put = |name: &str, text: Option<String>| text.map(|text| object.insert(name.to_owned(), text.into()));
    put("context", spoken.context().filter(|_| spoken.denied.is_none()));
    put("message", spoken.message());
    put("denied", spoken.reason());
    let out = line(object);
    if spoken.denied.is_some() { denied(spoken, out) } else { Said { out, notes: spoken.notes.clone(), code: 0 } }
}
