//! What undo and rollback add: generations and times never go back.

use format::{Draft, Records as _, View};
use model::{Change, Context, Outcome, Refusal, Value};

use super::wave::{self, Wave};
use super::{document, records, refusals};

pub(super) fn restored(changes: &[Change], view: &View<'_>, ctx: &Context) -> Result<Outcome, Refusal> {
    let is_about = |key| changes.iter().any(|change| change.key == key);
    // What nobody could take in is not written over; only who says so sets it aside.
    if is_about(records::task_key()) {
        refusals::writable_task(view)?;
    }
    if is_about(records::wave_key()) {
        wave::read_file(view.files).map_err(|why| wave::corrupt(&why))?;
    }
    let highest = records::generation(view.records);
    let mut after = Draft::new(view.records);
    after.lay(changes);
    let mut draft = Draft::new(&after);
    let wave = if is_about(records::wave_key()) { records::wave(&after) } else { None };
    if let Some(Ok(wave)) = wave.map(Wave::read) {
        // A wave that comes back is a new one: what was sent out since does not count for it.
        draft.put(records::counter_key(), highest.into());
        let next = records::next_generation(&mut draft);
        draft.put(records::wave_key(), Value::Object(wave.with_generation(next).into_document()));
    } else if after.get(&records::counter_key()).and_then(|value| value.as_i64()).unwrap_or_default() < highest {
        draft.put(records::counter_key(), highest.into());
    }
    if is_about(records::task_key())
        && let Some(mut task) = records::task(&after)
    {
        let present = records::task(view.records);
        let stored = present.as_ref().and_then(|task| document::time_of(task.get("last_update")));
        let time = stored.map_or(ctx.now, |stored| stored.max(ctx.now));
        task.insert("last_update".into(), time.to_seconds_text().into());
        draft.put(records::task_key(), Value::Object(task));
    }
    Ok(Outcome { changes: draft.into_changes(), ..Outcome::default() })
}
