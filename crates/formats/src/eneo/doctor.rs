//! `eneo_doctor`: what is wrong with the files as they stand, and the repair of what is safe.

use format::{Draft, FileState, Records as _, View};
use model::{Context, Finding, Object, Outcome, ProjectPath, Rewrite, Severity, Value};

use super::document::{self, AHEAD, FIELDS, Found};
use super::task_init::nothing;
use super::wave::{self, Wave};
use super::{mirror, paths, records, schema, task_update};

/// The checks, in the order of their findings.
pub(super) const CHECKS: &[&str] = &[
    "task_corrupt",
    "task_schema",
    "task_coercible",
    "task_stale",
    "last_update_future",
    "mirror_invalid",
    "mirror_drift",
    "wave_corrupt",
    "wave_mismatch",
    "lock_stale",
    "temp_left",
    "spool_pending",
    "conflict_copy",
];

/// From what age a lock or a temporary file is nobody's. **Units**: milliseconds.
const STALE: i64 = 30_000;
const LEFT: i64 = 60_000;

/// The checks whose findings `--fix` repairs.
const REPAIRED: &[&str] =
    &["task_corrupt", "task_coercible", "mirror_invalid", "mirror_drift", "lock_stale", "temp_left", "spool_pending"];

struct Trouble {
    code: &'static str,
    field: Option<&'static str>,
    message: String,
    fix: Option<String>,
    place: ProjectPath,
}

/// What is wrong, in the order of [`CHECKS`].
fn findings(view: &View<'_>, ctx: &Context) -> Vec<Trouble> {
    let mut found = Vec::new();
    let task = document::read_task(view.files);
    if let Found::Unusable(why) = &task {
        let fix = if last_good(view).is_some() {
            "mainstay eneo doctor --fix brings the last good document back"
        } else {
            "mend the file, or begin anew with mainstay eneo task-init --force"
        };
        found.push(of_task("task_corrupt", None, format!("the task file cannot be used: {why}"), Some(fix.to_owned())));
    }
    let task = task.object();
    if let Some(task) = &task {
        task_findings(task, view, ctx, &mut found);
    }
    let state = paths::read(view.files, &paths::mirror(), paths::MIRROR_LIMIT);
    let word = mirror::read(view.files);
    let is_invalid = !matches!(state, FileState::Absent) && word.is_none();
    let phase = task.as_ref().and_then(document::phase_of);
    let mut of_mirror = |code, message: String| {
        let fix = Some("mainstay eneo doctor --fix".to_owned());
        found.push(Trouble { code, field: None, message, fix, place: paths::mirror() });
    };
    if is_invalid {
        of_mirror("mirror_invalid", "the mirror holds no phase".to_owned());
    } else if let Some(phase) = phase.filter(|phase| *phase != word.unwrap_or("FREE")) {
        of_mirror("mirror_drift", format!("the mirror says {}, the task {phase}", word.unwrap_or("nothing")));
    }
    wave_findings(task.as_ref(), view, &mut found);
    leftovers(view, ctx, &mut found);
    found
}

// The document as it was last stored, or stood before it was cleared.
fn last_good(view: &View<'_>) -> Option<Value> {
    let stored = records::task(view.records).map(Value::Object);
    stored.or_else(|| view.records.earlier(&records::task_key(), &mut |value| value.is_object()))
}

fn of_task(code: &'static str, field: Option<&'static str>, message: String, fix: Option<String>) -> Trouble {
    Trouble { code, field, message, fix, place: paths::task() }
}

