//! `cargo xtask power`: promises P2, P3 and P4.
//!
//! Each write verb runs once under strace, and so does every command that made its project. The log is replayed on a
//! [`disk`] that knows what is safe and what is not; at each call, what a power failure may leave there is made
//! real in a folder of its own, where a [`Story`] goes on with the real program.

mod disk;
mod log;
mod replay;
mod states;

use std::collections::BTreeSet;
use std::path::Path;
use std::time::{Duration, SystemTime};
use std::{fs, io};

use testkit::pool::{cores, in_parallel};

use crate::arguments::Arguments;
use crate::crash::story::{Story, Told};
use crate::crash::verbs::{Scenario, of_run};
use crate::packages::{STRACE, ensure};
use crate::product::Product;
use crate::project::{Project, end};

use disk::Disk;
pub(crate) use disk::Model;
use replay::{Meaning, Run};
use states::{Loss, Moment, fingerprint, losses};

/// How many states of each scenario a quick run looks at.
const QUICK: usize = 24;

/// A quick run looks at so many of a command over all formats.
const QUICK_GENERIC: usize = 6;

/// What is tried.
pub(crate) struct Choice {
    models: Vec<Model>,
    verb: Option<String>,
    /// At most so many states of each scenario, evenly taken from all.
    most: usize,
    /// One scenario with a violation is enough.
    stops: bool,
}

impl Choice {
    /// A sample of the states under both models.
    pub(crate) fn quick() -> Self {
        Self { models: vec![Model::Strict, Model::Ordered], verb: None, most: QUICK, stops: false }
    }

    /// More states of fewer verbs under the stricter model, to catch a fault that is known to be there.
    pub(crate) fn hunt(verb: &str) -> Self {
        Self { models: vec![Model::Strict], verb: Some(verb.to_owned()), most: 8 * QUICK, stops: true }
    }
}

/// The disk right before a system call.
struct Instant {
    disk: Disk,
    /// The caller has been told of success.
    acknowledged: bool,
    next: String,
}

/// One state that a power failure may leave: at which instant, and what is lost.
struct State {
    instant: usize,
    loss: Loss,
}

/// How the states of one scenario went.
#[derive(Default)]
struct Outcome {
    possible: usize,
    tried: usize,
    violations: usize,
}

pub(crate) fn run(arguments: &mut Arguments) -> Result<(), String> {
    let quick = arguments.flag("--quick");
    let models = match arguments.value("--model")?.as_deref() {
        None => vec![Model::Strict, Model::Ordered],
        Some("strict") => vec![Model::Strict],
        Some("ordered") => vec![Model::Ordered],
        Some(other) => return Err(format!("there is no model `{other}`; there are strict and ordered")),
    };
    let most = if quick { QUICK } else { usize::MAX };
    let choice = Choice { models, verb: arguments.value("--verb")?, most, stops: false };
    let product = Product::chosen(arguments)?;
    arguments.end()?;
    ensure(&[STRACE])?;
    check(&product, &choice)
}

pub(crate) fn check(product: &Product, choice: &Choice) -> Result<(), String> {
    let is_whole = choice.most == usize::MAX || choice.verb.is_some();
    let chosen: Vec<_> = of_run(is_whole).filter(|it| it.is_named(choice.verb.as_deref())).collect();
    if chosen.is_empty() {
        return Err("no verb has that name".into());
    }
    let mut all = Outcome::default();
    for scenario in &chosen {
        for model in &choice.models {
            let is_sampled = choice.most == QUICK && choice.verb.is_none() && scenario.is_generic();
            let most = if is_sampled { QUICK_GENERIC } else { choice.most };
            let outcome = try_scenario(product, scenario, *model, most).unwrap_or_else(|problem| {
                println!("{scenario}, {model:?}: {problem}");
                Outcome { violations: 1, ..Outcome::default() }
            });
            let Outcome { possible, tried, violations } = outcome;
            println!("{scenario}, {model:?}: {tried} of {possible} states, {violations} violations");
            all.possible += possible;
            all.tried += tried;
            all.violations += violations;
            if choice.stops && violations > 0 {
                return Err(format!("{violations} violations after power loss"));
            }
        }
    }
    println!("power: {} of {} states, {} violations", all.tried, all.possible, all.violations);
    if all.violations == 0 { Ok(()) } else { Err(format!("{} violations after power loss", all.violations)) }
}

fn try_scenario(product: &Product, scenario: &Scenario, model: Model, most: usize) -> Result<Outcome, String> {
    let prepared = Project::in_memory(product)?;
    let mut disk = Disk::empty(model);
    let root = prepared.root();
    scenario.prepare(&prepared, &mut |words| {
        // What came from outside is as old as it likes.
        if differences(&disk, &root).is_some() {
            disk = at_rest(model, &root)?;
        }
        record(&prepared, words, &mut disk, &mut |_, _, _| {})
    })?;
    if differences(&disk, &root).is_some() {
        disk = at_rest(model, &root)?;
    }
    let story = Story::undisturbed(scenario, &prepared)?;
    let instants = instants(scenario, &prepared.copy_in_memory()?, disk)?;
    let states = distinct(&instants);
    let chosen = sample(&states, most);
    let found = in_parallel(cores(), &chosen, |state| {
        let locks = scenario.folder_of_locks();
        let found = after(&story, product, &instants[state.instant], &state.loss, locks);
        let problems = found.unwrap_or_else(|it| vec![it]);
        for problem in &problems {
            let instant = &instants[state.instant];
            println!("{scenario}, {model:?}, before {}: {}: {problem}", instant.next, state.loss.shown(&instant.disk));
        }
        problems.len()
    });
    let violations = found.into_iter().filter(|problems| *problems > 0).count();
    Ok(Outcome { possible: states.len(), tried: chosen.len(), violations })
}

