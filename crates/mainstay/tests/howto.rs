//! The how-tos about upgrades and backlogs, walked with the built program.

use std::fs;
use std::os::unix::fs::symlink;
use std::process::{Command, Output, Stdio};

use testkit::process::{DEADLINE, Sandbox, finish};

const PAGE: &str = "docs/howto/take-over-an-upgrade.md";
const BACKLOG: &str = "docs/howto/shared-backlog.md";

/// The fenced blocks of the page in a language, in order.
fn blocks(page: &str, language: &str) -> Vec<String> {
    let blocks = format::fenced_blocks::fenced_blocks(page);
    let own = blocks.iter().filter(|block| block.is_in(language));
    own.map(|block| block.content.to_owned()).collect()
}

#[test]
fn the_damaged_sample_is_read_as_the_page_says() {
    let page = fs::read_to_string(testkit::repository().join(PAGE)).unwrap();
    let files = blocks(&page, "markdown");
    let [plan, tasks, rows] = files.as_slice() else { panic!("{} samples", files.len()) };
    let project = tempfile::tempdir().unwrap();
    let folder = project.path().join(".github/upgrades/net-upgrade");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("plan.md"), plan).unwrap();
    fs::write(folder.join("tasks.md"), tasks).unwrap();
    let run = |words: &str| -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_mainstay"));
        command.arg("--project").arg(project.path()).args(words.split(' ')).stdin(Stdio::null());
        let output = command.env("MAINSTAY_NOW", "2026-01-02T03:04:05Z").output().unwrap();
        assert!(output.status.success(), "{words}: {}", String::from_utf8_lossy(&output.stderr));
        output
    };
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();

    let seen = run("upgrade get-state");
    let shown = blocks(&page, "text").concat();
    assert_eq!(format!("{}{}", text(seen.stdout), text(seen.stderr)).trim_end(), shown.trim_end());
    assert_eq!(fs::read_to_string(folder.join("tasks.md")).unwrap(), *tasks, "looking writes nothing");

    // Every command of the page is one, and what it is said to do is done.
    let commands = blocks(&page, "sh").concat();
    let told: Vec<String> = commands
        .lines()
        .filter_map(|line| line.split(" #").next().unwrap_or_default().trim().strip_prefix("mainstay "))
        .map(|words| text(run(words).stderr))
        .collect();
    assert_eq!(told.len(), commands.lines().count());
    let copy = ".github/upgrades/net-upgrade/tasks.md.conflict-20260102T030405Z";
    assert!(page.contains(copy) && told[1].contains(copy), "{told:?}");
    assert_eq!(fs::read_to_string(project.path().join(copy)).unwrap(), *tasks);
    assert_eq!(fs::read_to_string(folder.join("plan.md")).unwrap(), *plan);
    let now = fs::read_to_string(folder.join("tasks.md")).unwrap();
    assert!(now.contains(rows.trim_end()), "{now}");
}

#[test]
fn every_command_about_backlogs_answers_as_its_page_says() {
    let page = fs::read_to_string(testkit::repository().join(BACKLOG)).unwrap();
    let sandbox = Sandbox::new().unwrap();
    fs::create_dir(sandbox.home().join("bin")).unwrap();
    symlink(env!("CARGO_BIN_EXE_mainstay"), sandbox.home().join("bin/mainstay")).unwrap();
    let path = format!("{}:{}", sandbox.home().join("bin").display(), std::env::var("PATH").unwrap());
    let [row] = &blocks(&page, "text")[..] else { panic!("one row is shown") };
    let mut walked = 0;
    for (number, block) in blocks(&page, "console").into_iter().enumerate() {
        for told in block.split("$ ").skip(1) {
            let (command, shown) = told.split_once('\n').unwrap();
            let mut bash = sandbox.command("bash");
            let answer =
                finish(bash.args(["-c", command]).env("PATH", &path).current_dir(sandbox.root()), "", DEADLINE);
            let answer = answer.unwrap();
            assert!(answer.status.success(), "{command}: {answer:?}");
            let lines: Vec<&str> = answer.stdout.lines().map(str::trim_end).collect();
            for line in shown.lines() {
                assert!(lines.contains(&line), "{command}: {line} is not in {lines:?}");
            }
            walked += 1;
        }
        if number == 2 {
            assert!(fs::read_to_string(sandbox.root().join("TASKS.md")).unwrap().contains(row.as_str()));
        }
    }
    assert_eq!(walked, 12);
}
