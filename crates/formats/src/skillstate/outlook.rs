//! What the format tells the generic commands: planned steps, one line, what is wrong.

use format::{View, redaction};
use model::{Context, Finding, Object, Severity, Value, WorkItem, WorkState};

use super::present::Present;
use super::reads::cut;
use super::scope::{Place, Scope};
use super::{admit, spec};

/// The longest goal and step that is shown. **Units**: characters.
const SHOWN: usize = 120;

/// The planned steps of main, in their order.
pub(super) fn work(view: &View<'_>, ctx: &Context) -> Vec<WorkItem> {
    let state = present(view, ctx).map(|present| present.state).unwrap_or_default();
    let item = |(at, step): (usize, &Value)| WorkItem {
        id: (at + 1).to_string(),
        title: shown(step),
        state: WorkState::Ready,
        owner: None,
        blocked_by: Vec::new(),
    };
    list(&state, "next_steps").iter().enumerate().map(item).collect()
}

/// Goal and counts of main.
pub(super) fn summary(view: &View<'_>, ctx: &Context) -> String {
    let Some(Present { seq, state }) = present(view, ctx) else {
        return "the state file cannot be read".to_owned();
    };
    let goal = state.get("goal").filter(|goal| goal.as_str().is_some_and(|goal| !goal.is_empty()));
    let goal = goal.map_or_else(|| "no goal".to_owned(), shown);
    let count = |name, word| format!("{} {word}", list(&state, name).len());
    let copies = admit::agents(view.records, view.files).len();
    let mut parts =
        vec![goal, count("progress", "done"), count("next_steps", "planned"), count("blockers", "blockers")];
    if copies > 0 {
        parts.push(format!("{copies} sub-agents"));
    }
    parts.push(format!("seq {seq}"));
    parts.join(" · ")
}

/// State files that cannot be read, and a spec that cannot be used.
pub(super) fn doctor(view: &View<'_>, ctx: &Context) -> Vec<Finding> {
    let spec = spec::load(view, ctx);
    let mut findings = Vec::new();
    if let Err(refusal) = &spec {
        findings.push(finding(refusal, spec::path().as_str()));
    }
    for space in admit::all(view) {
        let Some(Place::State(scope)) = Place::of(&space) else { continue };
        if let Err(refusal) = Present::load(view, &scope, spec.as_ref().ok()) {
            findings.push(finding(&refusal, scope.state_path().as_str()));
        }
    }
    findings
}

fn present(view: &View<'_>, ctx: &Context) -> Option<Present> {
    let spec = spec::load(view, ctx).ok();
    Present::load(view, &Scope::Main, spec.as_ref()).ok()
}

fn list<'a>(state: &'a Object, name: &str) -> &'a [Value] {
    state.get(name).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

fn shown(value: &Value) -> String {
    let mut value = value.clone();
    redaction::mask(&mut value);
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    cut(&text.split_whitespace().collect::<Vec<_>>().join(" "), SHOWN)
}

fn finding(refusal: &model::Refusal, place: &str) -> Finding {
    Finding {
        code: refusal.code.to_string(),
        severity: Severity::Error,
        place: place.to_owned(),
        message: refusal.message.clone(),
        fix: refusal.hint.clone(),
        details: Object::new(),
    }
}
