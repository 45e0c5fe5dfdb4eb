//! What commands print: the reply as JSON, its first value bare, or one part of it.

use format::Printed;
use model::{Object, Refusal, RefusalClass, Value};

use super::derive::ORDER;
use super::progress::KEYS;
use super::settings::VERSION_KEYS;

/// The options that only concern what is printed.
const OF_PRINT: [&str; 2] = ["raw", "pick"];

/// The arguments as they were typed, without what concerns the printing.
#[expect(clippy::unnecessary_wraps, reason = "the shape of Command::arguments")]
pub(super) fn as_typed(mut typed: Object) -> Result<Object, Refusal> {
    for name in OF_PRINT {
        typed.shift_remove(name);
    }
    Ok(typed)
}

/// The reply: whole, or with `--raw` its first value, or with `--pick` a part.
pub(super) fn reply(printed: &Printed<'_>) -> String {
    if let Some(Value::String(path)) = printed.typed.get("pick") {
        return part(printed.reply, path).map(|value| bare(&value)).unwrap_or_default();
    }
    if printed.typed.contains_key("raw") {
        return printed.reply.values().next().map(bare).unwrap_or_default();
    }
    Value::Object(printed.reply.clone()).to_string()
}

/// The refusal for a part that the reply does not have and never has.
///
/// What `json` leaves out because it is not known prints as what is empty.
pub(super) fn unpicked(printed: &Printed<'_>) -> Option<Refusal> {
    let Some(Value::String(path)) = printed.typed.get("pick") else { return None };
    if part(printed.reply, path).is_some() || (printed.call.tool == "msd_state_json" && is_key(path)) {
        return None;
    }
    let names: Vec<Value> = printed.reply.keys().map(|name| name.as_str().into()).collect();
    let refusal = Refusal::invalid("pick", format!("the reply has no part {path:?}")).allowed(names);
    Some(refusal.hint("parts of parts stand behind a point, as progress.percent"))
}

/// Whether a path leads to a key of the front matter.
fn is_key(path: &str) -> bool {
    let (key, rest) = path.split_once('.').map_or((path, None), |(key, rest)| (key, Some(rest)));
    let is_known = ORDER[1..].iter().chain(&VERSION_KEYS).chain(&["status_raw"]).any(|known| *known == key);
    is_known && rest.is_none_or(|rest| key == "progress" && KEYS.contains(&rest))
}

/// `load`, whose bare form is one line for each file.
pub(super) fn loaded(printed: &Printed<'_>) -> String {
    if !printed.typed.contains_key("raw") || printed.typed.contains_key("pick") {
        return reply(printed);
    }
    let line = |name: &str| format!("{name}={}", printed.reply.get(name).and_then(Value::as_bool) == Some(true));
    ["config_exists", "roadmap_exists", "state_exists"].map(line).join("\n")
}

/// The exit code of `validate`: 1 where it is strict and something is wrong.
pub(super) fn validity(reply: &Object) -> u8 {
    let is = |name: &str, value: bool| reply.get(name).and_then(Value::as_bool) == Some(value);
    u8::from(is("strict", true) && is("valid", false))
}

