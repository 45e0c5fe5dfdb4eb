//! The house is in order: arrows, sizes, docs, the roll-call of formats.

use testkit::house::{assert_in_order, findings, roll_call};

#[test]
fn tree() {
    assert_in_order(&findings(&testkit::repository()));
}

#[test]
fn every_format_is_called() {
    let names: Vec<_> = formats::ALL.iter().map(|format| format.name()).collect();
    assert_in_order(&roll_call(&testkit::repository(), &names));
}
