//! How long a file may be.

use super::tree::File;

const ASKS_FOR_A_REASON: usize = 400;
const TOO_LONG: usize = 800;

/// Files of more than 400 lines, and why each is better whole.
const LONG: &[(&str, &str)] = &[];

pub(super) fn findings(files: &[File]) -> Vec<String> {
    over(files, LONG)
}

fn over(files: &[File], reasons: &[(&str, &str)]) -> Vec<String> {
    let mut findings = Vec::new();
    for file in files.iter().filter(|file| file.is_rust()) {
        let lines = file.text.lines().count();
        let has_reason = reasons.iter().any(|(path, reason)| *path == file.path && !reason.is_empty());
        if lines > TOO_LONG {
            findings.push(format!("{}: {lines} lines, more than {TOO_LONG}", file.path));
        } else if lines > ASKS_FOR_A_REASON && !has_reason {
            findings.push(format!("{}: {lines} lines and no reason in `house/sizes.rs`", file.path));
        }
    }
    for (path, _) in reasons {
        let still_long = files.iter().any(|file| file.path == *path && file.text.lines().count() > ASKS_FOR_A_REASON);
        if !still_long {
            findings.push(format!("{path}: stands among the long files in `house/sizes.rs` and is none"));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::{File, over};

    fn check(path: &str, lines: usize, reasons: &[(&str, &str)], expected: &[&str]) {
        let file = File { path: path.into(), text: "//\n".repeat(lines) };
        assert_eq!(over(&[file], reasons), expected);
    }

    #[test]
    fn long_files_are_found() {
        check("a.rs", 400, &[], &[]);
        check("a.rs", 401, &[], &["a.rs: 401 lines and no reason in `house/sizes.rs`"]);
        check("a.rs", 401, &[("a.rs", "one table")], &[]);
        check("a.rs", 801, &[("a.rs", "one table")], &["a.rs: 801 lines, more than 800"]);
        check("a.rs", 10, &[("a.rs", "x")], &["a.rs: stands among the long files in `house/sizes.rs` and is none"]);
        check("fixtures/a.rs", 900, &[], &[]);
        check("a.json", 900, &[], &[]);
    }
}