fn bare(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

/// **Shape**: `a.b`, `list.0`, `list[0].a`.
fn part(reply: &Object, path: &str) -> Option<Value> {
    let path = path.replace('[', ".").replace(']', "");
    let mut keys = path.split('.');
    let first = reply.get(keys.next()?)?;
    keys.try_fold(first, |value, key| match value {
        Value::Array(items) => items.get(key.parse::<usize>().ok()?),
        other => other.get(key),
    })
    .cloned()
}

/// The words of `state`: no verb, or one that there is not.
pub(super) fn no_verb(mut typed: Object) -> Result<Object, Refusal> {
    let Some(Value::Array(words)) = typed.shift_remove("verb") else { return as_typed(typed) };
    let word = words.first().and_then(Value::as_str).unwrap_or_default();
    let is_begun = super::commands::verbs().any(|verb| verb.split(' ').next() == Some(word));
    if let Some(option) = typed.keys().next().filter(|_| is_begun) {
        return Err(Refusal::invalid(option, format!("{word} stands right behind state, options behind it"))
            .hint(format!("mainstay msd state {word} … --{option} …")));
    }
    let known = super::commands::verbs().filter(|verb| !is_begun || verb.split(' ').next() == Some(word));
    let known: Vec<Value> = known.map(Value::from).collect();
    let said = words.iter().filter_map(Value::as_str).take(if is_begun { 2 } else { 1 });
    let said = said.collect::<Vec<_>>().join(" ");
    Err(Refusal::new(RefusalClass::Usage, "unknown_verb", format!("state has no verb {said:?}"))
        .field("verb")
        .allowed(known)
        .hint("mainstay msd --help lists the verbs"))
}

/// The fields of `patch`: `--Name value …`, or one JSON object.
pub(super) fn patch(mut typed: Object) -> Result<Object, Refusal> {
    let Some(Value::Array(tokens)) = typed.shift_remove("fields") else {
        return Err(super::arguments::missing("fields"));
    };
    let fields = fields(&tokens)?;
    let mut arguments = as_typed(typed)?;
    arguments.insert("fields".into(), Value::Object(fields));
    Ok(arguments)
}

fn fields(tokens: &[Value]) -> Result<Object, Refusal> {
    let mut texts = tokens.iter().filter_map(Value::as_str).peekable();
    let mut fields = Object::new();
    while let Some(token) = texts.next() {
        if token.starts_with('{') && fields.is_empty() {
            let bad = |error| Refusal::invalid("fields", format!("the fields are no JSON object: {error}"));
            fields = serde_json::from_str(token).map_err(bad)?;
            continue;
        }
        let Some(flag) = token.strip_prefix("--").filter(|flag| !flag.is_empty()) else {
            let message = format!("{token:?} stands where a field is expected");
            return Err(Refusal::invalid("fields", message)
                .hint("mainstay msd state patch --Status \"In progress\" --Plan \"2 of 3\""));
        };
        let (name, value) = match flag.split_once('=') {
            Some((name, value)) => (name, value),
            None => {
                (flag, texts.next_if(|next| !next.starts_with("--")).ok_or_else(|| super::arguments::missing(flag))?)
            }
        };
        if fields.insert(name.to_owned(), value.into()).is_some() {
            return Err(Refusal::invalid(name, format!("--{name} is given twice")));
        }
    }
    Ok(fields)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(texts: &[&str]) -> Object {
        let list = texts.iter().map(|text| Value::from(*text)).collect();
        Object::from_iter([("fields".to_owned(), Value::Array(list))])
    }

    #[test]
    fn fields_are_typed_as_flags_or_as_json() {
        let check = |texts: &[&str]| patch(tokens(texts)).map(|arguments| Value::Object(arguments).to_string());
        assert_eq!(check(&["--Status", "a b", "--Plan=--x"]).unwrap(), r#"{"fields":{"Status":"a b","Plan":"--x"}}"#);
        assert_eq!(check(&[r#"{"Status":"a"}"#, "--Plan", "x"]).unwrap(), r#"{"fields":{"Status":"a","Plan":"x"}}"#);
        for (texts, code) in [
            (&["Status", "a"][..], "invalid_argument"),
            (&["--Status"], "missing_argument"),
            (&["--Status", "--Plan", "x"], "missing_argument"),
            (&["--Status", "a", "--Status", "b"], "invalid_argument"),
            (&["{\"a\""], "invalid_argument"),
        ] {
            assert_eq!(check(texts).unwrap_err().code, code, "{texts:?}");
        }
    }

    #[test]
    fn parts_are_picked() {
        let reply: Object = serde_json::from_str(r#"{"a":{"b":[1,{"c":"x"}]},"n":null}"#).unwrap();
        let check = |path: &str| part(&reply, path).map(|value| bare(&value));
        assert_eq!(check("a.b.1.c").as_deref(), Some("x"));
        assert_eq!(check("a.b[0]").as_deref(), Some("1"));
        assert_eq!(check("n").as_deref(), Some(""));
        assert_eq!(check("a.z"), None);
    }
}
