//! The one table of this front: refusals to exit codes and to text.

use std::fmt::Write as _;

use model::{Refusal, RefusalClass, Value};

use crate::printable;
use crate::terminal::{Mode, Palette, Terminal};

/// Nothing went wrong.
pub(crate) const OK: u8 = 0;
/// `doctor` found something.
pub(crate) const FINDINGS: u8 = 1;

/// The exit code of a refusal.
pub(crate) const fn exit_code(class: RefusalClass) -> u8 {
    match class {
        RefusalClass::Refused => 1,
        RefusalClass::Usage => 2,
        RefusalClass::Unavailable => 3,
        RefusalClass::Corrupt => 4,
    }
}

/// Shows a refusal in the terminal's mode and gives its exit code.
///
/// **Shape**: text: `error: MESSAGE` and indented members on standard error, nothing on standard
/// output; JSON: `{"error":{…}}` on standard output and `error: MESSAGE` on standard error. Where a
/// program reads standard error: `{"ok":false,"reason":CODE,"message":MESSAGE}` there.
pub(crate) fn report(terminal: &mut Terminal, refusal: &Refusal) -> u8 {
    let palette = terminal.error_palette();
    if terminal.mode == Mode::Text {
        terminal.note(&text(refusal, palette));
    } else {
        terminal.print_object(&refusal.to_answer());
        let line = if terminal.faults_in_json { object(refusal) } else { headline(refusal, palette) };
        terminal.note(&line);
    }
    exit_code(refusal.class)
}

fn object(refusal: &Refusal) -> String {
    let members =
        [("ok", false.into()), ("reason", refusal.code.as_ref().into()), ("message", refusal.message.as_str().into())];
    Value::Object(members.map(|(name, value)| (name.to_owned(), value)).into_iter().collect()).to_string()
}

fn headline(refusal: &Refusal, palette: Palette) -> String {
    format!("{} {}", palette.red("error:"), printable::line(&refusal.message))
}

fn text(refusal: &Refusal, palette: Palette) -> String {
    let mut text = headline(refusal, palette);
    let mut member = |name: &str, value: &str| {
        let indented = printable::text(value).replace('\n', "\n    ");
        write!(text, "\n  {} {indented}", palette.dim(&format!("{name}:"))).expect("writing to a string succeeds");
    };
    if let Some(field) = &refusal.field {
        member("field", field);
    }
    if let Some(allowed) = &refusal.allowed {
        member("allowed", &plain(allowed));
    }
    for (name, value) in &refusal.details {
        member(name, &plain(value));
    }
    if let Some(hint) = &refusal.hint {
        member("hint", hint);
    }
    text
}

/// A value as people write it: text bare, lists of plain values with commas, the rest as JSON.
fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) if items.iter().all(|item| !item.is_array() && !item.is_object()) => {
            items.iter().map(plain).collect::<Vec<_>>().join(", ")
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::terminal::tests::caught;

    #[test]
    fn every_class_has_its_exit_code() {
        let table = [
            (RefusalClass::Refused, 1),
            (RefusalClass::Usage, 2),
            (RefusalClass::Unavailable, 3),
            (RefusalClass::Corrupt, 4),
        ];
        for (class, code) in table {
            for mode in [Mode::Text, Mode::Json] {
                let (mut terminal, _, _) = caught(mode);
                assert_eq!(report(&mut terminal, &Refusal::new(class, "x", "x")), code);
            }
        }
    }

    fn refusal() -> Refusal {
        Refusal::invalid("status", "the status \"ba\u{1b}nana\"\nis unknown")
            .allowed(json!(["pending", "done"]))
            .with("path", json!(["T1", "T2"]))
            .hint("usage: x\nor y")
    }

    #[test]
    fn text_goes_to_standard_error_alone() {
        let (mut terminal, out, err) = caught(Mode::Text);
        report(&mut terminal, &refusal());
        assert_eq!(out.text(), "");
        let expected = "error: the status \"banana\" is unknown\n  field: status\n  allowed: pending, done\n  \
                        path: T1, T2\n  hint: usage: x\n    or y\n";
        assert_eq!(err.text(), expected);
    }

    #[test]
    fn json_goes_to_standard_output_with_one_line_beside() {
        let (mut terminal, out, err) = caught(Mode::Json);
        report(&mut terminal, &refusal());
        let shown: Value = serde_json::from_str(&out.text()).unwrap();
        assert_eq!(shown["error"]["code"], "invalid_argument");
        assert_eq!(shown["error"]["allowed"], json!(["pending", "done"]));
        assert_eq!(out.text().lines().count(), 1);
        assert_eq!(err.text(), "error: the status \"banana\" is unknown\n");
    }
}
