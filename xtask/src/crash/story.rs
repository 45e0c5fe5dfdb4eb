//! What happens to one project: a write that is disturbed, a look, a retry, another write.

use std::collections::BTreeSet;
use std::fs;

use serde_json::Value;
use testkit::process::Finished;

use crate::picture::{FILES, Picture};
use crate::project::{Project, end};

use super::Fault;
use super::trace::{Point, injecting};
use super::verbs::Scenario;

const LATER_WRITE: &[&str] =
    &["--actor", "later", "--request-id", "a-later-one", "--json", "hseos", "state", "write", "status", "healthy"];

/// What an event is called that is kept until a request of its format applies it.
const SPOOLED: &str = ".mainstay/spool/spool-";

/// What it is called until it is whole: the writing of another process, until it is a minute old.
const GROWING_SPOOL: &str = ".mainstay/spool/.spool-";

/// What a folder lock is called until it is whole, or while it goes: the same.
const GROWING_LOCK: &str = ".claude/state/.locks/.mainstay-";

/// The first look at what a fault left.
const FIRST: &str = "after the fault";

/// The first repetition of the request.
const FIRST_RETRY: &str = "retry";

/// The story of a scenario, to be told once for each fault.
pub(crate) struct Story<'a> {
    scenario: &'a Scenario,
    prepared: &'a Project<'a>,
    /// The files that an undisturbed story leaves.
    files: BTreeSet<String>,
}

/// How the tried write ended, as its caller saw it.
#[derive(Debug, PartialEq)]
pub(crate) enum Told {
    /// It reported success.
    Done,
    /// It reported nothing, because it was killed or could not speak, or that nobody can know.
    Nothing,
    /// It reported that the event is kept and will be applied by a later request.
    Kept,
    /// It reported that it failed.
    Failed,
}

/// What a caller was told, and what it should never see: a panic.
pub(crate) fn told_of(finished: &Finished) -> (Told, Vec<String>) {
    let reply: Option<Value> = serde_json::from_str(&finished.stdout).ok();
    let told = match reply {
        Some(reply) if reply["outcome"] == "spooled" => Told::Kept,
        Some(reply) if reply["error"].is_null() => Told::Done,
        Some(reply) if reply["error"]["code"] == "outcome_unknown" => Told::Nothing,
        _ => Told::Failed,
    };
    let panicked = finished.stderr.contains("panicked") || finished.status.code() == Some(101);
    (told, panicked.then(|| format!("panicked: {}", finished.stderr)).into_iter().collect())
}

impl<'a> Story<'a> {
    /// Tells the story without a fault, which must go well.
    pub(crate) fn undisturbed(scenario: &'a Scenario, prepared: &'a Project<'a>) -> Result<Self, String> {
        let mut story = Self { scenario, prepared, files: BTreeSet::new() };
        let project = prepared.copy()?;
        let reply = project.reply(&scenario.words())?;
        if !reply["error"].is_null() {
            return Err(format!("undisturbed: {reply}"));
        }
        let problems = story.afterwards(&project, &Told::Done)?;
        if !problems.is_empty() {
            return Err(format!("undisturbed, and yet:\n  {}", problems.join("\n  ")));
        }
        story.files = project.files()?;
        Ok(story)
    }

    /// Tells the story with the fault at the point; answers what broke a promise.
    pub(super) fn disturbed(&self, point: &Point, fault: Fault) -> Result<Vec<String>, String> {
        let project = self.prepared.copy()?;
        let finished = end(project.under(&injecting(point, fault)).args(self.scenario.words()))?;
        let (mut told, mut problems) = told_of(&finished);
        if told == Told::Failed && (fault == Fault::Kill || point.speaks()) {
            told = Told::Nothing;
        }
        if told == Told::Failed && finished.status.success() {
            problems.push(format!("exit 0 without a reply: {:?} {:?}", finished.stdout, finished.stderr));
        }
        problems.extend(self.goes_on(&project, &told)?);
        Ok(problems)
    }

