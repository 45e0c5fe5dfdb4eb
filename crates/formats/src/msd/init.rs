//! `init`: a new STATE.md.

use format::document::Document;
use format::front_matter::{self, Change, Scalar};
use model::{Outcome, Refusal};

use super::arguments::Arguments;
use super::documents::{self, STATE};
use super::edit::Edit;
use super::members;
use super::position::bar;
use super::settings::Settings;
use super::site::Site;

/// The body of a new document; `now` with its date.
fn body(now: &str, today: &str) -> String {
    let position = format!("Phase: Not started\nPlan: —\nStatus: Ready to plan\nLast activity: {today}");
    let session = format!("Last session: {now}\nStopped at: Project state created\nResume file: None");
    let blocks = [
        "# Project State",
        "## Project Reference",
        "**Core value:** [not set]\n**Current focus:** [not set]",
        "## Current Position",
        &position,
        &format!("Progress: {} 0%", bar(0)),
        "## Performance Metrics",
        "## Accumulated Context",
        "### Decisions",
        "None yet.",
        "### Pending Todos",
        "None yet.",
        "### Blockers/Concerns",
        "None yet.",
        "## Session Continuity",
        &session,
    ];
    blocks.join("\n\n") + "\n"
}

/// The tool.
pub(super) fn init(given: &Arguments, site: &Site<'_>) -> Result<Outcome, Refusal> {
    let (version, name) = (given.version("milestone")?, given.filled("name")?);
    let path = site.place.path(STATE);
    if documents::load(site.view.records, &site.place, STATE).is_some() {
        return Err(
            Refusal::refused("already_exists", format!("{path} stands there already")).with("path", path.as_str())
        );
    }
    if let Some(refusal) = documents::hidden(&site.view, &site.place, STATE) {
        return Err(refusal);
    }
    let text = text(site, version, name);
    let change = documents::change(site.view.records, &site.place, STATE, Some(text));
    let reply = model::Reply::new(members([("created", true.into()), ("path", path.as_str().into())]), Vec::new());
    Ok(Outcome { changes: change.into_iter().collect(), reply, ..Outcome::default() })
}

/// The text of a new document, its front matter settled.
pub(super) fn text(site: &Site<'_>, version: Option<String>, name: Option<String>) -> String {
    let mut document = Document::new(body(&site.ctx.now.to_millis_text(), &site.today()));
    let Settings { version_key, .. } = site.settings;
    let given = [("milestone", version), ("milestone_name", name)].into_iter();
    let given = given.filter_map(|(key, value)| Some(Change::Value(key, Scalar::Text(value?))));
    let version = Change::Value(version_key, Scalar::Quoted("1.0".into()));
    front_matter::write(&mut document, &std::iter::once(version).chain(given).collect::<Vec<_>>());
    let mut edit = Edit::of(document, site);
    edit.settles_always = true;
    edit.lifecycle(Some("planning"), None, None);
    edit.settled().into_text()
}
