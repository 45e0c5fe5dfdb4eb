//! Tests of the whole format: what stands in files never breaks it, and what it writes it reads.

use std::collections::BTreeMap;

use format::{
    DatabaseProbe, Draft, Effort, FileState, Files, Format, HealthProbe, HookEvent, Irregular, Look, Probes, Records,
    Seen, SeenFile, Sheet, Spooling, Touched, View,
};
use model::{
    Call, Change, Context, Environment, ImageContent, Object, Origin, ProjectPath, RecordId, RecordKey, Refusal, Scan,
    Space, Timestamp, Value,
};
use proptest::prelude::*;
use serde_json::json;

use super::{Eneo, document, paths, records, schema, wave};

#[derive(Default)]
struct World {
    records: BTreeMap<RecordKey, Value>,
    files: BTreeMap<String, Vec<u8>>,
}

impl Records for World {
    fn get(&self, key: &RecordKey) -> Option<Value> {
        self.records.get(key).cloned()
    }

    fn scan(&self, _: &Space, _: &'static str, _: &Scan) -> Vec<(RecordId, Value)> {
        Vec::new()
    }

    fn earlier(&self, _: &RecordKey, _: &mut dyn FnMut(&Value) -> bool) -> Option<Value> {
        None
    }
}

impl Files for World {
    fn read(&self, path: &ProjectPath, limit: u64) -> FileState {
        match self.files.get(path.as_str()) {
            None => FileState::Absent,
            Some(bytes) if bytes.len() as u64 > limit => FileState::Irregular(Irregular::TooLarge),
            Some(bytes) => FileState::Bytes(bytes.clone()),
        }
    }

    fn list(&self, _: &ProjectPath) -> Vec<String> {
        Vec::new()
    }

    fn is_folder(&self, path: &ProjectPath) -> bool {
        self.files.keys().any(|name| name.starts_with(&format!("{path}/")))
    }
}

impl Probes for World {
    fn health(&self, _: u16) -> HealthProbe {
        HealthProbe::Silent
    }

    fn database(&self, _: &str) -> DatabaseProbe {
        DatabaseProbe::Impossible
    }

    fn git(&self, _: &str) -> format::GitProbe {
        format::GitProbe::default()
    }

    fn commits_between(&self, _: &str, _: &str) -> Option<u64> {
        None
    }

    fn ponder(&self, question: &[Value]) -> Result<Option<Sheet>, Refusal> {
        Ok(Eneo.ponder(question, Effort { is_brief: false, is_over: &|| false }))
    }
}

fn context() -> Context {
    Context {
        now: Timestamp::parse_rfc3339("2026-01-02T03:04:05Z").unwrap(),
        actor: "cli".into(),
        session: None,
        request_id: None,
        origin: Origin::Command,
        root: "/r".into(),
        tag: "t".into(),
        env: Environment::new(),
        settings: Object::new(),
    }
}

impl World {
    fn view(&self) -> View<'_> {
        View { records: self, files: self, probes: self }
    }

    // Carries a call out and writes the images, as the engine would.
    fn call(&mut self, tool: &str, arguments: &Value) -> Result<Object, String> {
        let call = Call::new(tool, arguments.as_object().unwrap().clone());
        let outcome = Eneo.handle(&call, &self.view(), &context()).map_err(|refusal| refusal.code.into_owned())?;
        for change in &outcome.changes {
            match &change.after {
                Some(value) => drop(self.records.insert(change.key.clone(), value.clone())),
                None => drop(self.records.remove(&change.key)),
            }
        }
        let touched = Touched { changes: &outcome.changes, paths: &[] };
        for image in Eneo.render(&records::SPACE, &touched, &self.view(), &context()) {
            match image.content {
                ImageContent::Bytes(bytes) => drop(self.files.insert(image.path.as_str().to_owned(), bytes)),
                _ => drop(self.files.remove(image.path.as_str())),
            }
        }
        Ok(outcome.reply.body)
    }

    fn begun() -> Self {
        let mut world = Self::default();
        let task =
            json!({"slug": "a-b", "lane": "fast", "bracket": "1", "tenancy_impact": "none", "audit_impact": "none"});
        world.call("eneo_task_init", &task).unwrap();
        world
    }
}

