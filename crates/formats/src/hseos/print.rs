//! What commands hand to tools, and what they print for people.

use format::{Printed, text_table};
use model::{Object, Refusal, Value};

/// `KEY VALUE [AGENT]` as the arguments of `state_write`.
#[allow(clippy::unnecessary_wraps, reason = "the signature is the contract's")]
pub(super) fn write_arguments(mut typed: Object) -> Result<Object, Refusal> {
    let mut take = |name: &str| typed.shift_remove(name);
    let key = take("key").and_then(|key| key.as_str().map(str::to_owned)).unwrap_or_default();
    let fields = Object::from_iter([(key, take("value").unwrap_or(Value::Null))]);
    let mut arguments = Object::from_iter([("fields".to_owned(), Value::Object(fields))]);
    arguments.extend(typed);
    Ok(arguments)
}

/// `ID OWNER DESCRIPTION [DEPENDS]` as the arguments of `tasks_add`.
pub(super) fn add_arguments(mut typed: Object) -> Result<Object, Refusal> {
    let Some(text) = typed.get("depends").and_then(Value::as_str).map(str::trim) else { return Ok(typed) };
    let ids: Vec<Value> = if text.starts_with('[') {
        serde_json::from_str(text)
            .map_err(|_| Refusal::invalid("depends", "depends is a comma list or a JSON array of task ids"))?
    } else {
        text.split(',').map(str::trim).filter(|id| !id.is_empty()).map(Value::from).collect()
    };
    typed.insert("depends".to_owned(), Value::Array(ids));
    Ok(typed)
}

/// `[N]` as the arguments of `state_history`.
pub(super) fn history_arguments(mut typed: Object) -> Result<Object, Refusal> {
    if let Some(text) = typed.get("n").and_then(Value::as_str) {
        let n: i64 = text.parse().map_err(|_| Refusal::invalid("n", format!("{text:?} is no whole number")))?;
        typed.insert("n".to_owned(), n.into());
    }
    Ok(typed)
}

/// The fields, by key.
pub(super) fn state_table(&Printed { reply, .. }: &Printed<'_>) -> String {
    table(reply, "rows", &["key", "value", "updated_at"])
}

/// The tasks, in the order of `tasks_list`.
pub(super) fn tasks_table(&Printed { reply, .. }: &Printed<'_>) -> String {
    let rows = reply.get("rows").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let rows: Vec<[Option<&str>; 5]> =
        rows.iter().map(|row| std::array::from_fn(|column| row.get(column)?.as_str())).collect();
    text_table::render(&["id", "owner", "status", "description", "note"], &rows)
}

/// The history, newest first.
pub(super) fn history_table(&Printed { reply, .. }: &Printed<'_>) -> String {
    table(reply, "history", &["key", "old_value", "new_value", "changed_by", "changed_at"])
}

/// `[project-state] state.KEY = VALUE`; nothing where the only field was a derived one.
pub(super) fn written(&Printed { call, reply, .. }: &Printed<'_>) -> String {
    let fields = call.arguments.get("fields").and_then(Value::as_object);
    let Some((key, value)) = fields.and_then(|fields| fields.iter().next()) else { return String::new() };
    if reply.get("written").and_then(Value::as_u64) == Some(0) {
        return String::new();
    }
    format!("[project-state] state.{key} = {}", value.as_str().unwrap_or_default())
}

/// `[project-state] task ID added (owner: OWNER)`.
pub(super) fn added(&Printed { call, reply, .. }: &Printed<'_>) -> String {
    format!("[project-state] task {} added (owner: {})", text(reply, "added"), text(&call.arguments, "owner"))
}

/// `[project-state] task ID marked done`.
pub(super) fn done(&Printed { reply, .. }: &Printed<'_>) -> String {
    format!("[project-state] task {} marked done", text(reply, "updated"))
}

/// `[project-state] task ID blocked: REASON`.
pub(super) fn blocked(&Printed { reply, .. }: &Printed<'_>) -> String {
    format!("[project-state] task {} blocked: {}", text(reply, "updated"), text(reply, "note"))
}

