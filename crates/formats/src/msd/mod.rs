//! msd: one Markdown file with a project's position, its latest event and its next command.
//!
//! **Source**: seed `004_b9ee7d4eaf0c3f31.txt`; `spec/msd.md`.

mod arguments;
mod body;
mod commands;
mod derive;
mod documents;
mod edit;
mod fields;
mod freshness;
mod glance;
mod init;
mod lists;
mod metrics;
mod milestones;
mod outlook;
mod phase_id;
mod phase_verbs;
mod phases;
mod position;
mod print;
mod progress;
mod prune;
mod reads;
mod rebuild;
mod roadmap;
mod session;
mod settings;
mod site;
mod status;
mod statusline;
mod surface;
mod sync;
mod take_in;
#[cfg(test)]
mod tests;
mod validate;

use format::{FileState, Files, Format, Glance, HookEvent, Look, Seen, Sources, Surface, Taken, Tool, Touched, View};
use model::{
    Call, Change, Context, Finding, Image, ImageContent, Object, Outcome, ProjectPath, Refusal, RefusalClass, Space,
    Value, WorkItem,
};

use arguments::Arguments;
use documents::{Place, STATE};
use settings::Settings;
use site::Site;

/// The format msd.
pub struct Msd;

impl Format for Msd {
    fn name(&self) -> &'static str {
        "msd"
    }

    fn surface(&self) -> &'static Surface {
        &surface::SURFACE
    }

    fn is_used(&self, files: &dyn Files) -> bool {
        files.is_folder(&documents::folder())
    }

    fn spaces(&self, call: Option<&Call>, view: &View<'_>, _ctx: &Context) -> Result<Vec<Space>, Refusal> {
        match call {
            Some(call) => Ok(vec![site::place_of(&call.arguments)?.space]),
            None => Ok(Place::all(view).into_iter().map(|place| place.space).collect()),
        }
    }

    fn sources(&self, space: &Space, view: &View<'_>, ctx: &Context) -> Result<Sources, Refusal> {
        documents::sources(space, view, ctx)
    }

    fn take_in(&self, space: &Space, seen: &[Seen], view: &View<'_>, _ctx: &Context) -> Taken {
        take_in::take_in(space, seen, view)
    }

    fn handle(&self, call: &Call, view: &View<'_>, ctx: &Context) -> Result<Outcome, Refusal> {
        let tool = surface::SURFACE.tool(&call.tool).ok_or_else(|| unknown_tool(&call.tool))?;
        decide(tool, call, view, ctx)
    }

    fn refused(&self, tool: &Tool, refusal: Refusal) -> Refusal {
        let none = || Value::Array(Vec::new());
        match of_verb(tool.name) {
            Some(member) => refusal.beside(member, false),
            // A patch of which nothing could be written lists what it tried.
            None if tool.name == "msd_state_patch" && refusal.beside.is_empty() => {
                refusal.beside("updated", none()).beside("failed", none())
            }
            None => refusal,
        }
    }

    fn render(&self, space: &Space, touched: &Touched<'_>, view: &View<'_>, _ctx: &Context) -> Vec<Image> {
        let place = Place::of(space);
        let mut images = Vec::new();
        for (name, _) in documents::ALL {
            let (path, key) = (place.path(name), place.key(name));
            if !touched.paths.contains(&path) && touched.changes.iter().all(|change| change.key != key) {
                continue;
            }
            let value = view.records.get(&key);
            let content = value.map_or(ImageContent::Absent, |value| ImageContent::Bytes(documents::bytes_of(&value)));
            images.push(Image { path, content });
        }
        images
    }

    fn restored(&self, changes: &[Change], view: &View<'_>, _ctx: &Context) -> Result<Outcome, Refusal> {
        edit::check_merged(changes, view)?;
        Ok(Outcome::default())
    }

    fn glance(&self, event: &HookEvent, look: &Look<'_>, ctx: &Context) -> Glance {
        glance::glance(event, look, ctx)
    }

    fn work(&self, view: &View<'_>, ctx: &Context) -> Vec<WorkItem> {
        outlook::work(view, ctx)
    }

    fn summary(&self, view: &View<'_>, ctx: &Context) -> String {
        outlook::summary(view, ctx)
    }

    fn doctor(&self, view: &View<'_>, ctx: &Context) -> Vec<Finding> {
        outlook::doctor(view, ctx)
    }

    fn init(&self, view: &View<'_>, ctx: &Context) -> Vec<(ProjectPath, Vec<u8>)> {
        let (Ok(place), Ok(settings)) = (Place::named(None), Settings::read(ctx)) else { return Vec::new() };
        let path = place.path(STATE);
        if view.files.read(&path, 0) != FileState::Absent {
            return Vec::new();
        }
        let text = init::text(&Site::at(place, view, ctx, settings), None, None);
        vec![(path, text.into_bytes())]
    }
}

