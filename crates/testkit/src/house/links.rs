//! Links of the documents point at files that are there, and at lines that hold what they name.

use std::fs;
use std::path::Path;

/// The documents whose links are followed.
const DOCUMENTS: &[&str] =
    &["README.md", "ARCHITECTURE.md", "GLOSSARY.md", "AGENTS.md", "CONTRIBUTING.md", "CHANGELOG.md"];

/// Links that lead nowhere, or to a line without the word in the link's text.
pub(super) fn findings(root: &Path) -> Vec<String> {
    let mut findings = Vec::new();
    for document in DOCUMENTS {
        match fs::read_to_string(root.join(document)) {
            Ok(text) => findings.extend(broken(root, document, &text)),
            Err(error) => findings.push(format!("{document}: {error}")),
        }
    }
    findings
}

fn broken(root: &Path, document: &str, text: &str) -> Vec<String> {
    let mut findings = Vec::new();
    for (label, target) in links(text) {
        let (path, line) = target.split_once("#L").unwrap_or((target, ""));
        if path.contains("://") || path.starts_with('#') {
            continue;
        }
        let Ok(linked) = fs::read_to_string(root.join(path)) else {
            findings.push(format!("{document}: {target} is not there"));
            continue;
        };
        let Ok(number) = line.parse::<usize>() else { continue };
        // `Plan::render` stands as `fn render` on its line.
        let word = label.trim_matches('`').rsplit("::").next().unwrap_or_default();
        let there = linked.lines().nth(number.saturating_sub(1)).is_some_and(|text| text.contains(word));
        if !there {
            let now = linked.lines().position(|text| text.contains(&format!("fn {word}")));
            let now = now.map_or(String::new(), |at| format!("; it stands on line {}", at + 1));
            findings.push(format!("{document}: line {number} of {path} does not hold {word:?}{now}"));
        }
    }
    findings
}

/// Every `[label](target)` in a text.
fn links(text: &str) -> Vec<(&str, &str)> {
    let mut links = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find("](") {
        let label = rest[..at].rfind('[').map_or("", |start| &rest[start + 1..at]);
        let Some(end) = rest[at..].find(')') else { break };
        links.push((label, &rest[at + 2..at + end]));
        rest = &rest[at + end..];
    }
    links
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_labels_and_targets() {
        let text = "see [`Plan::render`](a.rs#L3), [b](c.md) and [broken](x";
        assert_eq!(links(text), [("`Plan::render`", "a.rs#L3"), ("b", "c.md")]);
    }

    #[test]
    fn a_line_has_to_hold_the_word() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("a.rs"), "//! x\n\nfn render() {}\n").unwrap();
        let check = |text| broken(folder.path(), "D.md", text).len();
        assert_eq!(check("[`Plan::render`](a.rs#L3) [`a.rs`](a.rs) [x](https://example.org)"), 0);
        assert_eq!(check("[`Plan::render`](a.rs#L2) [`Plan::render`](a.rs#L9) [y](gone.rs)"), 3);
    }
}
