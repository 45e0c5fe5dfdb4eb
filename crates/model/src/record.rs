//! Records: the durable values of a format, each under a space, a kind and an id.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;

use crate::Value;

/// One living thing of a format.
///
/// **Shape**: `hseos`, `skillstate/agents/w1`, `upgrade/dotnet-version-upgrade`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Space(Cow<'static, str>);

impl Space {
    /// Names a space that is known when the program is compiled.
    pub const fn known(name: &'static str) -> Self {
        Self(Cow::Borrowed(name))
    }

    /// Names a space that came from data.
    pub fn new(name: impl Into<String>) -> Self {
        Self(Cow::Owned(name.into()))
    }

    /// The full name.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The format that owns the space: the name up to the first slash.
    pub fn format(&self) -> &str {
        self.0.split('/').next().unwrap_or_default()
    }

    /// Whether the space is `filter` itself or lies beneath it (`upgrade/x` is beneath `upgrade`).
    pub fn is_within(&self, filter: &str) -> bool {
        self.0.strip_prefix(filter).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }
}

impl fmt::Display for Space {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The id of a record within its space and kind.
///
/// **Order**: canonical decimal numbers (no leading zero, at most 18 digits) come first and compare
/// as numbers; all other ids follow by bytes. Every store answers scans in this order.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RecordId(String);

impl RecordId {
    /// Takes any text as an id; it is never interpreted as a path.
    pub fn new(id: impl Into<String>) -> Self {
        Self(id.into())
    }

    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The number that the id is the canonical decimal form of, if it is one.
    pub fn as_number(&self) -> Option<i64> {
        let digits = self.0.as_bytes();
        let canonical = (1..=18).contains(&digits.len())
            && digits.iter().all(u8::is_ascii_digit)
            && (digits.len() == 1 || digits[0] != b'0');
        canonical.then(|| self.0.parse().ok()).flatten()
    }
}

impl From<i64> for RecordId {
    fn from(number: i64) -> Self {
        Self(number.to_string())
    }
}

impl From<&str> for RecordId {
    fn from(id: &str) -> Self {
        Self(id.to_owned())
    }
}

impl From<String> for RecordId {
    fn from(id: String) -> Self {
        Self(id)
    }
}

impl From<RecordId> for String {
    fn from(id: RecordId) -> Self {
        id.0
    }
}

impl PartialOrd for RecordId {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for RecordId {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self.as_number(), other.as_number()) {
            (Some(a), Some(b)) => a.cmp(&b),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (None, None) => self.0.cmp(&other.0),
        }
    }
}

impl fmt::Display for RecordId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Where a record lives.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RecordKey {
    /// The space of the record.
    pub space: Space,
    /// Its kind, a word of the format (`task`, `state`).
    pub kind: Cow<'static, str>,
    /// Its id within space and kind.
    pub id: RecordId,
}

impl RecordKey {
    /// Puts a key together.
    pub fn new(space: Space, kind: impl Into<Cow<'static, str>>, id: impl Into<RecordId>) -> Self {
        Self { space, kind: kind.into(), id: id.into() }
    }
}

impl fmt::Display for RecordKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}/{}", self.space, self.kind, self.id)
    }
}

/// The number of an entry in a project's journal; the first entry has revision 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Revision(pub u64);

impl fmt::Display for Revision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// One stored value and the revision that last changed it.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// Its id within the space and kind that were asked for.
    pub id: RecordId,
    /// The value; any JSON.
    pub value: Value,
    /// The revision of the entry that wrote this value.
    pub revision: Revision,
}