#[test]
fn taking_in_what_was_rendered_changes_nothing() {
    let mut world = World::begun();
    world.call("eneo_wave_seed", &json!({"wave": 2, "expected": 1, "agents": ["scout"]})).unwrap();
    world.call("eneo_phase_set", &json!({"phase": "RED"})).unwrap();
    let seen: Vec<Seen> = [paths::task(), paths::wave(), paths::mirror()]
        .into_iter()
        .map(|path| {
            let now = paths::read(&world, &path, paths::LIMIT);
            assert!(matches!(now, FileState::Bytes(_)), "{path}");
            Seen::File(SeenFile { path, known: true, base: None, now })
        })
        .collect();
    let taken = Eneo.take_in(&records::SPACE, &seen, &world.view(), &context());
    assert_eq!((taken.changes, taken.warnings), (Vec::new(), Vec::new()));
}

#[test]
fn a_wave_that_is_open_stays_open() {
    let mut world = World::begun();
    world.call("eneo_wave_seed", &json!({"wave": 1, "expected": 1, "agents": ["a", "b", "b"]})).unwrap();
    let event = |id: &str, kind: &str, message: &str| json!({"agent_id": id, "agent_type": kind, "last_assistant_message": message});
    assert_eq!(world.call("eneo_wave_event", &event("1", "a", "DONE|x\n\n")).unwrap()["outcome"], "counted");
    assert_eq!(world.call("eneo_wave_event", &event("1", "a", "DONE|x")).unwrap()["outcome"], "duplicate");
    assert_eq!(world.call("eneo_wave_event", &event("2", "b", "BLOCKED|y")).unwrap()["outcome"], "blocked");
    assert_eq!(world.call("eneo_wave_event", &event("", "b", "DONE|")).unwrap()["outcome"], "counted");
    let wave = records::wave(&world).unwrap();
    assert_eq!((&wave["done"], &wave["status"]), (&json!(2), &json!("ready-for-next-wave")));
    assert_eq!(wave["completed_artifacts"], json!(["x"]));
    assert_eq!(records::task(&world).unwrap()["wave_status"]["1"], "done");
}

#[test]
fn an_event_of_an_older_generation_is_stale() {
    let mut world = World::begun();
    world.call("eneo_wave_seed", &json!({"wave": 1, "expected": 2})).unwrap();
    let look = Look { files: &world, probes: &world };
    let noted = Eneo.spooling(&Call::new("eneo_wave_event", Object::new()), &look);
    let Spooling::Keep(noted) = noted else { panic!("there is a wave") };
    assert_eq!(noted["generation"], 1);
    world.call("eneo_wave_seed", &json!({"wave": 2, "expected": 2})).unwrap();
    let event = json!({"agent_id": "1", "last_assistant_message": "DONE|x"});
    let arguments = event.as_object().unwrap().clone();
    let call = Call { noted, ..Call::new("eneo_wave_event", arguments) };
    let outcome = Eneo.handle(&call, &world.view(), &context()).unwrap();
    assert_eq!((&outcome.reply.body["outcome"], outcome.changes.len()), (&json!("stale"), 0));
    assert_eq!(records::wave(&world).unwrap()["done"], 0);
}

#[test]
fn the_first_of_a_name_counts_and_the_clock_is_ours() {
    let mut world = World::begun();
    let update = json!({
        "expr": ".phase_name = $a | .x = $__now", "args": {"a": "text", "__now": "forged"}, "json_args": {"a": [1]},
    });
    let task = world.call("eneo_task_update", &update).unwrap()["task"].clone();
    assert_eq!((&task["phase_name"], &task["x"]), (&json!("text"), &json!("2026-01-02T03:04:05Z")));
}

#[test]
fn no_undo_brings_an_old_generation_back() {
    let mut world = World::begun();
    world.call("eneo_wave_seed", &json!({"wave": 1, "expected": 2})).unwrap();
    let before = world.records.clone();
    world.call("eneo_wave_seed", &json!({"wave": 2, "expected": 2})).unwrap();
    let back: Vec<Change> = [records::wave_key(), records::counter_key()]
        .into_iter()
        .map(|key| Change { before: world.get(&key), after: before.get(&key).cloned(), key })
        .collect();
    let added = Eneo.restored(&back, &world.view(), &context()).unwrap().changes;
    let mut draft = Draft::new(&world);
    draft.lay(&back);
    draft.lay(&added);
    let wave = records::wave(&draft).unwrap();
    assert_eq!((&wave["wave"], &wave["generation"], records::generation(&draft)), (&json!(1), &json!(3), 3));
}

