//! What commands take and print.

use format::Printed;
use model::{Object, Refusal, Value, json};

use super::doctor::CHECKS;
use super::task_update::is_identifier;

/// A text that prints as one empty line.
const EMPTY_LINE: &str = "\n";

/// `EXPR [NAME VALUE]…` as the tool's arguments; of a name that comes twice the first counts.
pub(super) fn update_arguments(mut typed: Object) -> Result<Object, Refusal> {
    let rest = match typed.shift_remove("name_value") {
        Some(Value::Array(rest)) => rest,
        _ => Vec::new(),
    };
    let mut arguments = Object::new();
    arguments.insert("expr".into(), typed.shift_remove("expr").unwrap_or(Value::Null));
    let (mut texts, mut values) = (Object::new(), Object::new());
    let words: Vec<&str> = rest.iter().filter_map(Value::as_str).collect();
    for pair in words.chunks(2) {
        let [name, value] = pair else {
            return Err(Refusal::invalid("args", "names and values come in pairs: NAME VALUE")
                .hint("usage: mainstay eneo task-update EXPR [NAME VALUE]…"));
        };
        let (bare, is_json) = name.strip_prefix("json:").map_or((*name, false), |name| (name, true));
        if !is_identifier(bare) {
            return Err(Refusal::invalid("args", format!("{bare:?} is no name of a variable")));
        }
        if texts.contains_key(bare) || values.contains_key(bare) {
            continue;
        }
        if is_json {
            let value = json::read(value.as_bytes())
                .map_err(|error| Refusal::invalid(bare, format!("{bare} is not valid JSON: {error}")))?;
            values.insert(bare.to_owned(), value);
        } else {
            texts.insert(bare.to_owned(), (*value).into());
        }
    }
    arguments.insert("args".into(), Value::Object(texts));
    arguments.insert("json_args".into(), Value::Object(values));
    Ok(arguments)
}

/// `WAVE EXPECTED [--total N] [--agents a,b]` as the tool's arguments.
///
/// **Errors**: `invalid_argument` for an empty list of agents.
pub(super) fn seed_arguments(mut arguments: Object) -> Result<Object, Refusal> {
    if let Some(Value::String(list)) = arguments.get("agents") {
        let agents: Vec<Value> =
            list.split(',').map(str::trim).filter(|agent| !agent.is_empty()).map(Value::from).collect();
        if agents.is_empty() {
            return Err(Refusal::invalid("agents", "agents is a list of types, separated by commas"));
        }
        arguments.insert("agents".into(), Value::Array(agents));
    }
    Ok(arguments)
}

/// The printed values, the last newline left to the terminal; one empty line where there is none.
pub(super) fn text(printed: &Printed<'_>) -> String {
    let text = printed.reply.get("text").and_then(Value::as_str).unwrap_or_default();
    match text.strip_suffix('\n') {
        None | Some("") => EMPTY_LINE.to_owned(),
        Some(lines) => lines.to_owned(),
    }
}

/// The hint, or one empty line.
pub(super) fn hint(printed: &Printed<'_>) -> String {
    match printed.reply.get("next_hint").and_then(Value::as_str) {
        None | Some("") => EMPTY_LINE.to_owned(),
        Some(hint) => hint.to_owned(),
    }
}

/// **Shape**: `wave 2: 1/3 (in-progress)`, or `no wave`.
pub(super) fn wave(printed: &Printed<'_>) -> String {
    let wave = printed.reply.get("wave").and_then(Value::as_object).cloned();
    match wave.map(super::wave::Wave::read) {
        Some(Ok(wave)) => wave.line(),
        _ => "no wave".to_owned(),
    }
}

/// The functions.
pub(super) fn script(printed: &Printed<'_>) -> String {
    let script = printed.reply.get("script").and_then(Value::as_str).unwrap_or_default();
    script.trim_end_matches('\n').to_owned()
}

/// The table of checks.
pub(super) fn doctor(printed: &Printed<'_>) -> String {
    let findings = printed.reply.get("findings").and_then(Value::as_array).cloned().unwrap_or_default();
    let mut lines = vec!["STATUS\tCHECK\tFIX".to_owned()];
    let text = |finding: &Value, name: &str| finding.get(name).and_then(Value::as_str).map(str::to_owned);
    for check in CHECKS {
        let mut found = findings.iter().filter(|finding| text(finding, "code").as_deref() == Some(check)).peekable();
        if found.peek().is_none() {
            lines.push(format!("✓\t{check}\t—"));
        }
        for finding in found {
            let mark = if finding.get("fixed") == Some(&Value::Bool(true)) { '✓' } else { '✗' };
            let field = text(finding, "field").map(|field| format!(" ({field})")).unwrap_or_default();
            lines.push(format!("{mark}\t{check}{field}\t{}", text(finding, "fix").unwrap_or_else(|| "—".to_owned())));
        }
    }
    lines.join("\n")
}

/// 1 where findings remain and the call was strict.
pub(super) fn doctor_exit(reply: &Object) -> u8 {
    let is_strict = reply.get("strict") == Some(&Value::Bool(true));
    u8::from(is_strict && reply.get("ok") != Some(&Value::Bool(true)))
}
