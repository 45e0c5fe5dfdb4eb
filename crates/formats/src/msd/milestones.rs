//! `milestone-switch`, `milestone-complete`, `lifecycle set` and `lifecycle clear`.

use format::document::edit::append_section;
use format::front_matter::Scalar;
use model::{Outcome, Refusal, Value};

use super::arguments::{Arguments, conflict, missing, phase};
use super::edit::Edit;
use super::members;
use super::position::bar;
use super::progress::KEYS;
use super::site::Site;
use super::status::Stage;

/// The actions that may be recommended.
pub(super) const ACTIONS: &[&str] = &["discuss-phase", "plan-phase", "execute-phase", "verify-phase"];

/// `milestone-switch`.
pub(super) fn switch(given: &Arguments, site: &Site<'_>) -> Result<Outcome, Refusal> {
    let version = given.version("milestone")?.ok_or_else(|| missing("milestone"))?;
    let name = given.filled("name")?.unwrap_or_else(|| "milestone".to_owned());
    let mut edit = Edit::open(site)?;
    let progress = format!("{} 0%", bar(0));
    let (phase, plan, status) = ("Not started (defining requirements)", "—", "Defining requirements");
    if edit.body().position().is_none() {
        let lines = [
            format!("Phase: {phase}"),
            format!("Plan: {plan}"),
            format!("Status: {status}"),
            format!("Last activity: {}", site.today()),
            String::new(),
            format!("Progress: {progress}"),
        ];
        append_section(&mut edit.document, "## Current Position", &lines.each_ref().map(String::as_str));
        edit.updated.extend(["Phase", "Plan", "Status", "Last activity", "Progress"].map(str::to_owned));
    }
    edit.set("Phase", phase)?;
    edit.set("Plan", plan)?;
    edit.set_status(status)?;
    edit.set("Progress", &progress)?;
    for (field, key) in [
        ("Current Phase", "current_phase"),
        ("Current Phase Name", "current_phase_name"),
        ("Current Plan", "current_plan"),
    ] {
        if edit.field(field).is_some() {
            edit.set(field, "")?;
        }
        edit.clear(key);
    }
    edit.date_activity(Some(&format!("Milestone {version} started")))?;
    edit.own.set("milestone", Scalar::Text(version.clone()));
    edit.own.set("milestone_name", Scalar::Text(name.clone()));
    edit.own.progress = KEYS.map(|key| (key, 0)).to_vec();
    edit.lifecycle(Some(Stage::Planning.word()), None, None);
    let body = members([
        ("switched", true.into()),
        ("version", version.into()),
        ("name", name.into()),
        ("status", Stage::Planning.word().into()),
        ("updated", edit.updated_list()),
        ("kept", edit.kept_list()),
    ]);
    edit.finish(body)
}

/// `milestone-complete`.
pub(super) fn complete(given: &Arguments, site: &Site<'_>) -> Result<Outcome, Refusal> {
    let version = given.version("milestone")?;
    let mut edit = Edit::open(site)?;
    let stored = edit.stored("milestone").filter(|text| !text.is_empty());
    let version = version.or(stored).ok_or_else(|| missing("milestone"))?;
    if edit.body().position().is_some() {
        edit.set("Phase", &format!("Milestone {version} complete"))?;
        edit.set("Plan", "—")?;
        edit.set_status("Awaiting next milestone")?;
    } else {
        edit.set_status(&format!("{version} milestone complete"))?;
    }
    edit.date_activity(Some(&format!("Milestone {version} complete")))?;
    edit.lifecycle(Some("completed"), None, None);
    let body = members([
        ("completed", true.into()),
        ("version", version.into()),
        ("updated", edit.updated_list()),
        ("kept", edit.kept_list()),
    ]);
    edit.finish(body)
}

/// `lifecycle set`: a phase that is under way, or what to do next.
pub(super) fn set_lifecycle(given: &Arguments, site: &Site<'_>) -> Result<Outcome, Refusal> {
    let active = given.phase("active")?;
    let stage = given.word("stage", Stage::WORDS)?;
    let action = given.word("next", ACTIONS)?;
    let phases = given.list("phases", ',')?;
    if let Some(field) =
        ["next", "phases"].into_iter().find(|name| given.has(name) && (active.is_some() || stage.is_some()))
    {
        return Err(conflict(field, "a phase under way and a recommendation exclude each other"));
    }
    let edit = match (&active, action) {
        (Some(id), _) => {
            let mut edit = Edit::open(site)?;
            edit.lifecycle(stage, Some(id.as_str()), None);
            edit
        }
        (None, Some(action)) => {
            let phases = phases.filter(|phases| !phases.is_empty()).ok_or_else(|| missing("phases"))?;
            for id in &phases {
                phase(id, "phases")?;
            }
            let mut edit = Edit::open(site)?;
            edit.lifecycle(None, None, Some((action, phases)));
            edit
        }
        (None, None) => return Err(missing(if phases.is_some() { "next" } else { "active" })),
    };
    end_lifecycle(edit)
}

/// `lifecycle clear`: nothing is under way and nothing recommended.
pub(super) fn clear_lifecycle(_given: &Arguments, site: &Site<'_>) -> Result<Outcome, Refusal> {
    let mut edit = Edit::open(site)?;
    edit.lifecycle(None, None, None);
    end_lifecycle(edit)
}

/// Ends an edit with the lifecycle keys as they will stand.
fn end_lifecycle(mut edit: Edit<'_>) -> Result<Outcome, Refusal> {
    let settled = edit.settled();
    let shown =
        |key: &str| settled.front().and_then(|front| front.entry(key)).map_or(Value::Null, super::fields::shown);
    let body = members(["active_phase", "next_action", "next_phases", "status"].map(|key| (key, shown(key))));
    edit.end(settled, body)
}
