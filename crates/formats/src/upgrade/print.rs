//! What commands hand to tools, and what they print for people.

use format::Printed;
use format::text_table::wrap;
use model::{Object, Refusal, Value};

use super::arguments::folded;

/// How wide a screen is taken to be. **Units**: columns.
const WIDTH: usize = 80;

/// Where the text of an entry begins. **Units**: columns.
const INDENT: usize = 15;

/// How many available tasks a line names.
const MOST: usize = 5;

/// `--subtasks JSON` as a list.
pub(super) fn break_down_arguments(mut typed: Object) -> Result<Object, Refusal> {
    if let Some(text) = typed.get("subtasks").and_then(Value::as_str) {
        let list: Value = serde_json::from_str(text)
            .map_err(|error| Refusal::invalid("subtasks", format!("subtasks is no JSON list: {error}")))?;
        typed.insert("subtasks".to_owned(), list);
    }
    Ok(typed)
}

/// `--rename OLD=NEW` as an object.
pub(super) fn reconcile_arguments(mut typed: Object) -> Result<Object, Refusal> {
    if let Some(pairs) = typed.get("renames").and_then(Value::as_array) {
        let mut renames = Object::new();
        for pair in pairs.iter().filter_map(Value::as_str) {
            let (old, new) =
                pair.split_once('=').ok_or_else(|| Refusal::invalid("renames", format!("{pair:?} is not OLD=NEW")))?;
            renames.insert(old.to_owned(), new.into());
        }
        typed.insert("renames".to_owned(), Value::Object(renames));
    }
    Ok(typed)
}

/// The screen of `get-state`.
pub(super) fn state(printed: &Printed<'_>) -> String {
    screen(printed.reply)
}

/// `01-a started`, and what its task.md says.
pub(super) fn started(printed: &Printed<'_>) -> String {
    let reply = printed.reply;
    let task = &reply["task"];
    let flag = |name: &str| reply.get(name).and_then(Value::as_bool).unwrap_or_default();
    if let Some(next) = reply.get("redirect").and_then(Value::as_object) {
        return format!("{} has subtasks; start {} next", text(task, "id"), named(&Value::Object(next.clone())));
    }
    if text(task, "status") != "InProgress" {
        return format!("{} has open subtasks and none that can be started", text(task, "id"));
    }
    let deed = if flag("resumed") {
        "resumed"
    } else if flag("retry") {
        "started again"
    } else if flag("reopened") {
        "reopened"
    } else {
        "started"
    };
    let mut lines = vec![format!("{} {deed} in {}", named(task), value_text(&reply["taskFolder"]))];
    for instruction in list(&reply["customInstructions"]) {
        lines.push(format!("heed: {}", value_text(instruction)));
    }
    if flag("needsBreakdown") {
        lines.push("it is to be broken down into subtasks first".to_owned());
    }
    if let Some(content) = reply["taskContent"].as_str() {
        lines.extend([String::new(), content.trim_end().to_owned()]);
    }
    lines.join("\n")
}

/// What was completed or failed, and what comes next.
pub(super) fn completed(printed: &Printed<'_>) -> String {
    let reply = printed.reply;
    let deed = match (&reply["completed"], &reply["failed"]) {
        (Value::Null, failed) => format!("{} failed: {}", named(failed), value_text(&reply["error"])),
        (task, _) if reply["alreadyCompleted"] == true => format!("{} was completed already", named(task)),
        (task, _) => format!("{} completed", named(task)),
    };
    format!("{deed}\n{}", next(reply))
}

/// What the subtasks are now.
pub(super) fn broken_down(printed: &Printed<'_>) -> String {
    let reply = printed.reply;
    let mut lines = vec![named(&reply["parent"])];
    lines.extend(list(&reply["subtasksKept"]).map(|id| format!("  kept {}", value_text(id))));
    lines.extend(list(&reply["subtasksCreated"]).map(|task| format!("  new {}", named(task))));
    lines.extend(list(&reply["subtasksRemoved"]).map(|id| format!("  removed {}", value_text(id))));
    let archived = |one: &Value| format!("  {} lies in {}", text(one, "id"), text(one, "to"));
    lines.extend(list(&reply["subtasksArchived"]).map(archived));
    lines.push(next(reply));
    lines.join("\n")
}

/// What was settled and what still waits.
pub(super) fn reconciled(printed: &Printed<'_>) -> String {
    let reply = printed.reply;
    let mut lines: Vec<String> = list(&reply["applied"])
        .map(|one| format!("{} {}", text(one, "kind"), text(one, "id")).trim_end().to_owned())
        .collect();
    if lines.is_empty() {
        lines.push("nothing to settle".to_owned());
    }
    if reply["dryRun"] == true && list(&reply["applied"]).next().is_some() {
        lines.insert(0, "nothing was changed; this would happen:".to_owned());
    }
    lines.extend(waiting(&reply["drift"]));
    lines.push(next(reply));
    lines.join("\n")
}

