//! Links of the documents point at files that are there, and at lines that hold what they name.

use std::path::Path;
use std::{fs, io};

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

/// Sets the line numbers of links to where their words stand now; answers the documents it changed.
pub fn mend_links(root: &Path) -> io::Result<Vec<String>> {
    let mut mended = Vec::new();
    for document in DOCUMENTS {
        let text = fs::read_to_string(root.join(document))?;
        let mut now = text.clone();
        for (label, target) in links(&text) {
            if let Fault::Moved { path, to, .. } = look(root, label, target) {
                now = now.replacen(&format!("[{label}]({target})"), &format!("[{label}]({path}#L{to})"), 1);
            }
        }
        if now != text {
            fs::write(root.join(document), now)?;
            mended.push((*document).to_owned());
        }
    }
    Ok(mended)
}

fn broken(root: &Path, document: &str, text: &str) -> Vec<String> {
    let fault = |(label, target): (&str, &str)| match look(root, label, target) {
        Fault::None => None,
        Fault::Gone => Some(format!("{document}: {target} is not there")),
        Fault::Moved { word, to, .. } => {
            Some(format!("{document}: {target} does not hold {word:?}, line {to} does; `cargo xtask checks --mend`"))
        }
        Fault::Unheld(word) => Some(format!("{document}: {target} does not hold {word:?}, nor does any line")),
    };
    links(text).into_iter().filter_map(fault).collect()
}

/// What is wrong with a link.
enum Fault<'a> {
    None,
    /// There is no such file.
    Gone,
    /// The word stands on another line.
    Moved {
        path: &'a str,
        word: &'a str,
        to: usize,
    },
    /// The word stands nowhere in the file.
    Unheld(&'a str),
}

fn look<'a>(root: &Path, label: &'a str, target: &'a str) -> Fault<'a> {
    let (path, line) = target.split_once("#L").unwrap_or((target, ""));
    if path.contains("://") || path.starts_with('#') {
        return Fault::None;
    }
    let Ok(linked) = fs::read_to_string(root.join(path)) else { return Fault::Gone };
    let Ok(number) = line.parse::<usize>() else { return Fault::None };
    // `Plan::render` stands as `fn render` or `struct render` on its line.
    let word = label.trim_matches('`').rsplit("::").next().unwrap_or_default();
    let defines = |text: &str| {
        ["fn ", "struct ", "enum ", "trait "].iter().any(|kind| {
            let at = text.find(&format!("{kind}{word}"));
            let behind = at.and_then(|at| text[at + kind.len() + word.len()..].chars().next());
            at.is_some() && !behind.is_some_and(|next| next.is_alphanumeric() || next == '_')
        })
    };
    if linked.lines().nth(number.saturating_sub(1)).is_some_and(defines) {
        return Fault::None;
    }
    match linked.lines().position(defines) {
        Some(at) => Fault::Moved { path, word, to: at + 1 },
        None => Fault::Unheld(word),
    }
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
        fs::write(folder.path().join("a.rs"), "//! render\n\nfn render_all() {}\nfn render() {}\n").unwrap();
        let check = |text| broken(folder.path(), "D.md", text).len();
        assert_eq!(check("[`Plan::render`](a.rs#L4) [`a.rs`](a.rs) [x](https://example.org)"), 0);
        assert_eq!(check("[`Plan::render`](a.rs#L3) [`Plan::renders`](a.rs#L4) [y](gone.rs)"), 3);
    }

    #[test]
    fn mending_sets_the_line() {
        let folder = tempfile::tempdir().unwrap();
        for document in DOCUMENTS {
            fs::write(folder.path().join(document), "[`Plan::render`](a.rs#L9) and [`a`](a.rs)\n").unwrap();
        }
        fs::write(folder.path().join("a.rs"), "\nfn render() {}\n").unwrap();
        assert_eq!(mend_links(folder.path()).unwrap(), DOCUMENTS);
        assert_eq!(findings(folder.path()), Vec::<String>::new());
        assert_eq!(mend_links(folder.path()).unwrap(), Vec::<String>::new());
    }
}