fn decide(tool: &Tool, call: &Call, view: &View<'_>, ctx: &Context) -> Result<Outcome, Refusal> {
    let given = Arguments::read(tool, &call.arguments, view, ctx)?;
    let site = Site::of(&call.arguments, view, ctx)?;
    let verb = match tool.name {
        "msd_state_init" => init::init,
        "msd_state_load" => reads::load,
        "msd_state_json" => reads::json,
        "msd_state_snapshot" => reads::snapshot,
        "msd_state_get" => fields::get,
        "msd_state_update" => fields::update,
        "msd_state_patch" => fields::patch,
        "msd_state_begin_phase" => phase_verbs::begin,
        "msd_state_verify_phase" => phase_verbs::verify,
        "msd_state_planned_phase" => phase_verbs::planned,
        "msd_state_advance_plan" => phase_verbs::advance,
        "msd_state_complete_phase" => phase_verbs::complete,
        "msd_state_milestone_switch" => milestones::switch,
        "msd_state_milestone_complete" => milestones::complete,
        "msd_state_lifecycle_set" => milestones::set_lifecycle,
        "msd_state_lifecycle_clear" => milestones::clear_lifecycle,
        "msd_state_update_progress" => metrics::update,
        "msd_state_record_metric" => metrics::record,
        "msd_state_add_decision" => lists::add_decision,
        "msd_state_add_blocker" => lists::add_blocker,
        "msd_state_resolve_blocker" => lists::resolve_blocker,
        "msd_state_add_roadmap_evolution" => lists::add_evolution,
        "msd_state_record_session" => session::record,
        "msd_state_signal_waiting" => session::wait,
        "msd_state_signal_resume" => session::resume,
        "msd_state_validate" => validate::validate,
        "msd_state_sync" => sync::sync,
        "msd_state_prune" => prune::prune,
        "msd_state_rebuild" => rebuild::rebuild,
        "msd_statusline" => statusline::tool,
        _ => return Err(unknown_tool(tool.name)),
    };
    verb(&given, &site)
}

/// The member that says `false` beside the error of a verb.
fn of_verb(tool: &str) -> Option<&'static str> {
    Some(match tool {
        "msd_state_update" | "msd_state_update_progress" => "updated",
        "msd_state_add_decision" | "msd_state_add_blocker" | "msd_state_add_roadmap_evolution" => "added",
        "msd_state_resolve_blocker" => "resolved",
        "msd_state_record_metric" | "msd_state_record_session" => "recorded",
        "msd_state_advance_plan" => "advanced",
        _ => return None,
    })
}

fn unknown_tool(name: &str) -> Refusal {
    Refusal::new(RefusalClass::Usage, "unknown_tool", format!("there is no tool named {name:?}"))
}

/// Members in their order.
fn members<const N: usize>(members: [(&str, Value); N]) -> Object {
    members.map(|(name, value)| (name.to_owned(), value)).into_iter().collect()
}
