//! What stands outside and is not taken in yet, counted in memory.

use std::collections::BTreeMap;

use format::{Draft, Format, View};
use model::{Change, Context, RecordKey, Refusal, Value, Warning};
use store::Reads;

use crate::engine::Engine;
use crate::read::{is_waiting, survey};
use crate::records::StoreRecords;
use crate::take_in::{outside_context, take_in};

/// Outside edits as changes of records, and what is to be said about them.
#[derive(Default)]
pub(crate) struct Outside {
    pub(crate) changes: Vec<Change>,
    pub(crate) warnings: Vec<Warning>,
}

impl Engine {
    /// The outside edits of all formats that are on, in memory.
    ///
    /// A format that cannot be looked at is told about and left out.
    pub(crate) fn outside(&self, reads: Option<&dyn Reads>, ctx: &Context) -> Outside {
        let mut outside = Outside::default();
        for format in self.formats_on() {
            let looked = self.outside_of(format, reads, ctx, &mut outside.warnings);
            match looked {
                Ok(changes) => outside.changes.extend(changes),
                Err(refusal) => outside.warnings.push(Warning::new(refusal.code.clone(), refusal.message.clone())),
            }
        }
        outside
    }

    fn outside_of(
        &self,
        format: &'static dyn Format,
        reads: Option<&dyn Reads>,
        ctx: &Context,
        warnings: &mut Vec<Warning>,
    ) -> Result<Vec<Change>, Refusal> {
        let records = StoreRecords::new(reads);
        let view = View { records: &records, files: self.files(), probes: self.probes() };
        let mut draft = Draft::new(&records);
        for space in format.spaces(None, &view, ctx)? {
            let ground = survey(self, reads, format, space, &view, ctx)?;
            let taken = take_in(&ground, None, reads, &view.over(&draft), &outside_context(ctx))?;
            // Rows are taken in under the locks alone.
            if taken.changes.is_empty() && is_waiting(self, reads, &ground)? {
                let message = format!("outside changes of {} wait; the next command takes them in", ground.space);
                warnings.push(Warning::new("outside_waiting", message).with("space", ground.space.as_str()));
            }
            draft.lay(&taken.changes);
            warnings.extend(taken.warnings);
        }
        records.check()?;
        Ok(draft.into_changes())
    }
}

/// Net changes, with those from outside laid over them.
pub(crate) fn laid_over(changes: Vec<Change>, outside: Vec<Change>) -> Vec<Change> {
    let mut net: BTreeMap<RecordKey, (Option<Value>, Option<Value>)> =
        changes.into_iter().map(|change| (change.key, (change.before, change.after))).collect();
    for change in outside {
        let (before, after) = (change.before, change.after);
        net.entry(change.key).and_modify(|(_, now)| now.clone_from(&after)).or_insert((before, after));
    }
    let all = net.into_iter().map(|(key, (before, after))| Change { key, before, after });
    all.filter(|change| change.before != change.after).collect()
}

/// Warnings as the replies of generic commands carry them.
pub(crate) fn told(warnings: &[Warning]) -> Value {
    warnings.iter().map(|warning| Value::Object(warning.to_object())).collect()
}
