//! `activity`: a line is added to Recent Activity.

use model::{Object, Outcome, Refusal};

use super::arguments;
use super::limits::ACTIVITY;
use super::records::members;
use super::tasks_md::TasksText;
use super::turn::Turn;

/// How many lines replies show.
pub(super) const SHOWN: usize = 10;

/// The tool: `{text, scenarioId?}` to `{line, recentActivity}`.
pub(super) fn activity(arguments: &Object, mut turn: Turn<'_>) -> Result<Outcome, Refusal> {
    let text = arguments::folded(arguments::needed(arguments, "text")?);
    if text.is_empty() {
        return Err(Refusal::invalid("text", "a line of activity is not blank"));
    }
    if text.chars().count() > ACTIVITY {
        let message = format!("a line of activity has at most {ACTIVITY} characters");
        return Err(arguments::too_large("text", message, ACTIVITY));
    }
    let line = format!("{}: {text}", turn.ctx.now.format("%Y-%m-%d %H:%M"));
    let body = &mut turn.state.layout.activity;
    if !body.is_empty() {
        body.push('\n');
    }
    body.push_str("- ");
    body.push_str(&line);
    let recent = TasksText::bullets(body, SHOWN);
    let reply = members([
        ("scenarioId", turn.place.id.as_str().into()),
        ("line", line.into()),
        ("recentActivity", recent.into_iter().collect()),
    ]);
    Ok(turn.finish(reply))
}
