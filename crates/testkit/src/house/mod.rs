//! Checks on the tree itself: who may depend on whom, how files look, what must not stand in them.

mod arrows;
mod links;
mod roll_call;
mod sizes;
mod texts;
mod tree;

use std::path::Path;

pub use links::mend_links;
pub use roll_call::roll_call;

/// Every finding in the tree at `root`; none when the house is in order.
///
/// The roll-call of formats is not in it: that one needs the compiled program, see [`roll_call()`].
pub fn findings(root: &Path) -> Vec<String> {
    let files = match tree::read(root) {
        Ok(files) => files,
        Err(error) => return vec![format!("the tree cannot be read: {error}")],
    };
    let mut findings = arrows::findings(root).unwrap_or_else(|problem| vec![problem]);
    findings.extend(links::findings(root));
    findings.extend(sizes::findings(&files));
    findings.extend(texts::findings(&files, root));
    findings
}

/// Panics with one finding a line where there are any.
#[track_caller]
pub fn assert_in_order(findings: &[String]) {
    assert!(findings.is_empty(), "the house is not in order:\n{}", findings.join("\n"));
}
