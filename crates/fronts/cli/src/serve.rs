//! `serve` and `up`: the project's tools for agents, until the client or Ctrl-C ends it.

use std::fs::File;
use std::io::Read;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use engine::{Engine, Identity};
use model::{Call, Environment, Object, Origin, Refusal, Value};

use crate::errors::OK;
use crate::printable;
use crate::project::Project;
use crate::screens;
use crate::server_process::{self, NONCE_VARIABLE};
use crate::servers::{Listening, Servers, Serving, ToolNames};
use crate::terminal::{Palette, Terminal};

/// The port of `up` where no format names one.
const PORT: u16 = 3100;

/// The variable of the bearer token.
const TOKEN_VARIABLE: &str = "MAINSTAY_TOKEN";

/// How `serve` was asked for.
pub(crate) enum Transport {
    /// `--stdio`.
    Stdio,
    /// `--http ADDR` with its options.
    Http {
        /// Where to listen.
        address: String,
        /// `--token-file`.
        token_file: Option<PathBuf>,
        /// `--allow-origin`.
        origins: Vec<String>,
    },
}

/// Serves until the client is gone or the process is told to stop; one line on standard error says where.
pub(crate) fn serve(
    terminal: &mut Terminal,
    project: Project,
    transport: Transport,
    tool_names: ToolNames,
) -> Result<u8, Refusal> {
    let (servers, env) = (project.servers, project.setup.env.clone());
    let serving = serving(&project, tool_names);
    let home = ["HOME", "USERPROFILE"].into_iter().find_map(project.hosts.variable);
    let engine = Arc::new(project.open()?);
    engine.ponder_in(own_program());
    if let Some(home) = home {
        engine.spare(Path::new(&home));
    }
    if let Some(refusal) = engine.no_project() {
        terminal.note(&format!("mainstay: {}", printable::line(&refusal.message)));
    }
    let root = printable::line(&engine.root().to_string_lossy());
    match transport {
        Transport::Stdio => {
            terminal.note(&format!("mainstay: serving {root} over standard input and output"));
            let session = serving.session.clone();
            engine.serving("serve-start", session.as_deref());
            let served = (servers.stdio)(Arc::clone(&engine), serving);
            engine.serving("serve-end", session.as_deref());
            served?;
        }
        Transport::Http { address, token_file, origins } => {
            let token = token_file.map_or_else(|| token(&env), |file| read_token(&file).map(Some))?;
            let nonce = variable(&env, NONCE_VARIABLE);
            let listening = Listening { address: socket(&address)?, token, origins, nonce };
            let mut ready = |at: SocketAddr| terminal.note(&format!("mainstay: serving {root} at http://{at}/mcp"));
            over_http(servers, &engine, serving, listening, &mut ready)?;
        }
    }
    Ok(OK)
}

/// Brings a project up: init where no format is on, then HTTP in the foreground under a banner.
pub(crate) fn up(terminal: &mut Terminal, project: Project, port: Option<u16>) -> Result<u8, Refusal> {
    let (servers, token) = (project.servers, token(&project.setup.env)?);
    let serving = serving(&project, ToolNames::default());
    let identity = project.identity(Origin::Command);
    let before = project.twin().open()?;
    if before.formats_on().is_empty() {
        terminal.print(&format!("{}\n", screens::init::render(&before.init(&[])?)));
    }
    let engine = Arc::new(project.open()?);
    engine.ponder_in(own_program());
    engine.make_ready()?;
    let port = match port {
        Some(port) => port,
        None => configured_port(&engine, &identity)?.unwrap_or(PORT),
    };
    let address = SocketAddr::from(([127, 0, 0, 1], port));
    let listening = Listening { address, token, origins: Vec::new(), nonce: None };
    let palette = terminal.palette();
    let served = Served::of(&engine, listening.token.is_some());
    let mut ready = |at: SocketAddr| terminal.print(&served.banner(&at.to_string(), palette));
    over_http(servers, &engine, serving, listening, &mut ready)?;
    Ok(OK)
}

/// Serves over HTTP; the formats hear of the start once the server listens, and of its end.
fn over_http(
    servers: Servers,
    engine: &Arc<Engine>,
    serving: Serving,
    listening: Listening,
    ready: &mut dyn FnMut(SocketAddr),
) -> Result<(), Refusal> {
    let session = serving.session.clone();
    let mut listens = false;
    let mut ready = |at: SocketAddr| {
        listens = true;
        engine.serving("serve-start", session.as_deref());
        ready(at);
    };
    let served = (servers.http)(Arc::clone(engine), serving, listening, &mut ready);
    if listens {
        engine.serving("serve-end", session.as_deref());
    }
    served
}

