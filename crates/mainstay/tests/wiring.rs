//! `init --host`: wired by one command, and unwired to the very bytes of before.

use std::collections::BTreeMap;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use serde_json::Value;
use testkit::pool::in_parallel;
use testkit::process::{DEADLINE, Finished, Sandbox, finish};

/// What people have in their files before, beneath the project and beneath their home.
const BEFORE: &[(&str, &str)] = &[
    (".mcp.json", "{\"mcpServers\":{\"other\":{\"command\":\"x\"}}}"),
    (
        ".claude/settings.json",
        "\u{feff}{\r\n\t// mine\r\n\t\"hooks\": {\r\n\t\t\"Stop\": [ { \"hooks\": [] } ], // theirs\r\n\t},\r\n}\r\n",
    ),
    ("CLAUDE.md", "# Rules\r\n\r\nBe kind."),
    ("AGENTS.md", ""),
    (".codex/config.toml", "model = \"x\" # why\n\n[mcp_servers.other]\ncommand = \"x\""),
    (".codex/hooks.json", "{ }"),
    (".gemini/settings.json", "{\n    \"hooks\": {},\n    \"theme\": \"dark\" /* always */\n}"),
    ("opencode.jsonc", "// mine\n{ \"mcp\": {}, }\n"),
    (".config/opencode/opencode.jsonc", "{\"$schema\": \"https://opencode.ai/config.json\"}\n"),
    (".vscode/mcp.json", "{\n\t\"servers\": {\n\t\t// none\n\t}\n}\n"),
    (".copilot/mcp-config.json", "{\n  \"mcpServers\": {}\n}\n"),
    (
        ".cursor/hooks.json",
        "{\n  \"version\": 1,\n  \"hooks\": {\n    \"preToolUse\": [{\"command\": \"./gate.sh\"}]\n  }\n}\n",
    ),
    (".cursor/mcp.json", "\n"),
    (".claude.json", "{\"numStartups\": 7}"),
];

const ALL: &[&str] = &["claude", "codex", "gemini", "opencode", "copilot", "cursor"];

fn run(sandbox: &Sandbox, words: &[&str]) -> Finished {
    let binary = Path::new(env!("CARGO_BIN_EXE_mainstay"));
    let mut command = sandbox.mainstay(binary);
    command.arg("--json").arg("init");
    for variable in ["CODEX_HOME", "COPILOT_HOME", "XDG_CONFIG_HOME"] {
        command.env_remove(variable);
    }
    finish(command.args(words), "", DEADLINE).unwrap()
}

fn done(sandbox: &Sandbox, words: &[&str]) -> Value {
    let finished = run(sandbox, words);
    assert!(finished.status.success(), "{words:?}: {finished:?}");
    serde_json::from_str(&finished.stdout).unwrap()
}

fn refused(sandbox: &Sandbox, words: &[&str], exit: &str) -> Value {
    let finished = run(sandbox, words);
    assert_eq!(finished.exit(), exit, "{words:?}: {finished:?}");
    let answer: Value = serde_json::from_str(&finished.stdout).unwrap();
    assert!(answer["error"]["message"].is_string(), "{answer}");
    answer["error"].clone()
}

fn words<'a>(hosts: &[&'a str], more: &[&'a str]) -> Vec<&'a str> {
    hosts.iter().flat_map(|host| ["--host", *host]).chain(more.iter().copied()).collect()
}

/// Every file beneath a folder, but for Mainstay's own.
fn files(root: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let kind = path.symlink_metadata().unwrap();
            if kind.is_dir() && !path.ends_with(".mainstay") {
                folders.push(path);
            } else if kind.is_file() {
                found.insert(path.strip_prefix(root).unwrap().to_owned(), std::fs::read(&path).unwrap());
            }
        }
    }
    found
}

fn write(root: &Path, path: &str, text: &str) {
    std::fs::create_dir_all(root.join(path).parent().unwrap()).unwrap();
    std::fs::write(root.join(path), text).unwrap();
}

