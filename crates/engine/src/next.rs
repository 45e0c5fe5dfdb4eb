//! `next`: the ready and the blocked work of every format that is on, in one list.

use format::{Draft, View};
use model::{Object, Origin, Refusal, Value, WorkItem, WorkState};
use store::Store;

use crate::engine::Engine;
use crate::outside::told;
use crate::records::StoreRecords;
use crate::refusals::failed;

impl Engine {
    /// What could be started now, and what waits for what.
    ///
    /// **Shape**: `{ready:[{format,id,title,owner,why}],blocked:[{format,id,title,owner,blocked_by}],
    /// warnings}`. **Order**: by roll-call, then as each format orders its work.
    pub fn next(&self) -> Result<Object, Refusal> {
        let ctx = self.bare_context(Origin::Command)?;
        let store = self.opened_store()?;
        let snapshot = store.as_deref().map(Store::read).transpose().map_err(failed)?;
        let outside = self.outside(snapshot.as_deref(), &ctx);
        let records = StoreRecords::new(snapshot.as_deref());
        let mut draft = Draft::new(&records);
        draft.lay(&outside.changes);
        let view = View { records: &draft, files: self.files(), probes: self.probes() };
        let (mut ready, mut blocked) = (Vec::new(), Vec::new());
        for format in self.formats_on() {
            for item in format.work(&view, &ctx) {
                match item.state {
                    WorkState::Ready => ready.push(of_ready(format.name(), &item)),
                    WorkState::Blocked => blocked.push(of_blocked(format.name(), &item)),
                    WorkState::InProgress | WorkState::Done => {}
                }
            }
        }
        records.check()?;
        let mut object = Object::new();
        object.insert("ready".into(), Value::Array(ready));
        object.insert("blocked".into(), Value::Array(blocked));
        object.insert("warnings".into(), told(&outside.warnings));
        Ok(object)
    }
}

fn of_item(format: &str, item: &WorkItem) -> Object {
    let mut object = Object::new();
    object.insert("format".into(), format.into());
    object.insert("id".into(), item.id.as_str().into());
    object.insert("title".into(), item.title.as_str().into());
    object.insert("owner".into(), item.owner.clone().map_or(Value::Null, Value::String));
    object
}

fn of_ready(format: &str, item: &WorkItem) -> Value {
    let mut object = of_item(format, item);
    let why = match &item.owner {
        Some(owner) => format!("nothing stands in its way; it is {owner}'s"),
        None => "nothing stands in its way".to_owned(),
    };
    object.insert("why".into(), why.into());
    Value::Object(object)
}

fn of_blocked(format: &str, item: &WorkItem) -> Value {
    let mut object = of_item(format, item);
    object.insert("blocked_by".into(), item.blocked_by.clone().into());
    Value::Object(object)
}
