//! `begin-phase`, `verify-phase`, `planned-phase`, `advance-plan`, `complete-phase`.

use format::front_matter::Scalar;
use model::{Outcome, Refusal, Reply, Value};

use super::arguments::Arguments;
use super::edit::{Edit, holds_label};
use super::members;
use super::phase_id::PhaseId;
use super::position::{PlanValue, Position, is_whole, leading_number};
use super::site::Site;
use super::status::Stage;

/// `begin-phase`.
pub(super) fn begin(given: &Arguments, site: &Site<'_>) -> Result<Outcome, Refusal> {
    let stage = given.word("stage", Stage::WORDS)?.and_then(Stage::parse).unwrap_or(Stage::Executing);
    begin_as(stage, given, site)
}

/// `verify-phase`: `begin-phase` with the stage verifying.
pub(super) fn verify(given: &Arguments, site: &Site<'_>) -> Result<Outcome, Refusal> {
    begin_as(Stage::Verifying, given, site)
}

fn begin_as(stage: Stage, given: &Arguments, site: &Site<'_>) -> Result<Outcome, Refusal> {
    let phase = given.needed_phase("phase")?;
    let (given_name, plans) = (given.filled("name")?, given.count("plans")?);
    if let Some(name) = given_name.as_deref().filter(|name| !gives_back(phase.as_str(), name)) {
        return Err(Refusal::invalid("name", format!("Phase \"N ({name})\" would not be read back with that name"))
            .hint("close every parenthesis that it opens, begin it with no bracket, and name no field in bold"));
    }
    let mut edit = Edit::open(site)?;
    let id = phase.as_str();
    let current = edit.current_phase();
    let is_current = current.as_ref() == Some(&phase);
    let old = edit.body().phase();
    let old_name = || {
        let same = old.as_ref().filter(|old| old.id == phase).and_then(|old| old.name.clone());
        let stored =
            || edit.body().said("Current Phase Name").map(str::to_owned).or_else(|| edit.stored("current_phase_name"));
        same.or_else(|| stored().filter(|_| is_current))
    };
    let of_roadmap = || site.roadmap()?.phase_name(&phase).map(str::to_owned);
    let name = given_name.or_else(of_roadmap).or_else(old_name);
    let on_disk = || site.plans_on_disk(&phase).filter(|plans| *plans > 0);
    let plan_count = plans.or_else(on_disk);
    let resumed =
        stage == Stage::Executing && is_current && edit.field("Status").is_some_and(|text| is_executing(&text, &phase));
    if resumed {
        edit.date_activity(Some(&format!("Phase {id} execution resumed")))?;
    } else {
        let total = old.as_ref().and_then(|old| old.total.clone()).or_else(|| derived_total(&edit));
        set_phase(&mut edit, id, total.as_deref(), name.as_deref())?;
        if let Some(name) = &name {
            edit.set("Current Phase Name", unlabelled(name).unwrap_or_default())?;
        } else if !is_current {
            edit.set("Current Phase Name", "")?;
            edit.clear("current_phase_name");
        }
        let what = format!("Phase {id} {} started", stage.noun());
        if stage == Stage::Executing {
            let plans = plan_count.map_or("?".to_owned(), |plans| plans.to_string());
            edit.set("Plan", &format!("1 of {plans} in current phase"))?;
            edit.set("Current Plan", "1")?;
            if plan_count.is_some() {
                edit.set("Total Plans in Phase", &plans)?;
            }
            let focus = name
                .as_deref()
                .and_then(unlabelled)
                .map_or(format!("Phase {id}"), |name| format!("Phase {id} — {name}"));
            edit.set_if_own("Current focus", &focus)?;
            edit.set("Last Activity Description", &what)?;
        }
        edit.set_status(&format!("{} Phase {id}", stage.title()))?;
        edit.date_activity(Some(&what))?;
    }
    edit.lifecycle(Some(stage.word()), Some(id), None);
    let body = members([
        ("updated", edit.updated_list()),
        ("kept", edit.kept_list()),
        ("phase", id.into()),
        ("phase_name", name.into()),
        ("plan_count", plan_count.into()),
        ("resumed", resumed.into()),
    ]);
    edit.finish(body)
}

