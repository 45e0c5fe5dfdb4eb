//! Writing tasks.md.

use std::collections::HashSet;

use format::task_graph::{Status, TaskTree};
use model::Timestamp;

use crate::upgrade::lists::{all_met, first_blocked};
use crate::upgrade::records::Scenario;
use crate::upgrade::shelf::Shelf;
use crate::upgrade::state::State;
use crate::upgrade::status::mark;

/// The beginnings of the lines above the rows, and of the legend below them.
pub(super) const ENGINE_LINES: [&str; 5] =
    ["**Progress**:", "**Status**:", "**Started**:", "**Last Updated**:", "**Legend**:"];

/// The beginnings of the lines of Current Focus, beside the one that names the task.
pub(super) const FOCUS_LINES: [&str; 2] = ["_None_", "[Details]("];

/// The beginnings of the lines of Statistics.
pub(super) const STATISTICS: [&str; 4] = ["- Total Tasks:", "- Completed:", "- Files Modified:", "- Projects Updated:"];

const TITLE: &str = "Migration Progress";

/// The beginning of the legend, to which a mark may be added.
pub(super) const LEGEND: &str = "**Legend**: ✅ Complete | 🔄 In Progress | 🔲 Pending | ⚠️ Blocked | ❌ Failed";

/// The whole file.
pub(in crate::upgrade) fn render(state: &State, tree: &TaskTree<'_>, shelf: &Shelf<'_>, times: &Scenario) -> String {
    let progress = tree.progress();
    let percent = (progress.done * 100).checked_div(progress.total).unwrap_or_default();
    let (done, total) = (progress.done, progress.total);
    let title = state.layout.title.as_deref().unwrap_or(TITLE);
    let mut text = format!(
        "# {title}\n\n{} {done}/{total} tasks complete <progress value=\"{percent}\" max=\"100\"></progress> {percent}%\n\
         {} {}\n{} {}\n{} {}\n",
        ENGINE_LINES[0],
        ENGINE_LINES[1],
        status_line(state, tree),
        ENGINE_LINES[2],
        date(&times.start_time, "%Y-%m-%d"),
        ENGINE_LINES[3],
        date(&times.updated_at, "%Y-%m-%d %H:%M"),
    );
    if let Some(overview) = &state.layout.overview {
        section(&mut text, &overview.heading, &overview.body);
    }
    section(&mut text, "Task Hierarchy", "");
    for at in 0..state.tasks.len() {
        row(&mut text, state, tree, shelf, at);
    }
    let skipped = (0..state.tasks.len()).any(|at| tree.status(at) == Status::Skipped);
    text.push('\n');
    text.push_str(LEGEND);
    text.push_str(if skipped { " | ⏭️ Skipped\n" } else { "\n" });
    let focus = tree.leaves().find(|at| tree.status(*at) == Status::InProgress);
    let focus = focus.map_or_else(
        || FOCUS_LINES[0].to_owned(),
        |at| {
            let (id, title) = (&state.tasks[at].id, &state.tasks[at].title);
            format!("🔄 **{id}**: {title}\n[Details](tasks/{id}/task.md) | [Changes](tasks/{id}/progress-details.md)")
        },
    );
    section(&mut text, "Current Focus", &focus);
    section(&mut text, "Recent Activity", &state.layout.activity);
    let files: HashSet<&str> = state.tasks.iter().flat_map(|task| &task.files).map(String::as_str).collect();
    let projects = |updated: bool| {
        let counts = |at: &usize| !updated || tree.is_leaf(*at) && tree.status(*at) == Status::Completed;
        let tasks = (0..state.tasks.len()).filter(counts).flat_map(|at| &state.tasks[at].projects);
        tasks.collect::<HashSet<_>>().len()
    };
    let statistics = format!(
        "{} {total}\n{} {done} ({percent}%)\n{} {}\n{} {}/{}",
        STATISTICS[0],
        STATISTICS[1],
        STATISTICS[2],
        files.len(),
        STATISTICS[3],
        projects(true),
        projects(false),
    );
    section(&mut text, "Statistics", &statistics);
    for part in &state.layout.others {
        section(&mut text, &part.heading, &part.body);
    }
    state.layout.dressed(text)
}

fn section(text: &mut String, heading: &str, body: &str) {
    text.push_str("\n## ");
    text.push_str(heading);
    text.push('\n');
    if !body.is_empty() {
        text.push_str(body);
        text.push('\n');
    }
}

fn row(text: &mut String, state: &State, tree: &TaskTree<'_>, shelf: &Shelf<'_>, at: usize) {
    let task = &state.tasks[at];
    let mut up = state.parent(at);
    while let Some(parent) = up {
        text.push_str("  ");
        up = state.parent(parent);
    }
    let (id, title) = (&task.id, &task.title);
    text.extend(["- ", mark(tree.status(at)), " ", id, ": ", title]);
    let content = shelf.has_task_md(id).then(|| format!("[Content](tasks/{id}/task.md)"));
    let details = shelf.details(id).map(|name| format!("[Progress](tasks/{id}/{name})"));
    let links: Vec<String> = content.into_iter().chain(details).collect();
    if !links.is_empty() {
        text.extend([" (", &links.join(", "), ")"]);
    }
    text.push('\n');
}

// The first that fits.
fn status_line(state: &State, tree: &TaskTree<'_>) -> String {
    let named = |word: &str, at: usize| format!("{word} - Task {}", state.tasks[at].id);
    if state.tasks.is_empty() {
        return "Not Started".to_owned();
    }
    if all_met(tree) {
        return "Complete".to_owned();
    }
    if let Some(at) = tree.leaves().find(|at| tree.status(*at) == Status::InProgress) {
        return named("In Progress", at);
    }
    let parent_began = |at: usize| !tree.is_leaf(at) && state.tasks[at].started;
    let untouched = tree.leaves().all(|at| tree.status(at) == Status::Pending);
    if untouched && !(0..state.tasks.len()).any(parent_began) {
        return "Not Started".to_owned();
    }
    let available = tree.available().first().map(|at| named("In Progress", *at));
    let blocked = || first_blocked(tree).map(|at| named("Blocked", at));
    available.or_else(blocked).unwrap_or_else(|| "Not Started".to_owned())
}

// A time that cannot be read is shown as it stands.
fn date(time: &str, form: &str) -> String {
    Timestamp::parse_rfc3339(time).map_or_else(|| time.to_owned(), |time| time.format(form))
}
