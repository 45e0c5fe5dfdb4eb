//! What `status`, `next` and `doctor` say about the format.

use format::View;
use format::document::Document;
use model::{Context, Finding, Object, Severity, WorkItem, WorkState};

use super::body::Body;
use super::derive::{Keys, StatusRule, derive};
use super::documents::{self, Place, STATE};
use super::milestones::ACTIONS;
use super::settings::Settings;
use super::site::Site;
use super::{statusline, validate};

/// The sites of every place that has a document.
fn each<T>(view: &View<'_>, ctx: &Context, of: impl Fn(&Site<'_>, &str) -> Vec<T>) -> Vec<T> {
    let Ok(settings) = Settings::read(ctx) else { return Vec::new() };
    let places = Place::all(view).into_iter();
    let of_place = |place: Place| {
        let stored = documents::load(view.records, &place, STATE)?;
        Some(of(&Site::at(place, view, ctx, settings), &stored.text))
    };
    places.filter_map(of_place).flatten().collect()
}

/// The phase under way, or the step that is recommended.
///
/// Blockers are concerns of the project; none of them says which phase it stops.
pub(super) fn work(view: &View<'_>, ctx: &Context) -> Vec<WorkItem> {
    each(view, ctx, |site, text| {
        let front = format::front_matter::FrontMatter::read(text);
        let key = |key: &str| front.as_ref().and_then(|front| front.text(key)).filter(|text| !text.is_empty());
        let name = |id: &str| {
            let id = super::phase_id::PhaseId::parse(id)?;
            site.roadmap()?.phase_name(&id).map(str::to_owned)
        };
        let titled = |id: &str, title: String| name(id).map_or(title.clone(), |name| format!("{title}: {name}"));
        let item = |id: &str, title: String, state| WorkItem {
            id: id.to_owned(),
            title,
            state,
            owner: None,
            blocked_by: Vec::new(),
        };
        if let Some(id) = key("active_phase") {
            let stage = key("status").unwrap_or("executing");
            return vec![item(id, titled(id, format!("Phase {id} {stage}")), WorkState::InProgress)];
        }
        let action = key("next_action").filter(|action| ACTIONS.contains(action));
        let phases = match front.as_ref().and_then(|front| front.entry("next_phases")).map(|entry| &entry.held) {
            Some(format::front_matter::Held::List(phases)) => phases.clone(),
            _ => Vec::new(),
        };
        let items = action.into_iter().flat_map(|action| {
            let ready = |id: &String| item(id, titled(id, format!("{action} {id}")), WorkState::Ready);
            phases.iter().map(ready).collect::<Vec<_>>()
        });
        items.collect()
    })
}

/// The status line, and the number of blockers.
pub(super) fn summary(view: &View<'_>, ctx: &Context) -> String {
    let lines = each(view, ctx, |site, text| {
        let line = statusline::line(text, site).full;
        let document = Document::new(text.to_owned());
        let derived = || derive(&document, site, &Keys::default(), StatusRule::Show);
        let status = || derived().keys.text("status").map(str::to_owned);
        let line = if line.is_empty() { status().unwrap_or_default() } else { line };
        let blockers = Body::of(&document).blockers().len();
        let name = site.place.space.as_str().split_once('/').map(|(_, name)| format!("{name}: ")).unwrap_or_default();
        let blocked = match blockers {
            0 => String::new(),
            1 => " · 1 open blocker".to_owned(),
            _ => format!(" · {blockers} open blockers"),
        };
        vec![format!("{name}{line}{blocked}")]
    });
    lines.join("; ")
}

/// What `validate` says, as findings.
pub(super) fn doctor(view: &View<'_>, ctx: &Context) -> Vec<Finding> {
    each(view, ctx, |site, _| {
        let Ok(stored) = site.state() else { return Vec::new() };
        let place = site.place.path(STATE).to_string();
        let (warnings, _) = validate::findings(&stored, site);
        let finding = |warning: model::Warning| Finding {
            code: warning.code.into_owned(),
            severity: Severity::Warning,
            place: place.clone(),
            message: warning.message,
            fix: None,
            details: Object::new(),
        };
        warnings.into_iter().filter(|warning| warning.code != "long_file").map(finding).collect()
    })
}
