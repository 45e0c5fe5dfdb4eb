//! Doors: the command line, hosts' events, MCP over standard input.

use std::ffi::OsString;
use std::fs::File;
use std::io::{Seek as _, Write as _};
use std::os::unix::ffi::OsStringExt as _;
use std::sync::Arc;

use engine::Engine;
use front_cli::{Doors, HostAnswer, Hosts, Servers};
use front_mcp::{IdentityDefaults, ServeOptions};
use model::Object;

use crate::world::{World, identity};

/// Words that start, end or wait for other processes, or lead to another project.
const ELSEWHERE: &[&str] = &["start", "stop", "restart", "up", "serve", "watch", "project"];

/// The events of hosts.
const EVENTS: &[&str] = &[
    "session-start",
    "user-prompt-submit",
    "pre-tool-use",
    "post-tool-use",
    "subagent-start",
    "subagent-stop",
    "stop",
    "pre-compact",
    "session-end",
];

/// The hosts.
const HOST_NAMES: &[&str] = &["claude", "codex", "gemini", "opencode", "copilot", "cursor"];

/// The first byte says which event, and of which host.
pub(super) fn hook(bytes: &[u8]) {
    let Some((first, rest)) = bytes.split_first() else { return };
    let (number, event) = (usize::from(*first) / EVENTS.len(), EVENTS[usize::from(*first) % EVENTS.len()]);
    let host = number.checked_sub(1).map(|number| HOST_NAMES[number % HOST_NAMES.len()]);
    let Ok(input) = serde_json::from_slice::<Object>(rest) else { return };
    let settings = b"formats = [\"hseos\", \"skillstate\"]\n";
    World::with(&[("mainstay.toml", settings)], |world| {
        let engine = Engine::open(world.setup()).expect("the settings are good");
        drop(front_hook::statusline(&engine, Ok(input.clone())));
        if let Ok(said) = front_hook::answer(&engine, event, host, Ok(input), &identity()) {
            assert!(said.code == 0 || said.code == 2, "a hook never breaks its host");
        }
    });
}

/// The last message of an agent, with or without a block that asks for a change.
pub(super) fn response(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let event = serde_json::json!({ "session_id": "s1", "last_assistant_message": text });
    let files: &[(&str, &[u8])] = &[
        ("mainstay.toml", b"formats = [\"skillstate\"]\n"),
        (".skillstate/skillstate.json", b"{\"version\":1,\"state\":{\"goal\":\"x\"}}"),
    ];
    World::with(files, |world| {
        assert_eq!(told(world, "stop", &event), 0);
        world.call("state_get", "{}").expect("the state can be read afterwards");
    });
}

/// A command that an agent wants to run; the answer is yes or no.
pub(super) fn gate(bytes: &[u8]) {
    let command = String::from_utf8_lossy(bytes);
    let event = serde_json::json!({ "tool_name": "Bash", "tool_input": { "command": command } });
    let files: &[(&str, &[u8])] = &[("mainstay.toml", b"formats = [\"eneo\"]\n"), (".claude/state/phase", b"RED\n")];
    World::with(files, |world| assert!(matches!(told(world, "pre-tool-use", &event), 0 | 2)));
}

fn told(world: &World, event: &str, input: &serde_json::Value) -> u8 {
    let engine = Engine::open(world.setup()).expect("the settings are good");
    let input = input.as_object().cloned().unwrap_or_default();
    front_hook::answer(&engine, event, None, Ok(input), &identity()).expect("a hook is answered").code
}

/// One word a line.
pub(super) fn command_line(bytes: &[u8]) {
    let words: Vec<&[u8]> = bytes.split(|byte| *byte == b'\n').collect();
    let leads_elsewhere = |word: &&[u8]| {
        let text = String::from_utf8_lossy(word);
        text.contains(['/', '\0']) || ELSEWHERE.iter().any(|other| text.contains(other))
    };
    if words.iter().any(leads_elsewhere) {
        return;
    }
    let settings = b"formats = [\"hseos\", \"skillstate\"]\n";
    World::with(&[("mainstay.toml", settings)], |world| {
        std::env::set_current_dir(world.root()).expect("the project stands");
        let stdin = File::open("/dev/null").expect("there is /dev/null");
        let words = words.iter().map(|word| OsString::from_vec(word.to_vec()));
        let arguments: Vec<OsString> = std::iter::once("mainstay".into()).chain(words).collect();
        let doors = Doors { servers: SERVERS, hosts: HOSTS };
        with_streams(&stdin, || front_cli::run(&arguments, Ok(world.setup()), doors));
    });
}

/// Lines of a client, then the end of the input: the server ends by itself.
pub(super) fn mcp_lines(bytes: &[u8]) {
    World::with(&[("mainstay.toml", b"formats = [\"hseos\"]\n")], |world| {
        let mut stdin = tempfile::tempfile_in(world.root()).expect("a file in memory can be made");
        stdin.write_all(bytes).expect("a file in memory can be written");
        stdin.rewind().expect("a file can be rewound");
        let engine = Arc::new(Engine::open(world.setup()).expect("the settings are good"));
        let identity = IdentityDefaults { actor: None, session: None };
        drop(with_streams(&stdin, || front_mcp::serve_stdio(engine, ServeOptions::default(), identity)));
    });
}

/// Works while standard input is this file and what is said goes nowhere.
fn with_streams<T>(stdin: &File, work: impl FnOnce() -> T) -> T {
    const REPLACED: &str = "a stream can be replaced";
    let nowhere = File::options().write(true).open("/dev/null").expect("there is /dev/null");
    let before = [rustix::io::dup(rustix::stdio::stdin()), rustix::io::dup(rustix::stdio::stdout())];
    let [input, output] = before.map(|stream| stream.expect("a stream can be kept"));
    rustix::stdio::dup2_stdin(stdin).expect(REPLACED);
    rustix::stdio::dup2_stdout(&nowhere).expect(REPLACED);
    let worked = work();
    rustix::stdio::dup2_stdin(&input).expect(REPLACED);
    rustix::stdio::dup2_stdout(&output).expect(REPLACED);
    worked
}

const SERVERS: Servers = Servers { stdio: |_, _| Ok(()), http: |_, _, _, _| Ok(()) };

const HOSTS: Hosts = Hosts {
    hook: |_, _, _, _| Ok(HostAnswer::default()),
    statusline: |_| Ok(HostAnswer::default()),
    variable: |_| None,
};
