//! The page that tells how to put a planning folder under Mainstay, run command by command.

use std::os::unix::fs::symlink;

use testkit::process::{DEADLINE, Sandbox, finish};

/// The commands of the page's consoles, each with what it prints.
fn commands(page: &str) -> Vec<(String, String)> {
    let mut commands: Vec<(String, String)> = Vec::new();
    for console in page.split("```console\n").skip(1).filter_map(|rest| rest.split("```").next()) {
        for line in console.lines() {
            match line.strip_prefix("$ ") {
                Some(command) => commands.push((command.to_owned(), String::new())),
                None => commands.last_mut().unwrap().1.extend([line, "\n"]),
            }
        }
    }
    commands
}

#[test]
fn the_page_says_what_happens() {
    let page = std::fs::read_to_string(testkit::repository().join("docs/howto/planning-folder.md")).unwrap();
    let commands = commands(&page);
    assert!(commands.len() > 20, "{commands:?}");
    let sandbox = Sandbox::new().unwrap();
    symlink(env!("CARGO_BIN_EXE_mainstay"), sandbox.home().join("mainstay")).unwrap();
    let path = format!("{}:{}", sandbox.home().display(), std::env::var("PATH").unwrap());
    for (command, printed) in commands {
        let finished = finish(sandbox.command("sh").args(["-c", &command]).env("PATH", &path), "", DEADLINE).unwrap();
        assert_eq!((finished.exit().as_str(), &finished.stdout), ("0", &printed), "{command}: {}", finished.stderr);
    }
}