fn task_findings(task: &Object, view: &View<'_>, ctx: &Context, found: &mut Vec<Trouble>) {
    let mut coerced = task.clone();
    let texts = schema::coerce(&mut coerced);
    for fault in schema::faults(&coerced, true) {
        // The one field that no usual update may change.
        let lenient = if fault.field == "started_at" { "ENEO_LENIENT=1 " } else { "" };
        let fix = format!("{lenient}mainstay eneo task-update '.{} = …'", fault.field);
        found.push(of_task("task_schema", Some(fault.field), fault.message, Some(fix)));
    }
    for field in FIELDS.iter().map(|(field, _)| *field).filter(|field| texts.contains(field)) {
        let message = format!("{field} is a number written as text");
        found.push(of_task("task_coercible", Some(field), message, Some("mainstay eneo doctor --fix".to_owned())));
    }
    if let Some(slug) = document::slug_of(task).filter(|slug| document::is_slug(slug)) {
        let stands = |path: String| {
            ProjectPath::new(path)
                .is_ok_and(|path| !matches!(paths::read(view.files, &path, paths::LIMIT), FileState::Absent))
        };
        let is_folder = |path: String| ProjectPath::new(path).is_ok_and(|path| view.files.is_folder(&path));
        let missing = match task.get("lane").and_then(Value::as_str) {
            Some("standard") if !is_folder(format!(".claude/specs/{slug}")) => Some(format!(".claude/specs/{slug}/")),
            Some("deep")
                if !stands(format!(".claude/plans/{slug}.md")) && !stands(format!(".claude/prds/{slug}.md")) =>
            {
                Some(format!(".claude/plans/{slug}.md"))
            }
            _ => None,
        };
        if let Some(missing) = missing {
            let fix = Some("mainstay eneo task-clear".to_owned());
            found.push(of_task("task_stale", None, format!("the task {slug} has no {missing}"), fix));
        }
    }
    if document::time_of(task.get("last_update")).is_some_and(|at| at.as_millis() > ctx.now.as_millis() + AHEAD) {
        let message = "last_update is ahead of the clock".to_owned();
        found.push(of_task(
            "last_update_future",
            Some("last_update"),
            message,
            Some("the next write sets it".to_owned()),
        ));
    }
}

fn wave_findings(task: Option<&Object>, view: &View<'_>, found: &mut Vec<Trouble>) {
    let mut of_wave = |code, message: String, fix: &str| {
        found.push(Trouble { code, field: None, message, fix: Some(fix.to_owned()), place: paths::wave() });
    };
    let wave = match wave::read_file(view.files) {
        Ok(wave) => wave,
        Err(why) => {
            return of_wave(
                "wave_corrupt",
                format!("the wave file cannot be used: {why}"),
                "mend it, or seed the wave again",
            );
        }
    };
    let (Some(wave), Some(task)) = (wave, task) else { return };
    if let Some(why) = mismatch(&wave, task) {
        of_wave("wave_mismatch", why, "mainstay eneo wave seed");
    }
}

fn mismatch(wave: &Wave, task: &Object) -> Option<String> {
    let number = wave.number();
    let said = task.get("wave").and_then(document::integer);
    if said.is_some_and(|said| said != number) {
        return Some(format!("the wave file counts wave {number}, the task says {}", said.unwrap_or_default()));
    }
    if wave.is_ready() && wave.done() < wave.expected() {
        return Some(format!("the wave is ready with {} of {}", wave.done(), wave.expected()));
    }
    let status = task.get("wave_status").and_then(|waves| waves.get(number.to_string())).and_then(Value::as_str);
    match (wave.is_ready(), status) {
        (true, Some(status)) if status != "done" => Some(format!("the wave is ready, the task says {status}")),
        (false, Some("done")) => Some("the wave is under way, the task says done".to_owned()),
        _ => None,
    }
}

fn leftovers(view: &View<'_>, ctx: &Context, found: &mut Vec<Trouble>) {
    let age = |path: &ProjectPath| view.files.modified(path).map(|at| ctx.now.as_millis() - at.as_millis());
    let mut other = |code, place: ProjectPath, message: String, fix: &str| {
        found.push(Trouble { code, field: None, message, fix: Some(fix.to_owned()), place });
    };
    let owner = paths::lock().join("owner").ok();
    let lock_age = owner.as_ref().and_then(age).or_else(|| age(&paths::lock()));
    if lock_age.is_some_and(|age| age >= STALE) || view.probes.is_abandoned(&paths::lock()) {
        other("lock_stale", paths::lock(), "a lock was left behind".to_owned(), "mainstay eneo doctor --fix");
    }
    let names = view.files.list(&paths::state());
    let place = |name: &String| paths::state().join(name).ok();
    for path in names.iter().filter(|name| name.starts_with(".mainstay-")).filter_map(place) {
        if age(&path).is_some_and(|age| age >= LEFT) {
            other("temp_left", path, "a temporary file was left behind".to_owned(), "mainstay eneo doctor --fix");
        }
    }
    let spooled = view.probes.spooled("eneo_wave_event");
    if spooled > 0 {
        other("spool_pending", paths::wave(), format!("{spooled} events wait"), "mainstay eneo wave status");
    }
    for path in names.iter().filter(|name| name.contains(".conflict-")).filter_map(place) {
        let message = format!("{} was kept because it could not be used", path.name());
        other("conflict_copy", path, message, "take from it what is needed, then remove it");
    }
}