#[test]
fn times_never_run_backwards() {
    let at = |text: &str| Object::from_iter([("last_update".to_owned(), Value::from(text))]);
    let now = context().now;
    for (stored, expected, replaced) in [
        ("2026-01-02T03:04:00Z", "2026-01-02T03:04:05Z", false),
        ("2026-01-02T03:09:05Z", "2026-01-02T03:09:05Z", false),
        ("2026-01-02T03:09:06Z", "2026-01-02T03:04:05Z", true),
        ("yesterday", "2026-01-02T03:04:05Z", false),
    ] {
        assert_eq!(document::stamp(&at(stored), now), (expected.to_owned(), replaced), "{stored}");
    }
}

#[test]
fn fields_hold_what_they_may_hold() {
    for (field, value, fits) in [
        ("slug", json!("a-1-b"), true),
        ("slug", json!("a--b"), false),
        ("slug", json!("A"), false),
        ("bracket", json!(4), true),
        ("bracket", json!(5), false),
        ("bracket", json!(null), false),
        ("phase", json!(null), true),
        ("phase", json!(-1), false),
        ("last_pr", json!(0), false),
        ("wave_status", json!({"1": "done"}), true),
        ("wave_status", json!({"0": "done"}), false),
        ("wave_status", json!({"1": "in-progress"}), false),
        ("active_agents", json!(["a", "a"]), true),
        ("active_agents", json!([""]), false),
        ("started_at", json!("2026-01-02T03:04:05Z"), true),
        ("started_at", json!("2026-01-02T03:04:05.5Z"), false),
        ("next_hint", json!("x".repeat(5000)), false),
    ] {
        let (name, kind) = document::FIELDS.iter().find(|(name, _)| *name == field).unwrap();
        assert_eq!(schema::check(name, *kind, &value).is_none(), fits, "{field} {value}");
    }
}

#[test]
fn what_a_terminal_would_obey_is_not_shown() {
    let mut world = World::begun();
    let hint = "\u{1b}[2J\u{200b}go\u{202e}\u{7}\u{feff}";
    world.call("eneo_task_update", &json!({"expr": ".next_hint = $h", "args": {"h": hint}})).unwrap();
    let event = HookEvent { name: "statusline".into(), input: Object::new() };
    let ctx = Context { env: Environment::from([("NO_COLOR".to_owned(), "1".to_owned())]), ..context() };
    let lines = Eneo.glance(&event, &Look { files: &world, probes: &world }, &ctx).lines;
    assert_eq!(lines, ["[Claude] r", "a-b · → [2Jgo"]);
}

proptest! {
    #[test]
    fn no_bytes_in_a_file_break_a_look(bytes in proptest::collection::vec(any::<u8>(), 0..80), which in 0..3usize) {
        let mut world = World::begun();
        let path = [paths::task(), paths::wave(), paths::mirror()][which].clone();
        world.files.insert(path.as_str().to_owned(), bytes.clone());
        for name in ["session-start", "user-prompt-submit", "pre-tool-use", "statusline"] {
            let input = json!({"tool_name": "Bash", "tool_input": {"command": String::from_utf8_lossy(&bytes)}});
            let event = HookEvent { name: name.into(), input: input.as_object().unwrap().clone() };
            Eneo.glance(&event, &Look { files: &world, probes: &world }, &context());
        }
        let seen = Seen::File(SeenFile { path, known: true, base: None, now: FileState::Bytes(bytes) });
        let taken = Eneo.take_in(&records::SPACE, &[seen], &world.view(), &context());
        let mut draft = Draft::new(&world);
        draft.lay(&taken.changes);
        Eneo.handle(&Call::new("eneo_task_get", Object::new()), &world.view().over(&draft), &context()).unwrap();
        Eneo.handle(&Call::new("eneo_doctor", Object::new()), &world.view().over(&draft), &context()).unwrap();
    }

    #[test]
    fn any_object_is_a_wave_or_is_told(text in "\\{(\"(wave|expected|done|status|seen_agents|generation)\":(1|\"2\"|\\[\\]|null|-1|\"ready-for-next-wave\"),){0,4}\"x\":1\\}") {
        let state = FileState::Bytes(text.into_bytes());
        if let Ok(Some(wave)) = wave::parse(&state) {
            prop_assert!(wave.line().starts_with("wave "));
        }
    }

    #[test]
    fn any_shell_text_is_read_to_its_end(text in "[ a-c'\"\\\\$()`;&|<>{}#\n=/.-]{0,80}") {
        let event = HookEvent {
            name: "pre-tool-use".into(),
            input: json!({"tool_name": "Bash", "tool_input": {"command": text}}).as_object().unwrap().clone(),
        };
        let world = World::default();
        Eneo.glance(&event, &Look { files: &world, probes: &world }, &context());
    }
}
