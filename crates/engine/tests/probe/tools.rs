//! What the tools of the test format decide.

use format::{Draft, View};
use model::{
    Call, Context, ExtraFile, FolderMove, Object, Outcome, ProjectPath, RecordKey, Refusal, Reply, Scan, Space, Value,
};

use super::{SPACE, doc, item, items, meddling, surface};

pub(super) fn handle(call: &Call, view: &View<'_>, ctx: &Context) -> Result<Outcome, Refusal> {
    let tool = surface::SURFACE.tool(&call.tool).expect("the engine looked it up");
    tool.check_names(&call.arguments, "invalid_argument")?;
    let text = |name: &str| call.arguments.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let mut draft = Draft::new(view.records);
    let mut outcome = Outcome::default();
    let mut body = Object::new();
    match tool.name {
        "get" => body = all(view),
        "put" | "meddle" => {
            if tool.name == "meddle" {
                meddling::run(&ctx.root);
            }
            let key = match call.arguments.get("place").and_then(Value::as_str) {
                Some(place) => RecordKey::new(Space::new(format!("probe/{place}")), "item", text("key")),
                None => item(&text("key")),
            };
            draft.put(key, text("value").into());
            body.insert("put".into(), text("key").into());
        }
        "bump" => {
            let count = bump(&mut draft, view, &text("key"));
            body.insert("count".into(), count.into());
        }
        "work_out" => {
            let number = items::number(view, &item(&text("key")));
            let Some(answer) = view.probes.ponder(&[ctx.root.as_str().into(), number.into()])? else {
                return Err(Refusal::refused("took_too_much", "this could not be worked out"));
            };
            draft.put(item(&text("key")), answer[0].clone());
        }
        "settle" => {
            let mut object = view.records.get(&doc()).and_then(|value| value.as_object().cloned()).unwrap_or_default();
            object.insert(text("name"), text("value").into());
            draft.put(doc(), Value::Object(object));
        }
        "shelve" => {
            outcome.moves.push(shelf(&text("name")));
            draft.delete(label(text("name")));
            draft.put(RecordKey::new(SPACE, "shelved", text("name")), true.into());
        }
        "label" => draft.put(label(text("name")), text("name").into()),
        "rename" => {
            let place = |name: &str| path(&format!("shelf/{}", text(name)));
            outcome.moves.push(FolderMove { from: place("name")?, to: place("value")? });
            outcome
                .files
                .push(ExtraFile::Create { path: path(&format!("shelf/{}/new", text("value")))?, bytes: Vec::new() });
            draft.delete(label(text("name")));
            draft.put(label(text("value")), text("value").into());
        }
        "unshelve" => {
            outcome.moves.push(shelf(&text("name")).inverse());
            draft.delete(RecordKey::new(SPACE, "shelved", text("name")));
        }
        "note_event" => {
            let number = bump(&mut draft, view, "events");
            let event = Object::from_iter([
                ("name".to_owned(), text("name").into()),
                ("at".to_owned(), ctx.now.to_millis_text().into()),
                ("actor".to_owned(), ctx.actor.as_str().into()),
            ]);
            draft.put(RecordKey::new(SPACE, "event", number), Value::Object(event));
            body.insert("outcome".into(), "counted".into());
            body.insert("number".into(), number.into());
        }
        "create" => outcome.files.push(ExtraFile::Create { path: path(&text("path"))?, bytes: text("text").into() }),
        "log" => {
            let path = ProjectPath::known("probe.log");
            outcome.files.push(ExtraFile::AppendLine { path, line: text("line"), keep: 3 });
        }
        "big" => {
            let number = bump(&mut draft, view, "bigs");
            let line = format!("{number} {} {} ", ctx.actor, ctx.now.to_millis_text());
            body.insert("text".into(), line.repeat(5000 / line.len() + 1).into());
        }
        _ => return Err(Refusal::refused("not_today", "this tool refuses").with("tool", tool.name)),
    }
    outcome.changes = draft.into_changes();
    outcome.reply = Reply::new(body, Vec::new());
    Ok(outcome)
}

fn bump(draft: &mut Draft<'_>, view: &View<'_>, key: &str) -> i64 {
    let number = items::number(view, &item(key)) + 1;
    draft.put(item(key), number.into());
    number
}

fn shelf(name: &str) -> FolderMove {
    let place = |folder: &str| ProjectPath::new(format!("{folder}/{name}")).expect("tests name folders well");
    FolderMove { from: place("shelf"), to: place(".mainstay/trash") }
}

fn label(name: String) -> RecordKey {
    RecordKey::new(SPACE, "label", name)
}

fn path(text: &str) -> Result<ProjectPath, Refusal> {
    ProjectPath::new(text).map_err(|_| Refusal::invalid("path", "this is no path of the project"))
}

fn all(view: &View<'_>) -> Object {
    let items = items::all(view).into_iter().map(|(id, value)| (id.as_str().to_owned(), value)).collect();
    let events = view.records.scan(&SPACE, "event", &Scan::all()).into_iter().map(|(_, value)| value).collect();
    Object::from_iter([
        ("items".to_owned(), Value::Object(items)),
        ("truth".to_owned(), view.records.get(&doc()).unwrap_or_default()),
        ("events".to_owned(), Value::Array(events)),
    ])
}
