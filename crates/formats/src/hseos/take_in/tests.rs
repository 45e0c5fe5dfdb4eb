//! Cases and properties of taking in.

mod cases;
mod properties;
mod rows;

use format::{FileState, Format, Seen, SeenFile, Taken};
use model::ProjectPath;

use crate::hseos::Hseos;
use crate::hseos::records::SPACE;
use crate::hseos::tests::{World, context};

/// A file that was published as `base` and holds `now`; no base at first contact.
fn file(path: &'static str, base: Option<&str>, now: &str) -> Seen {
    let base = base.map(|text| text.as_bytes().to_vec());
    let now = FileState::Bytes(now.as_bytes().to_vec());
    Seen::File(SeenFile { path: ProjectPath::known(path), known: base.is_some(), base, now })
}

fn taken(world: &World, seen: &[Seen]) -> Taken {
    Hseos.take_in(&SPACE, seen, &world.view(world), &context())
}

/// What a taking in did: changed records as `kind/id: value`, then the codes of its warnings.
fn told(taken: &Taken) -> Vec<String> {
    let change = |change: &model::Change| {
        let value = change.after.as_ref().map_or("gone".to_owned(), |value| match change.key.kind.as_ref() {
            "state" => value["value"].to_string(),
            "task" => ["status", "owner", "description", "depends_on", "note", "pruned"]
                .iter()
                .filter_map(|name| value.get(*name))
                .map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned))
                .collect::<Vec<_>>()
                .join(" "),
            "history" => format!(
                "{} {}->{} {}",
                value["key"].as_str().unwrap(),
                value["old_value"],
                value["new_value"],
                value["changed_by"].as_str().unwrap()
            ),
            _ => value.to_string(),
        });
        format!("{}/{}: {value}", change.key.kind, change.key.id)
    };
    let known = taken.changes.iter().filter(|change| change.key.kind != "latest").map(change);
    known.chain(taken.warnings.iter().map(|warning| warning.code.to_string())).collect()
}
