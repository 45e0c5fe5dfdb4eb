//! What a host sends: one JSON object, soon, and not without end.

use std::io::Read as _;
use std::time::{Duration, Instant};

use model::Object;

use crate::{kept, wires};

/// The most that is read. **Units**: bytes.
pub(crate) const LIMIT: usize = 6 << 20;

/// How long a host may take to send everything.
const PATIENCE: Duration = Duration::from_secs(1);

/// Why there is no JSON object of the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    /// Something else came, or nothing: that is the host's wish.
    Other,
    /// It did not come in time.
    Late,
    /// It is larger than what is read.
    TooLarge,
}

impl Missing {
    /// What the person should know; nothing where the host sent what it meant to send.
    pub fn note(self) -> Option<String> {
        match self {
            Self::Other => None,
            Self::Late => {
                Some(format!("the host's JSON did not come within {} s; nothing was done", PATIENCE.as_secs()))
            }
            Self::TooLarge => Some(format!("the host's JSON is larger than {LIMIT} bytes; nothing was done")),
        }
    }
}

/// Reads the host's JSON from standard input.
///
/// An object counts as soon as it is whole and nothing follows at once: a host need not close its end.
pub fn read() -> Result<Object, Missing> {
    let stdin = std::io::stdin();
    if std::io::IsTerminal::is_terminal(&stdin) {
        return Err(Missing::Other);
    }
    let begun = Instant::now();
    // No smaller than what standard input buffers, so that nothing stays behind unseen by `is_ready`.
    let (mut bytes, mut chunk) = (Vec::new(), vec![0; 64 << 10]);
    // What may still be spent on looking whether it is whole, which to do after each piece costs its square.
    let mut spare = LIMIT;
    let mut stdin = stdin.lock();
    while is_ready(PATIENCE.saturating_sub(begun.elapsed())) {
        match stdin.read(&mut chunk) {
            Ok(0) => return object(&bytes),
            Ok(count) => bytes.extend_from_slice(&chunk[..count]),
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(_) => return Err(Missing::Other),
        }
        if bytes.len() > LIMIT {
            return Err(Missing::TooLarge);
        }
        if bytes.trim_ascii_end().ends_with(b"}") && bytes.len() <= spare && !is_ready(Duration::ZERO) {
            spare -= bytes.len();
            if let Ok(object) = object(&bytes) {
                return Ok(object);
            }
        }
    }
    object(&bytes).map_err(|_| Missing::Late)
}

fn object(bytes: &[u8]) -> Result<Object, Missing> {
    kept::object(bytes, wires::kept).ok_or(Missing::Other)
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
        let deep = format!("{{\"a\":{}{}}}", "[".repeat(100_000), "]".repeat(100_000));
        for text in ["{}", " {\"a\":1}\n", "\u{feff}{\"a\":[]}", &deep] {
            assert!(object(text.as_bytes()).is_ok(), "{text:?}");
        }
        for text in ["", "not json", "[]", "null", "{}{}", "{\"a\":", "{\"a\":[}"] {
            assert!(object(text.as_bytes()).is_err(), "{text:.20}");
        }
    }
}
