//! hseos: named text fields, a task backlog and the history of the fields, for many agents.
//!
//! **Source**: seed `000_b2232db6b7e7dc61.txt`; `spec/hseos.md`.

mod arguments;
mod concurrency;
mod config;
mod detect;
mod doctor;
mod history;
mod invalid;
mod outlook;
mod print;
mod pruning;
mod records;
mod render_state;
mod render_tasks;
mod restored;
mod roles;
mod rows;
mod sources;
mod state_history;
mod state_read;
mod state_write;
mod status;
mod surface;
mod take_in;
mod tasks_add;
mod tasks_list;
mod tasks_update;
#[cfg(test)]
mod tests;
mod times;

use format::{Draft, FileState, Files, Format, Seen, Sources, Surface, Taken, Touched, View};
use model::{
    Call, Change, Context, Finding, Image, ImageContent, Outcome, ProjectPath, Refusal, Space, TableRows, WorkItem,
};

use records::{Kind, SPACE};

/// The format hseos.
pub struct Hseos;

impl Format for Hseos {
    fn name(&self) -> &'static str {
        "hseos"
    }

    fn surface(&self) -> &'static Surface {
        &surface::SURFACE
    }

    fn is_used(&self, files: &dyn Files) -> bool {
        let ours = |path| match files.read(&path, sources::FILE_LIMIT) {
            FileState::Bytes(bytes) => bytes.windows(MARK.len()).any(|window| window == MARK),
            _ => false,
        };
        files.is_folder(&sources::folder())
            || !matches!(files.read(&config::root_path(), config::LIMIT), FileState::Absent)
            || ours(sources::state_path())
            || ours(sources::tasks_path())
    }

    fn spaces(&self, call: Option<&Call>, _view: &View<'_>, _ctx: &Context) -> Result<Vec<Space>, Refusal> {
        let looks_only = call.is_some_and(|call| matches!(call.tool.as_str(), "hseos_detect" | "hseos_status"));
        Ok(if looks_only { Vec::new() } else { vec![SPACE] })
    }

    fn sources(&self, _space: &Space, view: &View<'_>, ctx: &Context) -> Result<Sources, Refusal> {
        sources::sources(view, ctx)
    }

    fn take_in(&self, _space: &Space, seen: &[Seen], view: &View<'_>, ctx: &Context) -> Taken {
        take_in::take_in(seen, view, ctx)
    }

    fn handle(&self, call: &Call, view: &View<'_>, ctx: &Context) -> Result<Outcome, Refusal> {
        let tool = surface::SURFACE.tool(&call.tool).ok_or_else(|| arguments::unknown_tool(&call.tool))?;
        tool.check_names(&call.arguments, surface::SURFACE.missing_argument)?;
        let mut draft = Draft::new(view.records);
        let mut reply = match tool.name {
            "state_read" => state_read::state_read(&draft),
            "state_write" => state_write::state_write(&call.arguments, &mut draft, view, ctx)?,
            "tasks_list" => tasks_list::tasks_list(&call.arguments, &draft)?,
            "hseos_tasks_table" => tasks_list::tasks_table(&call.arguments, &draft)?,
            "tasks_add" => tasks_add::tasks_add(&call.arguments, &mut draft, view, ctx)?,
            "tasks_update" => tasks_update::tasks_update(&call.arguments, &mut draft, view, ctx)?,
            "hseos_tasks_block" => tasks_update::with_note(&call.arguments, &mut draft, view, ctx)?,
            "state_history" => state_history::state_history(&call.arguments, &draft)?,
            "hseos_state_table" => state_read::state_table(&draft),
            "hseos_history_table" => state_history::history_table(&call.arguments, &draft)?,
            "hseos_detect" => return Ok(Outcome { reply: detect::detect(view, ctx)?, ..Outcome::default() }),
            "hseos_status" => return Ok(Outcome { reply: status::status(view, ctx)?, ..Outcome::default() }),
            _ => return Err(arguments::unknown_tool(&call.tool)),
        };
        let mut warnings = invalid::warnings(&draft);
        warnings.append(&mut reply.warnings);
        reply.warnings = warnings;
        Ok(Outcome { changes: draft.into_changes(), reply, ..Outcome::default() })
    }

    fn render(&self, _space: &Space, touched: &Touched<'_>, view: &View<'_>, _ctx: &Context) -> Vec<Image> {
        let needed = |kind: Kind, path: &ProjectPath| {
            touched.paths.contains(path) || touched.changes.iter().any(|change| change.key.kind == kind.word())
        };
        let image = |path, text: String| Image { path, content: ImageContent::Bytes(text.into_bytes()) };
        let (state, tasks) = (sources::state_path(), sources::tasks_path());
        let (state_needed, tasks_needed) = (needed(Kind::State, &state), needed(Kind::Task, &tasks));
        let mut images = Vec::new();
        if state_needed {
            images.push(image(state, render_state::render(view.records)));
        }
        if tasks_needed {
            images.push(image(tasks, render_tasks::render(view.records)));
        }
        images
    }

    fn rows(&self, changes: &[Change]) -> TableRows {
        rows::rows(changes)
    }

    fn restored(&self, changes: &[Change], view: &View<'_>, ctx: &Context) -> Result<Outcome, Refusal> {
        Ok(restored::restored(changes, view, ctx))
    }

    fn work(&self, view: &View<'_>, _ctx: &Context) -> Vec<WorkItem> {
        outlook::work(view.records)
    }

    fn summary(&self, view: &View<'_>, _ctx: &Context) -> String {
        outlook::summary(view.records)
    }

    fn doctor(&self, view: &View<'_>, _ctx: &Context) -> Vec<Finding> {
        doctor::doctor(view.records)
    }
}

/// What stands in both files that hseos tools write.
const MARK: &[u8] = b"> Managed by HSEOS.";