/// A sandbox with what people have, and the folder that a scope is about.
fn lived_in(scope: &[&str]) -> (Sandbox, PathBuf) {
    let sandbox = Sandbox::new().unwrap();
    let root = if scope.is_empty() { sandbox.root() } else { sandbox.home() };
    for (path, text) in BEFORE {
        write(&root, path, text);
    }
    (sandbox, root)
}

fn actions(report: &Value) -> Vec<&str> {
    report["files"].as_array().unwrap().iter().map(|file| file["action"].as_str().unwrap()).collect()
}

#[test]
fn what_was_before_comes_back() {
    for scope in [&[][..], &["--global"]] {
        for hosts in ALL.iter().map(std::slice::from_ref).chain([ALL]) {
            let (sandbox, root) = lived_in(scope);
            let before = files(&root);
            let shown = done(&sandbox, &words(hosts, &[scope, &["--dry-run"]].concat()));
            assert_eq!(files(&root), before, "{hosts:?}: a dry run writes nothing");
            assert!(shown["files"][0]["diff"].as_str().unwrap().starts_with("--- "), "{shown}");
            let report = done(&sandbox, &words(hosts, scope));
            assert!(!actions(&report).contains(&"kept"), "{report}");
            let wired = files(&root);
            let again = done(&sandbox, &words(hosts, scope));
            assert!(actions(&again).iter().all(|action| *action == "kept"), "{again}");
            assert_eq!(files(&root), wired, "{hosts:?}: twice changes nothing");
            done(&sandbox, &words(hosts, &[scope, &["--uninstall"]].concat()));
            assert_eq!(files(&root), before, "{hosts:?} {scope:?}");
            done(&sandbox, &words(hosts, &[scope, &["--uninstall"]].concat()));
            assert_eq!(files(&root), before, "{hosts:?} {scope:?}: unwired twice");
        }
    }
}

#[test]
fn hosts_leave_in_any_order() {
    let (sandbox, root) = lived_in(&[]);
    let before = files(&root);
    done(&sandbox, &words(ALL, &[]));
    for host in ["opencode", "claude", "cursor", "codex", "copilot", "gemini"] {
        done(&sandbox, &words(&[host], &["--uninstall"]));
    }
    assert_eq!(files(&root), before);
    let empty = Sandbox::new().unwrap();
    done(&empty, &words(ALL, &[]));
    done(&empty, &words(ALL, &["--uninstall"]));
    assert_eq!(std::fs::read_dir(empty.root()).unwrap().count(), 0, "not even a folder is left");
}

#[test]
fn commands_at_the_same_time_lose_nothing() {
    let (sandbox, root) = lived_in(&[]);
    let before = files(&root);
    done(&sandbox, &words(ALL, &[]));
    let wired = files(&root);
    for round in 0..3 {
        for (order, expected) in [(&["--uninstall"][..], &before), (&[], &wired)] {
            in_parallel(ALL.len(), ALL, |host| drop(done(&sandbox, &words(&[host], order))));
            assert_eq!(&files(&root), expected, "round {round} {order:?}");
        }
    }
}

/// A killed command leaves some files done, perhaps a temporary one; its repeat does the rest.
#[test]
fn a_repeat_completes_what_was_cut_short() {
    let (sandbox, root) = lived_in(&[]);
    let before = files(&root);
    let report = done(&sandbox, &words(ALL, &[]));
    let wired = files(&root);
    let paths: Vec<String> =
        report["files"].as_array().unwrap().iter().map(|file| file["path"].as_str().unwrap().to_owned()).collect();
    for count in 0..=paths.len() {
        for (from, order, expected) in [(&wired, &[][..], &wired), (&wired, &["--uninstall"], &before)] {
            let (sandbox, root) = lived_in(&[]);
            for path in &paths[..count] {
                write(&root, path, std::str::from_utf8(&from[Path::new(path)]).unwrap());
            }
            if let Some(path) = paths.get(count) {
                let (folder, name) = path.rsplit_once('/').map_or(("", path.as_str()), |(folder, name)| (folder, name));
                write(&root, format!("{folder}/.mainstay-{name}.tmp").trim_start_matches('/'), "half of i");
            }
            done(&sandbox, &words(ALL, order));
            assert_eq!(&files(&root), expected, "{count} files {order:?}");
        }
    }
}

