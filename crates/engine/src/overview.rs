//! `status` and `doctor`: reading everything that is on, changing nothing.

use format::{Draft, Format, View};
use model::{Context, Finding, Object, Origin, Refusal, Severity, Value, Warning, WorkState};
use std::ops::ControlFlow;
use store::{EntryPage, Store, Unwinder};

use crate::engine::Engine;
use crate::ground::{Ground, Standing};
use crate::history::shown;
use crate::locks::FileLock;
use crate::read::{is_waiting, survey};
use crate::records::StoreRecords;
use crate::refusals;
use crate::spool::Spool;
use crate::take_in::{outside_context, take_in};

/// From what size the store is worth a warning. **Units**: bytes.
const LARGE: u64 = 256 * 1024 * 1024;

impl Engine {
    /// One screen about the project.
    ///
    /// **Shape**: `{formats:[{name,summary,work:[{id,title,state,owner,blocked_by}]}],last,warnings}`.
    pub fn status(&self) -> Result<Object, Refusal> {
        let ctx = self.bare_context(Origin::Tool)?;
        let store = self.opened_store()?;
        let mut warnings = Vec::new();
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

    /// What is wrong, and the command that mends it; reads only.
    ///
    /// **Shape**: `{ok,findings:[{code,where,severity,message,fix,fixed,…}]}`.
    pub fn doctor(&self) -> Result<Object, Refusal> {
        let ctx = self.bare_context(Origin::Tool)?;
        let mut findings = Vec::new();
        let is_ours = self.home().check().is_ok();
        let store = match self.opened_store() {
            Ok(store) => store,
            Err(refusal) => {
                findings.push(of_refusal(&refusal, ".mainstay/state.db"));
                None
            }
        };
        if let Some(store) = &store {
            for problem in store.check().map_err(|error| refusals::of_store(&error))? {
                findings.push(finding("store_corrupt", Severity::Error, ".mainstay/state.db", problem, None));
            }
        }
        for format in self.formats_on() {
            let mut warnings = Vec::new();
            let looked = self.look(format, store.as_deref(), &ctx, &mut warnings, |view| {
                findings.extend(format.doctor(view, &ctx));
            });
            if let Err(refusal) = looked {
                findings.push(of_refusal(&refusal, format.name()));
                continue;
            }
            for warning in warnings {
                let place = warning.details.get("path").and_then(Value::as_str).unwrap_or(format.name()).to_owned();
                findings.push(finding(&warning.code, Severity::Warning, &place, warning.message, None));
            }
            findings.extend(self.standing(format, store.as_deref(), &ctx)?);
            let lock = self.home().lock(format.name());
            if let Some(holder) = is_ours.then(|| FileLock::holder(&lock)).flatten() {
                let message = format!("{holder} is writing now");
                findings.push(finding("lock_held", Severity::Warning, format.name(), message, None));
            }
        }
        if is_ours && !Spool::of(self.home()).is_empty() {
            let message = "events wait to be applied; the next writing command of their format applies them".to_owned();
            findings.push(finding("spool_pending", Severity::Warning, ".mainstay/spool", message, None));
        }
        let mut object = Object::new();
        object.insert("ok".into(), findings.is_empty().into());
        let findings = findings.iter().map(|finding| Value::Object(finding.to_object(false))).collect();
        object.insert("findings".into(), Value::Array(findings));
        Ok(object)
    }

    // Shows `use_view` a format's records with outside edits counted in.
    fn look(
        &self,
        format: &dyn Format,
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
            let taken = take_in(format, &ground, None, reads, &view.over(&draft), &outside_context(ctx))?;
            draft.lay(&taken.changes);
            warnings.extend(taken.warnings);
        }
        use_view(&view.over(&draft));
        records.check()
    }

    fn standing(&self, format: &dyn Format, store: Option<&dyn Store>, ctx: &Context) -> Result<Vec<Finding>, Refusal> {
        let snapshot = store.map(Store::read).transpose().map_err(|error| refusals::of_store(&error))?;
        let reads = snapshot.as_deref();
        let records = StoreRecords::new(reads);
        let view = View { records: &records, files: self.files(), probes: self.probes() };
        let mut findings = Vec::new();
        for space in format.spaces(None, &view, ctx)? {
            let ground = survey(self, reads, format, space, &view, ctx)?;
            findings.extend(of_files(&ground));
            match is_waiting(self, reads, &ground) {
                Ok(true) if findings.is_empty() => findings.push(finding(
                    "outside_waiting",
                    Severity::Warning,
                    ground.space.as_str(),
                    "outside changes wait; the next command takes them in".to_owned(),
                    Some("run any command of the format"),
                )),
                Ok(_) => {}
                Err(refusal) => findings.push(of_refusal(&refusal, ground.space.as_str())),
            }
        }
        Ok(findings)
    }
}

fn of_files(ground: &Ground) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in &ground.files {
        let (code, message) = match file.standing {
            Standing::Behind => ("image_stale", "is not up to date; the next command mends it"),
            Standing::Edited => ("image_edited", "was edited outside; the next command takes it in"),
            _ => continue,
        };
        let place = file.source.path.as_str();
        findings.push(finding(code, Severity::Warning, place, format!("{place} {message}"), None));
    }
    findings
}

fn finding(code: &str, severity: Severity, place: &str, message: String, fix: Option<&str>) -> Finding {
    Finding {
        code: code.to_owned(),
        severity,
        place: place.to_owned(),
        message,
        fix: fix.map(str::to_owned),
        details: Object::new(),
    }
}

fn of_refusal(refusal: &Refusal, place: &str) -> Finding {
    finding(&refusal.code, Severity::Error, place, refusal.message.clone(), refusal.hint.as_deref())
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
        let mut object = shown(&entry);
        object.shift_remove("changes");
        found = Some(Value::Object(object));
    }
    Ok(found.unwrap_or(Value::Null))
}
