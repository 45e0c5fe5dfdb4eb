//! eneo: one development task in flight, shared by hooks, slash commands, a wave barrier and a status line.
//!
//! **Source**: seed `001_2a3919db2f8432f4.txt`; `spec/eneo.md`.

mod config;
mod doctor;
mod document;
mod gate;
mod mirror;
mod next_hint;
mod outlook;
mod paths;
mod phase_set;
mod pre_compact;
mod print;
mod program;
mod prompt;
mod records;
mod refusals;
mod render;
mod restored;
mod schema;
mod session;
mod shellenv;
mod sources;
mod statusline;
mod surface;
mod take_in;
mod task_clear;
mod task_get;
mod task_init;
mod task_update;
#[cfg(test)]
mod tests;
mod wave;

use format::{
    Effort, Files, Format, Glance, HookEvent, Look, Seen, Sheet, Sources, Spooling, Surface, Taken, Touched, View,
};
use model::{Call, Change, Context, Finding, Image, Object, Outcome, Refusal, RefusalClass, Space, Value, WorkItem};

use records::SPACE;

/// The format eneo.
pub struct Eneo;

impl Format for Eneo {
    fn name(&self) -> &'static str {
        "eneo"
    }

    fn surface(&self) -> &'static Surface {
        &surface::SURFACE
    }

    fn is_used(&self, files: &dyn Files) -> bool {
        files.is_folder(&paths::state())
    }

    fn spaces(&self, call: Option<&Call>, _view: &View<'_>, _ctx: &Context) -> Result<Vec<Space>, Refusal> {
        // These look at files as they are, before anything is taken in.
        let looks_only = call.is_some_and(|call| matches!(call.tool.as_str(), "eneo_doctor" | "eneo_shellenv"));
        Ok(if looks_only { Vec::new() } else { vec![SPACE] })
    }

    fn sources(&self, _space: &Space, view: &View<'_>, ctx: &Context) -> Result<Sources, Refusal> {
        config::read(ctx)?;
        Ok(sources::sources(view, ctx))
    }

    fn take_in(&self, _space: &Space, seen: &[Seen], view: &View<'_>, _ctx: &Context) -> Taken {
        take_in::take_in(seen, view)
    }

    fn handle(&self, call: &Call, view: &View<'_>, ctx: &Context) -> Result<Outcome, Refusal> {
        let unknown = || Refusal::new(RefusalClass::Usage, "unknown_tool", format!("eneo has no tool {:?}", call.tool));
        let tool = surface::SURFACE.tool(&call.tool).ok_or_else(unknown)?;
        tool.check_names(&call.arguments, surface::SURFACE.missing_argument)?;
        let arguments = &call.arguments;
        Ok(match tool.name {
            "eneo_task_init" => task_init::task_init(arguments, view, ctx)?,
            "eneo_task_update" => task_update::task_update(arguments, view, ctx)?,
            "eneo_task_get" => task_get::task_get(arguments, view, ctx)?,
            "eneo_task_clear" => task_clear::task_clear(view),
            "eneo_phase_set" => phase_set::phase_set(arguments, view, ctx)?,
            "eneo_next_hint_consume" => next_hint::next_hint_consume(view, ctx)?,
            "eneo_wave_seed" => wave::wave_seed(arguments, view, ctx)?,
            "eneo_wave_status" => wave::wave_status(view),
            "eneo_wave_event" => wave::wave_event(call, view, ctx)?,
            "eneo_agent_start" => wave::agent_start(call, view),
            "eneo_prompt" => prompt::prompt(call, view, ctx),
            "eneo_pre_compact" => pre_compact::pre_compact(view, ctx),
            "eneo_doctor" => doctor::look(arguments, view, ctx),
            "eneo_doctor_fix" => doctor::fix(arguments, view, ctx),
            "eneo_shellenv" => shellenv::shellenv(ctx, &view.probes.program()),
            _ => return Err(unknown()),
        })
    }

    fn ponder(&self, question: &[Value], effort: Effort<'_>) -> Option<Sheet> {
        program::ponder(question, effort)
    }

    fn spooling(&self, call: &Call, look: &Look<'_>) -> Spooling {
        if call.tool == "eneo_prompt" { Spooling::Keep(Object::new()) } else { wave::spooling(look.files) }
    }

    fn render(&self, _space: &Space, touched: &Touched<'_>, view: &View<'_>, _ctx: &Context) -> Vec<Image> {
        render::render(touched, view.records)
    }

    fn restored(&self, changes: &[Change], view: &View<'_>, ctx: &Context) -> Result<Outcome, Refusal> {
        restored::restored(changes, view, ctx)
    }

    fn glance(&self, event: &HookEvent, look: &Look<'_>, ctx: &Context) -> Glance {
        match event.name.as_str() {
            "session-start" => session::start(look.files),
            "user-prompt-submit" => session::prompt(look.files),
            "pre-tool-use" => gate::glance(event, look.files, ctx),
            "statusline" => Glance { lines: statusline::lines(event, look, ctx), ..Glance::default() },
            _ => Glance::default(),
        }
    }

    fn work(&self, view: &View<'_>, _ctx: &Context) -> Vec<WorkItem> {
        outlook::work(view.records)
    }

    fn summary(&self, view: &View<'_>, _ctx: &Context) -> String {
        outlook::summary(view.records)
    }

    fn doctor(&self, view: &View<'_>, ctx: &Context) -> Vec<Finding> {
        doctor::generic(view, ctx)
    }
}
