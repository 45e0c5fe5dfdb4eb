//! The clock and randomness: the only place where either is read.

use std::time::{Duration, Instant};

use model::{Refusal, Timestamp};

/// The longest wait that can be asked for.
const LONGEST: Duration = Duration::from_mins(10);

/// The present moment, or the one that a test set.
///
/// **Errors**: `config_invalid` when `MAINSTAY_NOW` is no RFC 3339 time.
pub(crate) fn now(set: Option<&str>) -> Result<Timestamp, Refusal> {
    match set.filter(|text| !text.is_empty()) {
        None => Ok(Timestamp::from_millis(jiff::Timestamp::now().as_millisecond())),
        Some(text) => Timestamp::parse_rfc3339(text).ok_or_else(|| {
            Refusal::config("MAINSTAY_NOW", "MAINSTAY_NOW is no RFC 3339 time before 9999-12-30T22:00:01Z")
        }),
    }
}

/// A moment of a request that goes on while the request waits, also where a test set it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Running {
    begun: Timestamp,
    since: Instant,
}

impl Running {
    /// Goes on from `begun`, which is now.
    pub(crate) fn from(begun: Timestamp) -> Self {
        Self { begun, since: Instant::now() }
    }

    /// The present moment.
    pub(crate) fn now(self) -> Timestamp {
        let elapsed = i64::try_from(self.since.elapsed().as_millis()).unwrap_or(i64::MAX);
        Timestamp::from_millis(self.begun.as_millis().saturating_add(elapsed))
    }
}

/// The wait that `MAINSTAY_LOCK_WAIT_MS` asks for, ten minutes at most.
///
/// **Units**: milliseconds. **Errors**: `config_invalid` for anything but a whole number.
pub(crate) fn wait(set: Option<&str>) -> Result<Option<Duration>, Refusal> {
    let Some(text) = set.map(str::trim).filter(|text| !text.is_empty()) else { return Ok(None) };
    if !text.bytes().all(|byte| byte.is_ascii_digit()) {
        let message = "MAINSTAY_LOCK_WAIT_MS is no whole number of milliseconds";
        return Err(Refusal::config("MAINSTAY_LOCK_WAIT_MS", message));
    }
    // More digits than a number holds are a long wait too.
    Ok(Some(text.parse().map_or(LONGEST, Duration::from_millis).min(LONGEST)))
}

/// Nanoseconds since the epoch by the machine's clock, for what must be kept in order.
pub(crate) fn nanos() -> i128 {
    jiff::Timestamp::now().as_nanosecond()
}

/// A fresh tag of 16 hexadecimal digits, or the one that a test set.
pub(crate) fn tag(set: Option<&str>) -> String {
    let fits = |text: &&str| (4..=32).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_alphanumeric());
    set.filter(fits).map_or_else(random, str::to_owned)
}

/// 64 random bits as 16 hexadecimal digits.
pub(crate) fn random() -> String {
    let mut bytes = [0; 8];
    getrandom::fill(&mut bytes).expect("the operating system gives random bytes");
    format!("{:016x}", u64::from_be_bytes(bytes))
}

#[cfg(test)]
mod tests {
    use super::now;

    #[test]
    fn a_set_time_is_taken_up_to_the_last() {
        for taken in ["9999-12-30T22:00:00Z", "2026-01-02T03:04:05.678+02:00", ""] {
            assert!(now(Some(taken)).is_ok(), "{taken}");
        }
        for refused in ["9999-12-31T23:59:59Z", "yesterday"] {
            assert!(now(Some(refused)).unwrap_err().message.ends_with("before 9999-12-30T22:00:01Z"), "{refused}");
        }
    }
}
