//! Findings about the records: rows that are open as invalid, and readable ones outside the rules.

use std::collections::HashSet;

use format::Records;
use format::task_graph::TaskGraph;
use model::{Finding, Object, Severity, Value};

use super::records::{Field, HistoryRow, Kind, Task, members};
use super::{arguments, invalid, outlook, times};

/// Every finding: invalid rows, then irregular fields, tasks and history rows.
pub(super) fn doctor(records: &dyn Records) -> Vec<Finding> {
    let mut findings: Vec<Finding> = invalid::all_open(records).into_iter().map(invalid_row).collect();
    for (id, value) in Kind::State.all(records) {
        let field = Field::from_value(&value);
        let problems = [
            (!arguments::is_key(id.as_str())).then_some("the key is outside the pattern"),
            unreadable(&field.updated_at),
        ];
        findings.extend(irregular("state", id.as_str(), problems));
    }
    let tasks = Task::all(records);
    let nodes = outlook::nodes(&tasks);
    let on_cycles: HashSet<&str> =
        TaskGraph::new(&nodes).on_cycles().into_iter().map(|node| node.id.as_str()).collect();
    for (id, task) in &tasks {
        let problems = [
            (!arguments::is_task_id(id)).then_some("the id is outside the pattern"),
            (!arguments::is_name(&task.owner)).then_some("the owner is outside the pattern"),
            task.description
                .contains(char::is_control)
                .then_some("the description holds line breaks or control characters"),
            on_cycles.contains(id.as_str()).then_some("its dependencies lead back to itself"),
            unreadable(&task.created_at).or_else(|| unreadable(&task.updated_at)),
        ];
        findings.extend(irregular("tasks", id, problems));
    }
    for (id, value) in Kind::History.all(records) {
        let row = HistoryRow::from_value(&value);
        findings.extend(irregular("state_history", id.as_str(), [unreadable(&row.changed_at)]));
    }
    findings
}

fn unreadable(time: &str) -> Option<&'static str> {
    times::to_millis(time).is_none().then_some("a time cannot be read")
}

fn irregular<const N: usize>(table: &str, key: &str, problems: [Option<&'static str>; N]) -> Option<Finding> {
    let problems: Vec<&str> = problems.into_iter().flatten().collect();
    (!problems.is_empty()).then(|| Finding {
        code: "irregular_row".into(),
        severity: Severity::Warning,
        place: format!("{table}/{key}"),
        message: format!("taken in as it stands: {}", problems.join("; ")),
        fix: None,
        details: members([("table", table.into()), ("key", key.into())]),
    })
}

fn invalid_row(details: Object) -> Finding {
    let text = |name| details.get(name).and_then(Value::as_str).unwrap_or_default();
    Finding {
        code: "outside_row_invalid".into(),
        severity: Severity::Error,
        place: format!("{}/{}", text("table"), text("key")),
        message: invalid::message(&details),
        fix: Some("mend or delete the row in the database, or write the key with a call".into()),
        details,
    }
}