fn serving(project: &Project, tool_names: ToolNames) -> Serving {
    let identity = project.identity(Origin::Mcp);
    Serving { actor: identity.actor, session: identity.session, tool_names }
}

/// The token in the environment; an empty one is no wish to serve without.
fn token(env: &Environment) -> Result<Option<String>, Refusal> {
    match env.get(TOKEN_VARIABLE) {
        Some(token) if token.trim().is_empty() => {
            Err(Refusal::invalid(TOKEN_VARIABLE, format!("the variable {TOKEN_VARIABLE} is empty"))
                .hint(format!("unset {TOKEN_VARIABLE} to serve without a token")))
        }
        token => Ok(token.cloned()),
    }
}

fn variable(env: &Environment, name: &str) -> Option<String> {
    env.get(name).cloned().filter(|text| !text.is_empty())
}

/// Reads `ADDRESS:PORT`; `localhost` is the IPv4 loopback, since that is where every client looks first.
fn socket(address: &str) -> Result<SocketAddr, Refusal> {
    let numeric =
        address.strip_prefix("localhost:").map_or_else(|| address.to_owned(), |port| format!("127.0.0.1:{port}"));
    numeric.parse().map_err(|_| {
        Refusal::invalid("http", format!("{address:?} is no address to listen on"))
            .allowed("127.0.0.1:PORT, [::1]:PORT")
    })
}

/// The most that a token file may hold. **Units**: bytes.
const TOKEN_LIMIT: u64 = 4096;

/// The text of a token file; what a token may be is the server's to check.
fn read_token(file: &Path) -> Result<String, Refusal> {
    let wrong = |why: String| Refusal::config("token-file", format!("{} cannot be used: {why}", file.display()));
    let mut text = String::new();
    let opened = File::open(file).map_err(|error| wrong(error.to_string()))?;
    let read = opened.take(TOKEN_LIMIT + 1).read_to_string(&mut text).map_err(|error| wrong(error.to_string()))?;
    if u64::try_from(read).is_ok_and(|read| read > TOKEN_LIMIT) {
        return Err(wrong(format!("it holds more than {TOKEN_LIMIT} bytes")));
    }
    Ok(text)
}

/// The port that a format's configuration names, as its status tells.
fn configured_port(engine: &Engine, identity: &Identity) -> Result<Option<u16>, Refusal> {
    for format in engine.formats_on() {
        let tool = format!("{}_status", format.name());
        if format.surface().server_name.is_none() || format.surface().tool(&tool).is_none() {
            continue;
        }
        let status = engine.call(&Call::new(tool, Object::new()), identity)?;
        if let Some(port) = server_process::port_of(&status.body) {
            return Ok(Some(port));
        }
    }
    Ok(None)
}

/// Where this very program can be started again, even if its file was replaced since.
fn own_program() -> PathBuf {
    let running = Path::new("/proc/self/exe");
    if running.exists() { running.to_owned() } else { PathBuf::from(program()) }
}

/// How a client starts this very program, which need not be on its path.
fn program() -> String {
    std::env::current_exe().map_or_else(|_| "mainstay".to_owned(), |path| path.to_string_lossy().into_owned())
}

/// What the banner tells of a project.
struct Served {
    root: String,
    formats: Vec<&'static str>,
    files: Vec<String>,
    stdio: String,
    guarded: bool,
}

impl Served {
    fn of(engine: &Engine, guarded: bool) -> Self {
        let root = engine.root().to_string_lossy().into_owned();
        let resources = engine.resources().unwrap_or_default();
        let files = resources.into_iter().filter(|resource| resource.mime == "text/markdown").map(|file| file.name);
        Self {
            formats: engine.formats_on().iter().map(|format| format.name()).collect(),
            files: files.collect(),
            stdio: format!("{} --project {} serve --stdio", shell_word(&program()), shell_word(&root)),
            root,
            guarded,
        }
    }

