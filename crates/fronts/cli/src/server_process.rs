//! `start` and `stop`: a format's server as a process of its own.
//!
//! A server is *ours* when its health answer names the format's server and this project. The process
//! that `start` makes is known by a nonce, which it gets through the environment and shows in its
//! health answer; `stop` signals the recorded process only when that answer shows the recorded nonce.

use std::fmt::Write as _;
use std::io::ErrorKind;
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::process::{Child, Command as Process, Stdio};
use std::time::{Duration, Instant};

use engine::Engine;
use format::{Command, Format, HealthProbe};
use model::{Call, Object, Origin, ProjectPath, Refusal, Value, Warning};

use crate::platform;
use crate::project::Project;
use crate::terminal::{Mode, Terminal};

mod life;

/// The variable through which a started server gets its nonce.
pub(crate) const NONCE_VARIABLE: &str = "MAINSTAY_SERVER_NONCE";

/// How long `start` waits for the health answer, and `stop` for its end.
const PATIENCE: Duration = Duration::from_secs(3);

/// The commands of a format that has a server.
pub(crate) static COMMANDS: [Command; 4] = [
    command(&["start"], "Start the MCP server in the background"),
    command(&["stop"], "Stop the server that start started"),
    command(&["state", "start"], "The same as start"),
    command(&["state", "stop"], "The same as stop"),
];

pub(crate) const fn command(words: &'static [&'static str], about: &'static str) -> Command {
    Command { words, about, ..Command::BARE }
}

/// What to do with the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verb {
    /// Have it run.
    Start,
    /// Have it not run.
    Stop,
}

/// What a command of [`COMMANDS`] does; nothing for the commands that call tools.
pub(crate) fn verb(command: &Command) -> Option<Verb> {
    match (command.tool, command.words.last()) {
        ("", Some(&"start")) => Some(Verb::Start),
        ("", Some(&"stop")) => Some(Verb::Stop),
        _ => None,
    }
}

/// Carries out `start` or `stop`.
pub(crate) fn run(
    terminal: &mut Terminal,
    project: Project,
    format: &'static dyn Format,
    verb: Verb,
) -> Result<(), Refusal> {
    let identity = project.identity(Origin::Command);
    let engine = project.open()?;
    // Its warnings tell which backend answers meanwhile; nobody asked that.
    let status = engine.call(&Call::new(format!("{}_status", format.name()), Object::new()), &identity)?;
    let port = port_of(&status.body).ok_or_else(|| Refusal::config("mcp_port", "the format names no server port"))?;
    let path = format!(".{}/state/mcp-server.json", format.name());
    let desk = Own {
        engine: &engine,
        server: format.surface().server_name.unwrap_or_default(),
        root: engine.root().to_string_lossy().into_owned(),
        record: ProjectPath::new(path).expect("a format's name is one lower-case word"),
    };
    let answer = match verb {
        Verb::Start if status.body.get("mode").and_then(Value::as_str) == Some("skill-only") => {
            life::without_server(port)
        }
        Verb::Start => life::start(&desk, port)?,
        Verb::Stop => life::stop(&desk, port)?,
    };
    show(terminal, &answer);
    Ok(())
}

/// The port of the format's server, as its status says.
pub(crate) fn port_of(status: &Object) -> Option<u16> {
    status.get("server")?.get("port")?.as_u64()?.try_into().ok()
}

/// What `start` and `stop` answer.
#[derive(Debug, PartialEq)]
struct Answer {
    line: String,
    body: Object,
    warning: Option<Warning>,
}

fn show(terminal: &mut Terminal, answer: &Answer) {
    let reply = model::Reply::new(answer.body.clone(), answer.warning.iter().cloned().collect());
    terminal.warn_of(&reply);
    if terminal.mode == Mode::Text {
        terminal.print(&answer.line);
    } else {
        terminal.print_object(&reply.to_object());
    }
}

/// The world as `start` and `stop` see it.
trait Desk {
    /// What answers on the port, in the light of this project.
    fn look(&self, port: u16) -> Seen;
    /// The record of the server that was started last.
    fn record(&self) -> Option<Object>;
    /// Keeps the record of a server.
    fn keep(&self, pid: u32, port: u16, nonce: &str) -> Result<(), Refusal>;
    /// Starts a server process.
    fn spawn(&self, port: u16, nonce: &str) -> Result<Box<dyn Spawned>, Refusal>;
    /// Asks a process to end.
    fn terminate(&self, pid: u32) -> Result<(), Refusal>;
    /// Lets a little time pass; false when patience is over.
    fn wait(&self, since: Instant) -> bool;
}

