//! `status`: reading everything that is on, changing nothing.

use format::{Draft, Format, View};
use model::{Context, Object, Origin, Refusal, Value, Warning, WorkState};
use std::ops::ControlFlow;
use store::{EntryPage, Store, Unwinder};

use crate::engine::Engine;
use crate::read::survey;
use crate::records::StoreRecords;
use crate::take_in::{outside_context, take_in};
use crate::{refusals, remote, tell};

/// From what size the store is worth a warning. **Units**: bytes.
const LARGE: u64 = 256 * 1024 * 1024;

impl Engine {
    /// One screen about the project.
    ///
    /// **Shape**: `{formats:[{name,summary,work:[{id,title,state,owner,blocked_by}]}],last,warnings}`.
    pub fn status(&self) -> Result<Object, Refusal> {
        let ctx = self.bare_context(Origin::Tool)?;
        let store = self.opened_store()?;
        let damage = store.as_deref().and_then(Store::damage);
        let mut warnings: Vec<Warning> = damage.as_ref().map(refusals::warning_of).into_iter().collect();
        warnings.extend(remote::warning(self.root()));
        let mut formats = Vec::new();
        for format in self.formats_on() {
            self.look(format, store.as_deref(), &ctx, &mut warnings, |view| {
                let work: Vec<Value> = format.work(view, &ctx).iter().map(work_item).collect();
                let mut object = Object::new();
                object.insert("name".into(), format.name().into());
                object.insert("summary".into(), format.summary(view, &ctx).into());
                object.insert("work".into(), Value::Array(work));
                formats.push(Value::Object(object));
            })?;
        }
        if formats.is_empty() {
            warnings.push(Warning::new("no_format", "no format is on here; begin with: mainstay init"));
        }
        if let Some(store) = &store {
            let size = store.size().map_err(|error| refusals::of_store(&error))?;
            if size.database_bytes + size.wal_bytes > LARGE {
                warnings.push(
                    Warning::new("store_large", "the store has passed 256 MiB").with("bytes", size.database_bytes),
                );
            }
        }
        let warnings = warnings.iter().map(|warning| Value::Object(warning.to_object())).collect();
        let mut object = Object::new();
        object.insert("formats".into(), Value::Array(formats));
        object.insert("last".into(), last(store.as_deref())?);
        object.insert("warnings".into(), Value::Array(warnings));
        Ok(object)
    }

    // Shows `use_view` a format's records with outside edits counted in.
    pub(crate) fn look(
        &self,
        format: &'static dyn Format,
        store: Option<&dyn Store>,
        ctx: &Context,
        warnings: &mut Vec<Warning>,
        use_view: impl FnOnce(&View<'_>),
    ) -> Result<(), Refusal> {
        let snapshot = store.map(Store::read).transpose().map_err(|error| refusals::of_store(&error))?;
        let reads = snapshot.as_deref();
        let records = StoreRecords::new(reads);
        let view = View { records: &records, files: self.files(), probes: self.probes() };
        let mut draft = Draft::new(&records);
        for space in format.spaces(None, &view, ctx)? {
            let ground = survey(self, reads, format, space, &view, ctx)?;
            let taken = take_in(&ground, None, reads, &view.over(&draft), &outside_context(ctx))?;
            draft.lay(&taken.changes);
            warnings.extend(taken.warnings);
        }
        use_view(&view.over(&draft));
        records.check()
    }
}

fn work_item(item: &model::WorkItem) -> Value {
    let state = match item.state {
        WorkState::Ready => "ready",
        WorkState::InProgress => "in_progress",
        WorkState::Blocked => "blocked",
        WorkState::Done => "done",
    };
    let mut object = Object::new();
    object.insert("id".into(), item.id.as_str().into());
    object.insert("title".into(), item.title.as_str().into());
    object.insert("state".into(), state.into());
    object.insert("owner".into(), item.owner.clone().map_or(Value::Null, Value::String));
    object.insert("blocked_by".into(), item.blocked_by.clone().into());
    Value::Object(object)
}

fn last(store: Option<&dyn Store>) -> Result<Value, Refusal> {
    let Some(store) = store else { return Ok(Value::Null) };
    let mut found = None;
    let look = || {
        let reads = store.read()?;
        let mut unwinder = Unwinder::new(reads.as_ref());
        let mut entry = None;
        reads.entries(&EntryPage::default(), &mut |stored| {
            entry = Some(unwinder.entry(stored));
            ControlFlow::Break(())
        })?;
        entry.transpose()
    };
    if let Some(entry) = look().map_err(|error| refusals::of_store(&error))? {
        let mut object = tell::entry(&entry);
        object.shift_remove("changes");
        found = Some(Value::Object(object));
    }
    Ok(found.unwrap_or(Value::Null))
}
