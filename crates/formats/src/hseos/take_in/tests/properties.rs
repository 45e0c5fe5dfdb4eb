//! What holds for any records and any text.

use format::Seen;
use proptest::prelude::*;
use serde_json::json;

use super::{file, taken, told};
use crate::hseos::records::Kind;
use crate::hseos::tests::World;

/// Text made of everything that means something in the two files.
fn text() -> impl Strategy<Value = String> {
    let parts = vec![
        "a",
        "b",
        " ",
        "|",
        "\\",
        "\n",
        "\r\n",
        "<br>",
        "—",
        " — ",
        "*(depends: T1)*",
        "(depends: none)",
        " — **Blocked:** x",
        "**Blocked:**",
        "Blocked: y",
        "\n- [x] T1 — [A] b",
        "\n## Notes\n",
        "## Current State",
        "] ",
        "[",
        ":**",
        "| F1 | x | y | z |",
        "\u{feff}",
        "é",
        "*",
        ")",
    ];
    prop::collection::vec(prop::sample::select(parts), 0..5).prop_map(|parts| parts.concat())
}

/// As [`text`], without what a key or id of an outside row may not hold.
fn name() -> impl Strategy<Value = String> {
    text().prop_map(|text| format!("T{}", text.replace(char::is_control, "")))
}

fn status() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["pending", "in_progress", "done", "blocked"])
}

fn id() -> impl Strategy<Value = String> {
    "T[1-9][0-9]?"
}

prop_compose! {
    fn tasks(ids: BoxedStrategy<String>, owners: BoxedStrategy<String>)
        (tasks in prop::collection::btree_map(ids, (owners, text(), status(), prop::collection::vec(id(), 0..3), prop::option::of(text()), any::<bool>()), 0..6))
        -> Vec<(String, serde_json::Value)> {
        tasks.into_iter().map(|(id, (owner, description, status, depends, note, pruned))| {
            let mut task = json!({
                "owner": owner, "description": description, "status": status, "depends_on": depends,
                "note": note.filter(|note| !note.is_empty()), "created_at": "c", "updated_at": "u",
            });
            if pruned && status == "done" {
                task["pruned"] = true.into();
            }
            (id, task)
        }).collect()
    }
}

prop_compose! {
    fn fields(names: BoxedStrategy<String>)
        (plain in prop::collection::btree_map(prop::sample::select(vec!["branch", "phase", "status", "notes", "other", "last_updated"]), text(), 0..5),
         rows in prop::collection::vec((prop::sample::select(vec!["feature", "deployment"]), names, prop::sample::select(vec!["name", "status", "version", "branch"]), text()), 0..5))
        -> Vec<(String, String)> {
        let mut all: Vec<(String, String)> = plain.into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
        all.extend(rows.into_iter().map(|(table, name, part, value)| (format!("{table}.{name}.{part}"), value)));
        all
    }
}

fn world(fields: Vec<(String, String)>, tasks: Vec<(String, serde_json::Value)>) -> World {
    let mut world = World::new();
    for (key, value) in fields {
        world.records.insert(Kind::State.key(key), json!({"value": value, "updated_at": "2026-01-02 03:04:05"}));
    }
    for (id, task) in tasks {
        world.records.insert(Kind::Task.key(id), task);
    }
    world
}

fn irregular() -> impl Strategy<Value = World> {
    (fields(name().boxed()), tasks(name().boxed(), name().boxed())).prop_map(|(fields, tasks)| world(fields, tasks))
}

fn regular() -> impl Strategy<Value = World> {
    let names = "[A-Z][a-z.-]{0,3}".prop_map(String::from).boxed();
    (fields(names.clone()), tasks(id().boxed(), names)).prop_map(|(fields, tasks)| world(fields, tasks))
}

fn both(world: &World, has_base: bool) -> [Seen; 2] {
    let (state, tasks) = world.images();
    let base = |text: &str| has_base.then(|| text.to_owned());
    [file("STATE.md", base(&state).as_deref(), &state), file("TASKS.md", base(&tasks).as_deref(), &tasks)]
}

const NOTHING: [&str; 0] = [];

