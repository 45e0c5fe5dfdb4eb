//! The tools as they are listed: few bytes, since every session of every client carries them.

use std::borrow::Cow;

use format::{Effect, Format, Listed, Tool};
use rmcp::model::{self as mcp, ToolAnnotations};

use crate::ToolNames;
use crate::host::Host;

// Those that are on, else the first of the roll-call; none where there is no project.
fn formats(host: &dyn Host) -> Vec<&'static dyn Format> {
    if host.no_project().is_some() {
        return Vec::new();
    }
    let on = host.formats_on();
    if on.is_empty() { host.formats().iter().copied().take(1).collect() } else { on }
}

/// The listed tools, in the order of the roll-call and of each surface.
pub(crate) fn listed(host: &dyn Host, names: ToolNames) -> Vec<mcp::Tool> {
    let surfaces = formats(host).into_iter().map(Format::surface);
    let tools = surfaces.flat_map(|surface| surface.tools.iter().map(move |tool| (surface, tool)));
    tools
        .filter(|(_, tool)| tool.listed == Listed::Yes)
        .map(|(surface, tool)| match names {
            ToolNames::Underscore => shown(tool.name.into(), tool),
            ToolNames::Seed => shown(surface.seed_name(tool), tool),
        })
        .collect()
}

fn shown(name: Cow<'static, str>, tool: &'static Tool) -> mcp::Tool {
    let description = (!tool.description.is_empty()).then_some(Cow::Borrowed(tool.description));
    let shown = mcp::Tool::new_with_raw(name, description, tool.input_schema());
    match annotations(tool.effect) {
        Some(annotations) => shown.with_annotations(annotations),
        None => shown,
    }
}

/// What differs from the protocol's defaults: not read-only, destructive, not idempotent.
fn annotations(effect: Effect) -> Option<ToolAnnotations> {
    let none = ToolAnnotations::new();
    match effect {
        Effect::Read | Effect::ReadEvents => Some(none.read_only(true)),
        Effect::Write => None,
        Effect::WriteIdempotent => Some(none.idempotent(true)),
        Effect::Event => Some(none.destructive(false)),
    }
}
