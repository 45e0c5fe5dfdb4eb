//! `validate`: what is wrong with STATE.md, and where it drifted from the disk.

use std::collections::HashSet;

use format::document::{Document, fields};
use format::front_matter::{FrontMatter, Held, Located, Subset};
use model::{Object, Outcome, Refusal, Reply, Value, Warning};

use super::arguments::Arguments;
use super::body::{Body, POSITION, SESSIONS};
use super::derive::paused;
use super::documents::{self, STATE, Stored};
use super::edit::has_merge_markers;
use super::members;
use super::milestones::ACTIONS;
use super::phases;
use super::position::{PlanValue, leading_number};
use super::settings::VERSION_KEYS;
use super::site::Site;
use super::status;

/// From how many lines on a document is long.
const LONG: usize = 100;

/// Warnings that leave a document valid.
const INFO: &[&str] = &["long_file"];

/// The tool.
pub(super) fn validate(given: &Arguments, site: &Site<'_>) -> Result<Outcome, Refusal> {
    let strict = given.switch("strict")?;
    let stored = site.state()?;
    let (warnings, drift) = findings(&stored, site);
    // What was not read is not valid, however good what was read before it is.
    let is_read = documents::hidden(&site.view, &site.place, STATE).is_none();
    let valid = is_read && warnings.iter().all(|warning| INFO.contains(&warning.code.as_ref()));
    let mut body = members([("valid", valid.into()), ("drift", Value::Object(drift))]);
    if strict {
        body.insert("strict".into(), true.into());
    }
    Ok(Outcome { reply: Reply::new(body, warnings), ..Outcome::default() })
}

/// The findings, and the numbers that drifted.
pub(super) fn findings(stored: &Stored, site: &Site<'_>) -> (Vec<Warning>, Object) {
    let text = &stored.text;
    let document = Document::new(text.clone());
    let mut found = Findings::default();
    if text.starts_with('\u{feff}') {
        found.say("bom", "the document begins with a byte order mark, which status lines do not read past");
    }
    if !stored.is_utf8 {
        found.say("not_utf8", "the document is not UTF-8");
    }
    if text.contains('\0') {
        found.say("nul_bytes", "the document holds NUL bytes");
    }
    if has_merge_markers(&document) {
        found.say("merge_markers", "the document holds the conflict markers of a merge");
    }
    if *document.located() == Located::Unclosed {
        found.say("unterminated_front_matter", "the front matter opens and never closes");
    }
    let front = document.front();
    found.front_matter(text, front);
    let body = Body::of(&document);
    found.body(&body);
    found.disk(&body, front, site);
    if body.outline.lines().len() > LONG || text.lines().count() > LONG {
        found.say(
            "long_file",
            &format!("the document is longer than {LONG} lines; mainstay msd state prune shortens it"),
        );
    }
    (found.warnings, found.drift)
}

#[derive(Default)]
struct Findings {
    warnings: Vec<Warning>,
    drift: Object,
}

impl Findings {
    fn say(&mut self, code: &'static str, message: &str) {
        self.warnings.push(Warning::new(code, message));
    }

    fn front_matter(&mut self, text: &str, front: Option<&FrontMatter>) {
        let text_of = |key: &str| front.and_then(|front| front.text(key)).filter(|text| !text.is_empty());
        if !VERSION_KEYS.iter().any(|key| text_of(key).is_some()) {
            self.say("missing_key", "the front matter has no version key");
        }
        for key in ["status", "last_updated"] {
            if text_of(key).is_none() {
                self.say("missing_key", &format!("the front matter has no {key}"));
            }
        }
        let Some(front) = front else { return };
        let mut seen = HashSet::new();
        for entry in &front.entries {
            if !seen.insert(entry.key.as_str()) {
                self.say("duplicate_key", &format!("the key {} stands there more than once", entry.key));
            }
        }
        for key in disagreements(text, front) {
            self.say("front_matter_subset", &format!("status lines read {key} otherwise than it is meant"));
        }
        if let Some(action) = text_of("next_action").filter(|action| !ACTIONS.contains(action)) {
            self.say("invalid_next_action", &format!("next_action is {action:?}, which no command is named"));
        }
    }

