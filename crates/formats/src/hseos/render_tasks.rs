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
    let all = Task::all(records);
    let mut tasks: Vec<(natural::Key<'_>, &(String, Task))> =
        all.iter().filter(|(_, task)| !task.pruned).map(|task| (natural::Key::new(&task.0), task)).collect();
    tasks.sort_unstable_by_key(|(key, _)| *key);
    let mut out = format!("{TITLE}\n\n{}\n{}\n", QUOTES[0], QUOTES[1]);
    for (heading, status) in SECTIONS {
        out.push('\n');
        out.push_str(heading);
        out.push('\n');
        let mut gap = "\n";
        for (id, task) in tasks.iter().map(|(_, task)| *task).filter(|(_, task)| task.status == status) {
            out.push_str(gap);
            push_line(&mut out, id, task);
            out.push('\n');
            gap = "";
        }
    }
    out
}

/// The line of one task.
pub(super) fn line(id: &str, task: &Task) -> String {
    let mut line = String::new();
    push_line(&mut line, id, task);
    line
}

fn push_line(line: &mut String, id: &str, task: &Task) {
    let start = match task.status {
        Status::InProgress | Status::Blocked => "- [~] ",
        Status::Pending => "- [ ] ",
        Status::Done => "- [x] ",
    };
    let mut push = |parts: &[&str]| parts.iter().for_each(|part| line.push_str(part));
    push(&[start, &escape_line(id), " — [", &escape_line(&task.owner), "] ", &escape_line(&task.description)]);
    match task.status {
        Status::Done => {}
        Status::Blocked if task.depends_on.is_empty() => {}
        _ if task.depends_on.is_empty() => push(&[" *(depends: none)*"]),
        _ => {
            let depends: Vec<_> = task.depends_on.iter().map(|id| escape_line(id)).collect();
            push(&[" *(depends: ", &depends.join(", "), ")*"]);
        }
    }
    if task.status == Status::Blocked {
        push(&[" ", DASH, " ", BLOCKED, " ", &escape_line(task.note.as_deref().unwrap_or(DASH))]);
    }
}
