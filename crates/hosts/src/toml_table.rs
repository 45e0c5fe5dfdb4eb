//! A table at the end of a TOML file, between markers, and the proof that nothing else changed.

use model::{Object, Refusal, Value};

use crate::json::{Edited, runs_mainstay};
use crate::part::Comment;
use crate::section;

/// Puts the table in for a host.
///
/// **Errors**: `config_invalid` for what is no TOML or cannot be extended at its end, `host_entry_taken`,
/// and those of [`section::put`].
pub(crate) fn put(text: Option<&str>, body: &str, table: [&str; 2], host: &str) -> Result<Edited, Refusal> {
    let before = text.unwrap_or_default();
    let others = read(&section::outside(before, Comment::Hash)?)?;
    if let Some(found) = others.get(table[0]).and_then(|outer| outer.get(table[1])) {
        let place = table.join(".");
        if !runs_mainstay(found) {
            return Err(Refusal::refused("host_entry_taken", format!("{place} runs something else"))
                .field(place)
                .hint("give that table another name; nothing was changed"));
        }
        let note = ("kept", format!("{place} runs mainstay already and stays as it is"));
        return Ok(Edited { text: text.map(str::to_owned), notes: vec![note] });
    }
    let after = section::put(text, Comment::Hash, body, host)?;
    let mut expected = others;
    merge(&mut expected, read(body)?);
    // Names such as an inline table cannot be extended by a table of their own.
    if read(&after).ok() != Some(expected) {
        return Err(malformed(format!("{} cannot be extended at the end of the file", table[0]))
            .hint(format!("write it as [{}], or add this by hand:\n{body}", table.join("."))));
    }
    Ok(Edited { text: Some(after), notes: Vec::new() })
}

/// Takes the table out.
///
/// **Errors**: `config_invalid`, and those of [`section::take`].
pub(crate) fn take(text: &str, host: &str) -> Result<Edited, Refusal> {
    read(text)?;
    Ok(Edited { text: section::take(text, Comment::Hash, host)?, notes: Vec::new() })
}

fn merge(into: &mut Object, from: Object) {
    for (name, value) in from {
        match (into.get_mut(&name), value) {
            (Some(Value::Object(inner)), Value::Object(more)) => merge(inner, more),
            (_, value) => drop(into.insert(name, value)),
        }
    }
}

fn read(text: &str) -> Result<Object, Refusal> {
    toml::from_str(text.trim_start_matches('\u{feff}')).map_err(|error| malformed(error.to_string()))
}

fn malformed(why: String) -> Refusal {
    Refusal::config("path", why).hint("mend the file or move it away; nothing was changed")
}

#[cfg(test)]
mod tests {
    use super::{put, take};

    const BODY: &str = "[mcp_servers.mainstay]\ncommand = \"mainstay\"\nargs = [\"serve\", \"--stdio\"]\n";
    const TABLE: [&str; 2] = ["mcp_servers", "mainstay"];

    #[test]
    fn what_was_before_comes_back() {
        let texts = [
            "",
            "# nothing\n",
            "model = \"x\" # why\n",
            "[a]\r\nb = 1\r\n",
            "[mcp_servers.x]\ncommand = \"x\"",
            "[[a]]\nb = '''\nx\n'''\n",
            "\u{feff}a = 1\n",
        ];
        for text in texts.into_iter().map(Some).chain([None]) {
            let one = put(text, BODY, TABLE, "codex").unwrap().text;
            assert!(one.as_deref().unwrap().contains("[mcp_servers.mainstay]"), "{text:?}");
            assert_eq!(put(one.as_deref(), BODY, TABLE, "codex").unwrap().text, one, "{text:?}");
            assert_eq!(take(one.as_deref().unwrap(), "codex").unwrap().text.as_deref(), text);
        }
    }

    #[test]
    fn what_cannot_be_extended_is_refused() {
        let cases = [
            ("a = ", "config_invalid"),
            ("a = 1\na = 2\n", "config_invalid"),
            ("mcp_servers = {x = {command = \"x\"}}\n", "config_invalid"),
            ("mcp_servers = 7\n", "config_invalid"),
            ("[mcp_servers.mainstay]\ncommand = \"other\"\n", "host_entry_taken"),
        ];
        for (text, code) in cases {
            assert_eq!(put(Some(text), BODY, TABLE, "codex").unwrap_err().code, code, "{text}");
        }
        let own = "[mcp_servers.mainstay]\ncommand = \"/opt/mainstay\"\n";
        let kept = put(Some(own), BODY, TABLE, "codex").unwrap();
        assert_eq!((kept.text.as_deref(), kept.notes[0].0), (Some(own), "kept"));
    }
}
