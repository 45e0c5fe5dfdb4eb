//! Records with changes laid over them, while a format thinks.

use std::collections::BTreeMap;

use model::{Change, RecordId, RecordKey, Scan, Space, Value};

use crate::view::as_texts;
use crate::{Records, Visit};

/// An overlay: reads see what was put, the records beneath stay as they are.
pub struct Draft<'a> {
    beneath: &'a dyn Records,
    order: Vec<RecordKey>,
    laid: BTreeMap<RecordKey, Laid>,
}

struct Laid {
    before: Option<Value>,
    now: Option<Value>,
}

impl<'a> Draft<'a> {
    /// An empty overlay.
    pub fn new(beneath: &'a dyn Records) -> Self {
        Self { beneath, order: Vec::new(), laid: BTreeMap::new() }
    }

    /// Lays `changes` over the records, whatever stands beneath.
    pub fn lay(&mut self, changes: &[Change]) {
        for change in changes {
            self.set(change.key.clone(), change.after.clone());
        }
    }

    /// Gives a record a value.
    pub fn put(&mut self, key: RecordKey, value: Value) {
        self.set(key, Some(value));
    }

    /// Removes a record.
    pub fn delete(&mut self, key: RecordKey) {
        self.set(key, None);
    }

    fn set(&mut self, key: RecordKey, now: Option<Value>) {
        if let Some(laid) = self.laid.get_mut(&key) {
            laid.now = now;
            return;
        }
        let before = self.beneath.get(&key);
        self.order.push(key.clone());
        self.laid.insert(key, Laid { before, now });
    }

    /// Whether a record was given a value or removed here, whatever came of it.
    pub fn has(&self, key: &RecordKey) -> bool {
        self.laid.contains_key(key)
    }

    /// Whether anything differs from the records beneath.
    pub fn is_changed(&self) -> bool {
        self.laid.values().any(|laid| laid.before != laid.now)
    }

    /// What differs from the records beneath so far.
    pub fn changes(&self) -> Vec<Change> {
        let change = |key: &RecordKey| {
            let laid = &self.laid[key];
            let differs = laid.before != laid.now;
            differs.then(|| Change { key: key.clone(), before: laid.before.clone(), after: laid.now.clone() })
        };
        self.order.iter().filter_map(change).collect()
    }

    /// What differs from the records beneath, in the order in which it was first touched.
    pub fn into_changes(mut self) -> Vec<Change> {
        self.order
            .into_iter()
            .filter_map(|key| {
                let laid = self.laid.remove(&key).expect("every key in the order was laid");
                (laid.before != laid.now).then_some(Change { key, before: laid.before, after: laid.now })
            })
            .collect()
    }
}

impl Records for Draft<'_> {
    fn get(&self, key: &RecordKey) -> Option<Value> {
        match self.laid.get(key) {
            Some(laid) => laid.now.clone(),
            None => self.beneath.get(key),
        }
    }

    fn earlier(&self, key: &RecordKey, wanted: &mut dyn FnMut(&Value) -> bool) -> Option<Value> {
        self.beneath.earlier(key, wanted)
    }

    fn texts(&self, space: &Space, kind: &'static str, visit: &mut Visit<'_>) {
        if !self.laid.keys().any(|key| key.space == *space && key.kind == kind) {
            return self.beneath.texts(space, kind, visit);
        }
        as_texts(self.scan(space, kind, &Scan::all()), visit);
    }

    fn scan(&self, space: &Space, kind: &'static str, scan: &Scan) -> Vec<(RecordId, Value)> {
        let laid: Vec<(&RecordId, &Laid)> = self
            .laid
            .iter()
            .filter(|(key, _)| key.space == *space && key.kind == kind)
            .map(|(key, laid)| (&key.id, laid))
            .collect();
        if laid.is_empty() {
            return self.beneath.scan(space, kind, scan);
        }
        // Every laid record can hide at most one beneath, so so many more are enough.
        let wider = Scan { limit: scan.limit.saturating_add(laid.len()), ..scan.clone() };
        let mut merged: BTreeMap<RecordId, Value> = self.beneath.scan(space, kind, &wider).into_iter().collect();
        for (id, laid) in laid {
            let behind = scan.after.as_ref().is_none_or(|after| if scan.descending { id < after } else { id > after });
            match &laid.now {
                Some(value) if behind => drop(merged.insert(id.clone(), value.clone())),
                _ => drop(merged.remove(id)),
            }
        }
        let take = scan.limit;
        if scan.descending {
            merged.into_iter().rev().take(take).collect()
        } else {
            merged.into_iter().take(take).collect()
        }
    }
}
