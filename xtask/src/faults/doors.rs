//! What comes through the doors: closed outputs, foreign web pages, paths that lead outside.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::fd::OwnedFd;
use std::process::{Child, Stdio};
use std::time::Duration;

use serde_json::Value;

use super::{Extent, Tried};
use crate::picture::Picture;
use crate::product::Product;
use crate::project::Project;
use testkit::random::Random;

/// Commands that speak on standard output, each in its own way.
const SPEAKING: &[&[&str]] = &[
    &["--json", "hseos", "state", "write", "phase", "execution"],
    &["hseos", "state", "read"],
    &["call", "state_read"],
    &["status"],
    &["--json", "history"],
    &["doctor"],
    &["--help"],
    &["call", "no_such_tool"],
];

/// How long a server may take to answer.
const PATIENCE: Duration = Duration::from_secs(20);

pub(super) fn check(product: &Product, _extent: Extent, _random: &mut Random) -> Result<Tried, String> {
    let mut tried = Tried::default();
    for words in SPEAKING {
        tried.add(&format!("`{}` into a closed pipe", words.join(" ")), speak(product, words, closed_pipe));
        tried.add(&format!("`{}` onto a full disk", words.join(" ")), speak(product, words, full_device));
    }
    tried.add("a place beside the project", beside(product));
    origins(product, &mut tried)?;
    Ok(tried)
}

fn closed_pipe() -> std::io::Result<OwnedFd> {
    let (reader, writer) = std::io::pipe()?;
    drop(reader);
    Ok(writer.into())
}

fn full_device() -> std::io::Result<OwnedFd> {
    Ok(File::options().write(true).open("/dev/full")?.into())
}

fn speak(product: &Product, words: &[&str], output: fn() -> std::io::Result<OwnedFd>) -> Result<Vec<String>, String> {
    let project = Project::in_memory(product)?;
    let output = output().map_err(|error| error.to_string())?;
    let mut command = project.under(&[]);
    command.args(words).stdin(Stdio::null()).stdout(output).stderr(Stdio::piped());
    let finished = command.output().map_err(|error| error.to_string())?;
    let stderr = String::from_utf8_lossy(&finished.stderr);
    let mut problems = Vec::new();
    if stderr.contains("panicked") || finished.status.code().is_none_or(|code| code > 4) {
        problems.push(format!("ended with {}: {stderr}", finished.status));
    }
    if words.contains(&"write") && project.reply(&["call", "state_read"])?["state"]["phase"] != "execution" {
        problems.push("the write was not carried out".into());
    }
    Ok(problems)
}

/// A project's own configuration must not place a database in a folder whose name merely begins like the project's.
fn beside(product: &Product) -> Result<Vec<String>, String> {
    let project = Project::new(product)?;
    let outside = project.root().with_file_name("project-beside");
    let config = "state_management:\n  db_path: link/p.db\n";
    fs::create_dir(&outside)
        .and_then(|()| std::os::unix::fs::symlink(&outside, project.root().join("link")))
        .and_then(|()| fs::write(project.root().join("hseos.config.yaml"), config))
        .map_err(|error| error.to_string())?;
    let finished = project.run(&["--json", "hseos", "state", "write", "phase", "execution"])?;
    let reply: Value = serde_json::from_str(&finished.stdout).unwrap_or_default();
    let mut problems = Vec::new();
    if reply["error"]["code"] != "path_outside_project" {
        problems.push(format!("should be refused with path_outside_project: {}{}", finished.stdout, finished.stderr));
    }
    if fs::read_dir(&outside).is_ok_and(|mut entries| entries.next().is_some()) {
        problems.push("something was written outside".into());
    }
    Ok(problems)
}

/// A server that is ended with the value.
struct Server {
    child: Child,
    address: String,
}

impl Server {
    fn start(project: &Project<'_>) -> Result<Self, String> {
        let mut command = project.under(&[]);
        command.args(["serve", "--http", "127.0.0.1:0"]).stdin(Stdio::null()).stdout(Stdio::null());
        let mut child = command.stderr(Stdio::piped()).spawn().map_err(|error| error.to_string())?;
        let mut lines = BufReader::new(child.stderr.take().ok_or("the server has no standard error")?).lines();
        let address = lines.by_ref().map_while(Result::ok).find_map(|line| {
            let (_, rest) = line.split_once("http://")?;
            Some(rest.split('/').next()?.to_owned())
        });
        let server = Self { child, address: address.clone().unwrap_or_default() };
        address.map(|_| server).ok_or_else(|| "the server named no address".into())
    }

    /// Posts a call that writes; answers the status.
    fn post(&self, headers: &str) -> Result<u16, String> {
        let body = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"state_write","arguments":{"fields":{"phase":"stolen"}}}}"#;
        let text = format!(
            "POST /mcp HTTP/1.1\r\n{headers}Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n\
             Connection: close\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        let talk = || -> std::io::Result<String> {
            let mut stream = TcpStream::connect(&self.address)?;
            stream.set_read_timeout(Some(PATIENCE))?;
            stream.write_all(text.as_bytes())?;
            let mut answer = Vec::new();
            stream.read_to_end(&mut answer)?;
            Ok(String::from_utf8_lossy(&answer).into_owned())
        };
        let answer = talk().map_err(|error| format!("{}: {error}", self.address))?;
        let status = answer.split(' ').nth(1).and_then(|word| word.parse().ok());
        status.ok_or_else(|| format!("no HTTP answer: {answer:?}"))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

fn origins(product: &Product, tried: &mut Tried) -> Result<(), String> {
    let project = Project::in_memory(product)?;
    let server = Server::start(&project)?;
    let host = format!("Host: {}\r\n", server.address);
    let port = server.address.rsplit(':').next().unwrap_or_default().to_owned();
    let foreign = [
        format!("{host}Origin: https://evil.example\r\n"),
        format!("{host}Origin: null\r\n"),
        format!("{host}Origin: http://127.0.0.1\r\n"),
        format!("{host}Origin: http://127.0.0.1:{port}.evil.example\r\n"),
        "Host: evil.example\r\n".to_owned(),
        format!("Host: 127.0.0.1.:{port}\r\n"),
        format!("Host: 2130706433:{port}\r\n"),
        format!("Host: user@127.0.0.1:{port}\r\n"),
        String::new(),
    ];
    for headers in &foreign {
        let status = server.post(headers);
        let wanted = |status: u16| status == 403 || (headers.is_empty() && status == 400);
        let problems = status.map(|it| (!wanted(it)).then(|| format!("was answered with {it}")).into_iter().collect());
        tried.add(&format!("a request with {headers:?}"), problems);
    }
    let picture = Picture::take(&project)?;
    let written = picture.field("phase").is_some();
    tried.add("foreign requests", Ok(written.then(|| "wrote a field".to_owned()).into_iter().collect()));
    Ok(())
}