fn severity(code: &str) -> Severity {
    if code.ends_with("_corrupt") || code == "task_schema" { Severity::Error } else { Severity::Warning }
}

fn reply(arguments: &Object, found: &[Trouble], fixed: impl Fn(&Trouble) -> bool) -> Object {
    let mut ok = true;
    let mut list = Vec::new();
    for one in found {
        let mut object = Object::new();
        let is_fixed = fixed(one);
        ok &= is_fixed;
        object.insert("code".into(), one.code.into());
        let severity = if severity(one.code) == Severity::Error { "error" } else { "warning" };
        object.insert("severity".into(), severity.into());
        if let Some(field) = one.field {
            object.insert("field".into(), field.into());
        }
        object.insert("message".into(), one.message.as_str().into());
        object.insert("fix".into(), one.fix.clone().map_or(Value::Null, Value::String));
        object.insert("fixed".into(), is_fixed.into());
        list.push(Value::Object(object));
    }
    let mut body = Object::new();
    body.insert("ok".into(), ok.into());
    body.insert("findings".into(), Value::Array(list));
    if let Some(strict) = arguments.get("strict") {
        body.insert("strict".into(), strict.clone());
    }
    body
}

/// Looks only.
pub(super) fn look(arguments: &Object, view: &View<'_>, ctx: &Context) -> Outcome {
    nothing(reply(arguments, &findings(view, ctx), |_| false))
}

/// Looks, and repairs what is safe. Locks, temporary files and events are repaired by writing at all.
pub(super) fn fix(arguments: &Object, view: &View<'_>, ctx: &Context) -> Outcome {
    let found = findings(view, ctx);
    let has = |code: &str| found.iter().any(|one| one.code == code);
    let mut draft = Draft::new(view.records);
    let mut outcome = Outcome::default();
    let (mut restored, mut coerced) = (false, false);
    if has("task_corrupt")
        && let Some(good) = last_good(view)
    {
        restored = true;
        outcome.rewrites.push(paths::kept(paths::task()));
        draft.put(records::task_key(), good);
    }
    if has("task_coercible")
        && let Some(mut task) = records::task(view.records)
    {
        coerced = true;
        schema::coerce(&mut task);
        let (stamp, was_ahead) = document::stamp(&task, ctx.now);
        outcome.reply.warnings.extend(was_ahead.then(task_update::ahead));
        task.insert("last_update".into(), stamp.into());
        draft.put(records::task_key(), Value::Object(task));
    }
    if has("mirror_invalid") || has("mirror_drift") {
        let task = records::task(&draft);
        let word = task
            .as_ref()
            .and_then(document::phase_of)
            .or_else(|| document::word_of(draft.get(&records::mirror_key())?.as_str()?));
        records::put_mirror(&mut draft, word.unwrap_or("FREE"));
        outcome.rewrites.push(Rewrite { path: paths::mirror(), keeps_old: false });
    }
    // Where a write alone does not bring it about, what it needs is looked at.
    let fixed = |one: &Trouble| match one.code {
        "task_corrupt" => restored,
        "task_coercible" => coerced,
        // Events that a wave file cannot take stay where they are.
        "spool_pending" => wave::read_file(view.files).is_ok(),
        "temp_left" => !view.files.is_folder(&one.place),
        code => REPAIRED.contains(&code),
    };
    outcome.reply.body = reply(arguments, &found, fixed);
    outcome.changes = draft.into_changes();
    outcome
}

/// The findings in the shape of the generic doctor.
pub(super) fn generic(view: &View<'_>, ctx: &Context) -> Vec<Finding> {
    let finding = |one: Trouble| Finding {
        code: one.code.to_owned(),
        severity: severity(one.code),
        place: one.place.as_str().to_owned(),
        message: one.message,
        fix: one.fix,
        details: Object::new(),
    };
    findings(view, ctx).into_iter().map(finding).collect()
}
