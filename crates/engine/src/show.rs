//! `show`, `diff` and the look ahead of `rollback`: records as they stand or stood.

use std::collections::BTreeMap;

use format::{Draft, View};
use model::{Change, Object, Origin, RecordKey, Refusal, Revision, Scan, Space, Value};
use store::{Reads, Store};

use crate::deed::with_restored;
use crate::engine::Engine;
use crate::moment::Edge;
use crate::moves_back::{Way, moves_back};
use crate::outside::{laid_over, told};
use crate::past::{self, Adopted};
use crate::records::StoreRecords;
use crate::refusals::failed;
use crate::rollback::{self, Goal, RollbackQuery};
use crate::tell::{self, Teller, is_wanted};

impl Engine {
    /// The records as they stand, outside edits counted in memory, or as they stood.
    ///
    /// **Shape**: `{revision,records:[{space,key,value}],warnings}`, sorted by space, kind and id.
    /// **Errors**: `invalid_argument` (field `space` or `at`), `unknown_revision`, `revision_folded`.
    pub fn show(&self, space: Option<&str>, at: Option<&str>) -> Result<Object, Refusal> {
        space.map_or(Ok(()), |space| self.check_space(space))?;
        let ctx = self.bare_context(Origin::Command)?;
        let store = self.opened_store()?;
        let snapshot = store.as_deref().map(Store::read).transpose().map_err(failed)?;
        let reads = snapshot.as_deref();
        let mut records = reads.map_or_else(|| Ok(BTreeMap::new()), |reads| all(reads, space))?;
        let head = reads.map_or(Ok(Revision(0)), Reads::head).map_err(failed)?;
        let mut warnings = Vec::new();
        let mut revision = head;
        if let Some(at) = at {
            revision = match reads {
                Some(reads) => self.revision_of(reads, at, "at", Edge::With)?,
                None => return Err(past::unknown(Revision(0), head)),
            };
            let wanted = |one: &Space| is_wanted(space, one);
            let since = past::since(self, reads.expect("checked above"), revision, Adopted::Came, &wanted)?;
            lay(&mut records, since.changes.into_iter().map(Change::inverse));
        } else {
            let outside = self.outside(reads, &ctx);
            lay(&mut records, outside.changes.into_iter().filter(|change| is_wanted(space, &change.key.space)));
            warnings = outside.warnings;
        }
        let shown = records.into_iter().map(|(key, value)| {
            let mut object = tell::key(&key);
            object.insert("value".into(), value);
            Value::Object(object)
        });
        let mut object = Object::new();
        object.insert("revision".into(), revision.0.into());
        object.insert("records".into(), shown.collect());
        object.insert("warnings".into(), told(&warnings));
        Ok(object)
    }

    /// What was added, changed and removed since a revision, a time or a checkpoint.
    ///
    /// **Shape**: `{since,revision,changes:[{change,space,key,before,after}],warnings}`.
    /// **Errors**: as for [`Engine::show`].
    pub fn diff(&self, space: Option<&str>, since: &str, all: bool) -> Result<Object, Refusal> {
        space.map_or(Ok(()), |space| self.check_space(space))?;
        let ctx = self.bare_context(Origin::Command)?;
        let store = self.opened_store()?;
        let snapshot = store.as_deref().map(Store::read).transpose().map_err(failed)?;
        let wanted = |one: &Space| is_wanted(space, one);
        let (mut changes, mut from, mut head) = (Vec::new(), Revision(0), Revision(0));
        if let Some(reads) = snapshot.as_deref() {
            head = reads.head().map_err(failed)?;
            from = self.revision_of(reads, since, "since", Edge::Without)?;
            changes = past::since(self, reads, from, Adopted::Came, &wanted)?.changes;
        } else {
            self.moment(since, "since")?;
        }
        let mut outside = self.outside(snapshot.as_deref(), &ctx);
        outside.changes.retain(|change| wanted(&change.key.space));
        let teller = Teller::of(self);
        let mut changes = laid_over(changes, outside.changes);
        changes.retain(|change| all || teller.tells(&change.key));
        let mut object = Object::new();
        object.insert("since".into(), from.0.into());
        object.insert("revision".into(), head.0.into());
        object.insert("changes".into(), changes.iter().map(|one| Value::Object(tell::change(one))).collect());
        object.insert("warnings".into(), told(&outside.warnings));
        Ok(object)
    }

    /// What a rollback would change; changes nothing itself.
    ///
    /// **Shape**: that of a rollback, with `dry_run`.
    pub fn rollback_ahead(&self, query: &RollbackQuery) -> Result<Object, Refusal> {
        let ctx = self.bare_context(Origin::Command)?;
        let store = self.opened_store()?;
        let Some(store) = store else { return Err(past::unknown(Revision(0), Revision(0))) };
        let snapshot = store.read().map_err(failed)?;
        let reads = snapshot.as_ref();
        let goal = Goal::of(self, query, reads)?;
        let since = goal.since(self, reads)?;
        let mut outside = self.outside(Some(reads), &ctx);
        outside.changes.retain(|change| goal.wants(&change.key.space));
        let records = StoreRecords::new(Some(reads));
        let mut draft = Draft::new(&records);
        draft.lay(&outside.changes);
        let view = View { records: &draft, files: self.files(), probes: self.probes() };
        let (moves, skipped) = moves_back(&view, since.back, Way::Rollback)?;
        let back: Vec<Change> = laid_over(since.changes, outside.changes).into_iter().map(Change::inverse).collect();
        let outcome = with_restored(&self.formats_on(), &back, Vec::new(), &view, &ctx)?;
        records.check()?;
        let head = reads.head().map_err(failed)?;
        let mut object = rollback::reply(head, None, Teller::of(self).changes(&outcome.changes), &moves);
        object.insert("dry_run".into(), true.into());
        object.insert("warnings".into(), told(&[outside.warnings, skipped].concat()));
        Ok(object)
    }
}

/// Every record of the spaces that are asked for.
pub(crate) fn all(reads: &dyn Reads, space: Option<&str>) -> Result<BTreeMap<RecordKey, Value>, Refusal> {
    let mut records = BTreeMap::new();
    for one in reads.spaces().map_err(failed)?.into_iter().filter(|one| is_wanted(space, one)) {
        for kind in reads.kinds(&one).map_err(failed)? {
            for record in reads.scan(&one, &kind, &Scan::all()).map_err(failed)? {
                records.insert(RecordKey::new(one.clone(), kind.clone(), record.id), record.value);
            }
        }
    }
    Ok(records)
}

fn lay(records: &mut BTreeMap<RecordKey, Value>, changes: impl Iterator<Item = Change>) {
    for change in changes {
        match change.after {
            Some(value) => drop(records.insert(change.key, value)),
            None => drop(records.remove(&change.key)),
        }
    }
}
