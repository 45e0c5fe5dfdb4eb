//! The check that records and journal tell the same story.

use std::ops::ControlFlow;

use model::{Entry, EntryCause, RecordKey, Revision, Scan};

use crate::{EntryPage, Reads, StoreError, Unwinder};

/// Compares the whole journal with the records; answers what does not fit.
///
/// Every record must unwind to nothing, and no revision may be missing. Reads everything.
pub fn audit(reads: &dyn Reads) -> Result<Vec<String>, StoreError> {
    let mut problems = Vec::new();
    let mut unwinder = Unwinder::new(reads);
    let mut expected = reads.head()?;
    // A baseline stands for the revisions before it as well, down to the next entry that is there.
    let mut folded = false;
    let mut count = |entry: Entry| {
        if entry.revision != expected && !folded {
            problems.push(format!("revision {expected} is missing"));
        }
        folded = entry.cause == EntryCause::Baseline;
        expected = Revision(entry.revision.0.saturating_sub(1));
        ControlFlow::Continue(())
    };
    let walked = unwinder.walk(&EntryPage::default(), &|_| ControlFlow::Continue(true), &mut count);
    match walked.err() {
        Some(StoreError::Corrupt(what)) => problems.push(what),
        Some(error) => return Err(error),
        None => {
            if expected != Revision(0) && !folded {
                problems.push(format!("revision {expected} is missing"));
            }
            problems.extend(leftovers(reads, &unwinder)?);
        }
    }
    Ok(problems)
}

/// Records that do not go back to nothing.
fn leftovers(reads: &dyn Reads, unwinder: &Unwinder<'_>) -> Result<Vec<String>, StoreError> {
    let mut problems: Vec<String> = unwinder
        .reached()
        .filter(|(_, text)| text.is_some())
        .map(|(key, _)| format!("{key}: the journal does not say where its first value came from"))
        .collect();
    for space in reads.spaces()? {
        for kind in reads.kinds(&space)? {
            for record in reads.scan(&space, &kind, &Scan::all())? {
                let key = RecordKey::new(space.clone(), kind.clone(), record.id);
                if !unwinder.has_met(&key) {
                    problems.push(format!("{key}: no entry of the journal made it"));
                }
            }
        }
    }
    problems.sort();
    Ok(problems)
}