    /// Goes on with what a disturbed write left; answers what broke a promise.
    pub(crate) fn goes_on(&self, project: &Project<'_>, told: &Told) -> Result<Vec<String>, String> {
        let mut problems = self.torn(project);
        problems.extend(self.afterwards(project, told)?);
        if !problems.is_empty() {
            return Ok(problems);
        }
        let ignored = fs::read_to_string(project.root().join(".mainstay/.gitignore")).unwrap_or_default();
        if !ignored.starts_with('*') {
            problems.push(format!(".mainstay/.gitignore holds {ignored:?}"));
        }
        let files = project.files()?;
        let beside = self.scenario.verb.effect.beside_records();
        let is_young = |path: &str| path.starts_with(GROWING_SPOOL) || path.starts_with(GROWING_LOCK);
        let is_counted = |path: &&String| !is_young(path) && beside.is_none_or(|place| !path.starts_with(place));
        let left = files.difference(&self.files);
        problems.extend(left.filter(is_counted).map(|path| format!("left behind: {path}")));
        let gone = self.files.difference(&files).filter(is_counted);
        problems.extend(gone.map(|path| format!("gone: {path}")));
        Ok(problems)
    }

    /// The file images that are neither as they were nor whole (P3).
    fn torn(&self, project: &Project<'_>) -> Vec<String> {
        let read = |project: &Project<'_>, file: &str| fs::read_to_string(project.root().join(file)).ok();
        let is_torn = |file: &str, last_part: &str| {
            let now = read(project, file);
            let whole = now.as_deref().is_some_and(|text| text.contains(last_part) && text.ends_with('\n'));
            !whole && now != read(self.prepared, file)
        };
        let torn = FILES.iter().filter(|(file, last_part)| is_torn(file, last_part));
        torn.map(|(file, _)| format!("{file} is torn (P3): {:?}", read(project, file))).collect()
    }

    /// Everything from the moment when the disturbed write has ended, until something is found wrong.
    fn afterwards(&self, project: &Project<'_>, told: &Told) -> Result<Vec<String>, String> {
        let claimed = self.scenario.verb.effect.claimed_by(project);
        let (times, mut problems) = self.look(project, FIRST)?;
        if *told == Told::Done {
            problems.extend(self.scenario.verb.effect.missing(&Picture::take(project)?));
        }
        match (told, times) {
            (_, 2..) => problems.push(format!("after the fault: the effect is there {times} times")),
            (Told::Done, 0) => problems.push("success was reported and the effect is lost (P1)".into()),
            (Told::Failed, 1) => problems.push("a failure was reported and the effect is there (P7)".into()),
            (Told::Kept, 0) if !project.files()?.iter().any(|path| path.starts_with(SPOOLED)) => {
                problems.push("an event was said to be kept and is nowhere (P1)".into());
            }
            _ => {}
        }
        if let (Some(image), 0) = (claimed, times) {
            problems.push(format!("{image} showed what the store does not hold (P4)"));
        }
        for (retry, replayed) in [(FIRST_RETRY, times > 0), ("second retry", true)] {
            if problems.is_empty() {
                problems = self.repeat(project, retry, replayed)?;
            }
        }
        if problems.is_empty() {
            project.reply(LATER_WRITE)?;
            (_, problems) = self.look(project, "later write")?;
        }
        Ok(problems)
    }

    /// The same request again, which must end in the effect being there once (P5).
    fn repeat(&self, project: &Project<'_>, when: &str, replayed: bool) -> Result<Vec<String>, String> {
        let effect = self.scenario.verb.effect;
        let reply = project.reply(&self.scenario.words()).map_err(|problem| format!("{when}: {problem}"))?;
        let (times, mut problems) = self.look(project, when)?;
        // A copy stands before the commit, so one may be there of a request that is not known yet.
        let is_known = effect.folder_of_copies().is_none() || when != FIRST_RETRY;
        if is_known && effect.is_remembered() && (reply["replayed"] == true) != replayed {
            problems.push(format!("{when}: `replayed` should be {replayed}: {reply}"));
        }
        if times != 1 {
            problems.push(format!("{when}: the effect is there {times} times (P5)"));
        }
        Ok(problems)
    }

    /// Reads everything: how often the effect is there, and what does not fit together.
    fn look(&self, project: &Project<'_>, when: &str) -> Result<(usize, Vec<String>), String> {
        let at_that_time = |problem: String| format!("{when}: {problem}");
        let picture = Picture::take(project).map_err(at_that_time)?;
        let scenario = self.scenario;
        // Of these formats no read publishes: until the next write, images may be behind, and doctor says so.
        let is_settled = !scenario.is_left_to_writes() || when != FIRST;
        let times =
            scenario.verb.effect.times(&picture, project, scenario.actor(), is_settled).map_err(at_that_time)?;
        let of_others = scenario.outside_problems(&picture).into_iter().chain(scenario.earlier_problems(&picture));
        let own = if is_settled { picture.disagreements() } else { picture.chain() };
        let seen = own.into_iter().chain(of_others);
        Ok((times, seen.map(at_that_time).collect()))
    }
}