/// A process that was started here.
trait Spawned {
    fn pid(&self) -> u32;
    /// The exit code, once it ended; 0 where a signal ended it.
    fn ended(&mut self) -> Option<i32>;
    fn kill(&mut self);
}

/// What answers on a port.
#[derive(Clone, Debug, PartialEq)]
enum Seen {
    /// Nothing.
    Nobody,
    /// Something that holds the port and says nothing in time.
    Mute,
    /// Something that is not this project's server.
    Other,
    /// This project's server.
    Ours {
        /// What it shows of the environment it was started with.
        nonce: Option<String>,
        /// Its process, where it says so.
        pid: Option<u64>,
    },
}

struct Own<'a> {
    engine: &'a Engine,
    server: &'static str,
    root: String,
    record: ProjectPath,
}

impl Desk for Own<'_> {
    fn look(&self, port: u16) -> Seen {
        match seen(&self.engine.health(port), self.server, &self.root) {
            Seen::Nobody if is_held(port) => Seen::Mute,
            seen => seen,
        }
    }

    fn record(&self) -> Option<Object> {
        let record = self.engine.read_server_record(&self.record)?;
        (text(&record, "project") == Some(&self.root)).then_some(record)
    }

    fn keep(&self, pid: u32, port: u16, nonce: &str) -> Result<(), Refusal> {
        let record = Object::from_iter([
            ("pid".to_owned(), pid.into()),
            ("port".to_owned(), port.into()),
            ("nonce".to_owned(), nonce.into()),
            ("project".to_owned(), self.root.as_str().into()),
        ]);
        self.engine.write_server_record(&self.record, &record)
    }

    fn spawn(&self, port: u16, nonce: &str) -> Result<Box<dyn Spawned>, Refusal> {
        let failed = |error: std::io::Error| unavailable(format!("the server cannot be started: {error}"));
        let mut process = Process::new(std::env::current_exe().map_err(failed)?);
        process.arg("--project").arg(self.engine.root()).args(["serve", "--http", &format!("127.0.0.1:{port}")]);
        process.env(NONCE_VARIABLE, nonce).current_dir(self.engine.root());
        process.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        platform::detach(&mut process);
        Ok(Box::new(process.spawn().map_err(failed)?))
    }

    fn terminate(&self, pid: u32) -> Result<(), Refusal> {
        platform::terminate(pid)
            .map_err(|error| unavailable(format!("the server (PID {pid}) cannot be stopped: {error}")))
    }

    fn wait(&self, since: Instant) -> bool {
        std::thread::sleep(Duration::from_millis(20));
        since.elapsed() < PATIENCE
    }
}

impl Spawned for Child {
    fn pid(&self) -> u32 {
        self.id()
    }
    fn ended(&mut self) -> Option<i32> {
        self.try_wait().ok().flatten().map(|status| status.code().unwrap_or(0))
    }
    fn kill(&mut self) {
        // An error means that it ended already.
        let _ = Child::kill(self);
        let _ = self.wait();
    }
}

/// Whether a connection to the port is anything but refused.
fn is_held(port: u16) -> bool {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    match TcpStream::connect_timeout(&address, Duration::from_millis(500)) {
        Ok(_) => true,
        // The queue of those who wait is full.
        Err(error) => error.kind() == ErrorKind::TimedOut,
    }
}

/// Reads a health answer.
fn seen(probe: &HealthProbe, server: &str, root: &str) -> Seen {
    match probe {
        HealthProbe::Silent => Seen::Nobody,
        HealthProbe::Healthy(health)
            if text(health, "server") == Some(server) && text(health, "project") == Some(root) =>
        {
            Seen::Ours {
                nonce: text(health, "nonce").map(str::to_owned),
                pid: health.get("pid").and_then(Value::as_u64),
            }
        }
        HealthProbe::Healthy(_) | HealthProbe::Foreign => Seen::Other,
    }
}

/// A fresh nonce of 32 hexadecimal digits.
fn nonce() -> Result<String, Refusal> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|error| unavailable(format!("the system gives no random bytes: {error}")))?;
    let mut text = String::with_capacity(32);
    for byte in bytes {
        write!(text, "{byte:02x}").expect("writing to a string succeeds");
    }
    Ok(text)
}

fn unavailable(message: String) -> Refusal {
    Refusal::new(model::RefusalClass::Unavailable, "backend_unavailable", message)
}

fn text<'a>(object: &'a Object, name: &str) -> Option<&'a str> {
    object.get(name)?.as_str()
}