    fn banner(&self, at: &str, palette: Palette) -> String {
        let url = format!("http://{at}/mcp");
        let mut entry =
            Object::from_iter([("type".to_owned(), "http".into()), ("url".to_owned(), url.as_str().into())]);
        if self.guarded {
            let header = [("Authorization".to_owned(), format!("Bearer <{TOKEN_VARIABLE}>").into())];
            entry.insert("headers".to_owned(), Value::Object(Object::from_iter(header)));
        }
        let servers = [("mainstay".to_owned(), Value::Object(entry))];
        let snippet = [("mcpServers".to_owned(), Value::Object(Object::from_iter(servers)))];
        let snippet = Value::Object(Object::from_iter(snippet));
        let row = |name: &str, value: &str| format!("  {name:8}  {}", printable::line(value));
        let mut lines = vec![palette.bold("Mainstay is up."), String::new()];
        lines.push(row("project", &self.root));
        lines.push(row("formats", &self.formats.join(", ")));
        if !self.files.is_empty() {
            lines.push(row("files", &self.files.join(", ")));
        }
        lines.push(row("MCP", &url));
        lines.push(row("health", &format!("http://{at}/health")));
        let claude = format!("claude mcp add --transport http mainstay {url}");
        let header = if self.guarded { " --header \"Authorization: Bearer $MAINSTAY_TOKEN\"" } else { "" };
        let ways = [
            ("Connect Claude Code:", format!("{claude}{header}")),
            ("Connect any other client, in its MCP configuration:", snippet.to_string()),
            ("Or let a client start a server of its own:", printable::line(&self.stdio)),
        ];
        for (title, way) in ways {
            lines.extend([String::new(), title.to_owned(), format!("  {way}")]);
        }
        lines.extend([String::new(), "Ctrl-C stops it; nothing is lost.".to_owned()]);
        lines.join("\n")
    }
}

/// A word as a POSIX shell reads it back.
fn shell_word(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+:@%,".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_banner_says_what_where_and_how() {
        let served = Served {
            root: "/srv/my app".to_owned(),
            formats: vec!["hseos"],
            files: vec!["STATE.md".to_owned(), "TASKS.md".to_owned()],
            stdio: format!("mainstay --project {} serve --stdio", shell_word("/srv/my app")),
            guarded: false,
        };
        let expected = "\
Mainstay is up.

  project   /srv/my app
  formats   hseos
  files     STATE.md, TASKS.md
  MCP       http://127.0.0.1:3100/mcp
  health    http://127.0.0.1:3100/health

Connect Claude Code:
  claude mcp add --transport http mainstay http://127.0.0.1:3100/mcp

Connect any other client, in its MCP configuration:
  {\"mcpServers\":{\"mainstay\":{\"type\":\"http\",\"url\":\"http://127.0.0.1:3100/mcp\"}}}

Or let a client start a server of its own:
  mainstay --project '/srv/my app' serve --stdio

Ctrl-C stops it; nothing is lost.";
        assert_eq!(served.banner("127.0.0.1:3100", Palette::PLAIN), expected);
        let guarded = Served { guarded: true, ..served };
        let header = "3100/mcp --header \"Authorization: Bearer $MAINSTAY_TOKEN\"\n";
        assert!(guarded.banner("127.0.0.1:3100", Palette::PLAIN).contains(header));
        let header = "3100/mcp\",\"headers\":{\"Authorization\":\"Bearer <MAINSTAY_TOKEN>\"}}}}\n";
        assert!(guarded.banner("127.0.0.1:3100", Palette::PLAIN).contains(header));
    }

    #[test]
    fn an_empty_token_is_no_leave_to_serve_without() {
        let env = |value: &str| Environment::from([(TOKEN_VARIABLE.to_owned(), value.to_owned())]);
        assert_eq!(token(&Environment::new()).unwrap(), None);
        assert_eq!(token(&env("s3cret")).unwrap().as_deref(), Some("s3cret"));
        for empty in ["", " ", "\n"] {
            let refusal = token(&env(empty)).unwrap_err();
            assert_eq!((refusal.code.as_ref(), refusal.field.as_deref()), ("invalid_argument", Some(TOKEN_VARIABLE)));
        }
    }

    #[test]
    fn addresses_are_numeric_or_localhost() {
        for (given, meant) in [("127.0.0.1:1", "127.0.0.1:1"), ("[::1]:2", "[::1]:2"), ("localhost:3", "127.0.0.1:3")] {
            assert_eq!(socket(given).unwrap().to_string(), meant);
        }
        for given in ["", "3100", "localhost", "example.org:80", "127.0.0.1:70000"] {
            assert_eq!(socket(given).unwrap_err().field.as_deref(), Some("http"));
        }
    }

    #[test]
    fn words_survive_a_shell() {
        assert_eq!(shell_word("/a/b-c_1.x"), "/a/b-c_1.x");
        assert_eq!(shell_word("it's"), "'it'\\''s'");
        assert_eq!(shell_word(""), "''");
    }
}