#[test]
fn what_is_in_the_way_is_named_and_nothing_is_written() {
    let section = "<!-- mainstay:begin hosts=codex sum=0000000000000000 -->\nmine\n<!-- mainstay:end -->\n";
    let twice = "{\"hooks\": {\"stop\": 1, \"Stop\": [{\"command\": \"mainstay hook stop\"}, {\"bash\": \"mainstay hook stop\"}]}}";
    let cases = [
        ("claude", ".claude/settings.json", "{\"hooks\": {", "config_invalid", "2"),
        ("claude", ".claude/settings.json", "{\"hooks\": {}, \"hooks\": {}}", "config_invalid", "2"),
        ("claude", ".claude/settings.json", twice, "host_block_doubled", "1"),
        ("claude", ".mcp.json", "{\"mcpServers\": {\"mainstay\": {\"command\": \"x\"}}}", "host_entry_taken", "1"),
        ("codex", ".codex/config.toml", "a = [", "config_invalid", "2"),
        ("codex", ".codex/config.toml", "mcp_servers = {}\n", "config_invalid", "2"),
        ("codex", "AGENTS.md", section, "host_block_edited", "1"),
        ("codex", "AGENTS.md", &section.repeat(2), "host_block_doubled", "1"),
        ("codex", "AGENTS.md", "<!-- mainstay:end -->\n", "host_block_doubled", "1"),
        ("cursor", ".cursor/hooks.json", "[]", "config_invalid", "2"),
    ];
    for (host, path, text, code, exit) in cases {
        let (sandbox, root) = lived_in(&[]);
        write(&root, path, text);
        let before = files(&root);
        let error = refused(&sandbox, &words(&[host], &[]), exit);
        assert_eq!((error["code"].as_str(), error["path"].as_str()), (Some(code), Some(path)), "{error}");
        assert!(error["hint"].is_string(), "{error}");
        assert_eq!(files(&root), before, "{path}: {text}");
    }
    let (sandbox, root) = lived_in(&[]);
    std::fs::write(root.join(".mcp.json"), b"{\"a\": \"\xff\"}").unwrap();
    assert_eq!(refused(&sandbox, &words(&["claude"], &[]), "2")["code"], "config_invalid");
    let error = refused(&sandbox, &words(&["emacs"], &[]), "2");
    assert_eq!((error["field"].as_str(), error["allowed"].as_array().map(Vec::len)), (Some("host"), Some(6)));
    for alone in ["--global", "--dry-run", "--uninstall"] {
        assert_eq!(refused(&sandbox, &[alone], "2")["code"], "invalid_argument");
    }
}

#[test]
fn what_is_another_s_stays_beside_ours() {
    let (sandbox, root) = lived_in(&[]);
    write(&root, ".claude/settings.json", "{\"statusLine\": {\"type\": \"command\", \"command\": \"mine\"}}");
    let report = done(&sandbox, &words(&["claude", "cursor"], &[]));
    let said = report["notes"].to_string();
    assert!(said.contains("statusLine is somebody else's and stays"), "{said}");
    let settings = std::fs::read_to_string(root.join(".claude/settings.json")).unwrap();
    assert!(settings.contains("\"command\": \"mine\"") && !settings.contains("mainstay statusline"), "{settings}");
    let hooks: Value = serde_json::from_slice(&std::fs::read(root.join(".cursor/hooks.json")).unwrap()).unwrap();
    assert_eq!(hooks["hooks"]["preToolUse"].as_array().unwrap().len(), 2, "{hooks}");
    assert_eq!(hooks["hooks"]["preToolUse"][0]["command"], "./gate.sh");
}

