//! What a host sends: one JSON object, soon, and not without end.

use std::io::Read as _;
use std::time::{Duration, Instant};

use model::{Object, Value};

/// The most that is read. **Units**: bytes.
const LIMIT: usize = 4 << 20;

/// How long a host may take to send everything.
const PATIENCE: Duration = Duration::from_secs(1);

/// Reads the host's JSON from standard input.
///
/// An object counts as soon as it is whole: a host need not close its end. `None` for anything else:
/// what is empty, cut short, too large, too late, no object, or at a terminal.
pub fn read() -> Option<Object> {
    let stdin = std::io::stdin();
    if std::io::IsTerminal::is_terminal(&stdin) {
        return None;
    }
    let begun = Instant::now();
    let (mut bytes, mut chunk) = (Vec::new(), [0; 8 << 10]);
    let mut stdin = stdin.lock();
    while is_ready(PATIENCE.saturating_sub(begun.elapsed())) {
        match stdin.read(&mut chunk) {
            Ok(0) => break,
            Ok(count) => bytes.extend_from_slice(&chunk[..count]),
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(_) => return None,
        }
        if bytes.len() > LIMIT {
            return None;
        }
        if bytes.trim_ascii_end().ends_with(b"}")
            && let Some(object) = object(&bytes)
        {
            return Some(object);
        }
    }
    object(&bytes)
}

fn object(bytes: &[u8]) -> Option<Object> {
    match serde_json::from_slice(bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes)) {
        Ok(Value::Object(object)) => Some(object),
        _ => None,
    }
}

/// Whether something can be read from standard input, its end included, within `left`.
#[cfg(unix)]
fn is_ready(left: Duration) -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let stdin = std::io::stdin();
    let mut wanted = [PollFd::new(&stdin, PollFlags::IN)];
    let left = Timespec { tv_sec: i64::try_from(left.as_secs()).unwrap_or(1), tv_nsec: left.subsec_nanos().into() };
    matches!(poll(&mut wanted, Some(&left)), Ok(count) if count > 0)
}

/// Whether something may be read; here a host that sends nothing is waited for.
#[cfg(not(unix))]
fn is_ready(left: Duration) -> bool {
    !left.is_zero()
}

#[cfg(test)]
mod tests {
    use super::object;

    #[test]
    fn only_one_whole_object_counts() {
        for text in ["{}", " {\"a\":1}\n", "\u{feff}{\"a\":[]}"] {
            assert!(object(text.as_bytes()).is_some(), "{text:?}");
        }
        let deep = format!("{{\"a\":{}{}}}", "[".repeat(100_000), "]".repeat(100_000));
        for text in ["", "not json", "[]", "null", "{}{}", "{\"a\":", &deep] {
            assert!(object(text.as_bytes()).is_none(), "{text:.20}");
        }
        assert!(object(b"{\"a\":\"\xff\"}").is_none());
    }
}
