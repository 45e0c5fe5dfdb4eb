//! Instants, and the text forms in which formats write them.

use jiff::fmt::strtime;
use jiff::tz::Offset;

/// An instant in UTC with millisecond precision.
///
/// **Units**: milliseconds since 1970-01-01T00:00:00Z.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(i64);

impl Timestamp {
    /// From milliseconds since the epoch; outside years 0-9999 it is clamped to the epoch.
    pub fn from_millis(millis: i64) -> Self {
        let year = jiff::Timestamp::from_millisecond(millis).map(|instant| Offset::UTC.to_datetime(instant).year());
        Self(if matches!(year, Ok(0..=9999)) { millis } else { 0 })
    }

    /// Milliseconds since the epoch.
    pub const fn as_millis(self) -> i64 {
        self.0
    }

    /// Reads RFC 3339 text, fractions cut to milliseconds.
    pub fn parse_rfc3339(text: &str) -> Option<Self> {
        let instant: jiff::Timestamp = text.parse().ok()?;
        Some(Self::from_millis(instant.as_millisecond()))
    }

    /// Reads a `strftime` form that carries no offset, as UTC.
    pub fn parse_utc(form: &str, text: &str) -> Option<Self> {
        let civil = strtime::parse(form, text).ok()?.to_datetime().ok()?;
        let instant = Offset::UTC.to_timestamp(civil).ok()?;
        Some(Self::from_millis(instant.as_millisecond()))
    }

    /// `2026-01-02T03:04:05.678Z`.
    pub fn to_millis_text(self) -> String {
        self.format("%Y-%m-%dT%H:%M:%S%.3fZ")
    }

    /// `2026-01-02T03:04:05Z`, the fraction cut.
    pub fn to_seconds_text(self) -> String {
        self.format("%Y-%m-%dT%H:%M:%SZ")
    }

    /// `20260102T030405Z`, for names of files.
    pub fn to_stamp(self) -> String {
        self.format("%Y%m%dT%H%M%SZ")
    }

    /// Any `strftime` form, in UTC.
    pub fn format(self, form: &str) -> String {
        let instant = jiff::Timestamp::from_millisecond(self.0).expect("clamped to years that can be written");
        strtime::format(form, Offset::UTC.to_datetime(instant)).expect("forms written in the program are valid")
    }
}