/// `[project-state] task ID updated: STATUS`.
pub(super) fn updated(&Printed { reply, .. }: &Printed<'_>) -> String {
    format!("[project-state] task {} updated: {}", text(reply, "updated"), text(reply, "status"))
}

/// The mode.
pub(super) fn mode(&Printed { reply, .. }: &Printed<'_>) -> String {
    text(reply, "mode").to_owned()
}

/// The block of `status`.
pub(super) fn status(&Printed { reply, .. }: &Printed<'_>) -> String {
    let server = reply.get("server");
    let running = server.and_then(|server| server.get("running")).and_then(Value::as_bool) == Some(true);
    let port = server.and_then(|server| server.get("port")).cloned().unwrap_or(Value::Null);
    let server = if running { format!("running on port {port}") } else { "not running".to_owned() };
    let exists = reply.get("db_exists").and_then(Value::as_bool) == Some(true);
    let chain: Vec<&str> =
        reply.get("fallback_chain").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
    let lines = [
        "State management status:".to_owned(),
        format!("  mode:       {}", text(reply, "mode")),
        format!("  backend:    {}", text(reply, "backend")),
        format!("  mcp server: {server}"),
        format!(
            "  db path:    {} ({})",
            text(reply, "db_path").replace(['\n', '\r'], " "),
            if exists { "exists" } else { "not created yet" }
        ),
        "  cli script: built in".to_owned(),
        format!("  fallback:   {}", if chain.is_empty() { "none".to_owned() } else { chain.join(" → ") }),
    ];
    lines.join("\n")
}

fn table<const N: usize>(reply: &Object, list: &str, columns: &[&str; N]) -> String {
    let rows = reply.get(list).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let rows: Vec<[Option<&str>; N]> = rows.iter().map(|row| columns.map(|name| row.get(name)?.as_str())).collect();
    text_table::render(columns, &rows)
}

fn text<'a>(object: &'a Object, name: &str) -> &'a str {
    object.get(name).and_then(Value::as_str).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hseos::records::members;

    #[test]
    fn reads_depends_as_a_list_or_as_json() {
        let check =
            |typed: &str| add_arguments(members([("depends", typed.into())])).map(|made| made["depends"].to_string());
        assert_eq!(check("T2, 9,").unwrap(), r#"["T2","9"]"#);
        assert_eq!(check(" [\"T2\", 9]").unwrap(), r#"["T2",9]"#);
        assert_eq!(check("").unwrap(), "[]");
        assert_eq!(check("[T2").unwrap_err().field.as_deref(), Some("depends"));
    }

    #[test]
    fn shows_the_status_block() {
        let reply = |running: bool, chain: &[&str]| {
            members([
                ("mode", "hybrid".into()),
                ("backend", "cli-sqlite".into()),
                ("db_path", "/abs/project.db".into()),
                ("db_exists", (!running).into()),
                ("server", Value::Object(members([("running", running.into()), ("port", 3100.into())]))),
                ("fallback_chain", chain.iter().copied().collect()),
            ])
        };
        let call = model::Call::new("hseos_status", Object::new());
        let status = |reply: &Object| status(&Printed { call: &call, typed: &Object::new(), reply });
        let expected = "State management status:\n  mode:       hybrid\n  backend:    cli-sqlite\n  mcp server: not running\n  \
                        db path:    /abs/project.db (exists)\n  cli script: built in\n  fallback:   mcp-sqlite → skill-only";
        assert_eq!(status(&reply(false, &["mcp-sqlite", "skill-only"])), expected);
        let mut broken = reply(false, &[]);
        broken.insert("db_path".into(), "/a\nb.db".into());
        assert!(status(&broken).contains("  db path:    /a b.db (exists)\n"));
        let other = status(&reply(true, &[]));
        assert!(
            other.contains("running on port 3100\n") && other.contains("(not created yet)") && other.ends_with("none")
        );
    }
}
