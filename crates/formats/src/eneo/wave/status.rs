//! `eneo_wave_status`: how the wave stands, and what waits to be counted.

use format::View;
use model::{Object, Outcome, Value};

use super::super::records;
use super::super::task_init::nothing;
use super::{Wave, read_file, unusable};

/// The tool whose events are counted.
const EVENT: &str = "eneo_wave_event";

pub(crate) fn wave_status(view: &View<'_>) -> Outcome {
    let mut warnings = Vec::new();
    let wave = match read_file(view.files) {
        Err(why) => {
            warnings.push(unusable(&why));
            None
        }
        Ok(_) => records::wave(view.records).and_then(|document| Wave::read(document).ok()),
    };
    let mut body = Object::new();
    let remaining = wave.as_ref().map_or(0, |wave| (wave.expected() - wave.done()).max(0));
    body.insert("ready".into(), wave.as_ref().is_some_and(Wave::is_ready).into());
    body.insert("remaining".into(), remaining.into());
    body.insert("spooled".into(), view.probes.spooled(EVENT).into());
    let document = wave.map_or(Value::Null, |wave| Value::Object(wave.into_document()));
    body.shift_insert(0, "wave".into(), document);
    let mut outcome = nothing(body);
    outcome.reply.warnings = warnings;
    outcome
}
