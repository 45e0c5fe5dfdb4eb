//! A table at the end of a TOML file, between markers, and the proof that nothing else changed.

use model::{Object, Refusal, Value};

use crate::json::{Edited, runs_mainstay};
use crate::part::{Comment, Remark, When};
use crate::section;

/// Where Codex notes what it was told of a server's tools, beneath the server's table.
const NOTED: &str = "tools";

/// Puts the table in for a host.
///
/// **Errors**: `config_invalid` for what is no TOML or cannot be extended at its end, `host_entry_taken`,
/// and those of [`section::put`].
pub(crate) fn put(
    text: Option<&str>,
    body: &str,
    table: [&str; 2],
    host: &str,
    remarks: &[Remark],
) -> Result<Edited, Refusal> {
    let whole = read(text.unwrap_or_default())?;
    let mut edited = put_table(text, body, table, host)?;
    let meant = remarks.iter().filter(|remark| is_meant(remark, &whole));
    edited.notes.extend(meant.map(|remark| (remark.code, remark.said.to_owned())));
    Ok(edited)
}

fn is_meant(remark: &Remark, settings: &Object) -> bool {
    let Some((first, rest)) = remark.place.split_first() else { return false };
    let found = rest.iter().try_fold(settings.get(*first), |found, name| Some(found?.get(*name))).flatten();
    match (remark.when, found) {
        (When::Off, Some(found)) => *found == Value::Bool(false),
        (When::HoldsMoreThan(name), Some(Value::Object(names))) => names.keys().any(|known| known != name),
        _ => false,
    }
}

fn put_table(text: Option<&str>, body: &str, table: [&str; 2], host: &str) -> Result<Edited, Refusal> {
    let before = text.unwrap_or_default();
    let whole = read(before)?;
    let others = section::outside(before, Comment::Hash)?;
    let has_ours = others.len() < before.len();
    let others = match read(&others) {
        Ok(others) => others,
        // Keys that a person set in our table stand behind its end; without its head they would mean something else.
        Err(_) if entry(&whole, table).is_some_and(runs_mainstay) => return Ok(kept(text, table)),
        Err(refusal) => return Err(refusal),
    };
    // What a host notes of our own server, as which tools a person allowed, stands in tables beneath it.
    if let Some(found) = entry(&others, table).filter(|found| !has_ours || starts_something(found)) {
        let place = table.join(".");
        if !runs_mainstay(found) {
            return Err(Refusal::refused("host_entry_taken", format!("{place} runs something else"))
                .field(place)
                .hint("give that table another name; nothing was changed"));
        }
        return Ok(kept(text, table));
    }
    let after = section::put(text, Comment::Hash, body, host)?;
    if text == Some(after.as_str()) && entry(&whole, table).is_some_and(runs_mainstay) {
        return Ok(Edited { text: Some(after), notes: Vec::new() });
    }
    let mut expected = others;
    merge(&mut expected, read(body)?);
    // Names such as an inline table cannot be extended by a table of their own.
    if read(&after).ok() != Some(expected) {
        return Err(malformed(format!("{} cannot be extended at the end of the file", table[0]))
            .hint(format!("write it as [{}], or add this by hand:\n{body}", table.join("."))));
    }
    Ok(Edited { text: Some(after), notes: Vec::new() })
}

fn kept(text: Option<&str>, table: [&str; 2]) -> Edited {
    let note = ("kept", format!("{} runs mainstay already and stays as it is", table.join(".")));
    Edited { text: text.map(str::to_owned), notes: vec![note] }
}

/// Takes the table out, and what the host noted beneath it.
///
/// A table that runs Mainstay without our markers, or in which a person set anything, stays, with a note.
///
/// **Errors**: `config_invalid`, and those of [`section::take`].
pub(crate) fn take(text: &str, table: [&str; 2], host: &str) -> Result<Edited, Refusal> {
    let place = table.join(".");
    let whole = read(text)?;
    let stays = || Edited {
        text: Some(text.to_owned()),
        notes: vec![("left", format!("{place} is not as it was put in and stays"))],
    };
    let Some(taken) = section::take(text, Comment::Hash, host)? else { return Ok(Edited::default()) };
    let ours = entry(&whole, table);
    if taken == text {
        let is_left = ours.is_some_and(runs_mainstay);
        return Ok(if is_left { stays() } else { Edited { text: Some(taken), notes: Vec::new() } });
    }
    // What a person set in our table is theirs; without its head it would belong to the table before.
    let names = ours.and_then(Value::as_object).into_iter().flat_map(Object::keys);
    if names.into_iter().any(|name| !["command", "args", NOTED].contains(&name.as_str())) {
        return Ok(stays());
    }
    let expected = without(whole, table);
    // Without the words that start it, a server that is only noted there would be an error of the host's file.
    let pruned = without_tables_beneath(&taken, &format!("{place}.{NOTED}"));
    let is_right = |text: &String| read(text).is_ok_and(|left| without(left, ["", ""]) == expected);
    match [taken, pruned].into_iter().find(is_right) {
        Some(text) => Ok(Edited { text: Some(text), notes: Vec::new() }),
        None => Ok(stays()),
    }
}

