//! Findings about the scenarios: what is odd about ids, parents and dependencies.

use format::View;
use model::{Finding, Severity};

use super::reading::of_tasks;
use super::scenarios::Scenarios;

/// Every finding, by scenario.
pub(super) fn doctor(view: &View<'_>) -> Vec<Finding> {
    let scenarios = Scenarios::of_project(view);
    let mut findings = Vec::new();
    for place in &scenarios.places {
        let state = scenarios.state(view, place);
        findings.extend(of_tasks(&state, &state.tree()).into_iter().map(|oddity| Finding {
            code: oddity.code.into_owned(),
            severity: Severity::Warning,
            place: place.folder.as_str().to_owned(),
            message: oddity.message,
            fix: None,
            details: oddity.details,
        }));
    }
    findings
}
