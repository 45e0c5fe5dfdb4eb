//! `export`: everything that was recorded, line by line, as one moment shows it.

use std::io::{self, Write};

use model::{Object, Origin, Refusal, RefusalClass, Revision, Scan, Space, Value};
use store::{Checkpoint, Reads, StoredEntry};

use super::{VERSION, lines};
use crate::engine::Engine;
use crate::refusals::failed;
use crate::tell::is_wanted;

/// How many entries are held in memory at once.
const AT_ONCE: usize = 512;

/// Where the lines go.
pub type ExportSink<'a> = dyn Write + 'a;

/// What stands in an export.
#[derive(Default)]
struct Counts {
    checkpoints: u64,
    entries: u64,
    records: u64,
}

impl Engine {
    /// Writes records and entries as lines of JSON; answers how many.
    ///
    /// With a space only what lies in it; its entries hold only what they changed there.
    /// **Shape**: `{checkpoints,entries,records,revision}`.
    /// **Errors**: `invalid_argument` (field `space`), `write_failed`.
    pub fn export(&self, space: Option<&str>, out: &mut ExportSink<'_>) -> Result<Object, Refusal> {
        space.map_or(Ok(()), |space| self.check_space(space))?;
        let ctx = self.bare_context(Origin::Command)?;
        let store = self.opened_store()?;
        let snapshot = store.as_deref().map(store::Store::read).transpose().map_err(failed)?;
        let reads = snapshot.as_deref();
        let head = reads.map_or(Ok(Revision(0)), Reads::head).map_err(failed)?;
        let header = Object::from_iter([
            ("mainstay".to_owned(), "export".into()),
            ("version".to_owned(), VERSION.into()),
            ("at".to_owned(), ctx.now.to_millis_text().into()),
            ("space".to_owned(), space.map_or(Value::Null, Value::from)),
            ("revision".to_owned(), head.0.into()),
        ]);
        put(out, lines::sealed(header))?;
        let mut counts = Counts::default();
        if let Some(reads) = reads {
            journal(reads, space, out, &mut counts)?;
            records(reads, space, out, &mut counts)?;
        }
        let mut end = Object::new();
        end.insert("checkpoints".into(), counts.checkpoints.into());
        end.insert("entries".into(), counts.entries.into());
        end.insert("records".into(), counts.records.into());
        put(out, lines::line("end", end.clone()))?;
        out.flush().map_err(|error| unwritten(&error))?;
        end.insert("revision".into(), head.0.into());
        Ok(end)
    }
}

fn journal(
    reads: &dyn Reads,
    space: Option<&str>,
    out: &mut ExportSink<'_>,
    counts: &mut Counts,
) -> Result<(), Refusal> {
    // A checkpoint of another space says nothing about this one.
    let is_own = |checkpoint: &Checkpoint| {
        let own = checkpoint.space.as_ref().map(Space::as_str);
        space.is_none_or(|space| {
            own.is_none_or(|own| Space::new(own).is_within(space) || Space::new(space).is_within(own))
        })
    };
    for checkpoint in reads.checkpoints().map_err(failed)?.iter().filter(|checkpoint| is_own(checkpoint)) {
        put(out, lines::line("checkpoint", lines::of_checkpoint(checkpoint)))?;
        counts.checkpoints += 1;
    }
    let mut after = Revision(0);
    loop {
        let page = reads.entries_after(after, AT_ONCE).map_err(failed)?;
        let Some(last) = page.last() else { return Ok(()) };
        after = last.revision;
        for mut entry in page {
            if touches(&mut entry, space) {
                for line in lines::entry_lines(&entry) {
                    put(out, line)?;
                }
                counts.entries += 1;
            }
        }
    }
}

// Leaves an entry what it changed in the space; answers whether it is about the space at all.
fn touches(entry: &mut StoredEntry, space: Option<&str>) -> bool {
    let whole = is_wanted(space, &entry.space);
    entry.changes.retain(|change| is_wanted(space, &change.key.space));
    if !whole {
        entry.moves.clear();
    }
    whole || !entry.changes.is_empty()
}

fn records(
    reads: &dyn Reads,
    space: Option<&str>,
    out: &mut ExportSink<'_>,
    counts: &mut Counts,
) -> Result<(), Refusal> {
    for one in reads.spaces().map_err(failed)?.into_iter().filter(|one| is_wanted(space, one)) {
        for kind in reads.kinds(&one).map_err(failed)? {
            for record in reads.scan(&one, &kind, &Scan::all()).map_err(failed)? {
                let key = model::RecordKey::new(one.clone(), kind.clone(), record.id);
                put(out, lines::line("record", lines::of_record(&key, record.value)))?;
                counts.records += 1;
            }
        }
    }
    Ok(())
}

fn put(out: &mut ExportSink<'_>, mut line: String) -> Result<(), Refusal> {
    line.push('\n');
    out.write_all(line.as_bytes()).map_err(|error| unwritten(&error))
}

fn unwritten(error: &io::Error) -> Refusal {
    Refusal::new(RefusalClass::Unavailable, "write_failed", format!("the export cannot be written: {error}"))
}