proptest! {
    #[test]
    fn what_was_rendered_is_no_edit(world in irregular()) {
        let mut seen = both(&world, true);
        let taken = taken(&world, &seen);
        let told = told(&taken);
        let only_keeps = told.iter().all(|line| line == "image_conflict");
        prop_assert!(only_keeps, "{told:?}");
        prop_assert_eq!(taken.changes.len(), 0);
        seen.reverse();
        prop_assert_eq!(world.images(), world.images());
    }

    #[test]
    fn what_was_rendered_from_regular_records_is_understood(world in regular()) {
        prop_assert_eq!(told(&taken(&world, &both(&world, true))), NOTHING);
        prop_assert_eq!(told(&taken(&world, &both(&world, false))), NOTHING);
    }

    #[test]
    fn values_forge_no_line(world in irregular()) {
        let (state, tasks) = world.images();
        let shown = world.records.iter().filter(|(key, value)| key.kind == "task" && value.get("pruned").is_none()).count();
        prop_assert_eq!(tasks.lines().filter(|line| line.starts_with("- [")).count(), shown);
        prop_assert_eq!(tasks.lines().filter(|line| line.starts_with("## ")).count(), 4);
        prop_assert!(!tasks.contains('\r'));
        let head = state.split("\n## Notes\n").next().unwrap();
        prop_assert_eq!(head.lines().filter(|line| line.starts_with("- **")).count(), 6);
        prop_assert_eq!(head.lines().filter(|line| line.starts_with("## ")).count(), 3);
        for row in head.lines().filter(|line| line.starts_with('|')) {
            prop_assert_eq!(format::markdown::split_row(row).map(|cells| cells.len()), Some(4));
        }
    }

    #[test]
    fn a_line_that_is_nothing_is_kept(world in regular(), at in any::<prop::sample::Index>()) {
        let (state, tasks) = world.images();
        for (path, text) in [("STATE.md", state), ("TASKS.md", tasks)] {
            let until = text.find("\n## Notes\n").unwrap_or(text.len());
            let ends: Vec<usize> = text[..until].match_indices('\n').map(|(end, _)| end + 1).collect();
            let cut = ends[at.index(ends.len())];
            let edited = format!("{}what is this\n{}", &text[..cut], &text[cut..]);
            let taken = taken(&world, &[file(path, Some(&text), &edited)]);
            prop_assert_eq!(told(&taken), ["image_conflict"]);
            prop_assert_eq!(taken.conflicts.len(), 1);
        }
    }

    #[test]
    fn one_edit_changes_one_thing(world in regular(), value in "[a-z]{1,8}") {
        let (state, tasks) = world.images();
        let line = state.lines().find(|line| line.starts_with("- **epic_id:**")).unwrap();
        let edited = state.replacen(line, &format!("- **epic_id:** {value}"), 1);
        let told_state = told(&taken(&world, &[file("STATE.md", Some(&state), &edited)]));
        prop_assert_eq!(told_state.len(), 2);
        if let Some(line) = tasks.lines().find(|line| line.starts_with("- [ ] ")) {
            let edited = tasks.replacen(line, &line.replacen("[ ]", "[x]", 1), 1);
            let taken = taken(&world, &[file("TASKS.md", Some(&tasks), &edited)]);
            let finished: Vec<_> = taken.changes.iter().filter(|change| change.after.as_ref().unwrap().get("pruned").is_none()).collect();
            prop_assert!(finished.len() <= 1);
            for change in taken.changes.iter().filter(|change| change.before.as_ref().unwrap()["status"] == "pending") {
                let (before, after) = (change.before.clone().unwrap(), change.after.clone().unwrap());
                for part in ["owner", "description", "depends_on", "note"] {
                    prop_assert_eq!(&before[part], &after[part]);
                }
            }
        }
    }

    #[test]
    fn any_text_is_survived(world in irregular(), base in prop::collection::vec(text(), 0..8), now in prop::collection::vec(text(), 0..8), known in any::<bool>()) {
        let heads = ["## Current State\n", "## In Progress\n"];
        for (path, head) in ["STATE.md", "TASKS.md"].into_iter().zip(heads) {
            let (base, now) = (format!("{head}{}", base.join("\n")), format!("{head}{}", now.join("\n")));
            let seen = [file(path, known.then_some(base.as_str()), &now)];
            let taken = taken(&world, &seen);
            prop_assert_eq!(taken.conflicts.len(), taken.warnings.iter().filter(|warning| warning.code == "image_conflict").count());
        }
    }
}
