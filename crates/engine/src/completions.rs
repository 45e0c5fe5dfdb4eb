//! What a client may write next: agents, spaces and moments for prompts and templates of resources.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use model::{Origin, Refusal, Value};
use store::{EntryPage, Store};

use crate::engine::Engine;
use crate::prompts::PROMPTS;
use crate::refusals::failed;
use crate::resources::RESOURCE_TEMPLATES;

/// What a value is completed for.
#[derive(Clone, Copy, Debug)]
pub enum Completable<'a> {
    /// An argument of the prompt of this name.
    Prompt(&'a str),
    /// A variable of the template of this URI.
    Template(&'a str),
}

/// Values that a client may offer, the likeliest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Completion {
    /// At most [`Completion::MOST`].
    pub values: Vec<String>,
    /// How many there are.
    pub total: usize,
}

impl Completion {
    /// The most values of one answer.
    pub const MOST: usize = 100;
}

/// How many of the newest entries are asked for their actors, and how many are offered as moments.
const ENTRIES: usize = 200;
const MOMENTS: usize = 20;

impl Engine {
    /// Completes a value that begins with `begun`, in whatever case.
    ///
    /// **Errors**: `invalid_argument` (field `ref` or `argument`).
    pub fn complete(&self, what: Completable<'_>, argument: &str, begun: &str) -> Result<Completion, Refusal> {
        let known = match what {
            Completable::Prompt(name) => PROMPTS
                .iter()
                .find(|prompt| prompt.name == name)
                .map(|prompt| prompt.arguments.iter().map(|argument| argument.name).collect::<Vec<_>>()),
            Completable::Template(uri) => {
                RESOURCE_TEMPLATES.iter().find(|one| one.uri == uri).map(|one| one.variables.to_vec())
            }
        };
        let known = known.ok_or_else(|| {
            let names = PROMPTS.iter().map(|prompt| prompt.name);
            let allowed: Vec<Value> =
                names.chain(RESOURCE_TEMPLATES.iter().map(|one| one.uri)).map(Value::from).collect();
            Refusal::invalid("ref", "there is no such prompt or template").allowed(allowed)
        })?;
        if !known.contains(&argument) {
            let allowed: Vec<Value> = known.into_iter().map(Value::from).collect();
            return Err(Refusal::invalid("argument", format!("there is no argument {argument:?}")).allowed(allowed));
        }
        let all = match argument {
            "space" => self.spaces_known()?,
            "since" => self.moments_known()?,
            _ => self.agents_known()?,
        };
        let begun = begun.to_lowercase();
        let mut values: Vec<String> =
            all.into_iter().filter(|value| value.to_lowercase().starts_with(&begun)).collect();
        let total = values.len();
        values.truncate(Completion::MOST);
        Ok(Completion { values, total })
    }

    // Every format that is on, then every space that has records beneath it.
    pub(crate) fn spaces_known(&self) -> Result<Vec<String>, Refusal> {
        let mut all: Vec<String> = self.formats_on().iter().map(|format| format.name().to_owned()).collect();
        if let Some(store) = self.opened_store()? {
            let spaces = store.read().and_then(|reads| reads.spaces()).map_err(failed)?;
            for space in spaces {
                if !all.iter().any(|known| known == space.as_str()) {
                    all.push(space.as_str().to_owned());
                }
            }
        }
        Ok(all)
    }

    // The newest revisions: the journal knows no other moments.
    fn moments_known(&self) -> Result<Vec<String>, Refusal> {
        let newest = self.newest()?.0;
        let oldest = newest.saturating_sub(MOMENTS as u64);
        Ok((oldest + 1..=newest).rev().map(|revision| revision.to_string()).collect())
    }

    // Owners of work, and whoever made one of the newest entries.
    fn agents_known(&self) -> Result<Vec<String>, Refusal> {
        let ctx = self.bare_context(Origin::Mcp)?;
        let mut agents = BTreeSet::new();
        let store = self.opened_store()?;
        for format in self.formats_on() {
            self.look(format, store.as_deref(), &ctx, &mut Vec::new(), |view| {
                agents.extend(format.work(view, &ctx).into_iter().filter_map(|item| item.owner));
            })?;
        }
        if let Some(store) = store.as_deref() {
            let mut left = ENTRIES;
            let reads = Store::read(store).map_err(failed)?;
            let mut note = |entry: store::StoredEntry| {
                agents.insert(entry.actor);
                left -= 1;
                if left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            };
            reads.entries(&EntryPage::default(), &mut note).map_err(failed)?;
        }
        // Git, hooks, the outside and a bare command line are nobody to hand work over to.
        let is_someone = |agent: &String| {
            let name = agent.as_str();
            !matches!(name, "" | "cli" | "external") && !name.starts_with("git:") && !name.starts_with("hook:")
        };
        Ok(agents.into_iter().filter(is_someone).collect())
    }
}
