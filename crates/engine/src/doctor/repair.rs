//! `doctor --fix`: says what it will do, keeps a copy, mends what is safe, says what is left.

use model::{Finding, Object, Refusal, Value};

use super::{STORE, report};
use crate::backup;
use crate::engine::{Engine, Identity};

/// What the next writing request would mend as well.
const BY_SETTLING: [&str; 5] = ["image_stale", "image_edited", "outside_waiting", "spool_pending", "move_pending"];

/// A store that has to be made anew.
const BY_REBUILDING: [&str; 1] = ["store_corrupt"];

/// What is done, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    /// A sound store is copied before it is touched.
    Copy,
    /// A damaged one is set aside, and a new one gets what can still be read.
    Rebuild,
    /// Heal, take in, publish.
    Settle,
}

impl Step {
    fn text(self) -> &'static str {
        match self {
            Self::Copy => "copy the store to .mainstay/backups/",
            Self::Rebuild => {
                "set the damaged store aside in .mainstay/damaged-…/ and make a new one from what can still be read"
            }
            Self::Settle => "finish what waits: folder moves, spooled events, outside edits, images",
        }
    }
}

impl Engine {
    /// Mends what is safe to mend; `announce` hears the plan before anything is done.
    ///
    /// **Shape**: `{ok,findings:[{code,where,severity,message,fix,fixed,…}],plan:[text],backup}`; `backup`
    /// is where the former store is kept, null where nothing had to be done.
    pub fn repair(&self, identity: &Identity, announce: &mut dyn FnMut(&[&str])) -> Result<Object, Refusal> {
        let found = self.findings()?;
        let steps = plan(&found, self.opened_store().is_ok_and(|store| store.is_some()));
        let texts: Vec<&str> = steps.iter().map(|step| step.text()).collect();
        announce(&texts);
        let mut kept = None;
        for step in &steps {
            match step {
                Step::Copy => kept = Some(self.copy_of_store()?),
                Step::Rebuild => kept = Some(self.rebuild()?),
                Step::Settle => drop(self.settle(identity)?),
            }
        }
        let left = if steps.is_empty() { found.clone() } else { self.findings()? };
        let is_left = |one: &Finding| left.iter().any(|other| other.code == one.code && other.place == one.place);
        let gone: Vec<Finding> = found.into_iter().filter(|one| !is_left(one)).collect();
        let mut object = report(&gone, &left);
        object.insert("plan".into(), texts.into_iter().map(Value::from).collect());
        object.insert("backup".into(), kept.map_or(Value::Null, Value::String));
        Ok(object)
    }

    fn copy_of_store(&self) -> Result<String, Refusal> {
        let name = format!("doctor-{}-{}.db", self.now()?.to_stamp(), &crate::clock::random()[..4]);
        let folder = self.home().folder("backups")?;
        let store = self.opened_store()?.expect("a plan copies only what is there");
        backup::copy(store.as_ref(), &folder.join(&name))?;
        Ok(format!(".mainstay/backups/{name}"))
    }
}

fn plan(found: &[Finding], has_store: bool) -> Vec<Step> {
    let any = |codes: &[&str]| {
        found.iter().any(|one| codes.contains(&one.code.as_str()) && (codes != BY_REBUILDING || one.place == STORE))
    };
    if any(&BY_REBUILDING) {
        return vec![Step::Rebuild, Step::Settle];
    }
    match (any(&BY_SETTLING), has_store) {
        (true, true) => vec![Step::Copy, Step::Settle],
        (true, false) => vec![Step::Settle],
        (false, _) => Vec::new(),
    }
}
