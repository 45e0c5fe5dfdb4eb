//! `recall`: what a person means by "catch me up", "where are we", "task 2".

use format::View;
use model::{Context, Object, Outcome, Refusal, Reply, Value};

use super::arguments;
use super::get_state::state_of;
use super::ids::{TaskId, is_slug_char, number};
use super::place::{DETAILS, FILE_LIMIT, TASK_FILE_LIMIT, TASK_MD, TASKS};
use super::records::members;
use super::recover::{recent, shown};
use super::scenarios::{self, Scenarios};
use super::state::State;
use super::turn::find;

const STATUS: [&str; 4] = ["status", "where are we", "how far", "progress"];
const RECENT: [&str; 5] = ["what happened", "recap", "catch me up", "last session", "summary"];

/// What is meant.
enum Intent {
    Recent,
    Task(usize),
    Status,
}

/// The tool: `{phrase | intent, taskId?, scenarioId?}`.
pub(super) fn recall(arguments: &Object, view: &View<'_>, ctx: &Context) -> Result<Outcome, Refusal> {
    let scenarios = Scenarios::of_project(view);
    let place = scenarios.active(view, scenarios::named(arguments)?)?;
    let state = place.as_ref().map(|place| scenarios.state(view, place)).unwrap_or_default();
    let intent = intent(arguments, &state)?;
    let mut warnings = scenarios.warnings;
    let (mut sources, mut shown_state, mut task) = (Vec::new(), Value::Null, Value::Null);
    let word = match &intent {
        Intent::Recent => "recent",
        Intent::Task(_) => "task",
        Intent::Status => "status",
    };
    match (&intent, &place) {
        (Intent::Recent, Some(place)) => sources = recent(view, place, &state, None),
        (Intent::Task(at), Some(place)) => {
            let id = state.tasks[*at].id.as_str();
            task = id.into();
            let names = [TASK_MD].into_iter().chain(DETAILS);
            sources.extend(names.filter_map(|name| shown(view, &place.task_file(id, name), TASK_FILE_LIMIT, None)));
        }
        (Intent::Status, place) => {
            let tasks = place.as_ref().map(|place| place.file(TASKS));
            sources.extend(tasks.and_then(|path| shown(view, &path, FILE_LIMIT, None)));
            let mut named = Object::new();
            if let Some(id) = arguments.get("scenarioId") {
                named.insert("scenarioId".to_owned(), id.clone());
            }
            let shown = state_of(&named, view, ctx)?;
            warnings = shown.warnings;
            shown_state = Value::Object(shown.body);
        }
        (_, None) => {}
    }
    let body = members([
        ("scenarioId", place.map_or(Value::Null, |place| place.id.into())),
        ("intent", word.into()),
        ("taskId", task),
        ("sources", Value::Array(sources)),
        ("state", shown_state),
    ]);
    Ok(Outcome { reply: Reply { body, warnings, ..Reply::default() }, ..Outcome::default() })
}

fn intent(arguments: &Object, state: &State) -> Result<Intent, Refusal> {
    let task = arguments::text(arguments, "taskId")?;
    match (arguments::text(arguments, "phrase")?, arguments::text(arguments, "intent")?) {
        (Some(_), Some(_)) => Err(Refusal::invalid("intent", "either phrase or intent is given, not both")),
        (None, Some(intent)) => match intent {
            "recent" => Ok(Intent::Recent),
            "status" => Ok(Intent::Status),
            "task" => {
                let name = task.ok_or_else(|| arguments::missing("taskId", "the intent task needs a taskId"))?;
                find(state, name, "taskId").map(Intent::Task)
            }
            _ => Err(unknown(intent)),
        },
        (phrase, None) => {
            if let Some(name) = task {
                return find(state, name, "taskId").map(Intent::Task);
            }
            let phrase = phrase.ok_or_else(|| arguments::missing("phrase", "phrase or intent is needed"))?;
            of_phrase(phrase, state)
        }
    }
}

fn of_phrase(phrase: &str, state: &State) -> Result<Intent, Refusal> {
    let plain: String = phrase.to_lowercase().chars().map(|c| if is_slug_char(c) { c } else { ' ' }).collect();
    let words: Vec<&str> = plain.split_whitespace().map(|word| word.trim_matches(['.', '-', '_'])).collect();
    let index = state.index();
    let id = words.iter().find_map(|word| if word.contains('-') { index.find(word) } else { None });
    if let Some(at) = id {
        return Ok(Intent::Task(at));
    }
    let dotted = words.iter().find(|word| word.contains('.') && number(word).is_some());
    let behind = words.windows(2).find(|pair| pair[0] == "task" && number(pair[1]).is_some()).map(|pair| pair[1]);
    if let Some(name) = dotted.copied().or(behind) {
        return find(state, name, "phrase").map(Intent::Task);
    }
    let slug = |id: &str| TaskId::parse(id).map(|id| id.slug.to_lowercase()).unwrap_or_default();
    for word in words.iter().filter(|word| word.contains('-')) {
        let mut matching = state.tasks.iter().enumerate().filter(|(_, task)| slug(&task.id) == *word);
        if let (Some((at, _)), None) = (matching.next(), matching.next()) {
            return Ok(Intent::Task(at));
        }
    }
    let text = words.join(" ");
    let says = |all: &[&str]| all.iter().any(|one| text.contains(one));
    if says(&STATUS) {
        Ok(Intent::Status)
    } else if says(&RECENT) {
        Ok(Intent::Recent)
    } else {
        Err(unknown(phrase))
    }
}

fn unknown(phrase: &str) -> Refusal {
    let refusal = Refusal::refused("unknown_intent", format!("{phrase:?} asks for nothing that is known"));
    refusal.field("phrase").allowed(["recent", "task", "status"].map(Value::from).to_vec())
}
