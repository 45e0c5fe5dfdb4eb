//! `load`, `json` and `snapshot`: the document as data.

use format::document::{Document, bullets};
use format::front_matter::FrontMatter;
use format::markdown::{is_separator, split_row};
use format::{FileState, front_matter::Scalar};
use model::{Object, Outcome, Refusal, Reply, Value, Warning};

use super::arguments::Arguments;
use super::body::{Body, DECISIONS};
use super::derive::{self, Derived, Keys, ORDER, StatusRule, VERSION};
use super::documents::{self, STATE};
use super::fields::shown;
use super::freshness;
use super::members;
use super::position::{PlanValue, leading_number, percent_in};
use super::site::Site;

/// `load`: what there is; needs no STATE.md.
#[expect(clippy::unnecessary_wraps, reason = "the shape of a verb")]
pub(super) fn load(_given: &Arguments, site: &Site<'_>) -> Result<Outcome, Refusal> {
    let stored = documents::load(site.view.records, &site.place, STATE);
    let roadmap = site.view.files.read(&site.place.path("ROADMAP.md"), 0) != FileState::Absent;
    let config = site.config();
    let body = members([
        ("config", config.object.clone().into()),
        ("state_raw", stored.as_ref().map(|stored| stored.text.clone()).unwrap_or_default().into()),
        ("state_exists", stored.is_some().into()),
        ("config_exists", config.exists.into()),
        ("roadmap_exists", roadmap.into()),
    ]);
    Ok(reply(body, Vec::new()))
}

fn reply(body: Object, warnings: Vec<Warning>) -> Outcome {
    Outcome { reply: Reply::new(body, warnings), ..Outcome::default() }
}

/// `json`: the front matter as settling would derive it.
pub(super) fn json(_given: &Arguments, site: &Site<'_>) -> Result<Outcome, Refusal> {
    let document = Document::new(site.state()?.text);
    let derived = derive::derive(&document, site, &Keys::default(), StatusRule::Show);
    let mut body = keys_of(&document, &derived, site);
    let (read, front) = (Body::of(&document), document.front());
    let raw = read.said("Status").or_else(|| front?.text("status"));
    if let Some(raw) = raw {
        body.insert("status_raw".into(), raw.into());
    }
    let stamp = front.and_then(|front| front.text("state_head"));
    body.insert("freshness".into(), Value::Object(freshness::of(stamp, site)));
    Ok(reply(body, derived.warnings))
}

/// The keys with their derived values, else the stored ones; what is unknown is left out.
fn keys_of(document: &Document, derived: &Derived, site: &Site<'_>) -> Object {
    let front = document.front();
    let mut object = Object::new();
    for key in ORDER {
        let name = derive::name_in(key, front, site);
        let stored = || front?.entry(name).map(shown);
        let value = match (key, derived.keys.get(key)) {
            ("progress", _) => Some(progress_of(front, derived)),
            ("state_head", _) => site.head().map(Value::String),
            (VERSION, Some(Scalar::Quoted(version))) => Some(version.as_str().into()),
            (_, Some(Scalar::Text(text) | Scalar::Quoted(text))) => Some(text.as_str().into()),
            (_, Some(_)) => None,
            (_, None) => stored(),
        };
        let is_known = |value: &Value| !value.is_null() && value.as_object().is_none_or(|object| !object.is_empty());
        if let Some(value) = value.filter(is_known) {
            object.insert(name.to_owned(), value);
        }
    }
    object
}

fn progress_of(front: Option<&FrontMatter>, derived: &Derived) -> Value {
    let mut object = Object::new();
    for key in super::progress::KEYS {
        let counted = derived.keys.progress.iter().find(|(name, _)| *name == key).map(|(_, count)| Value::from(*count));
        let stored = || {
            let text = front?.nested("progress", key)?;
            Some(text.parse::<u64>().map_or_else(|_| text.into(), Value::from))
        };
        object.extend(counted.or_else(stored).map(|value| (key.to_owned(), value)));
    }
    Value::Object(object)
}

