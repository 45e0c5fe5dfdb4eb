//! Scenes: what the line tells, by the first that matches.

use format::front_matter::{Subset, body_start};
use format::text_table::printable;

use super::bracket::Identity;
use crate::msd::body::Body;
use crate::msd::position::bar;
use crate::msd::status::{UNKNOWN, normalise};

/// How much of an unknown status the short form shows. **Units**: characters.
const WORD_LIMIT: usize = 16;

/// What the line is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scene {
    Active,
    Next,
    Complete,
    Default,
}

impl Scene {
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Next => "next",
            Self::Complete => "complete",
            Self::Default => "default",
        }
    }
}

/// `Phase: n of m (name)` in the body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct BodyPhase {
    pub(super) number: String,
    pub(super) total: String,
    pub(super) name: Option<String>,
}

/// What the line is made from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Facts {
    pub(super) version: Option<String>,
    name: Option<String>,
    status: Option<String>,
    pub(super) active: Option<String>,
    next: Option<(String, Vec<String>)>,
    percent: Option<u64>,
    is_complete: bool,
    pub(super) phase: Option<BodyPhase>,
}

impl Facts {
    /// Reads a document as small tools do.
    pub(super) fn read(text: &str) -> Self {
        let subset = Subset::read(text);
        let key = |key: &str| {
            subset.as_ref().and_then(|subset| subset.get(key)).map(printable).filter(|text| !text.is_empty())
        };
        let count = |key: &str| subset.as_ref().and_then(|subset| subset.count("progress", key));
        let body = if subset.is_some() { &text[body_start(text)..] } else { text };
        let percent = count("percent").and_then(|digits| digits.parse::<u64>().ok());
        let (total, completed) = (count("total_phases"), count("completed_phases"));
        let nothing = total.is_some_and(|total| total.bytes().all(|byte| byte == b'0'));
        let stored = key("status");
        let status = match stored.as_deref() {
            None => body_status(body).map(str::to_owned),
            Some(UNKNOWN) => Body::read(text).said("Status").map(printable).or(stored),
            Some(_) => stored,
        };
        let phases = || subset.as_ref()?.list("next_phases");
        Self {
            version: key("milestone"),
            name: key("milestone_name").filter(|name| name != "milestone"),
            status,
            active: key("active_phase"),
            next: key("next_action").and_then(|action| Some((action, phases()?))),
            percent,
            is_complete: !nothing && (percent == Some(100) || (total.is_some() && total == completed)),
            phase: body.lines().find_map(body_phase),
        }
    }

    /// The first scene that matches.
    pub(super) fn scene(&self) -> Scene {
        match self {
            Self { active: Some(_), .. } => Scene::Active,
            Self { next: Some(_), .. } => Scene::Next,
            Self { is_complete: true, .. } => Scene::Complete,
            _ => Scene::Default,
        }
    }

    /// `next «action» «ids»`.
    pub(super) fn next_text(&self) -> Option<String> {
        let (action, ids) = self.next.as_ref().filter(|_| self.active.is_none())?;
        Some(format!("{action} {}", printable(&ids.join("/"))))
    }

    /// The long form.
    pub(super) fn full(&self, identity: Option<&Identity>) -> String {
        let mut parts: Vec<String> = self.milestone(identity).into_iter().collect();
        match self.scene() {
            Scene::Active => {
                let id = self.active.as_deref().unwrap_or_default();
                let label = identity.and_then(|identity| identity.phase(id)).unwrap_or_else(|| format!("Phase {id}"));
                parts.push(self.status.as_ref().map_or(label.clone(), |status| format!("{label} {status}")));
            }
            Scene::Next => parts.extend(self.next_text().map(|next| format!("next {next}"))),
            Scene::Complete => parts.push("milestone complete".to_owned()),
            Scene::Default => {
                parts.extend(self.status.clone());
                parts.extend(self.phase.as_ref().map(|phase| phase.long(identity)));
            }
        }
        parts.join(" · ")
    }

