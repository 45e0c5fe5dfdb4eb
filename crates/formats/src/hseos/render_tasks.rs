//! TASKS.md from the tasks.
//!
//! **Source**: seed, section 7.

use format::markdown::escape_line;
use format::{Records, natural};

use super::records::{Status, Task};
use super::render_state::DASH;

/// The title.
pub(super) const TITLE: &str = "# Task Backlog";
/// The two quote lines.
pub(super) const QUOTES: [&str; 2] = [
    "> Managed by HSEOS. Agents update this file on every task transition.",
    "> Prune completed tasks when > 5 done and no open task depends on them.",
];
/// The headings with what stands beneath them, in their order.
pub(super) const SECTIONS: [(&str, Status); 4] = [
    ("## In Progress", Status::InProgress),
    ("## Pending", Status::Pending),
    ("## Blocked", Status::Blocked),
    ("## Completed (last sprint)", Status::Done),
];
/// What stands before the reason of a blocked task.
pub(super) const BLOCKED: &str = "**Blocked:**";

/// The file.
pub(super) fn render(records: &dyn Records) -> String {
    let mut tasks = Task::all(records);
    tasks.retain(|(_, task)| !task.pruned);
    tasks.sort_by(|(a, _), (b, _)| natural::compare(a, b));
    let mut out = format!("{TITLE}\n\n{}\n{}\n", QUOTES[0], QUOTES[1]);
    for (heading, status) in SECTIONS {
        out.push('\n');
        out.push_str(heading);
        out.push('\n');
        let mut gap = "\n";
        for (id, task) in tasks.iter().filter(|(_, task)| task.status == status) {
            out.push_str(gap);
            out.push_str(&line(id, task));
            out.push('\n');
            gap = "";
        }
    }
    out
}

/// The line of one task.
pub(super) fn line(id: &str, task: &Task) -> String {
    let mark = match task.status {
        Status::InProgress | Status::Blocked => '~',
        Status::Pending => ' ',
        Status::Done => 'x',
    };
    let mut line =
        format!("- [{mark}] {} — [{}] {}", escape_line(id), escape_line(&task.owner), escape_line(&task.description));
    let depends: Vec<_> = task.depends_on.iter().map(|id| escape_line(id)).collect();
    match task.status {
        Status::Done => {}
        Status::Blocked if depends.is_empty() => {}
        _ if depends.is_empty() => line.push_str(" *(depends: none)*"),
        _ => {
            line.push_str(" *(depends: ");
            line.push_str(&depends.join(", "));
            line.push_str(")*");
        }
    }
    if task.status == Status::Blocked {
        let reason = escape_line(task.note.as_deref().unwrap_or(DASH));
        for part in [" ", DASH, " ", BLOCKED, " ", &reason] {
            line.push_str(part);
        }
    }
    line
}