/// `snapshot`: the whole document as data.
pub(super) fn snapshot(_given: &Arguments, site: &Site<'_>) -> Result<Outcome, Refusal> {
    let document = Document::new(site.state()?.text);
    let derived = derive::derive(&document, site, &Keys::default(), StatusRule::Show);
    let keys = keys_of(&document, &derived, site);
    let body = Body::of(&document);
    let key = |name: &str| keys.get(name).cloned().unwrap_or(Value::Null);
    let progress = |name: &str| {
        keys.get("progress").and_then(|progress| progress.get(name)).filter(|value| value.is_u64()).cloned()
    };
    let total_phases = body.said("Total Phases").and_then(leading_number);
    let total_phases = total_phases.or_else(|| body.phase()?.total?.parse().ok()).map(Value::from);
    let plan_total = || PlanValue::parse(body.field("Plan")?)?.total;
    let total_plans = body.said("Total Plans in Phase").and_then(leading_number).or_else(plan_total);
    let percent = progress("percent").or_else(|| body.field("Progress").and_then(percent_in).map(Value::from));
    let said = |names: &[&str]| names.iter().find_map(|name| body.said(name)).map_or(Value::Null, Value::from);
    let session = members([
        ("last_date", said(&["Last session", "Last Date"])),
        ("stopped_at", said(&["Stopped at"])),
        ("resume_file", said(&["Resume file"])),
    ]);
    let object = members([
        ("current_phase", key("current_phase")),
        ("current_phase_name", key("current_phase_name")),
        ("total_phases", total_phases.or_else(|| progress("total_phases")).unwrap_or(Value::Null)),
        ("current_plan", key("current_plan")),
        ("total_plans_in_phase", total_plans.into()),
        ("status", key("status")),
        ("progress_percent", percent.unwrap_or(Value::Null)),
        ("last_activity", key("last_activity")),
        ("last_activity_desc", key("last_activity_desc")),
        ("decisions", decisions(&body).into()),
        ("blockers", body.blockers().into()),
        ("paused_at", key("paused_at")),
        ("session", Value::Object(session)),
    ]);
    Ok(reply(object, derived.warnings))
}

fn decisions(body: &Body<'_>) -> Vec<Value> {
    let mut decisions = Vec::new();
    for heading in body.every(&DECISIONS) {
        let own = body.outline.own(heading);
        decisions.extend(bullets::read(&body.outline, own.clone()).iter().map(|bullet| decision(&bullet.text)));
        let rows =
            own.filter(|line| !body.outline.lines()[*line].fenced).map(|line| split_row(body.outline.content(line)));
        decisions.extend(table_decisions(rows.collect()));
    }
    decisions
}

/// **Shape**: `[Phase N]: summary — rationale`; any other text is all summary.
fn decision(text: &str) -> Value {
    let formed = text.strip_prefix("[Phase ").and_then(|rest| rest.split_once("]:"));
    let (phase, rest) = formed.map_or((None, text), |(phase, rest)| (Some(phase.trim()), rest.trim()));
    let (summary, why) =
        formed.and_then(|_| rest.split_once(" — ")).map_or((rest, None), |(summary, why)| (summary, Some(why)));
    decision_object(phase.filter(|phase| *phase != "?"), summary, why)
}

fn decision_object(phase: Option<&str>, summary: &str, why: Option<&str>) -> Value {
    Value::Object(members([("phase", phase.into()), ("summary", summary.into()), ("rationale", why.into())]))
}

/// The rows of a `Phase | Summary | Rationale` table.
fn table_decisions(rows: Vec<Option<Vec<&str>>>) -> Vec<Value> {
    let mut decisions = Vec::new();
    let mut in_table = false;
    for row in rows {
        let Some(cells) = row else {
            in_table = false;
            continue;
        };
        let [phase, summary, why] = cells.as_slice() else { continue };
        let is_header =
            ["phase", "summary", "rationale"].iter().zip(&cells).all(|(name, cell)| cell.eq_ignore_ascii_case(name));
        if is_header {
            in_table = true;
        } else if in_table && !is_separator(&cells) {
            let known = |cell: &'_ str| !matches!(cell, "" | "-" | "—" | "?");
            let text = |cell: &str| cell.replace("\\|", "|");
            decisions.push(decision_object(
                Some(text(phase)).filter(|cell| known(cell)).as_deref(),
                &text(summary),
                Some(text(why)).filter(|cell| known(cell)).as_deref(),
            ));
        }
    }
    decisions
}
