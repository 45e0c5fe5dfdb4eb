//! `doctor --fix`: says what it will do, keeps a copy, mends what is safe, says what is left.

use model::{Finding, Object, Refusal, Value};

use super::{STORE, claims, leftovers, losses, report};
use crate::backup;
use crate::engine::{Engine, Identity};

/// What the next writing request would mend as well.
const BY_SETTLING: [&str; 5] = ["image_stale", "image_edited", "outside_waiting", "spool_pending", "move_pending"];

/// What is done, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    /// A sound store is copied before it is touched.
    Copy,
    /// A damaged one is set aside, and a new one gets what can still be read.
    Rebuild,
    /// Images that say something else than the records are to be published again.
    Owe,
    /// What killed writers left is taken away.
    Clear,
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
            Self::Owe => "write images that say something else again from the records",
            Self::Clear => "take away what killed commands left behind",
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
                Step::Owe => self.owe(&found)?,
                Step::Clear => self.clear(&found)?,
                Step::Settle => drop(self.settle(identity)?),
            }
        }
        let left = if steps.is_empty() { found.clone() } else { self.findings()? };
        // What is lost is told by one `--fix`, which is this one.
        let is_remembered = left.iter().any(|one| one.code == losses::CODE) && !left.iter().any(is_damage);
        if is_remembered {
            self.forget_losses()?;
        }
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

fn is_damage(finding: &Finding) -> bool {
    finding.code == "store_corrupt" && finding.place == STORE
}

fn plan(found: &[Finding], has_store: bool) -> Vec<Step> {
    let mut steps = Vec::new();
    let settles = found.iter().any(|one| BY_SETTLING.contains(&one.code.as_str()));
    if found.iter().any(is_damage) {
        steps.extend([Step::Rebuild, Step::Settle]);
    } else if found.iter().any(|one| one.code == claims::CODE) {
        steps.extend([Step::Copy, Step::Owe, Step::Settle]);
    } else if settles {
        steps.extend([Step::Copy, Step::Settle].into_iter().filter(|step| has_store || *step == Step::Settle));
    }
    if found.iter().any(|one| one.code == leftovers::CODE) {
        steps.push(Step::Clear);
    }
    steps
}
