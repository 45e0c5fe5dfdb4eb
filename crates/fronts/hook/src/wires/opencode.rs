//! `OpenCode`, whose plugin is ours: it passes on what we say.
//!
//! **Shape**: `{"context"?,"message"?,"denied"?}`, each a text.

use model::Object;

use super::{Speech, Wire, about_files, denied, line, patch, rename_tool};
use crate::Said;
use crate::spoken::Spoken;

/// `OpenCode`.
pub(super) static WIRE: Wire = Wire { host: "opencode", reads, says };

const TOOLS: &[(&str, &str)] = &[("bash", "Bash"), ("shell", "Bash"), ("edit", "Edit"), ("write", "Write")];

fn reads(event: &str, mut input: Object) -> Object {
    let is_patch = ["apply_patch", "patch"].iter().any(|name| input.get("tool_name").is_some_and(|tool| tool == name));
    if event == "pre-tool-use" && is_patch {
        let text = |name: &str| input.get("tool_input")?.get(name)?.as_str();
        let paths = text("patchText").or_else(|| text("patch")).or_else(|| text("input")).map(patch::paths);
        return about_files(input, "Edit", paths.unwrap_or_default());
    }
    rename_tool(&mut input, TOOLS);
    input
}

fn says(_: &str, spoken: &Spoken, _: Speech) -> Said {
    let mut object = Object::new();
    let mut put = |name: &str, text: Option<String>| text.map(|text| object.insert(name.to_owned(), text.into()));
    put("context", spoken.context().filter(|_| spoken.denied.is_none()));
    put("message", spoken.message());
    put("denied", spoken.reason());
    let out = line(object);
    if spoken.denied.is_some() { denied(spoken, out) } else { Said { out, notes: spoken.notes.clone(), code: 0 } }
}
