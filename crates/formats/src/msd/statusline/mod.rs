//! The status line: one line about where the project stands, from STATE.md alone.
//!
//! **Source**: seed `004_b9ee7d4eaf0c3f31.txt`, Status-line rendering scenes; `spec/msd.md`, section 7.

mod bracket;
mod scene;

use model::{Object, Outcome, Refusal, Reply};

use super::arguments::Arguments;
use super::freshness;
use super::members;
use super::site::Site;
use bracket::Identity;
use scene::Facts;

/// From how many commits on the line tells its age.
const OLD: u64 = 20;

/// The line in both forms, and what it is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Line {
    /// The long form.
    pub(super) full: String,
    /// The short form.
    pub(super) compact: String,
    /// `active`, `next`, `complete` or `default`.
    pub(super) scene: &'static str,
    /// What to do next, where that is the scene.
    pub(super) next: Option<String>,
}

/// Makes the line of a document.
pub(super) fn line(text: &str, site: &Site<'_>) -> Line {
    let facts = Facts::read(text);
    let identity = Identity::of(site.config(), &facts);
    let age = age(text, site);
    let with_age = |line: String| match &age {
        Some(age) if !line.is_empty() => format!("{line} · {age}"),
        _ => line,
    };
    Line {
        full: with_age(facts.full(identity.as_ref())),
        compact: with_age(facts.compact(identity.as_ref())),
        scene: facts.scene().word(),
        next: facts.next_text(),
    }
}

/// The form that is configured.
pub(super) fn chosen(text: &str, site: &Site<'_>) -> String {
    let line = line(text, site);
    let is_compact = site.config().text(&["statusline", "state_format"]) == Some("compact");
    if is_compact { line.compact } else { line.full }
}

fn age(text: &str, site: &Site<'_>) -> Option<String> {
    if !site.config().is_true(&["statusline", "show_state_age"]) {
        return None;
    }
    let subset = format::front_matter::Subset::read(text)?;
    let behind = freshness::commits_behind(subset.get("state_head")?, site)?;
    (behind >= OLD).then(|| format!("state ~{behind} commits back"))
}

/// The tool: `{full, compact, scene}`.
pub(super) fn tool(_given: &Arguments, site: &Site<'_>) -> Result<Outcome, Refusal> {
    let line = line(&site.state()?.text, site);
    let body: Object =
        members([("full", line.full.into()), ("compact", line.compact.into()), ("scene", line.scene.into())]);
    Ok(Outcome { reply: Reply::new(body, Vec::new()), ..Outcome::default() })
}