/// As keepers of dotfiles make them: absolute links in the home to files and folders in the home.
#[test]
fn dotfiles_are_edited_where_they_lie() {
    let sandbox = Sandbox::new().unwrap();
    let home = sandbox.home();
    let here = |path: &str| home.join(path);
    write(&home, "dot/claude/settings.json", "{}\n");
    write(&home, "dot/config.toml", "model = \"x\"\n");
    std::fs::create_dir(here(".codex")).unwrap();
    symlink(here("dot/claude"), here(".claude")).unwrap();
    symlink(here("dot/config.toml"), here(".codex/config.toml")).unwrap();
    let before = files(&home);
    done(&sandbox, &words(&["claude", "codex"], &["--global"]));
    assert!(std::fs::read_to_string(here("dot/claude/settings.json")).unwrap().contains("mainstay statusline"));
    assert!(std::fs::read_to_string(here("dot/config.toml")).unwrap().contains("[mcp_servers.mainstay]"));
    assert!(here("dot/claude/CLAUDE.md").is_file());
    for link in [".claude", ".codex/config.toml"] {
        assert!(here(link).symlink_metadata().unwrap().is_symlink(), "{link}");
    }
    done(&sandbox, &words(&["claude", "codex"], &["--global", "--uninstall"]));
    assert_eq!(files(&home), before);
}

#[test]
fn what_was_done_before_a_failure_is_told() {
    let (sandbox, root) = lived_in(&[]);
    std::fs::remove_file(root.join(".claude/settings.json")).unwrap();
    // No file may grow past 512 bytes, or 1,024: that of the server stays below, that of the hooks does not.
    let mut command = sandbox.command("sh");
    command.arg("-c").arg("trap '' XFSZ; ulimit -f 1; exec \"$@\"").arg("sh");
    command.arg(env!("CARGO_BIN_EXE_mainstay")).args(["--json", "init", "--host", "claude"]);
    let finished = finish(&mut command, "", DEADLINE).unwrap();
    assert_eq!(finished.exit(), "3", "{finished:?}");
    let answer: Value = serde_json::from_str(&finished.stdout).unwrap();
    assert_eq!(answer["error"]["done"], serde_json::json!([".mcp.json"]), "{answer}");
    let folder = sandbox.home().join("nowhere");
    let mut command = sandbox.mainstay(Path::new(env!("CARGO_BIN_EXE_mainstay")));
    command.args(["--json", "init", "--host", "codex", "--global"]).env("CODEX_HOME", &folder);
    let finished = finish(&mut command, "", DEADLINE).unwrap();
    let answer: Value = serde_json::from_str(&finished.stdout).unwrap();
    assert_eq!((&answer["error"]["code"], &answer["error"]["field"]), (&"config_invalid".into(), &"CODEX_HOME".into()));
    assert!(!folder.exists());
}

#[test]
fn who_wires_two_hosts_that_read_the_same_hooks_is_told() {
    let (sandbox, _) = lived_in(&[]);
    let codes = |report: &Value| report["notes"].to_string();
    assert!(!codes(&done(&sandbox, &words(&["copilot"], &[]))).contains("fires_twice"));
    assert!(codes(&done(&sandbox, &words(&["claude", "copilot"], &[]))).contains("fires_twice"));
    let (sandbox, root) = lived_in(&[]);
    write(&root, "opencode.json", "{\"mcp\":{\"servers\":{\"mainstay\":{\"command\":[\"other\"]}}}}");
    assert_eq!(refused(&sandbox, &words(&["opencode"], &[]), "1")["code"], "host_entry_taken");
    write(&root, ".codex/config.toml", "[features]\nhooks = false\n");
    assert!(codes(&done(&sandbox, &words(&["codex"], &[]))).contains("hooks_off"));
}