    fn milestone(&self, identity: Option<&Identity>) -> Option<String> {
        let version = identity.map(|identity| identity.milestone.clone()).or_else(|| self.version.clone());
        let named: Vec<&str> = version.iter().chain(&self.name).map(String::as_str).collect();
        if named.is_empty() {
            return None;
        }
        let percent = self.percent.map(|percent| percent.min(100));
        let bar = percent.map(|percent| format!(" {} {percent}%", bar(percent))).unwrap_or_default();
        Some(named.join(" ") + &bar)
    }

    /// The short form.
    pub(super) fn compact(&self, identity: Option<&Identity>) -> String {
        let version = identity.map(|identity| identity.milestone.clone()).or_else(|| self.version.clone());
        let number = self.active.as_deref().or_else(|| self.phase.as_ref().map(|phase| phase.number.as_str()));
        let phase = number.map(|number| {
            let total = self.phase.as_ref().map(|phase| format!("/{}", phase.total)).unwrap_or_default();
            identity.and_then(|identity| identity.phase(number)).unwrap_or_else(|| format!("P{number}{total}"))
        });
        let word = if self.scene() == Scene::Complete {
            Some("complete".to_owned())
        } else {
            self.status.as_deref().map(word)
        };
        let next = || self.next_text().filter(|_| phase.is_none()).map(|next| format!("next {next}"));
        let word = word.or_else(next);
        version.into_iter().chain(phase.clone()).chain(word).collect::<Vec<_>>().join(" · ")
    }
}

fn word(status: &str) -> String {
    match normalise(status, None) {
        "paused" => "PAUSED".to_owned(),
        UNKNOWN => {
            let first =
                status.split(|c: char| c.is_whitespace() || matches!(c, '-' | '–' | '—')).find(|word| !word.is_empty());
            first.unwrap_or(status).chars().take(WORD_LIMIT).collect()
        }
        word => word.to_owned(),
    }
}

impl BodyPhase {
    fn long(&self, identity: Option<&Identity>) -> String {
        let Self { number, total, name } = self;
        let bracket = identity.and_then(|identity| identity.phase(number));
        match (bracket, name) {
            (Some(label), Some(name)) => format!("{label} {name} ({number}/{total})"),
            (Some(label), None) => format!("{label} ({number}/{total})"),
            (None, Some(name)) => format!("{name} ({number}/{total})"),
            (None, None) => format!("ph {number}/{total}"),
        }
    }
}

/// **Shape**: `Phase: D of D`, and ` (name)` up to the first `)`.
fn body_phase(line: &str) -> Option<BodyPhase> {
    let rest = line.strip_prefix("Phase:")?.trim_start();
    let (number, rest) = digits(rest)?;
    let rest = rest.strip_prefix([' ', '\t'])?.trim_start().strip_prefix("of ")?.trim_start();
    let (total, rest) = digits(rest)?;
    if rest.starts_with(|c: char| c.is_alphanumeric() || c == '_') || is_fraction(rest) {
        return None;
    }
    let name = rest
        .trim_start()
        .strip_prefix('(')
        .and_then(|rest| rest.split_once(')'))
        .map(|(name, _)| printable(name.trim()));
    Some(BodyPhase { number: number.to_owned(), total: total.to_owned(), name: name.filter(|name| !name.is_empty()) })
}

fn is_fraction(rest: &str) -> bool {
    rest.strip_prefix('.').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}

fn digits(text: &str) -> Option<(&str, &str)> {
    let count = text.bytes().take_while(u8::is_ascii_digit).count();
    (count > 0).then(|| text.split_at(count))
}

/// What the first plain `Status:` of the body comes down to.
fn body_status(body: &str) -> Option<&'static str> {
    let text = body.lines().find_map(|line| line.strip_prefix("Status:"))?.to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| text.contains(word));
    match () {
        () if has(&["planning", "ready to plan"]) => Some("planning"),
        () if has(&["execut"]) => Some("executing"),
        () if has(&["complet", "archived"]) => Some("complete"),
        () => None,
    }
}
