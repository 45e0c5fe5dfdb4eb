//! The behaviour vectors, run against the built program.

use std::path::Path;

use testkit::vectors::{Choice, load, run};

#[test]
fn all_vectors_pass() {
    let vectors = load(&testkit::repository().join("tests/vectors")).unwrap();
    let reports = run(Path::new(env!("CARGO_BIN_EXE_mainstay")), &vectors, &Choice::default());
    let failed: Vec<_> = reports.iter().filter(|report| !report.problems.is_empty()).collect();
    let text: Vec<_> =
        failed.iter().map(|it| format!("{}: {}\n  {}", it.id, it.rule, it.problems.join("\n  "))).collect();
    assert!(!reports.is_empty(), "there are no vectors");
    assert!(failed.is_empty(), "{} of {} vectors fail:\n{}", failed.len(), reports.len(), text.join("\n"));
}