    fn body(&mut self, body: &Body<'_>) {
        if body.position().is_none() {
            self.say("section_missing", &format!("there is no section {POSITION}"));
        }
        if body.first_of(&SESSIONS).is_none() {
            self.say("section_missing", &format!("there is no section {}", SESSIONS[1]));
        }
        for name in [
            "Phase",
            "Plan",
            "Status",
            "Last activity",
            "Progress",
            "Last session",
            "Stopped at",
            "Resume file",
            "Paused at",
        ] {
            let (lines, _) = body.scope(name);
            if fields::count(&body.outline, lines, name) > 1 {
                self.say("duplicate_field", &format!("the field {name} stands there more than once"));
            }
        }
    }

    fn disk(&mut self, body: &Body<'_>, front: Option<&FrontMatter>, site: &Site<'_>) {
        let stored = |key: &str| front.and_then(|front| front.text(key));
        let pause = paused(body, stored("paused_at"));
        let normal = status::normalise(body.said("Status").unwrap_or_default(), pause);
        if let Some(stored) = stored("status").filter(|stored| *stored != normal && normal != status::UNKNOWN) {
            self.say("status_drift", &format!("the stored status is {stored}, the body says {normal}"));
        }
        let Some(phase) = body.current_phase() else { return };
        let of_plan = || PlanValue::parse(body.field("Plan")?)?.total;
        let told = body.said("Total Plans in Phase").and_then(leading_number).or_else(of_plan);
        let folders = site.folders().unwrap_or_default();
        let own: Vec<_> = folders.iter().filter(|folder| folder.id == phase).collect();
        if own.is_empty() {
            return;
        }
        let plans: u64 = own.iter().map(|folder| folder.plans).sum();
        let done: u64 = own.iter().map(|folder| folder.done).sum();
        if let Some(told) = told.filter(|told| *told != plans) {
            self.say("plan_count_mismatch", &format!("the document tells of {told} plans, on disk there are {plans}"));
            let count = members([("state", told.into()), ("disk", plans.into())]);
            self.drift.insert("plan_count".into(), Value::Object(count));
        }
        if stored("status").unwrap_or(normal) != "executing" {
            return;
        }
        if plans > 0 && done == plans {
            self.say("all_plans_done", "every plan of the phase is done, and the status is still executing");
        }
        if own.iter().any(|folder| phases::is_verified(site.view.files, folder)) {
            self.say("verification_drift", "the phase passed its verification, and the status is still executing");
        }
    }
}

/// The keys of the status line that the two readers read differently.
fn disagreements(text: &str, front: &FrontMatter) -> Vec<&'static str> {
    let subset = Subset::read(text);
    let plain = |key: &str| front.text(key).filter(|text| !text.is_empty());
    let top = ["milestone", "milestone_name", "status", "active_phase", "next_action"];
    let differs = |key: &&str| subset.as_ref().and_then(|subset| subset.get(key)) != plain(key);
    let mut found: Vec<&str> = top.into_iter().filter(differs).collect();
    let full = match front.entry("next_phases").map(|entry| &entry.held) {
        Some(Held::List(items)) if !items.is_empty() => Some(items.clone()),
        _ => None,
    };
    if subset.as_ref().and_then(|subset| subset.list("next_phases")) != full {
        found.push("next_phases");
    }
    let counts = ["total_phases", "completed_phases", "percent"];
    let differs = |key: &&str| {
        let read = subset.as_ref().and_then(|subset| subset.count("progress", key));
        read != front.nested("progress", key)
    };
    found.extend(counts.iter().any(differs).then_some("progress"));
    found
}
