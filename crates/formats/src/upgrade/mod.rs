//! upgrade: scenarios in `.github/upgrades`, each a plan that four tools move and Markdown shows.
//!
//! **Source**: seed `003_a50d2d6d95049d11.txt`; `spec/upgrade.md`.

mod activity;
mod arguments;
mod arrange;
mod break_down_task;
mod cold;
mod complete_task;
mod doctor;
mod dress;
mod forget;
mod get_state;
mod ids;
mod instructions;
mod label;
mod layout;
mod limits;
mod lists;
mod outlook;
mod pending;
mod place;
mod plan;
mod print;
mod reading;
mod recall;
mod reconcile;
mod records;
mod recover;
mod render;
mod report;
mod restored;
mod scenario_json;
mod scenarios;
mod shelf;
mod sources;
mod stale;
mod start_task;
mod state;
mod status;
mod surface;
mod take_in;
mod tasks_md;
mod texts;
mod turn;
mod work;

use format::{Files, Format, Seen, Sources, Surface, Taken, Touched, View};
use model::{Call, Change, Context, Finding, FolderMove, Image, Outcome, Refusal, Space, WorkItem};

use place::Place;
use scenarios::Scenarios;
use turn::Turn;

/// The format upgrade.
pub struct Upgrade;

impl Format for Upgrade {
    fn name(&self) -> &'static str {
        "upgrade"
    }

    fn surface(&self) -> &'static Surface {
        &surface::SURFACE
    }

    fn is_used(&self, files: &dyn Files) -> bool {
        files.is_folder(&place::root())
    }

    fn spaces(&self, call: Option<&Call>, view: &View<'_>, ctx: &Context) -> Result<Vec<Space>, Refusal> {
        let scenarios = Scenarios::of_project(view);
        let Some(call) = call else { return Ok(scenarios.spaces(None)) };
        let tool = surface::SURFACE.tool(&call.tool).ok_or_else(|| arguments::unknown_tool(&call.tool))?;
        tool.check_names(&call.arguments, surface::SURFACE.missing_argument)?;
        let id = scenarios::named(&call.arguments)?;
        if tool.is_read() {
            // Elsewhere there are no records, and so nothing to be taken in.
            let elsewhere = get_state::folder(&call.arguments, view, ctx)?.is_some();
            return Ok(if elsewhere { Vec::new() } else { scenarios.spaces(None) });
        }
        let place = scenarios.for_change(view, id)?;
        Ok(if id.is_some() { vec![place.space] } else { scenarios.spaces(Some(&place)) })
    }

    fn writes<'s>(&self, _call: &Call, spaces: &'s [Space]) -> &'s [Space] {
        // The others are only looked at, to know which scenario is under way.
        &spaces[..spaces.len().min(1)]
    }

    fn sources(&self, space: &Space, view: &View<'_>, _ctx: &Context) -> Result<Sources, Refusal> {
        Ok(Place::of(space).map(|place| sources::sources(&place, view)).unwrap_or_default())
    }

    fn take_in(&self, space: &Space, seen: &[Seen], view: &View<'_>, ctx: &Context) -> Taken {
        take_in::take_in(space, seen, view, ctx)
    }

    fn handle(&self, call: &Call, view: &View<'_>, ctx: &Context) -> Result<Outcome, Refusal> {
        let tool = surface::SURFACE.tool(&call.tool).ok_or_else(|| arguments::unknown_tool(&call.tool))?;
        tool.check_names(&call.arguments, surface::SURFACE.missing_argument)?;
        let arguments = &call.arguments;
        match tool.name {
            "get_state" => return get_state::get_state(arguments, view, ctx),
            "recover" => return recover::recover(arguments, view, ctx),
            "recall" => return recall::recall(arguments, view, ctx),
            _ => {}
        }
        let scenarios = Scenarios::of_project(view);
        let place = scenarios.for_change(view, scenarios::named(arguments)?)?;
        let mut turn = Turn::begin(view, ctx, &place);
        turn.warnings.clone_from(&scenarios.warnings);
        match tool.name {
            "start_task" => start_task::start_task(arguments, turn),
            "complete_task" => complete_task::complete_task(arguments, turn),
            "break_down_task" => break_down_task::break_down_task(arguments, turn),
            "reconcile" => reconcile::reconcile(arguments, turn),
            "activity" => activity::activity(arguments, turn),
            _ => Err(arguments::unknown_tool(&call.tool)),
        }
    }

    fn render(&self, space: &Space, touched: &Touched<'_>, view: &View<'_>, _ctx: &Context) -> Vec<Image> {
        Place::of(space).map(|place| render::render(&place, touched, view)).unwrap_or_default()
    }

    fn space_of_move(&self, step: &FolderMove) -> Option<Space> {
        Place::of_move(step).map(|place| place.space)
    }

    fn restored(&self, changes: &[Change], view: &View<'_>, ctx: &Context) -> Result<Outcome, Refusal> {
        Ok(restored::restored(changes, view, ctx))
    }

    fn work(&self, view: &View<'_>, _ctx: &Context) -> Vec<WorkItem> {
        outlook::work(view)
    }

    fn summary(&self, view: &View<'_>, _ctx: &Context) -> String {
        outlook::summary(view)
    }

    fn doctor(&self, view: &View<'_>, _ctx: &Context) -> Vec<Finding> {
        doctor::doctor(view)
    }

    fn kept_as(&self) -> &'static str {
        "keptAs"
    }
}
