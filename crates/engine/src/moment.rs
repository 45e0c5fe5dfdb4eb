//! Moments as people name them: a revision, a time, a span back, a checkpoint.

use std::ops::ControlFlow;

use model::{Refusal, Revision, Timestamp, Value};
use store::{Checkpoint, EntryPage, Reads, StoredEntry};

use crate::engine::Engine;
use crate::refusals;

/// A moment in the life of a project.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Moment {
    Time(Timestamp),
    Revision(Revision),
}

/// Which entries count as before a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Edge {
    /// Those of that very time too.
    With,
    /// Only older ones.
    Without,
}

impl Engine {
    /// Reads a revision, a time (RFC 3339, a date) or a span back (`2h`, `3d`).
    ///
    /// **Errors**: `invalid_argument`, naming `field`.
    pub(crate) fn moment(&self, text: &str, field: &str) -> Result<Moment, Refusal> {
        if let Ok(revision) = text.parse() {
            return Ok(Moment::Revision(Revision(revision)));
        }
        if let Some(back) = span(text) {
            return Ok(Moment::Time(Timestamp::from_millis(self.now()?.as_millis().saturating_sub(back))));
        }
        time(text).map(Moment::Time).ok_or_else(|| {
            Refusal::invalid(field, format!("{text:?} is neither a time nor a revision")).allowed(vec![
                "2026-01-02T03:04:05Z".into(),
                "2026-01-02".into(),
                "2h".into(),
                Value::from(17),
            ])
        })
    }

    /// The revision that a moment or a checkpoint means.
    ///
    /// **Errors**: `invalid_argument`, naming `field`.
    pub(crate) fn revision_of(
        &self,
        reads: &dyn Reads,
        text: &str,
        field: &str,
        edge: Edge,
    ) -> Result<Revision, Refusal> {
        if let Some(checkpoint) = checkpoint_of(reads, text)? {
            return Ok(checkpoint.revision);
        }
        match self.moment(text, field)? {
            Moment::Revision(revision) => Ok(revision),
            Moment::Time(time) => revision_at(reads, time, edge),
        }
    }
}

// **Shape**: RFC 3339, or a date.
fn time(text: &str) -> Option<Timestamp> {
    Timestamp::parse_rfc3339(text).or_else(|| Timestamp::parse_rfc3339(&format!("{text}T00:00:00Z")))
}

/// Whether a word names a time or a span.
pub(crate) fn is_time(text: &str) -> bool {
    span(text).is_some() || time(text).is_some()
}

/// The checkpoint of that id, or the newest of that label.
pub(crate) fn checkpoint_of(reads: &dyn Reads, text: &str) -> Result<Option<Checkpoint>, Refusal> {
    let all = reads.checkpoints().map_err(|error| refusals::of_store(&error))?;
    let by_id = all.iter().find(|checkpoint| checkpoint.id == text);
    let named = |checkpoint: &&Checkpoint| checkpoint.label.as_deref() == Some(text);
    Ok(by_id.or_else(|| all.iter().rev().find(named)).cloned())
}

/// The newest revision before a time.
fn revision_at(reads: &dyn Reads, time: Timestamp, edge: Edge) -> Result<Revision, Refusal> {
    let mut found = Revision(0);
    let mut look = |entry: StoredEntry| {
        if entry.at < time || (edge == Edge::With && entry.at == time) {
            found = entry.revision;
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    };
    reads.entries(&EntryPage::default(), &mut look).map_err(|error| refusals::of_store(&error))?;
    Ok(found)
}

/// A span as people write it. **Units**: milliseconds.
pub(crate) fn span(text: &str) -> Option<i64> {
    let (count, unit) = text.split_at_checked(text.len().checked_sub(1)?)?;
    let seconds = match unit {
        "s" => 1,
        "m" => 60,
        "h" => 60 * 60,
        "d" => 24 * 60 * 60,
        "w" => 7 * 24 * 60 * 60,
        _ => return None,
    };
    count.parse::<i64>().ok().filter(|count| *count >= 0)?.checked_mul(seconds * 1000)
}

#[cfg(test)]
mod tests {
    use super::span;

    #[test]
    fn spans_are_read() {
        let day = 24 * 60 * 60 * 1000;
        let cases = [
            ("2h", Some(7_200_000)),
            ("3d", Some(3 * day)),
            ("1w", Some(7 * day)),
            ("0s", Some(0)),
            ("5m", Some(300_000)),
        ];
        for (text, expected) in cases {
            assert_eq!(span(text), expected, "{text}");
        }
        for text in ["", "d", "-1d", "1y", "1.5h", "é", "9223372036854775807w"] {
            assert_eq!(span(text), None, "{text}");
        }
    }
}