/// Writes `Phase` and `Current Phase`.
///
/// A name that `Phase` would not give back stands in the front matter alone.
fn set_phase(edit: &mut Edit<'_>, id: &str, total: Option<&str>, name: Option<&str>) -> Result<(), Refusal> {
    let readable = name.filter(|name| gives_back(id, name));
    edit.set("Phase", &position(id, total, readable))?;
    edit.set("Current Phase", id)?;
    if let Some(name) = name.filter(|_| readable.is_none()) {
        edit.own.set("current_phase_name", Scalar::Text(name.to_owned()));
    }
    Ok(())
}

/// Whether a phase's name is read back from `N (Name)`.
fn gives_back(id: &str, name: &str) -> bool {
    let is_read = |read: Position| read.name.as_deref() == Some(name);
    unlabelled(name).is_some() && Position::parse(&position(id, None, Some(name))).is_some_and(is_read)
}

/// The name, unless it would be read as a field wherever in the body it stands.
fn unlabelled(name: &str) -> Option<&str> {
    Some(name).filter(|name| !holds_label(name))
}

/// **Shape**: `N of M (Name)`, the parts that are known.
pub(super) fn position(id: &str, total: Option<&str>, name: Option<&str>) -> String {
    let total = total.map(|total| format!(" of {total}")).unwrap_or_default();
    let name = name.map(|name| format!(" ({name})")).unwrap_or_default();
    format!("{id}{total}{name}")
}

fn derived_total(edit: &Edit<'_>) -> Option<String> {
    let list = edit.site.phase_list(edit.milestone().as_deref());
    Some(list.phases.len()).filter(|total| *total > 0).map(|total| total.to_string())
}

fn is_executing(status: &str, phase: &PhaseId) -> bool {
    let rest = status
        .trim()
        .get(..16)
        .filter(|head| head.eq_ignore_ascii_case("executing phase "))
        .map(|_| &status.trim()[16..]);
    rest.and_then(PhaseId::parse).is_some_and(|id| id == *phase)
}

/// `planned-phase`.
pub(super) fn planned(given: &Arguments, site: &Site<'_>) -> Result<Outcome, Refusal> {
    let phase = given.needed_phase("phase")?;
    let plans = given.count("plans")?;
    let mut edit = Edit::open(site)?;
    edit.set_status("Ready to execute")?;
    if let Some(plans) = plans {
        edit.set("Total Plans in Phase", &plans.to_string())?;
    }
    edit.date_activity(Some(&format!("Phase {} planning complete", phase.as_str())))?;
    let ids = vec![phase.as_str().to_owned()];
    edit.lifecycle(Some(Stage::Executing.word()), None, Some(("execute-phase", ids)));
    let body = members([
        ("updated", edit.updated_list()),
        ("kept", edit.kept_list()),
        ("phase", phase.as_str().into()),
        ("plan_count", plans.into()),
    ]);
    edit.finish(body)
}

/// `advance-plan`.
pub(super) fn advance(_given: &Arguments, site: &Site<'_>) -> Result<Outcome, Refusal> {
    let mut edit = Edit::open(site)?;
    let value = edit.field("Plan").unwrap_or_default();
    let unreadable = || {
        Refusal::refused("plan_unreadable", format!("Plan is {value:?}, not A of B"))
            .field("Plan")
            .hint("mainstay msd state update Plan \"1 of 3 in current phase\"")
    };
    let plan = PlanValue::parse(&value).ok_or_else(unreadable)?;
    let total = Value::from(plan.total);
    if plan.total.is_some_and(|total| plan.current >= total) {
        edit.set_status("Phase complete — ready for verification")?;
        edit.date_activity(None)?;
        let next = edit.current_phase().map(|id| ("verify-phase", vec![id.as_str().to_owned()]));
        edit.lifecycle(Some(Stage::Verifying.word()), None, next);
        let body = members([
            ("advanced", false.into()),
            ("reason", "last_plan".into()),
            ("current_plan", plan.current.into()),
            ("total_plans", total),
            ("status", "ready_for_verification".into()),
            ("kept", edit.kept_list()),
        ]);
        return edit.finish(body);
    }
    let current = plan.current.checked_add(1).ok_or_else(unreadable)?;
    edit.set("Plan", &format!("{current}{}", plan.rest))?;
    if let Some(there) = edit.field("Current Plan") {
        let digits = there.bytes().take_while(u8::is_ascii_digit).count();
        let rest = leading_number(&there).map_or("", |_| &there[digits..]);
        edit.set("Current Plan", &format!("{current}{rest}"))?;
    }
    edit.set_status("Ready to execute")?;
    edit.date_activity(None)?;
    let body = members([
        ("advanced", true.into()),
        ("previous_plan", plan.current.into()),
        ("current_plan", current.into()),
        ("total_plans", total),
        ("kept", edit.kept_list()),
    ]);
    edit.finish(body)
}

