//! A format that decides nothing, for tests of the front.

use format::{BinaryName, Command, Files, Format, Seen, Sources, Surface, Taken, Touched, View};
use model::{Call, Context, Image, Outcome, Refusal, Space};

use crate::server_process;

/// The roll-call of the tests.
pub(crate) static FORMATS: &[&dyn Format] = &[&Idle];

struct Idle;

static SURFACE: Surface = Surface {
    commands: &[Command {
        tool: "hseos_detect",
        ..server_process::command(&["detect"], "Says which backend answers.")
    }],
    binary_names: &[
        BinaryName { name: "hseos", words: &[] },
        BinaryName { name: "project-state", words: &[] },
        BinaryName { name: "project-detect", words: &["detect"] },
    ],
    missing_argument: "invalid_argument",
    server_name: Some("hseos-project-state"),
    ..Surface::BARE
};

impl Format for Idle {
    fn name(&self) -> &'static str {
        "hseos"
    }
    fn surface(&self) -> &'static Surface {
        &SURFACE
    }
    fn is_used(&self, _: &dyn Files) -> bool {
        false
    }
    fn spaces(&self, _: Option<&Call>, _: &View<'_>, _: &Context) -> Result<Vec<Space>, Refusal> {
        Ok(Vec::new())
    }
    fn sources(&self, _: &Space, _: &View<'_>, _: &Context) -> Result<Sources, Refusal> {
        Ok(Sources::default())
    }
    fn take_in(&self, _: &Space, _: &[Seen], _: &View<'_>, _: &Context) -> Taken {
        Taken::default()
    }
    fn handle(&self, _: &Call, _: &View<'_>, _: &Context) -> Result<Outcome, Refusal> {
        Ok(Outcome::default())
    }
    fn render(&self, _: &Space, _: &Touched<'_>, _: &View<'_>, _: &Context) -> Vec<Image> {
        Vec::new()
    }
}
