//! Looking at the world outside the project: health answers, database files, git.

use std::fs::OpenOptions;
use std::io::{ErrorKind, Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use format::{DatabaseProbe, FileState, GitProbe, HealthProbe, Irregular, Probes, TableSource};
use model::{ProjectPath, Value};
use rustix::fs::OFlags;

use crate::home::Home;
use crate::images::{self, ProjectFiles};
use crate::locks::Deadline;
use crate::spool::Spool;
use crate::{git, git_head, tables};

/// How long a health answer may take.
const HEALTH_WAIT: Duration = Duration::from_millis(500);

/// Most names of a folder that are looked at.
const NAMES: usize = 10_000;

/// Largest health answer that is read. **Units**: bytes.
const HEALTH_LIMIT: usize = 64 * 1024;

/// The machine that the process runs on.
pub(crate) struct HostProbes {
    pub(crate) root: PathBuf,
}

impl Probes for HostProbes {
    fn health(&self, port: u16) -> HealthProbe {
        health(port)
    }

    fn database(&self, place: &str) -> DatabaseProbe {
        let source = TableSource { place: place.to_owned(), anywhere: true, tables: &[] };
        tables::locate(&self.root, &source).map_or(DatabaseProbe::Impossible, |place| tables::probe(&place))
    }

    fn file(&self, place: &str, limit: u64) -> FileState {
        read_plain(&self.root.join(place), limit)
    }

    fn folder(&self, place: &str) -> Option<Vec<String>> {
        let entries = std::fs::read_dir(self.root.join(place)).ok()?.take(NAMES).filter_map(Result::ok);
        let is_file = |entry: &std::fs::DirEntry| entry.file_type().is_ok_and(|kind| kind.is_file());
        let mut names: Vec<String> =
            entries.filter(is_file).filter_map(|entry| entry.file_name().into_string().ok()).collect();
        names.sort_unstable();
        Some(names)
    }

    fn git(&self, folder: &str) -> GitProbe {
        git::probe(Path::new(folder))
    }

    fn head(&self) -> Option<String> {
        git_head::read(&self.root)
    }

    fn spooled(&self, tool: &str) -> usize {
        Spool::of(&Home::of(&self.root)).count(tool)
    }

    fn is_abandoned(&self, lock: &ProjectPath) -> bool {
        ProjectFiles::open(&self.root).is_ok_and(|files| images::is_abandoned(&files, lock))
    }

    fn program(&self) -> String {
        std::env::current_exe().map_or_else(|_| "mainstay".to_owned(), |path| path.to_string_lossy().into_owned())
    }

    fn commits_between(&self, ancestor: &str, head: &str) -> Option<u64> {
        git::commits_between(&self.root, ancestor, head)
    }
}

// A link is the user's own word too; a pipe does not hold anybody up.
fn read_plain(path: &Path, limit: u64) -> FileState {
    let mut options = OpenOptions::new();
    options.read(true).custom_flags(OFlags::NONBLOCK.bits().cast_signed());
    let file = match options.open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return FileState::Absent,
        Err(_) => return FileState::Irregular(Irregular::Unreadable),
    };
    match file.metadata() {
        Ok(metadata) if metadata.is_dir() => return FileState::Irregular(Irregular::Folder),
        Ok(metadata) if !metadata.is_file() => return FileState::Irregular(Irregular::Special),
        Ok(_) => {}
        Err(_) => return FileState::Irregular(Irregular::Unreadable),
    }
    let mut bytes = Vec::new();
    match file.take(limit.saturating_add(1)).read_to_end(&mut bytes) {
        Ok(count) if count as u64 > limit => FileState::Irregular(Irregular::TooLarge),
        Ok(_) => FileState::Bytes(bytes),
        Err(_) => FileState::Irregular(Irregular::Unreadable),
    }
}

/// Asks `GET /health` on a loopback port.
pub(crate) fn health(port: u16) -> HealthProbe {
    let Some(answer) = ask(port) else {
        return HealthProbe::Silent;
    };
    let Some((head, body)) = answer.split_once("\r\n\r\n") else {
        return HealthProbe::Foreign;
    };
    let status = head.split_whitespace().nth(1);
    match serde_json::from_str::<Value>(body.trim()) {
        Ok(Value::Object(object)) if status == Some("200") => HealthProbe::Healthy(object),
        _ => HealthProbe::Foreign,
    }
}

// HTTP/1.0 and `Connection: close`: the answer is everything up to the end of the stream.
fn ask(port: u16) -> Option<String> {
    let deadline = Deadline::within(HEALTH_WAIT);
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let mut stream = TcpStream::connect_timeout(&address, HEALTH_WAIT).ok()?;
    stream.set_write_timeout(Some(HEALTH_WAIT)).ok()?;
    let request = format!("GET /health HTTP/1.0\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).ok()?;
    let mut answer = Vec::new();
    let mut chunk = [0; 4096];
    loop {
        let left = deadline.left();
        if left.is_zero() {
            return None;
        }
        stream.set_read_timeout(Some(left)).ok()?;
        match stream.read(&mut chunk) {
            Ok(0) => break,
            Ok(count) => answer.extend_from_slice(&chunk[..count]),
            Err(_) => return None,
        }
        if answer.len() > HEALTH_LIMIT {
            break;
        }
    }
    Some(String::from_utf8_lossy(&answer).into_owned())
}
