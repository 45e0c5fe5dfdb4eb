//! One answer out of what all formats say.

use engine::Hearing;
use format::{Injected, fence, redaction, text_table};
use model::{Object, Value};

use crate::{DENIED, Said};

/// The answer of formats that have nothing to say.
pub(crate) fn nothing(plain: bool) -> Said {
    let out = if plain { String::new() } else { "{}\n".to_owned() };
    Said { out, ..Said::default() }
}

/// Joins what the formats say; `plain` where the only one that listens speaks plainly.
pub(crate) fn join(event: &str, hearing: Hearing, plain: bool) -> Said {
    let Hearing { heard, tag } = hearing;
    let mut notes = Vec::new();
    let (mut texts, mut messages, mut denials) = (Vec::new(), Vec::new(), Vec::new());
    for glance in heard.into_iter().map(|heard| heard.glance) {
        notes.extend(glance.notes);
        texts.extend(glance.text);
        messages.extend(glance.message.map(|message| bounded(&message)));
        denials.extend(glance.denied);
    }
    if !denials.is_empty() {
        notes.extend(denials.into_iter().flatten());
        return Said { out: String::new(), notes, code: DENIED };
    }
    let line = match texts.as_slice() {
        [] if messages.is_empty() => return Said { notes, ..nothing(plain) },
        [Injected::Plain(line)] if messages.is_empty() => Some(format!("{}\n", redaction::masked(line))),
        _ => None,
    };
    let out = line.unwrap_or_else(|| host_json(event, texts, &messages, &tag));
    Said { out, notes, code: 0 }
}

/// How long a message to the person may be. **Units**: characters.
const MESSAGE: usize = 1000;

// What a model wrote may stand in it.
fn bounded(message: &str) -> String {
    let shown = text_table::printable(message);
    match shown.char_indices().nth(MESSAGE) {
        Some((end, _)) => format!("{}…", &shown[..end]),
        None => shown,
    }
}

// **Shape**: `{"systemMessage"?,"hookSpecificOutput"?:{"hookEventName","additionalContext"}}` and a newline.
fn host_json(event: &str, texts: Vec<Injected>, messages: &[String], tag: &str) -> String {
    let mut object = Object::new();
    if !messages.is_empty() {
        object.insert("systemMessage".into(), messages.join("\n").into());
    }
    if !texts.is_empty() {
        let blocks: Vec<String> = texts
            .into_iter()
            .map(|text| match text {
                Injected::Block(block) => block,
                Injected::Plain(line) => fence::block(tag, &fence::line(&line)),
            })
            .collect();
        let mut said = Object::new();
        said.insert("hookEventName".into(), host_name(event).into());
        said.insert("additionalContext".into(), blocks.join("\n\n").into());
        object.insert("hookSpecificOutput".into(), Value::Object(said));
    }
    format!("{}\n", Value::Object(object))
}

/// The host's spelling of an event: `session-start` is `SessionStart`.
fn host_name(event: &str) -> String {
    let capital = |word: &str| {
        let mut letters = word.chars();
        letters.next().map(|first| first.to_uppercase().collect::<String>() + letters.as_str()).unwrap_or_default()
    };
    event.split('-').map(capital).collect()
}

#[cfg(test)]
mod tests {
    use engine::Heard;
    use format::Glance;
    use formats::ALL;

    use super::*;

    fn said(glances: Vec<Glance>, plain: bool) -> Said {
        let heard = glances.into_iter().map(|glance| Heard { format: ALL[0], glance }).collect();
        join("session-start", Hearing { heard, tag: "t0t0".to_owned() }, plain)
    }

    fn plain(line: &str) -> Glance {
        Glance { text: Some(Injected::Plain(line.to_owned())), ..Glance::default() }
    }

    fn block(text: &str) -> Glance {
        Glance { text: Some(Injected::Block(text.to_owned())), ..Glance::default() }
    }

    fn message(text: &str) -> Glance {
        Glance { message: Some(text.to_owned()), ..Glance::default() }
    }

    #[test]
    fn what_is_said_is_joined() {
        let context = |text: &str| {
            format!(
                "{{\"hookSpecificOutput\":{{\"hookEventName\":\"SessionStart\",\"additionalContext\":{text:?}}}}}\n"
            )
        };
        let fenced = "<mainstay-data t0t0>\nResume: \\u003cx\n</mainstay-data t0t0>";
        let cases = [
            (vec![], false, "{}\n".to_owned()),
            (vec![Glance::default()], true, String::new()),
            (vec![plain("Resume: x")], true, "Resume: x\n".to_owned()),
            (vec![plain("Resume: x"), Glance::default()], false, "Resume: x\n".to_owned()),
            (vec![plain("API_TOKEN=abcdefgh1")], true, "API_TOKEN=[redacted:env-secret]\n".to_owned()),
            (vec![block("B")], false, context("B")),
            (vec![block("A"), block("B")], false, context("A\n\nB")),
            (vec![plain("Resume: <x"), block("B")], false, context(&format!("{fenced}\n\nB"))),
            (
                vec![message("a\u{9b}31m\u{202e}\u{1b}]0;x\u{7}")],
                false,
                "{\"systemMessage\":\"a31m]0;x\"}\n".to_owned(),
            ),
            (vec![message(&"x".repeat(60_000))], false, format!("{{\"systemMessage\":\"{}…\"}}\n", "x".repeat(1000))),
            (vec![message("a"), message("b")], false, "{\"systemMessage\":\"a\\nb\"}\n".to_owned()),
        ];
        for (glances, is_plain, expected) in cases {
            assert_eq!(said(glances, is_plain).out, expected);
        }
        let with_message = said(vec![message("m"), plain("Resume: x")], false).out;
        assert!(with_message.starts_with("{\"systemMessage\":\"m\",\"hookSpecificOutput\""), "{with_message}");
    }

    #[test]
    fn a_gate_wins_over_everything() {
        let denied = Glance { denied: Some(vec!["no".into(), "rule".into()]), ..Glance::default() };
        let noted = Glance { notes: vec!["first".into()], ..block("B") };
        let expected =
            Said { out: String::new(), notes: vec!["first".into(), "no".into(), "rule".into()], code: DENIED };
        assert_eq!(said(vec![noted, denied], false), expected);
    }
}
