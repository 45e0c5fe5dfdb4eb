//! Status line and session start: what STATE.md says to a host, from files alone.

use format::{FileState, Glance, HookEvent, Injected, Look, Records, View, fence};
use model::{Context, RecordId, RecordKey, Scan, Space, Value};

use super::body::Body;
use super::documents::{ALL, Place, STATE, WAITING};
use super::settings::{Settings, VERSION_KEYS};
use super::site::Site;
use super::statusline;

/// The event of the status line.
pub(super) const STATUSLINE: &str = "statusline";
/// The event at which a session begins.
pub(super) const SESSION_START: &str = "session-start";

/// The most that is injected. **Units**: bytes.
const INJECTED_LIMIT: usize = 4_000;

/// The most of one value. **Units**: characters.
const VALUE_LIMIT: usize = 300;

/// A glance reads no records.
struct NoRecords;

impl Records for NoRecords {
    fn get(&self, _key: &RecordKey) -> Option<Value> {
        None
    }

    fn scan(&self, _space: &Space, _kind: &'static str, _scan: &Scan) -> Vec<(RecordId, Value)> {
        Vec::new()
    }
}

/// What the format says at an event; nothing where there is no STATE.md that can be read.
pub(super) fn glance(event: &HookEvent, look: &Look<'_>, ctx: &Context) -> Glance {
    let Ok(place) = Place::named(None) else { return Glance::default() };
    let Some(text) = read(&place, STATE, look) else { return Glance::default() };
    let view = View { records: &NoRecords, files: look.files, probes: look.probes };
    // A mistake in the settings is told where something is asked for, not here.
    let settings = Settings::read(ctx).unwrap_or(Settings { version_key: VERSION_KEYS[0], lock_wait: 0 });
    let waiting = || read(&place, WAITING, look);
    let site = Site::at(place.clone(), &view, ctx, settings);
    match event.name.as_str() {
        STATUSLINE => {
            let line = statusline::chosen(&text, &site);
            Glance { lines: Some(line).filter(|line| !line.is_empty()).into_iter().collect(), ..Glance::default() }
        }
        SESSION_START => {
            let block = fence::block(&ctx.tag, &block(&text, waiting().as_deref(), &site));
            Glance { text: Some(Injected::Block(block)), ..Glance::default() }
        }
        _ => Glance::default(),
    }
}

fn read(place: &Place, name: &'static str, look: &Look<'_>) -> Option<String> {
    let limit = ALL.iter().find(|(document, _)| *document == name)?.1;
    match look.files.read(&place.path(name), limit) {
        FileState::Bytes(bytes) => Some(String::from_utf8_lossy(&bytes).into_owned()),
        FileState::Absent | FileState::Irregular(_) => None,
    }
}

/// The lines that a session begins with, each masked and escaped.
fn block(text: &str, waiting: Option<&str>, site: &Site<'_>) -> String {
    let body = Body::read(text);
    let line = statusline::line(text, site);
    let mut lines = vec![format!("MSD state (.planning/STATE.md): {}", line.full).trim_end().to_owned()];
    let mut field = |name: &str, value: Option<&str>| {
        if let Some(value) = value.filter(|value| !value.is_empty()) {
            lines.push(format!("{name}: {}", shortened(value)));
        }
    };
    for name in ["Phase", "Plan", "Status", "Last activity"] {
        field(name, body.field(name));
    }
    let blockers = body.blockers().len();
    field("Open blockers", (blockers > 0).then(|| blockers.to_string()).as_deref());
    field("Stopped at", body.field("Stopped at"));
    field("Resume file", body.field("Resume file").filter(|file| *file != "None"));
    field("Waiting for an answer", waiting.and_then(question).as_deref());
    field("Next", line.next.filter(|_| line.scene == "next").as_deref());
    let mut safe = String::new();
    for line in lines.iter().map(|line| fence::line(line)) {
        if safe.len() + line.len() + 1 > INJECTED_LIMIT {
            break;
        }
        if !safe.is_empty() {
            safe.push('\n');
        }
        safe.push_str(&line);
    }
    safe
}

fn question(waiting: &str) -> Option<String> {
    let waiting: Value = serde_json::from_str(waiting).ok()?;
    let question = waiting.get("question")?.as_str()?;
    Some(question.split(['\n', '\r']).map(str::trim).filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" "))
}

fn shortened(value: &str) -> String {
    let mut short: String = value.chars().take(VALUE_LIMIT).collect();
    if short.len() < value.len() {
        short.push('…');
    }
    short
}