/// Runs the verb and keeps the disk as it was before each call that bears on it, and at the end.
fn instants(scenario: &Scenario, project: &Project<'_>, disk: Disk) -> Result<Vec<Instant>, String> {
    let mut instants = Vec::new();
    let mut acknowledged = false;
    let mut last = disk;
    record(project, &scenario.words(), &mut last, &mut |before, meaning, call| {
        let next = format!("{meaning:?} {call}");
        instants.push(Instant { disk: before.clone(), acknowledged, next });
        acknowledged |= *meaning == Meaning::Spoke;
    })?;
    if !acknowledged {
        return Err("the traced run told its caller nothing".into());
    }
    instants.push(Instant { disk: last, acknowledged, next: "the end".into() });
    Ok(instants)
}

/// Runs a command under strace and replays what it did; `watch` sees the disk before each call that matters.
fn record(
    project: &Project<'_>,
    words: &[&str],
    disk: &mut Disk,
    watch: &mut dyn FnMut(&Disk, &Meaning, &str),
) -> Result<(), String> {
    let log = project.root().join("../strace.log");
    let finished = end(project.under(&log::recording(&log.display().to_string())).args(words))?;
    if !finished.status.success() {
        return Err(format!("`{}` ended with {}: {}", words.join(" "), finished.exit(), finished.stderr));
    }
    let text = fs::read_to_string(&log).map_err(|error| format!("{}: {error}", log.display()))?;
    let root = project.root().canonicalize().map_err(|error| error.to_string())?;
    let mut run = Run::new(&root);
    for call in log::parse(&text) {
        let before = disk.clone();
        let meaning = run.does(&call, disk)?;
        if meaning != Meaning::Nothing {
            watch(&before, &meaning, &call.shown());
        }
    }
    match differences(disk, &root) {
        None => Ok(()),
        Some(difference) => Err(format!("the replay of `{}` differs from its project: {difference}", words.join(" "))),
    }
}

fn at_rest(model: Model, root: &Path) -> Result<Disk, String> {
    Disk::at_rest(model, root).map_err(|error| format!("reading the project: {error}"))
}

/// Where the replay and the real folder differ: then the replay knows some call too little.
fn differences(disk: &Disk, root: &Path) -> Option<String> {
    let real = match at_rest(disk.model(), root) {
        Ok(real) => real,
        Err(problem) => return Some(problem),
    };
    let (replayed, real) = (disk.live.walk(), real.live.walk());
    let names = |walk: &[(String, &disk::Node)]| walk.iter().map(|(path, _)| path.clone()).collect::<BTreeSet<_>>();
    if let Some(path) = names(&replayed).symmetric_difference(&names(&real)).next() {
        return Some(format!("{path} is in one of them alone"));
    }
    let is_same = |one: &disk::Node, other: &disk::Node| match (one, other) {
        (disk::Node::Folder(_), disk::Node::Folder(_)) => true,
        (one, other) => one == other,
    };
    let differing = replayed.iter().zip(&real).find(|((_, one), (_, other))| !is_same(one, other));
    differing.map(|((path, _), _)| format!("the bytes of {path} differ"))
}

/// Every state that differs from those before it.
fn distinct(instants: &[Instant]) -> Vec<State> {
    let mut seen = BTreeSet::new();
    let mut states = Vec::new();
    for (place, instant) in instants.iter().enumerate() {
        let moment = if instant.next.starts_with("Changed pwrite64") { Moment::Between } else { Moment::Barrier };
        for loss in losses(&instant.disk, moment) {
            if seen.insert(fingerprint(&loss.tree(&instant.disk), instant.acknowledged)) {
                states.push(State { instant: place, loss });
            }
        }
    }
    states
}

/// So many states at most, evenly taken.
fn sample(states: &[State], most: usize) -> Vec<&State> {
    let count = states.len();
    if count <= most {
        return states.iter().collect();
    }
    (0..most).map(|number| &states[number * count / most]).collect()
}

/// What happens when power comes back; answers what broke a promise.
fn after(
    story: &Story<'_>,
    product: &Product,
    instant: &Instant,
    loss: &Loss,
    locks: Option<&str>,
) -> Result<Vec<String>, String> {
    let project = Project::in_memory(product)?;
    loss.tree(&instant.disk).write(&project.root()).map_err(|error| format!("making the state: {error}"))?;
    // Power does not come back at once, and a lock without its owner is anybody's when it is old.
    if let Some(locks) = locks {
        make_older(&project.root().join(locks)).map_err(|error| format!("making {locks} older: {error}"))?;
    }
    let told = if instant.acknowledged { Told::Done } else { Told::Nothing };
    story.goes_on(&project, &told)
}

/// Makes everything beneath a folder a minute older.
fn make_older(folder: &Path) -> io::Result<()> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        entries => entries?,
    };
    for entry in entries {
        let path = entry?.path();
        if path.is_dir() {
            make_older(&path)?;
        }
        fs::File::open(&path)?.set_modified(SystemTime::now() - Duration::from_mins(1))?;
    }
    Ok(())
}
