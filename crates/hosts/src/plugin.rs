//! The plugin for Claude Code: the same entries as the installer writes, in files of their own.
//!
//! **Source**: <https://code.claude.com/docs/en/plugins-reference>, as of 2026-12-01.

use model::{Object, Value};
use serde_json::json;

use crate::claude;
use crate::part::{Entry, Piece, Put, Scope};

/// The files of the plugin, by their paths in its folder.
pub fn plugin() -> Vec<(&'static str, String)> {
    let manifest = json!({
        "name": "mainstay",
        "version": env!("CARGO_PKG_VERSION"),
        "description": "Keeps the working state of a coding-agent project: memory, tasks and plans that survive \
                        context resets, crashes and other agents",
        "author": {"name": "The Mainstay authors"},
        "license": "MIT OR Apache-2.0",
        "keywords": ["state", "memory", "tasks", "mcp", "hooks"],
    });
    let servers = match claude::server_piece() {
        Piece::Json { entries, .. } => object(&entries),
        _ => Value::Null,
    };
    let mut hooks = object(&claude::hooks());
    hooks["description"] = "Shows and keeps the state of projects that use Mainstay".into();
    vec![
        (".claude-plugin/plugin.json", file(&manifest)),
        (".mcp.json", file(&servers)),
        ("hooks/hooks.json", file(&hooks)),
        ("skills/mainstay/SKILL.md", skill()),
    ]
}

// What the entries make of an empty file.
fn object(entries: &[Entry]) -> Value {
    let mut root = Value::Object(Object::new());
    for entry in entries {
        let (last, outer) = entry.path.split_last().expect("entries of plugins stand in containers");
        let mut container = &mut root;
        for name in outer {
            container = &mut container[*name];
        }
        match &entry.put {
            Put::Member(name, value) => container[*last][*name] = value.clone(),
            Put::Item { value, .. } => container[*last] = Value::Array(vec![value.clone()]),
        }
    }
    root
}

fn file(value: &Value) -> String {
    format!("{value:#}\n")
}

fn skill() -> String {
    let instructions = crate::host::instructions(Scope::Global);
    format!(
        "---\nname: mainstay\ndescription: Use at the start of work, before a handoff and after an interruption in \
         projects that keep their state with Mainstay (a folder .mainstay/)\n---\n\n{instructions}\n\
         Commands that help: `mainstay status` (one screen), `mainstay next --blocked` (what waits, and for what), \
         `mainstay diff --since 2h`, `mainstay checkpoint NAME`, `mainstay doctor`. Every command has `--json` and \
         `--help`.\n"
    )
}

#[cfg(test)]
mod tests {
    use super::plugin;
    use crate::json;
    use crate::{Host, Piece, Scope};

    /// What a plugin's file holds is what the installer writes into an empty file.
    #[test]
    fn the_plugin_says_what_the_installer_writes() {
        let files = plugin();
        let of_plugin = |path: &str| -> serde_json::Value {
            let text = &files.iter().find(|(known, _)| *known == path).unwrap().1;
            serde_json::from_str(text).unwrap()
        };
        let parts = (Host::named("claude").unwrap().parts)(Scope::Project);
        let written = |path: &str| -> serde_json::Value {
            let part = parts.iter().find(|part| part.path == path).unwrap();
            let Piece::Json { entries, companion } = &part.piece else { panic!("{path} is JSON") };
            serde_json::from_str(&json::put(None, entries, companion.as_ref()).unwrap().text.unwrap()).unwrap()
        };
        assert_eq!(of_plugin(".mcp.json"), written(".mcp.json"));
        assert_eq!(of_plugin("hooks/hooks.json")["hooks"], written(".claude/settings.json")["hooks"]);
        assert_eq!(of_plugin("hooks/hooks.json")["hooks"].as_object().unwrap().len(), 8);
        assert_eq!(of_plugin(".claude-plugin/plugin.json")["name"], "mainstay");
    }
}
