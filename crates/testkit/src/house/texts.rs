//! What must and must not stand in a file.

use std::path::Path;

use super::tree::File;

/// What code that is finished does not hold. Written in parts, so that this table does not find itself.
const UNFINISHED: &[&str] = &[concat!("#[ig", "nore"), concat!("to", "do!("), concat!("unimp", "lemented!(")];

/// Folders of the machines that Mainstay is made on.
const MACHINES: &[&str] = &[concat!("/wo", "rk/"), concat!("/ro", "ot/"), concat!("/fa", "rm/")];

pub(super) fn findings(files: &[File], root: &Path) -> Vec<String> {
    files
        .iter()
        .flat_map(|file| [module_doc(file), doc_lines(file), unfinished(file), paths(file, root)])
        .flatten()
        .collect()
}

fn module_doc(file: &File) -> Vec<String> {
    if !file.is_rust() {
        return Vec::new();
    }
    let first = file.text.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with("#!["));
    let has_doc = first.is_some_and(|line| line.starts_with("//!"));
    if has_doc { Vec::new() } else { vec![format!("{}: does not begin with a `//!` line", file.path)] }
}

/// The first line of every doc comment is one sentence.
fn doc_lines(file: &File) -> Vec<String> {
    if !file.is_rust() {
        return Vec::new();
    }
    let mut findings = Vec::new();
    let mut earlier = None;
    for (number, line) in numbered(file) {
        let marker = ["//!", "///"].into_iter().find(|marker| line.trim_start().starts_with(marker));
        if marker.is_some() && marker != earlier && !line.trim_end().ends_with('.') {
            findings.push(format!("{}:{number}: the first doc line is no sentence with a full stop", file.path));
        }
        earlier = marker;
    }
    findings
}

fn unfinished(file: &File) -> Vec<String> {
    if !file.is_rust() {
        return Vec::new();
    }
    let lines = numbered(file).flat_map(|(number, line)| {
        let words = UNFINISHED.iter().filter(move |word| line.contains(**word));
        words.map(move |word| format!("{}:{number}: holds `{word}`", file.path))
    });
    lines.collect()
}

fn paths(file: &File, root: &Path) -> Vec<String> {
    let here = format!("{}/", root.display());
    let lines = numbered(file).flat_map(|(number, line)| {
        let machine = MACHINES.iter().copied().find(|path| begins_a_path(line, path));
        let own = (here.matches('/').count() > 2 && line.contains(&here)).then_some(here.as_str());
        let found =
            machine.or(own).map(|path| format!("{}:{number}: names a path of one machine, `{path}`", file.path));
        found.into_iter()
    });
    lines.collect()
}

fn begins_a_path(line: &str, path: &str) -> bool {
    let goes_on = |letter: char| letter.is_alphanumeric() || ".-_~*}".contains(letter);
    line.match_indices(path).any(|(at, _)| !line[..at].ends_with(goes_on))
}

fn numbered(file: &File) -> impl Iterator<Item = (usize, &str)> {
    file.text.lines().enumerate().map(|(index, line)| (index + 1, line))
}

#[cfg(test)]
mod tests {
    use super::{File, findings};
    use std::path::Path;

    fn check(path: &str, text: &str, expected: &[&str]) {
        let file = File { path: path.into(), text: text.into() };
        assert_eq!(findings(&[file], Path::new("/home/someone/mainstay")), expected);
    }

    #[test]
    fn a_module_begins_with_its_doc() {
        check("a.rs", "//! What it is.\n\nuse x;\n", &[]);
        check("a.rs", "#![allow(x)]\n//! What it is.\n", &[]);
        check("a.rs", "use x;\n", &["a.rs: does not begin with a `//!` line"]);
        check("a.rs", "", &["a.rs: does not begin with a `//!` line"]);
        check("a.md", "# A page\n", &[]);
    }

    #[test]
    fn the_first_doc_line_is_a_sentence() {
        check("a.rs", "//! What it is\n", &["a.rs:1: the first doc line is no sentence with a full stop"]);
        check(
            "a.rs",
            "//! What.\n/// That\n/// wraps.\nfn a() {}\n",
            &["a.rs:2: the first doc line is no sentence with a full stop"],
        );
        check("a.rs", "//! What.\n//!\n//! - a list\n\n    /// One.\n    ///\n    /// more\n", &[]);
    }

    #[test]
    fn unfinished_code_is_found() {
        for word in super::UNFINISHED {
            let text = format!("//! What.\nfn a() {{ {word} }}\n");
            check("a.rs", &text, &[&format!("a.rs:2: holds `{word}`")]);
        }
    }

    #[test]
    fn paths_of_a_machine_are_found() {
        let machine = super::MACHINES[0];
        check(
            "a.md",
            &format!("see {machine}shared\n"),
            &[&format!("a.md:1: names a path of one machine, `{machine}`")],
        );
        check("a.md", &format!("see docs{machine}shared and ${{DIR}}{machine}\n"), &[]);
        check(
            "a.json",
            "\"/home/someone/mainstay/x\"\n",
            &["a.json:1: names a path of one machine, `/home/someone/mainstay/`"],
        );
    }
}