/// What comes behind a phase.
enum Next {
    /// This phase.
    Phase { id: String, name: Option<String> },
    /// None: it was the last.
    Last,
    /// Nobody knows.
    Unknown,
}

/// `complete-phase`.
pub(super) fn complete(given: &Arguments, site: &Site<'_>) -> Result<Outcome, Refusal> {
    let asked = given.phase("phase")?;
    let mut edit = Edit::open(site)?;
    let current = edit.current_phase();
    let Some(phase) = asked.or_else(|| current.clone()) else {
        return Err(Refusal::refused("phase_unresolved", "STATE.md names no current phase")
            .field("phase")
            .hint("name it: mainstay msd state complete-phase N"));
    };
    if current.as_ref() != Some(&phase) {
        let body = members([
            ("updated", Value::Array(Vec::new())),
            ("phase", phase.as_str().into()),
            ("idempotent", true.into()),
        ]);
        return Ok(Outcome { reply: Reply::new(body, Vec::new()), ..Outcome::default() });
    }
    let old = edit.body().phase();
    let total = old.as_ref().and_then(|old| old.total.clone());
    let next = next(&phase, total.as_deref(), &edit);
    let mut next_id = Value::Null;
    match &next {
        Next::Phase { id, name } => {
            let total = total.or_else(|| derived_total(&edit));
            set_phase(&mut edit, id, total.as_deref(), name.as_deref())?;
            edit.set("Current Phase Name", name.as_deref().and_then(unlabelled).unwrap_or_default())?;
            if name.is_none() {
                edit.clear("current_phase_name");
            }
            edit.set("Plan", "Not started")?;
            edit.set("Current Plan", "")?;
            edit.own.set("current_plan", Scalar::Null);
            edit.set_status("Ready to plan")?;
            edit.lifecycle(Some(Stage::Planning.word()), None, Some(("plan-phase", vec![id.clone()])));
            next_id = id.as_str().into();
        }
        Next::Last => {
            edit.set_status("All phases complete")?;
            edit.lifecycle(Some("completed"), None, None);
        }
        Next::Unknown => {
            edit.set_status("Ready to plan")?;
            edit.lifecycle(Some(Stage::Planning.word()), None, None);
        }
    }
    edit.date_activity(Some(&format!("Phase {} complete", phase.as_str())))?;
    let body = members([
        ("updated", edit.updated_list()),
        ("kept", edit.kept_list()),
        ("phase", phase.as_str().into()),
        ("next_phase", next_id),
        ("is_last_phase", matches!(next, Next::Last).into()),
    ]);
    edit.finish(body)
}

fn next(phase: &PhaseId, total: Option<&str>, edit: &Edit<'_>) -> Next {
    let list = edit.site.phase_list(edit.milestone().as_deref());
    if list.phases.is_empty() {
        let is_last =
            total.filter(|total| is_whole(total)).and_then(PhaseId::parse).is_some_and(|total| total == *phase);
        return if is_last { Next::Last } else { Next::Unknown };
    }
    list.next(phase).map_or(Next::Last, |next| Next::Phase { id: next.id.as_str().to_owned(), name: next.name.clone() })
}
