//! `doctor`: what is wrong with the store, the images, the locks and the formats' own state.

mod claims;
mod leftovers;
mod losses;
mod rebuild;
mod repair;
mod salvage;
mod weighing;

use format::{Format, View};
use model::{Change, Context, Finding, Object, Origin, Refusal, Severity, Value};
use store::Store;

use crate::engine::Engine;
use crate::gc::left_in_trash;
use crate::ground::{Ground, Standing};
use crate::locks::FileLock;
use crate::read::{is_waiting, survey};
use crate::records::StoreRecords;
use crate::spool::Spool;
use crate::{refusals, remote};
use losses::Loss;
use salvage::Salvage;

/// Where the store stands, for people.
const STORE: &str = ".mainstay/state.db";

/// What mends what the next writing command would mend too.
const FIX: &str = "mainstay doctor --fix";

/// From what size the store's log is worth a word. **Units**: bytes.
const LARGE_LOG: u64 = 64 * 1024 * 1024;

impl Engine {
    /// What is wrong, and the command that mends it; reads only.
    ///
    /// **Shape**: `{ok,findings:[{code,where,severity,message,fix,fixed,…}]}`.
    pub fn doctor(&self) -> Result<Object, Refusal> {
        Ok(report(&[], &self.findings()?))
    }

    /// Everything that is wrong.
    pub(crate) fn findings(&self) -> Result<Vec<Finding>, Refusal> {
        let ctx = self.bare_context(Origin::Tool)?;
        let mut findings = Vec::new();
        let is_ours = self.home().check().is_ok();
        let store = self.of_store(&mut findings, &ctx)?;
        // What images should show is known from the store alone.
        let is_known = store.is_some() || findings.is_empty();
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
            if is_known {
                findings.extend(self.standing(format, store.as_deref(), &ctx)?);
            }
        }
        let names = self.formats_on().into_iter().map(Format::name).chain(["queue"]);
        for name in names.filter(|_| is_ours) {
            if FileLock::is_obstructed(&self.home().lock(name)) {
                let place = format!(".mainstay/locks/{name}.lock");
                let message = format!("{place} is no plain file, so nothing can be written");
                findings.push(finding("lock_unusable", Severity::Error, &place, message, Some("take it away")));
            }
            if let Some(holder) = FileLock::holder(&self.home().lock(name)) {
                let message = format!("{holder} is writing now");
                findings.push(finding("lock_held", Severity::Warning, name, message, None));
            }
        }
        if let Some(warning) = remote::warning(self.root()) {
            findings.push(finding(&warning.code, Severity::Warning, STORE, warning.message, None));
        }
        if is_ours {
            findings.extend(self.leftovers());
        }
        if is_ours && !Spool::of(self.home()).is_empty() {
            let message = "events wait to be applied; the next writing command of their format applies them".to_owned();
            findings.push(finding("spool_pending", Severity::Warning, ".mainstay/spool", message, Some(FIX)));
        }
        Ok(findings)
    }

    // The store itself: whether it opens, whether it is sound, what still waits in it.
    fn of_store(
        &self,
        findings: &mut Vec<Finding>,
        ctx: &Context,
    ) -> Result<Option<std::sync::Arc<dyn Store>>, Refusal> {
        let store = match self.opened_store() {
            Ok(store) => store,
            Err(refusal) => {
                let is_corrupt = refusal.code == "store_corrupt";
                findings.push(Finding {
                    fix: is_corrupt.then(|| FIX.to_owned()).or(refusal.hint.clone()),
                    ..of_refusal(&refusal, STORE)
                });
                findings.extend(is_corrupt.then(|| Loss::of_everything().finding()));
                None
            }
        };
        let Some(store) = store else { return Ok(None) };
        let problems = store.check().map_err(|error| refusals::of_store(&error))?;
        let is_sound = problems.is_empty();
        for problem in problems {
            findings.push(finding("store_corrupt", Severity::Error, STORE, problem, Some(FIX)));
        }
        if !is_sound {
            let losses = match store.read() {
                Ok(reads) => {
                    let claims = |laid: &[Change]| self.claims(reads.as_ref(), laid, ctx);
                    Salvage::of(reads.as_ref(), ctx.now, &claims)?.losses
                }
                Err(_) => vec![Loss::of_everything()],
            };
            findings.extend(losses.iter().map(Loss::finding));
            return Ok(Some(store));
        }
        let told = store.read().map(|reads| losses::remembered(reads.as_ref()));
        findings.extend(told.unwrap_or_default().iter().map(Loss::finding));
        let pending =
            store.read().and_then(|reads| reads.pending_moves()).map_err(|error| refusals::of_store(&error))?;
        for one in pending {
            let message = format!("the folder {} waits to be moved to {}", one.step.from, one.step.to);
            findings.push(finding("move_pending", Severity::Warning, one.step.from.as_str(), message, Some(FIX)));
        }
        let trashed = store.read().map_err(refusals::failed).and_then(|reads| left_in_trash(reads.as_ref()))?;
        if !trashed.is_empty() && FileLock::holder(&self.home().lock("gc")).is_none() {
            let message = format!("{} removed folders are still in the trash: a gc was cut short", trashed.len());
            findings.push(finding("trash_left", Severity::Warning, ".mainstay/trash", message, Some("mainstay gc")));
        }
        let size = store.size().map_err(|error| refusals::of_store(&error))?;
        if size.wal_bytes > LARGE_LOG {
            let message = format!("the store's log has grown to {} bytes", size.wal_bytes);
            findings.push(finding("log_large", Severity::Warning, STORE, message, Some("mainstay gc")));
        }
        Ok(Some(store))
    }

    fn standing(
        &self,
        format: &'static dyn Format,
        store: Option<&dyn Store>,
        ctx: &Context,
    ) -> Result<Vec<Finding>, Refusal> {
        let snapshot = store.map(Store::read).transpose().map_err(|error| refusals::of_store(&error))?;
        let reads = snapshot.as_deref();
        let records = StoreRecords::new(reads);
        let view = View { records: &records, files: self.files(), probes: self.probes() };
        let (mut findings, mut leftovers, mut differing) = (Vec::new(), Vec::new(), Vec::new());
        for space in format.spaces(None, &view, ctx)? {
            let ground = survey(self, reads, format, space, &view, ctx)?;
            findings.extend(of_files(&ground));
            leftovers.extend(self.left_beside(&ground));
            let claims = claims::of_ground(&ground, &view, ctx);
            // From what cannot be read nothing follows.
            if records.check().is_ok() {
                differing.extend(claims::findings(&claims));
            }
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
        // Several spaces may share a folder.
        leftovers.dedup();
        findings.extend(leftovers);
        findings.extend(differing);
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
        findings.push(finding(code, Severity::Warning, place, format!("{place} {message}"), Some(FIX)));
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

// Those that were found and are gone, then those that are left.
fn report(gone: &[Finding], left: &[Finding]) -> Object {
    let told = gone.iter().map(|finding| finding.to_object(true)).chain(left.iter().map(|f| f.to_object(false)));
    let mut object = Object::new();
    object.insert("ok".into(), left.is_empty().into());
    object.insert("findings".into(), told.map(Value::Object).collect());
    object
}
