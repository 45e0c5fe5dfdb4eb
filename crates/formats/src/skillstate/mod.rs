//! skillstate: a small JSON state that outlives a model's context, for an agent and its sub-agents.
//!
//! **Source**: seed `002_1e9f724ce86eb7ee.txt`; `spec/skillstate.md`.

mod admit;
mod agents;
mod arguments;
mod checkpoint;
mod checkpoints;
mod commands;
mod copies;
mod diff;
mod envelope;
mod finalize;
mod hooks;
mod init;
mod inject;
mod merge;
mod meta;
mod outlook;
mod patch;
mod present;
#[cfg(test)]
mod properties;
mod reads;
mod records;
mod render;
mod response;
mod restored;
mod scope;
mod sessions;
mod skill_page;
mod sources;
mod spec;
mod surface;
mod take_in;
mod validation;
#[cfg(test)]
mod world;

use format::{Files, Format, Seen, Sources, Surface, Taken, Touched, View, redaction};
use model::{Call, Change, Context, Finding, Image, Outcome, ProjectPath, Refusal, Reply, Space, WorkItem};

use admit::{Admitted, admit};

/// The format skillstate.
pub struct Skillstate;

impl Format for Skillstate {
    fn name(&self) -> &'static str {
        "skillstate"
    }

    fn surface(&self) -> &'static Surface {
        &surface::SURFACE
    }

    fn is_used(&self, files: &dyn Files) -> bool {
        files.is_folder(&ProjectPath::known(scope::FOLDER))
    }

    fn spaces(&self, call: Option<&Call>, view: &View<'_>, ctx: &Context) -> Result<Vec<Space>, Refusal> {
        match call {
            None => Ok(admit::all_with_checkpoints(view)),
            Some(call) => admit::spaces(call, view, ctx).map_err(redaction::masked_refusal),
        }
    }

    fn sources(&self, space: &Space, view: &View<'_>, _ctx: &Context) -> Result<Sources, Refusal> {
        Ok(sources::sources(space, view))
    }

    fn take_in(&self, space: &Space, seen: &[Seen], view: &View<'_>, ctx: &Context) -> Taken {
        take_in::take_in(space, seen, view, ctx)
    }

    fn handle(&self, call: &Call, view: &View<'_>, ctx: &Context) -> Result<Outcome, Refusal> {
        let handled = admit(call, view, ctx).and_then(|admitted| {
            let mut outcome = handle(&admitted, call, view, ctx)?;
            if !admitted.tool.starts_with("skillstate_") {
                // What hooks say is masked text by text already, and stands in one text here.
                redaction::mask_members(&mut outcome.reply.body);
                outcome.reply.warnings.extend(admitted.warning());
            }
            Ok(outcome)
        });
        handled.map_err(redaction::masked_refusal)
    }

    fn render(&self, space: &Space, touched: &Touched<'_>, view: &View<'_>, _ctx: &Context) -> Vec<Image> {
        render::render(space, touched, view)
    }

    fn restored(&self, changes: &[Change], view: &View<'_>, ctx: &Context) -> Result<Outcome, Refusal> {
        restored::restored(changes, view, ctx)
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
        init::files(view, ctx)
    }
}

fn handle(admitted: &Admitted, call: &Call, view: &View<'_>, ctx: &Context) -> Result<Outcome, Refusal> {
    let arguments = &call.arguments;
    let read = |reply: Reply| Outcome { reply, ..Outcome::default() };
    Ok(match admitted.tool {
        "state_get" => read(reads::state_get(admitted, view)?),
        "state_summary" => read(reads::state_summary(admitted, view, ctx)?),
        "state_patch" => patch::state_patch(admitted, arguments, view, ctx)?,
        "state_validate" => read(patch::state_validate(admitted, arguments, view)?),
        "state_diff" => diff::state_diff(admitted, arguments, view, ctx)?,
        "state_checkpoint" => checkpoint::state_checkpoint(admitted, arguments, view, ctx)?,
        "state_rollback" => checkpoint::state_rollback(admitted, arguments, view, ctx)?,
        "state_finalize" => finalize::state_finalize(admitted, arguments, view, ctx)?,
        "spec_get" => read(reads::spec_get(admitted.spec.as_ref().expect("it was asked for"))),
        "spec_next" => read(reads::spec_next(admitted, view)?),
        "agent_list" => read(agents::agent_list(admitted, view, ctx)),
        "agent_read" => read(agents::agent_read(admitted, view)?),
        "agent_merge" => merge::agent_merge(admitted, arguments, view, ctx)?,
        "skillstate_init" => init::init(admitted, arguments, view, ctx)?,
        "skillstate_inject" => inject::inject(admitted, arguments, view, ctx)?,
        "skillstate_launch" => sessions::launch(admitted, arguments, view, ctx),
        "skillstate_fork" => sessions::fork(admitted, view, ctx)?,
        "skillstate_respond" => response::respond(admitted, arguments, view, ctx),
        "skillstate_end" => sessions::end(admitted, view),
        _ => return Err(arguments::unknown_tool(&call.tool)),
    })
}
