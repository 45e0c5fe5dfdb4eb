//! A format is a folder, and a name in the roll-call.

use std::collections::BTreeSet;
use std::path::Path;
use std::{fs, io};

/// What stands in the roll-call and has no folder in `crates/formats/src`, and the reverse.
pub fn roll_call(root: &Path, names: &[&str]) -> Vec<String> {
    let folders = match folders(&root.join("crates/formats/src")) {
        Ok(folders) => folders,
        Err(error) => return vec![format!("crates/formats/src: {error}")],
    };
    let called: BTreeSet<String> = names.iter().map(|name| (*name).to_owned()).collect();
    let absent = folders.difference(&called).map(|name| format!("{name}: has a folder and is not in the roll-call"));
    let homeless = called.difference(&folders).map(|name| format!("{name}: is in the roll-call and has no folder"));
    let mut findings: Vec<_> = absent.chain(homeless).collect();
    if called.len() != names.len() {
        findings.push("the roll-call names a format twice".into());
    }
    findings
}

fn folders(parent: &Path) -> io::Result<BTreeSet<String>> {
    let mut folders = BTreeSet::new();
    for entry in fs::read_dir(parent)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            folders.insert(entry.file_name().to_string_lossy().into_owned());
        }
    }
    Ok(folders)
}

#[cfg(test)]
mod tests {
    use super::roll_call;

    #[test]
    fn folders_and_names_agree() {
        let tree = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(tree.path().join("crates/formats/src/hseos")).unwrap();
        std::fs::create_dir_all(tree.path().join("crates/formats/src/msd")).unwrap();
        let check = |names: &[&str], expected: &[&str]| assert_eq!(roll_call(tree.path(), names), expected);
        check(&["hseos", "msd"], &[]);
        check(&["hseos"], &["msd: has a folder and is not in the roll-call"]);
        check(&["hseos", "msd", "eneo"], &["eneo: is in the roll-call and has no folder"]);
        check(&["hseos", "msd", "msd"], &["the roll-call names a format twice"]);
    }
}