/// The settings without a table, and without tables of servers that hold none.
fn without(mut settings: Object, table: [&str; 2]) -> Object {
    if let Some(Value::Object(outer)) = settings.get_mut(table[0]) {
        outer.shift_remove(table[1]);
    }
    settings.retain(|_, value| value.as_object().is_none_or(|inner| !inner.is_empty()));
    settings
}

fn entry<'a>(settings: &'a Object, table: [&str; 2]) -> Option<&'a Value> {
    settings.get(table[0]).and_then(|outer| outer.get(table[1]))
}

fn starts_something(server: &Value) -> bool {
    !server.is_object() || server.get("command").is_some() || server.get("url").is_some()
}

// By lines, so only a guess: whoever calls it reads the outcome. Comments stay, and the empty lines at their end.
fn without_tables_beneath(text: &str, place: &str) -> String {
    let (mut is_beneath, mut gap) = (false, String::new());
    let mut kept = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        if line.starts_with('[') {
            let name = line.trim_start_matches('[');
            is_beneath = name.strip_prefix(place).is_some_and(|rest| rest.starts_with(['.', ']']));
        }
        if !is_beneath || line.trim_start().starts_with('#') {
            kept.push_str(&std::mem::take(&mut gap));
            kept.push_str(line);
        } else if line.trim().is_empty() {
            gap.push_str(line);
        } else {
            gap.clear();
        }
    }
    kept + &gap
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
    use super::{put_table as put, take};
    use crate::part::{Remark, When};

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
            assert_eq!(take(one.as_deref().unwrap(), TABLE, "codex").unwrap().text.as_deref(), text);
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

    /// What `toml_edit`, with which Codex writes its settings, makes of a table that is added to a file.
    fn added(text: &str, table: &str) -> String {
        let (before, end) = text.rsplit_once("# mainstay:end").unwrap();
        format!("{before}\n{table}# mainstay:end{end}")
    }

    #[test]
    fn what_the_host_writes_between_the_markers_is_the_hosts() {
        const TRUSTED: &str = "[projects.\"/x\"]\ntrust_level = \"trusted\"\n";
        for before in [None, Some("# mine\nmodel = \"x\"\n"), Some("model = \"x\"")] {
            let one = put(before, BODY, TABLE, "codex").unwrap().text.unwrap();
            let grown = added(&one, TRUSTED);
            assert_eq!(put(Some(&grown), BODY, TABLE, "codex").unwrap().text.as_deref(), Some(grown.as_str()));
            let renewed = put(Some(&grown), &BODY.replace("--stdio", "--x"), TABLE, "codex").unwrap().text.unwrap();
            for text in [&grown, &renewed, &grown.replace("# mainstay:end", "")] {
                let left = take(text, TABLE, "codex").unwrap();
                let text = left.text.unwrap();
                assert!(left.notes.is_empty() && text.contains(TRUSTED) && !text.contains("mainstay"), "{text}");
                assert!(text.starts_with(before.unwrap_or_default()), "{text}");
            }
            let allowed = added(&grown, "[mcp_servers.mainstay.tools.tasks_add]\napproval_mode = \"approve\"\n");
            assert_eq!(put(Some(&allowed), BODY, TABLE, "codex").unwrap().text.as_deref(), Some(allowed.as_str()));
            let left = take(&allowed, TABLE, "codex").unwrap();
            assert_eq!(left.notes, []);
            assert_eq!(left.text.unwrap().trim_end(), take(&grown, TABLE, "codex").unwrap().text.unwrap().trim_end());
        }
    }

    #[test]
    fn comments_behind_what_the_host_noted_stay() {
        const NOTED: &str = "[mcp_servers.mainstay.tools.x]\n# why\napproval_mode = \"approve\"\n";
        for (before, behind) in [
            (None, "# keep me\n[z]\nq = 1\n"),
            (None, "\n# keep me\n\n[z]\nq = 1\n"),
            (None, "\n[mcp_servers.mainstay.tools.y]\na = 1\n# keep me\n"),
            (Some("a = 1\n"), "# keep me\n"),
        ] {
            let one = put(before, BODY, TABLE, "codex").unwrap().text.unwrap();
            let left = take(&format!("{one}{NOTED}{behind}"), TABLE, "codex").unwrap();
            let text = left.text.unwrap();
            assert!(left.notes.is_empty() && text.contains("# why\n") && !text.contains("mainstay"), "{text}");
            let kept = if behind.contains("tools") { "# keep me\n" } else { behind };
            assert!(text.starts_with(before.unwrap_or_default()) && text.ends_with(kept), "{text}");
        }
    }

    #[test]
    fn an_end_marker_that_the_host_left_behind_is_none() {
        // As after `codex mcp remove mainstay`: the first marker belongs to the table, the last to the file.
        for rest in ["", "# mine\nmodel = \"x\"\n", "[mcp_servers.other]\ncommand = \"x\"\n"] {
            let text = format!("{rest}# mainstay:end\n");
            assert_eq!(take(&text, TABLE, "codex").unwrap().text.as_deref(), Some(rest));
            let again = put(Some(&text), BODY, TABLE, "codex").unwrap().text.unwrap();
            assert!(again.starts_with(rest) && again.matches("mainstay:end").count() == 1, "{again}");
            assert_eq!(put(Some(&again), BODY, TABLE, "codex").unwrap().text.as_deref(), Some(again.as_str()));
            let left = take(&again, TABLE, "codex").unwrap().text.unwrap_or_default();
            assert_eq!(left.trim_end(), rest.trim_end());
        }
    }

    #[test]
    fn what_a_person_set_in_our_table_falls_into_no_other() {
        for before in
            ["", "[mcp_servers.other]\ncommand = \"o\"\n", "[mcp_servers.other]\ncommand = \"o\"\nenabled = true\n"]
        {
            let one = put(Some(before), BODY, TABLE, "codex").unwrap().text.unwrap();
            let behind = format!("{one}enabled = false\n");
            let within = one.replace("# mainstay:end", "enabled = false\n# mainstay:end");
            let beneath = format!("{one}\n[mcp_servers.mainstay.env]\nA = \"1\"\n");
            for text in [behind, within, beneath] {
                assert_eq!(put(Some(&text), BODY, TABLE, "codex").unwrap().text.as_ref(), Some(&text));
                let left = take(&text, TABLE, "codex").unwrap();
                assert_eq!((left.text.as_ref(), left.notes[0].0), (Some(&text), "left"), "{text}");
            }
        }
    }

    #[test]
    fn settings_that_matter_are_told_of() {
        const OFF: Remark = Remark { place: &["a", "b"], when: When::Off, code: "off", said: "" };
        const MORE: Remark = Remark { place: &["c"], when: When::HoldsMoreThan("x"), code: "more", said: "" };
        for (text, expected) in [
            ("[a]\nb = false\n[c]\nx = 1\n", &["off"][..]),
            ("[a]\nb = true\n[c]\nx = 1\ny = 2\n", &["more"]),
            ("a = 1\nc = 2\n", &[]),
        ] {
            let edited = super::put(Some(text), BODY, TABLE, "codex", &[OFF, MORE]).unwrap();
            assert_eq!(edited.notes.iter().map(|(code, _)| *code).collect::<Vec<_>>(), expected);
        }
    }

    #[test]
    fn a_table_without_our_markers_stays_and_is_told_of() {
        let left = take(BODY, TABLE, "codex").unwrap();
        assert_eq!((left.text.as_deref(), left.notes[0].0), (Some(BODY), "left"));
        let edited = put(None, BODY, TABLE, "codex").unwrap().text.unwrap().replace("--stdio", "--x");
        assert_eq!(take(&edited, TABLE, "codex").unwrap_err().code, "host_block_edited");
        assert_eq!(put(Some(&edited), BODY, TABLE, "codex").unwrap_err().code, "host_block_edited");
    }
}