/// The state, then the files to read.
pub(super) fn recovered(printed: &Printed<'_>) -> String {
    let reply = printed.reply;
    let mut lines = vec![reply["state"].as_object().map(screen).unwrap_or_default()];
    for (key, value) in reply["preferences"].as_object().into_iter().flatten() {
        lines.push(format!("prefers {key}: {}", value_text(value)));
    }
    lines.extend(files(&reply["readingList"]));
    lines.extend(list(&reply["reminders"]).map(|line| value_text(line).to_owned()));
    lines.join("\n")
}

/// The files that answer.
pub(super) fn recalled(printed: &Printed<'_>) -> String {
    let reply = printed.reply;
    let mut lines: Vec<String> = reply["state"].as_object().map(screen).into_iter().collect();
    if lines.is_empty() {
        lines.extend(files(&reply["sources"]));
    }
    if lines.is_empty() { "nothing is written about that".to_owned() } else { lines.join("\n") }
}

/// The line that was added.
pub(super) fn active(printed: &Printed<'_>) -> String {
    value_text(&printed.reply["line"]).to_owned()
}

fn screen(reply: &Object) -> String {
    let mut lines = Vec::new();
    if let Some(id) = reply["scenarioId"].as_str() {
        let (progress, action) = (&reply["progress"], value_text(&reply["nextAction"]));
        lines.push(format!(
            "{}  {}/{} tasks complete, {}%  next: {action}",
            folded(id),
            progress["completed"],
            progress["total"],
            progress["percent"]
        ));
    } else {
        lines.push("no scenario is under way".to_owned());
        lines.extend(list(&reply["existingScenarios"]).map(|one| {
            let progress = &one["progress"];
            format!("  {}  {}/{}", folded(text(one, "scenarioId")), progress["completed"], progress["total"])
        }));
    }
    lines.extend(list(&reply["inProgressTasks"]).map(|task| entry("in progress", &named(task))));
    lines.extend(list(&reply["availableTasks"]).map(|task| entry("available", &named(task))));
    lines.extend(list(&reply["blockedTasks"]).map(blocked));
    let stale = |one: &Value| entry("stale", &format!("{}: {}", text(one, "TaskId"), text(one, "Instruction")));
    lines.extend(list(&reply["staleTaskWarnings"]).map(stale));
    lines.extend(waiting(&reply["drift"]));
    lines.join("\n")
}

// A word and what it is about, which goes on beneath itself where the line is full.
fn entry(word: &str, about: &str) -> String {
    let lines = wrap(about, WIDTH - INDENT);
    format!("  {word:<width$}{}", lines.join(&format!("\n{:INDENT$}", "")), width = INDENT - 2)
}

fn blocked(task: &Value) -> String {
    let by: Vec<&str> = list(&task["blockedBy"]).map(value_text).collect();
    let more = if task["truncated"] == true { " and more" } else { "" };
    let own = text(task, "id");
    // A task that is held or failed waits for itself.
    let why = if by == [own] { String::new() } else { format!(" {}{more}", by.join(", ")) };
    entry("blocked", &format!("{} ({}{why})", named(task), text(task, "reason")))
}

// What of a drift waits for somebody's word.
fn waiting(drift: &Value) -> Vec<String> {
    let mut lines = Vec::new();
    for removal in list(&drift["pendingRemovals"]) {
        let reasons: Vec<&str> = list(&removal["reasons"]).map(value_text).collect();
        let source = text(removal, "source");
        lines.push(entry("waits", &format!("{} is gone from {source} ({})", text(removal, "id"), reasons.join(", "))));
    }
    for rename in list(&drift["possibleRenames"]) {
        let about = format!("{} may be {} now: same {}", text(rename, "old"), text(rename, "new"), text(rename, "why"));
        lines.push(entry("renamed?", &about));
    }
    for edit in list(&drift["statusEdits"]) {
        lines.push(entry("marked", &format!("{} as {} by hand", text(edit, "id"), text(edit, "to"))));
    }
    for clash in list(&drift["conflicts"]) {
        let about = match text(clash, "kind") {
            "title" => format!("{} has two titles; plan.md's counts", text(clash, "id")),
            _ => format!("{} was edited in plan.md and its row removed; it stays", text(clash, "id")),
        };
        lines.push(entry("conflict", &about));
    }
    lines.extend(list(&drift["unplanned"]).map(|id| entry("unplanned", value_text(id))));
    if let Some(file) = drift["massRemoval"].as_str() {
        lines.push(entry("guarded", &format!("{file} lost most of its tasks at once; nothing is removed")));
    }
    lines
}

fn next(reply: &Object) -> String {
    let progress = &reply["progress"];
    let available: Vec<String> = list(&reply["availableTasks"]).take(MOST).map(named).collect();
    let more = list(&reply["availableTasks"]).count() - available.len();
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let progress = format!("{}/{} complete", progress["completed"], progress["total"]);
    if available.is_empty() {
        return progress;
    }
    wrap(&format!("{progress}; available: {}{more}", available.join(", ")), WIDTH - 2).join("\n  ")
}

fn files(all: &Value) -> Vec<String> {
    let file = |file: &Value| format!("--- {}\n{}", text(file, "path"), text(file, "content").trim_end());
    list(all).map(file).collect()
}

fn named(task: &Value) -> String {
    format!("{} {}", text(task, "id"), text(task, "name"))
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}

fn value_text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
