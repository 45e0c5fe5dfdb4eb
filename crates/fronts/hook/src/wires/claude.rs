//! Claude Code, whose words are ours.
//!
//! **Shape**: `{"systemMessage"?,"hookSpecificOutput"?:{"hookEventName","additionalContext"}}`; a gate's no is exit
//! code 2 with the reason on standard error. **Source**: <https://code.claude.com/docs/en/hooks>, 2026-12-01.

use format::{Injected, redaction};
use model::{Object, Value};

use super::{Speech, Wire, denied, line};
use crate::Said;
use crate::spoken::Spoken;

/// Claude Code.
pub(super) static WIRE: Wire = Wire { host: "claude", names: &[], tools: &[], seekers: &[], says };

/// What it gets.
pub(super) fn says(event: &str, spoken: &Spoken, speech: Speech) -> Said {
    if spoken.denied.is_some() {
        return denied(spoken, String::new());
    }
    let notes = spoken.notes.clone();
    let out = match spoken.texts.as_slice() {
        [] if spoken.messages.is_empty() && speech == Speech::Plain => String::new(),
        [Injected::Plain(text)] if spoken.messages.is_empty() && speech != Speech::Json => {
            format!("{}\n", redaction::masked(text))
        }
        _ => line(object(&host_name(event), spoken)),
    };
    Said { out, notes, code: 0 }
}

/// The object of all hosts that speak as Claude Code does.
pub(super) fn object(name: &str, spoken: &Spoken) -> Object {
    let mut object = Object::new();
    if let Some(message) = spoken.message() {
        object.insert("systemMessage".into(), message.into());
    }
    if let Some(context) = spoken.context() {
        let mut said = Object::new();
        said.insert("hookEventName".into(), name.into());
        said.insert("additionalContext".into(), context.into());
        object.insert("hookSpecificOutput".into(), Value::Object(said));
    }
    object
}

/// Its spelling of an event: `session-start` is `SessionStart`.
pub(super) fn host_name(event: &str) -> String {
    let capital = |word: &str| {
        let mut letters = word.chars();
        letters.next().map(|first| first.to_uppercase().collect::<String>() + letters.as_str()).unwrap_or_default()
    };
    event.split('-').map(capital).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DENIED;
    use crate::spoken::tests::{block, denied, message, plain, spoken};
    use format::Glance;

    #[test]
    fn what_is_said_is_joined() {
        let context = |text: &str| {
            format!(
                "{{\"hookSpecificOutput\":{{\"hookEventName\":\"SessionStart\",\"additionalContext\":{text:?}}}}}\n"
            )
        };
        let fenced = "<mainstay-data t0t0>\nResume: \\u003cx\n</mainstay-data t0t0>";
        let (bare, mixed) = (Speech::Plain, Speech::Mixed);
        let cases = [
            (vec![], mixed, "{}\n".to_owned()),
            (vec![Glance::default()], bare, String::new()),
            (vec![plain("Resume: x")], bare, "Resume: x\n".to_owned()),
            (vec![plain("Resume: x"), Glance::default()], mixed, "Resume: x\n".to_owned()),
            (vec![plain("API_TOKEN=abcdefgh1")], bare, "API_TOKEN=[redacted:env-secret]\n".to_owned()),
            (vec![block("B")], mixed, context("B")),
            (vec![block("A"), block("B")], mixed, context("A\n\nB")),
            (vec![plain("Resume: <x"), block("B")], mixed, context(&format!("{fenced}\n\nB"))),
            (
                vec![message("a\u{9b}31m\u{202e}\u{1b}]0;x\u{7}")],
                mixed,
                "{\"systemMessage\":\"a31m]0;x\"}\n".to_owned(),
            ),
            (vec![message(&"x".repeat(60_000))], mixed, format!("{{\"systemMessage\":\"{}…\"}}\n", "x".repeat(1000))),
            (vec![message("a"), message("b")], mixed, "{\"systemMessage\":\"a\\nb\"}\n".to_owned()),
        ];
        for (glances, speech, expected) in cases {
            assert_eq!(says("session-start", &spoken(glances), speech).out, expected);
        }
        let with_message = says("session-start", &spoken(vec![message("m"), plain("Resume: x")]), mixed).out;
        assert!(with_message.starts_with("{\"systemMessage\":\"m\",\"hookSpecificOutput\""), "{with_message}");
    }

    #[test]
    fn a_gate_wins_over_everything() {
        let expected =
            Said { out: String::new(), notes: vec!["first".into(), "no".into(), "rule".into()], code: DENIED };
        assert_eq!(says("pre-tool-use", &spoken(denied()), Speech::Mixed), expected);
    }
}