#[test]
fn links_are_followed_only_inside() {
    let (sandbox, root) = lived_in(&[]);
    let elsewhere = sandbox.home().join("settings.json");
    std::fs::write(&elsewhere, "{}").unwrap();
    for (path, target) in
        [(".mcp.json", elsewhere.as_path()), ("CLAUDE.md", Path::new("nowhere")), (".claude", Path::new("/"))]
    {
        let (sandbox, root) = lived_in(&[]);
        let place = root.join(path);
        if place.is_dir() {
            std::fs::remove_dir_all(&place).unwrap();
        } else {
            std::fs::remove_file(&place).unwrap();
        }
        symlink(target, &place).unwrap();
        let before = files(&root);
        assert_eq!(refused(&sandbox, &words(&["claude"], &[]), "1")["code"], "path_outside_project", "{path}");
        assert_eq!(files(&root), before, "{path}");
    }
    assert_eq!(std::fs::read_to_string(&elsewhere).unwrap(), "{}");
    // Two names of one file share one section.
    std::fs::remove_file(root.join("AGENTS.md")).unwrap();
    symlink("CLAUDE.md", root.join("AGENTS.md")).unwrap();
    let before = files(&root);
    done(&sandbox, &words(&["claude", "codex"], &[]));
    let text = std::fs::read_to_string(root.join("AGENTS.md")).unwrap();
    assert!(text.contains("hosts=claude,codex ") && text.matches("mainstay:begin").count() == 1, "{text}");
    done(&sandbox, &words(&["claude", "codex"], &["--uninstall"]));
    assert_eq!(files(&root), before);
}

#[test]
fn a_home_that_cannot_be_used_is_named() {
    let sandbox = Sandbox::new().unwrap();
    let file = sandbox.home().join("file");
    std::fs::write(&file, "").unwrap();
    let cases = [
        (Some("/proc"), "write_failed", "3"),
        (file.to_str(), "write_failed", "3"),
        (Some("relative"), "config_invalid", "2"),
        (Some(""), "config_invalid", "2"),
        (None, "config_invalid", "2"),
    ];
    for (home, code, exit) in cases {
        let binary = Path::new(env!("CARGO_BIN_EXE_mainstay"));
        let mut command = sandbox.mainstay(binary);
        command.args(["--json", "init", "--global", "--host", "gemini"]);
        match home {
            Some(home) => command.env("HOME", home),
            None => command.env_remove("HOME"),
        };
        let finished = finish(&mut command, "", DEADLINE).unwrap();
        let answer: Value = serde_json::from_str(&finished.stdout).unwrap();
        assert_eq!(
            (finished.exit().as_str(), answer["error"]["code"].as_str()),
            (exit, Some(code)),
            "{home:?}: {answer}"
        );
    }
}

#[test]
fn variables_say_where_hosts_keep_their_files() {
    let sandbox = Sandbox::new().unwrap();
    let moved = sandbox.home().join("elsewhere");
    std::fs::create_dir(&moved).unwrap();
    let binary = Path::new(env!("CARGO_BIN_EXE_mainstay"));
    for order in [&[][..], &["--uninstall"]] {
        let mut command = sandbox.mainstay(binary);
        command.args(["--json", "init", "--global"]).args(words(ALL, order)).env_remove("HOME");
        for variable in ["CLAUDE_CONFIG_DIR", "CODEX_HOME", "COPILOT_HOME", "XDG_CONFIG_HOME"] {
            command.env(variable, &moved);
        }
        let finished = finish(command.env("HOME", sandbox.home()), "", DEADLINE).unwrap();
        assert!(finished.status.success(), "{finished:?}");
        let found = moved.join("config.toml").is_file() && moved.join("opencode/opencode.json").is_file();
        assert_eq!(found, order.is_empty());
        assert!(!sandbox.home().join(".codex").exists());
    }
}
