//! What the documents tell people to type works as they say.

use std::fs;
use std::os::unix::fs::symlink;

use testkit::process::{DEADLINE, Sandbox, finish};

/// The documents whose `console` blocks can be typed from the first to the last in an empty folder.
const WALKED: &[(&str, Shows)] = &[
    ("docs/howto/agent-memory.md", Shows::Some),
    ("docs/howto/planning-folder.md", Shows::All),
    ("docs/tutorial.md", Shows::Some),
];

/// How much of the answers a document shows.
#[derive(Clone, Copy, PartialEq)]
enum Shows {
    /// Every line.
    All,
    /// Lines worth showing, in their order.
    Some,
}

/// A command, and the lines of its answer that the document shows.
#[derive(Debug, PartialEq)]
struct Typed {
    command: String,
    shown: Vec<String>,
}

#[test]
fn every_command_of_a_walk_answers_as_shown() {
    for (document, shows) in WALKED {
        let text = fs::read_to_string(testkit::repository().join(document)).unwrap();
        let typed = typed(&text);
        assert!(typed.len() > 5, "{document}: {typed:?}");
        let sandbox = Sandbox::new().unwrap();
        let bin = sandbox.home().join("bin");
        fs::create_dir(&bin).unwrap();
        symlink(env!("CARGO_BIN_EXE_mainstay"), bin.join("mainstay")).unwrap();
        let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
        let is_ours = |command: &str| command.starts_with("mainstay ") || command.contains("| mainstay ");
        for Typed { command, shown } in typed.into_iter().filter(|typed| is_ours(&typed.command)) {
            let mut shell = sandbox.command("sh");
            let finished = finish(shell.args(["-c", &command]).env("PATH", &path), "", DEADLINE).unwrap();
            assert_eq!(finished.exit(), "0", "{document}: {command}: {}{}", finished.stdout, finished.stderr);
            if *shows == Shows::All {
                assert_eq!(finished.stdout.lines().collect::<Vec<_>>(), shown, "{document}: {command}");
            }
            let mut answered = finished.stdout.lines();
            for line in shown {
                assert!(answered.any(|answered| answered == line), "{document}: {command}: {}", finished.stdout);
            }
        }
    }
}

fn typed(text: &str) -> Vec<Typed> {
    let mut typed: Vec<Typed> = Vec::new();
    let mut is_inside = false;
    for line in text.lines() {
        if line.starts_with("```") {
            is_inside = line == "```console";
        } else if let (true, Some(command)) = (is_inside, line.strip_prefix("$ ")) {
            typed.push(Typed { command: command.to_owned(), shown: Vec::new() });
        } else if let (true, Some(last)) = (is_inside, typed.last_mut()) {
            last.shown.push(line.to_owned());
        }
    }
    typed
}

#[test]
fn commands_and_their_answers_are_told_apart() {
    let text = "```console\n$ one\nanswer\n$ two\n```\n\n```sh\n$ three\n```\n";
    let one = Typed { command: "one".into(), shown: vec!["answer".into()] };
    assert_eq!(typed(text), [one, Typed { command: "two".into(), shown: vec![] }]);
}

#[test]
fn every_threat_is_held_by_tests_that_exist() {
    let text = fs::read_to_string(testkit::repository().join("docs/durability.md")).unwrap();
    let (_, threats) = text.split_once("## Threats and their tests").unwrap();
    let (threats, _) = threats.split_once("\n## ").unwrap();
    let rows: Vec<&str> = threats.lines().filter(|line| line.starts_with("| ")).skip(1).collect();
    assert!(rows.len() >= 10, "{rows:?}");
    for row in rows {
        let named: Vec<_> = row.split('`').filter_map(|word| word.split_once("::")).collect();
        assert!(!named.is_empty(), "no test: {row}");
        for (file, test) in named {
            let path = testkit::repository().join("crates").join(file);
            let source = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{file}: {error}"));
            // An attribute and perhaps `async` stand before it; nothing else is called so.
            assert!(source.contains(&format!("fn {test}(")), "{file} has no test {test}");
        }
    }
}
