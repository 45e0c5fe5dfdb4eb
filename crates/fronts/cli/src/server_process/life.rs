//! The decisions of `start` and `stop`, over whatever desk they are given.

use std::ops::RangeInclusive;
use std::time::Instant;

use model::{Object, Refusal, Value, Warning};

use super::{Answer, Desk, Seen, nonce, text, unavailable};

/// What `start` answers in a mode that expects no server.
pub(super) fn without_server(port: u16) -> Answer {
    let message = "the mode is skill-only: there is no server to start";
    Answer {
        line: String::new(),
        body: body([("running", false.into()), ("port", port.into())]),
        warning: Some(Warning::new("mode_without_server", message)),
    }
}

/// Has our server run on the port.
///
/// **Errors**: `port_in_use` when anything else answers there or holds it; `backend_unavailable` when the
/// recorded server holds it and is silent, and when the started process ends or does not answer in time.
/// A process that was started in vain is ended.
pub(super) fn start(desk: &dyn Desk, port: u16) -> Result<Answer, Refusal> {
    match patient_look(desk, port) {
        Seen::Ours { nonce, pid } => return Ok(already(desk, port, nonce.as_deref(), pid)),
        Seen::Mute if recorded(desk, port).is_some() => return Err(mute(port)),
        Seen::Other | Seen::Mute => return Err(port_in_use(port)),
        Seen::Nobody => {}
    }
    let mine = nonce()?;
    let mut child = desk.spawn(port, &mine)?;
    let outcome = settle(desk, port, &mine, child.as_mut());
    if !matches!(&outcome, Ok(Settled::Mine)) {
        child.kill();
    }
    match outcome? {
        Settled::Mine => Ok(running("MCP server started", true, Some(u64::from(child.pid())), port)),
        Settled::Others(nonce, pid) => Ok(already(desk, port, nonce.as_deref(), pid)),
    }
}

/// How a start came out.
enum Settled {
    /// The started process answers, and its record is kept.
    Mine,
    /// A server of this project that someone else started at the same time.
    Others(Option<String>, Option<u64>),
}

fn settle(desk: &dyn Desk, port: u16, mine: &str, child: &mut dyn super::Spawned) -> Result<Settled, Refusal> {
    let since = Instant::now();
    loop {
        // Asked before the look, so that a winner that took the port first is seen answering.
        let ended = child.ended();
        match desk.look(port) {
            Seen::Ours { nonce, .. } if nonce.as_deref() == Some(mine) => {
                desk.keep(child.pid(), port, mine)?;
                return Ok(Settled::Mine);
            }
            Seen::Ours { nonce, pid } => return Ok(Settled::Others(nonce, pid)),
            Seen::Other => return Err(port_in_use(port)),
            Seen::Nobody | Seen::Mute => {}
        }
        match ended {
            Some(1) => return Err(port_in_use(port)),
            Some(code) => {
                let message = format!("the server ended with exit code {code} before it answered");
                return Err(unavailable(message).hint(format!("mainstay serve --http 127.0.0.1:{port} shows why")));
            }
            None => {}
        }
        if !desk.wait(since) {
            return Err(unavailable(format!("the server did not answer on port {port} within 3 seconds")));
        }
    }
}

/// What stands on the port; whatever holds it is given time to say so.
fn patient_look(desk: &dyn Desk, port: u16) -> Seen {
    let since = Instant::now();
    loop {
        match desk.look(port) {
            Seen::Mute if desk.wait(since) => {}
            seen => return seen,
        }
    }
}

/// Has our server not run on the port.
///
/// **Errors**: `backend_unavailable` when the recorded server is silent, or does not end in time.
pub(super) fn stop(desk: &dyn Desk, port: u16) -> Result<Answer, Refusal> {
    let Some((pid, nonce)) = recorded(desk, port) else {
        return Ok(stopped(false, port));
    };
    // The record is a file that anyone may have written: the server itself says which process it is.
    let ours = Seen::Ours { nonce: Some(nonce.clone()), pid: Some(u64::from(pid)) };
    match patient_look(desk, port) {
        seen if seen == ours => {}
        Seen::Mute => return Err(mute(port)),
        _ => return Ok(stopped(false, port)),
    }
    desk.terminate(pid)?;
    let since = Instant::now();
    while answers(desk, port, &nonce) {
        if !desk.wait(since) {
            return Err(unavailable(format!("the server (PID {pid}) still answers on port {port} after 3 seconds")));
        }
    }
    Ok(stopped(true, port))
}

/// The processes that a record may name: neither a group (0), nor init (1), nor what no system numbers so high.
const PIDS: RangeInclusive<u64> = 2..=0x7fff_ffff;

/// The recorded process and nonce, where the record is about this port.
fn recorded(desk: &dyn Desk, port: u16) -> Option<(u32, String)> {
    let record = desk.record()?;
    let same_port = record.get("port").and_then(Value::as_u64) == Some(u64::from(port));
    let pid = record.get("pid")?.as_u64().filter(|pid| PIDS.contains(pid))?.try_into().ok()?;
    let nonce = text(&record, "nonce").filter(|nonce| !nonce.is_empty())?;
    same_port.then(|| (pid, nonce.to_owned()))
}

fn answers(desk: &dyn Desk, port: u16, nonce: &str) -> bool {
    match desk.look(port) {
        Seen::Ours { nonce: shown, .. } => shown.as_deref() == Some(nonce),
        Seen::Mute => true,
        Seen::Nobody | Seen::Other => false,
    }
}

/// A server that was there before; its starter may not have recorded it yet, or may be no `start` at all.
fn already(desk: &dyn Desk, port: u16, shown: Option<&str>, pid: Option<u64>) -> Answer {
    let since = Instant::now();
    let by_record =
        || recorded(desk, port).filter(|(_, nonce)| shown == Some(nonce.as_str())).map(|(pid, _)| u64::from(pid));
    let mut pid = pid.or_else(by_record);
    while pid.is_none() && shown.is_some() && desk.wait(since) {
        pid = by_record();
    }
    running("MCP server already running", false, pid, port)
}

fn running(what: &str, started: bool, pid: Option<u64>, port: u16) -> Answer {
    let url = format!("http://127.0.0.1:{port}");
    let shown = pid.map_or_else(|| "unknown".to_owned(), |pid| pid.to_string());
    Answer {
        line: format!("{what} (PID {shown}) — {url}"),
        body: body([
            ("running", true.into()),
            ("started", started.into()),
            ("pid", pid.into()),
            ("port", port.into()),
            ("url", url.into()),
        ]),
        warning: None,
    }
}

fn stopped(stopped: bool, port: u16) -> Answer {
    let line = if stopped {
        format!("MCP server on port {port} stopped.")
    } else {
        format!("No MCP server found on port {port}.")
    };
    Answer { line, body: body([("stopped", stopped.into()), ("port", port.into())]), warning: None }
}

fn mute(port: u16) -> Refusal {
    unavailable(format!("what holds port {port} does not say within 3 seconds whether it is the recorded server"))
        .with("port", port)
        .hint("repeat the command; if it stays silent, end the process that listens on the port by hand")
}

fn port_in_use(port: u16) -> Refusal {
    Refusal::refused("port_in_use", format!("port {port} is held by something that is not this project's server"))
        .with("port", port)
        .hint("set mcp_port in the configuration to another port")
}

fn body<const N: usize>(members: [(&str, Value); N]) -> Object {
    members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

#[cfg(test)]
mod tests;
