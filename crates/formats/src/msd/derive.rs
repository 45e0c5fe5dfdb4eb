//! Deriving the front matter: what its keys should say, from the body and from disk.
//!
//! **Source**: `spec/msd.md`, section 3, Settle.

use format::document::Document;
use format::front_matter::{Change, FrontMatter, Scalar};
use model::Warning;

use super::body::Body;
use super::position::{self, PlanValue};
use super::progress::Progress;
use super::settings::VERSION_KEYS;
use super::site::Site;
use super::status;

/// The name under which the version key is planned, whichever prefix it has.
pub(super) const VERSION: &str = "version";

/// The keys of the format behind the version, in the order in which new ones are written.
pub(super) const ORDER: [&str; 17] = [
    VERSION,
    "milestone",
    "milestone_name",
    "status",
    "active_phase",
    "next_action",
    "next_phases",
    "progress",
    "current_phase",
    "current_phase_name",
    "current_plan",
    "last_updated",
    "state_head",
    "last_activity",
    "last_activity_desc",
    "stopped_at",
    "paused_at",
];

/// Values for keys of the front matter.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Keys {
    /// Keys of [`ORDER`] and their values.
    pub(super) top: Vec<(&'static str, Scalar)>,
    /// Keys of the progress block.
    pub(super) progress: Vec<(&'static str, u64)>,
    /// Keys that must not stand there.
    pub(super) without: Vec<&'static str>,
}

impl Keys {
    /// Plans a value; a later one takes the place of an earlier one.
    pub(super) fn set(&mut self, key: &'static str, value: Scalar) {
        self.top.retain(|(planned, _)| *planned != key);
        self.top.push((key, value));
    }

    /// The value that is planned for a key.
    pub(super) fn get(&self, key: &str) -> Option<&Scalar> {
        self.top.iter().find(|(planned, _)| *planned == key).map(|(_, value)| value)
    }

    /// The text that is planned for a key.
    pub(super) fn text(&self, key: &str) -> Option<&str> {
        match self.get(key)? {
            Scalar::Text(text) | Scalar::Quoted(text) => Some(text),
            Scalar::Null | Scalar::Count(_) | Scalar::List(_) => None,
        }
    }

    /// The changes that make a document say so, in the order in which new keys are written.
    pub(super) fn changes(&self, document: &Document, site: &Site<'_>) -> Vec<Change<'_>> {
        let mut changes = Vec::new();
        for key in ORDER {
            if let Some(value) = self.get(key) {
                changes.push(Change::Value(name_in(key, document.front(), site), value.clone()));
            }
            if key == "progress" {
                let counted = |(name, count): &(&'static str, u64)| Change::Member(key, name, Scalar::Count(*count));
                changes.extend(self.progress.iter().map(counted));
            }
            if self.without.contains(&key) {
                changes.push(Change::Gone(key));
            }
        }
        changes
    }
}

/// How a key of [`ORDER`] is spelled in a front matter.
pub(super) fn name_in(key: &'static str, front: Option<&FrontMatter>, site: &Site<'_>) -> &'static str {
    if key != VERSION {
        return key;
    }
    let there = |key: &&str| front.is_some_and(|front| front.entry(key).is_some());
    VERSION_KEYS.into_iter().find(there).unwrap_or(site.settings.version_key)
}

/// How the status follows from the body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StatusRule {
    /// The stored one stays unless it is missing, or the body's `Status` or the pause changed.
    Settle {
        /// Whether they changed.
        changed: bool,
    },
    /// The body's, wherever it is another and says something.
    Sync,
    /// The body's, else the stored one.
    Show,
}

/// What was derived.
pub(super) struct Derived {
    /// What the keys should say, but for `last_updated` and `state_head`.
    pub(super) keys: Keys,
    /// The counts, where they can be told.
    pub(super) progress: Option<Progress>,
    /// What else is to be said.
    pub(super) warnings: Vec<Warning>,
}

/// Derives the keys from a document, `own` keys of a verb before stored ones.
pub(super) fn derive(document: &Document, site: &Site<'_>, own: &Keys, rule: StatusRule) -> Derived {
    let (body, front) = (Body::of(document), document.front());
    let stored = |key: &str| match own.get(key) {
        Some(_) => own.text(key),
        None => front.and_then(|front| front.text(key)).filter(|text| !text.is_empty()),
    };
    let mut keys = Keys::default();
    if !VERSION_KEYS.iter().any(|key| stored(key).is_some()) {
        keys.set(VERSION, Scalar::Quoted("1.0".into()));
    }
    let mut milestone = stored("milestone").map(str::to_owned);
    if milestone.is_none() {
        milestone = announced(site).map(str::to_owned);
        keys.top.extend(milestone.clone().map(|version| ("milestone", Scalar::Text(version))));
    }
    if stored("milestone_name").is_none() {
        let own_heading = || site.roadmap()?.name_of(milestone.as_deref()?);
        let name = site.config().text(&["milestone_name"]).map(str::to_owned).or_else(own_heading);
        keys.top.extend(name.map(|name| ("milestone_name", Scalar::Text(name))));
    }
    if own.get("status").is_none() {
        keys.top.extend(status_of(&body, stored("status"), stored("paused_at"), rule));
    }
    position(&body, &mut keys);
    activity(&body, stored("last_activity"), &mut keys);
    for (key, field) in [("stopped_at", "Stopped at"), ("paused_at", "Paused at")] {
        match body.said(field) {
            Some("null") => keys.set(key, Scalar::Null),
            Some(value) => keys.set(key, Scalar::Text(value.to_owned())),
            None => {}
        }
    }
    let list = site.phase_list(milestone.as_deref());
    let mut warnings = body.warnings();
    if let Some(milestone) = milestone.filter(|_| list.is_elsewhere) {
        let message = format!("ROADMAP.md has no heading for {milestone}; the stored counts stay");
        warnings.push(Warning::new("milestone_not_in_roadmap", message).with("milestone", milestone));
    }
    let progress = site.folders().and_then(|_| list.progress());
    keys.progress = progress.map(|progress| progress.counts().to_vec()).unwrap_or_default();
    Derived { keys, progress, warnings }
}

/// The milestone that config.json, else ROADMAP.md tells of.
pub(super) fn announced<'s>(site: &'s Site<'_>) -> Option<&'s str> {
    let first = || site.roadmap().and_then(|roadmap| roadmap.first_version());
    site.config().text(&["milestone"]).or_else(first)
}

/// The pause that counts: the body's, else the stored one.
pub(super) fn paused<'t>(body: &Body<'t>, stored: Option<&'t str>) -> Option<&'t str> {
    body.field("Paused at").map_or(stored, position::said)
}

fn status_of(
    body: &Body<'_>,
    stored: Option<&str>,
    stored_pause: Option<&str>,
    rule: StatusRule,
) -> Option<(&'static str, Scalar)> {
    let pause = paused(body, stored_pause);
    let said = body.said("Status");
    let normal = status::normalise(said.unwrap_or_default(), pause);
    let word = match rule {
        StatusRule::Settle { changed } => (changed || stored.is_none()).then_some(normal),
        StatusRule::Sync => (stored.is_none() || normal != status::UNKNOWN).then_some(normal),
        StatusRule::Show if said.is_some() => Some(normal),
        StatusRule::Show => Some(status::normalise(stored.unwrap_or_default(), pause)),
    };
    word.map(|word| ("status", Scalar::Text(word.to_owned())))
}

fn position(body: &Body<'_>, keys: &mut Keys) {
    let phase = body.phase();
    if let Some(id) = body.current_phase() {
        keys.set("current_phase", Scalar::Text(id.as_str().to_owned()));
    }
    let name = body.said("Current Phase Name").map(str::to_owned);
    if let Some(name) = name.or_else(|| phase.and_then(|phase| phase.name)) {
        keys.set("current_phase_name", Scalar::Text(name));
    }
    let plan = body.said("Current Plan").and_then(position::plan_id).map(str::to_owned);
    let of_position = || Some(PlanValue::parse(body.field("Plan")?)?.current.to_string());
    if let Some(plan) = plan.or_else(of_position) {
        keys.set("current_plan", Scalar::Text(plan));
    }
}

fn activity(body: &Body<'_>, stored: Option<&str>, keys: &mut Keys) {
    let last = body.said("Last activity");
    let dated = last.and_then(position::leading_date);
    let stored_date = stored.and_then(position::leading_date).map(|(date, _)| date);
    match (dated, last) {
        (Some((date, _)), _) if stored_date.is_some_and(|stored| stored > date) => {}
        (Some((date, _)), _) => keys.set("last_activity", Scalar::Text(date.to_owned())),
        (None, Some(text)) => keys.set("last_activity", Scalar::Text(text.to_owned())),
        (None, None) => {}
    }
    let behind = || position::activity_text(dated?.1);
    if let Some(text) = body.said("Last Activity Description").or_else(behind) {
        keys.set("last_activity_desc", Scalar::Text(text.to_owned()));
    }
}
