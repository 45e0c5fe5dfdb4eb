//! Installing keeps every byte of others; taking out gives the bytes of before.

use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::host::ALL;
use crate::part::{Piece, Scope};

fn pieces() -> Vec<(&'static str, Vec<Entry>, Option<Companion>)> {
    let scopes = [Scope::Project, Scope::Global];
    let parts = ALL.iter().flat_map(|host| scopes.iter().flat_map(|scope| (host.parts)(*scope)));
    parts
        .filter_map(|part| match part.piece {
            Piece::Json { entries, companion } => Some((part.path, entries, companion)),
            _ => None,
        })
        .collect()
}

fn round(before: Option<&str>) {
    for (path, entries, companion) in pieces() {
        let companion = companion.as_ref();
        let one = put(before, &entries, companion).unwrap().text.unwrap();
        let shown = format!("{path}\n<<{}>>\n{one}", before.unwrap_or("(no file)"));
        assert_eq!(put(Some(&one), &entries, companion).unwrap().text.as_deref(), Some(one.as_str()), "{shown}");
        assert_eq!(take(&one, &entries, companion).unwrap().text.as_deref(), before, "{shown}");
        let old = before.map(|text| unmarked(text).1).filter(|text| !text.trim().is_empty());
        let mut expected = old.map_or(json!({}), |text| root_of(text).unwrap().value());
        for entry in &entries {
            lay(&mut expected, entry);
        }
        if let Some(companion) = companion.filter(|_| old.is_none_or(|text| !holds(&root_of(text).unwrap(), "hooks"))) {
            let object = expected.as_object_mut().unwrap();
            object.entry(companion.name).or_insert_with(|| companion.value.clone());
        }
        assert_eq!(root_of(unmarked(&one).1).unwrap().value(), expected, "{shown}");
    }
}

/// What an entry means, without any text.
fn lay(root: &mut Value, entry: &Entry) {
    let mut at = root;
    for name in &entry.path {
        at = &mut at[*name];
    }
    match &entry.put {
        Put::Member(name, value) => at[*name] = value.clone(),
        Put::Item { value, .. } => match at {
            Value::Array(items) => items.push(value.clone()),
            other => *other = json!([value]),
        },
    }
}

#[test]
fn what_was_before_comes_back() {
    let texts = [
        "",
        "\n",
        " \r\n",
        "\u{feff}",
        "{}",
        "{}\n",
        "{ }",
        "{\n}\n",
        "{\n  \n}",
        "{ // none yet\n}\n",
        "{/* a */}",
        "\u{feff}{\r\n\t\"a\": 1\r\n}\r\n",
        "{\"a\":1}",
        "{\"a\": 1 }",
        "{\"a\": 1, }",
        "{\"a\": 1 // why\n}",
        "{\n    \"a\": 1, // why\n    // more\n}\n",
        "{\n  \"a\": 1 /* b */ // why\n  /* last */ }",
        "{\n  \"hooks\": {}\n}\n",
        "{\"hooks\":{}}",
        "{\n  \"version\": 1\n}\n",
        "{\n  \"version\": 1,\n  \"hooks\": {\n  }\n}\n",
        "{\n  \"hooks\": {\n    \"Stop\": [],\n    \"SessionStart\": [ {\"hooks\": []} ]\n  }, \"version\": 1\n}",
        "{\"mcpServers\":{},\"mcp\":{\"x\":1},\"servers\":{ // c\n}}",
        "// c\n{\"a\":[1,2,],}\n/* end */",
        "{} ",
        "{\n  \"a\": {\n    \"b\": 1\n  }\n} // end",
        "\u{feff} { } ",
        "{\"hooks\": {\"Stop\": [1,\n2\n]}}",
    ];
    texts.into_iter().map(Some).chain([None]).for_each(round);
}

#[test]
fn an_entry_is_written_as_its_neighbours_are() {
    let entries = vec![crate::host::server_entry("mcpServers", json!({"command": "mainstay"}))];
    let cases = [
        (
            "{\n    \"a\": 1 // why\n    // end\n}\n",
            "{\n    \"a\": 1, // why\n    \"mcpServers\": {\n        \"mainstay\": {\n            \"command\": \"mainstay\"\n        \
             }\n    }\n    // end\n}\n",
        ),
        (
            "{\r\n\t\"mcpServers\": {\r\n\t\t\"x\": {},\r\n\t}\r\n}",
            "{\r\n\t\"mcpServers\": {\r\n\t\t\"x\": {},\r\n\t\t\"mainstay\": {\r\n\t\t\t\"command\": \"mainstay\"\r\n\t\t\
             },\r\n\t}\r\n}",
        ),
        (
            "{\"a\":1,\"mcpServers\":{\"x\":{}}}",
            "{\"a\":1,\"mcpServers\":{\"x\":{}, \"mainstay\": {\"command\":\"mainstay\"}}}",
        ),
    ];
    for (before, after) in cases {
        assert_eq!(put(Some(before), &entries, None).unwrap().text.as_deref(), Some(after));
    }
}

/// White space and comments between two tokens.
fn gap() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => Just(String::new()), 3 => Just(" ".to_owned()), 2 => Just("\n".to_owned()), 1 => Just("\r\n".to_owned()),
        2 => Just("\n    ".to_owned()), 1 => Just("\n\t".to_owned()), 1 => Just("/* \"a\": 1, */".to_owned()),
        1 => Just("// note }\n".to_owned()), 1 => Just("// crlf \r\n  ".to_owned()), 1 => Just("/* a\n b */".to_owned()),
    ];
    proptest::collection::vec(piece, 0..3).prop_map(|pieces| pieces.concat())
}

fn value(depth: u32) -> BoxedStrategy<String> {
    let scalar =
        prop_oneof!["[1-9][0-9]{0,2}", Just("null".to_owned()), Just("\"a, b } ] // \\\"\"".to_owned())].boxed();
    if depth == 0 {
        return scalar;
    }
    let list = container('[', ']', value(depth - 1));
    prop_oneof![3 => scalar, 1 => list, 1 => object_of(value(depth - 1), vec!["a", "b", "c", "ü"])].boxed()
}

/// Items, each with gaps around it, and perhaps a comma behind the last.
fn container(open: char, close: char, item: BoxedStrategy<String>) -> BoxedStrategy<String> {
    let spaced = (gap(), item, gap()).prop_map(|(before, item, after)| format!("{before}{item}{after}"));
    (proptest::collection::vec(spaced, 0..4), gap(), any::<bool>())
        .prop_map(move |(items, rest, trailing)| {
            let comma = if trailing && !items.is_empty() { "," } else { "" };
            format!("{open}{}{comma}{rest}{close}", items.join(","))
        })
        .boxed()
}

/// An object whose names are some of these, each once.
fn object_of(value: BoxedStrategy<String>, names: Vec<&'static str>) -> BoxedStrategy<String> {
    let count = names.len();
    (proptest::sample::subsequence(names, 0..=count).prop_shuffle())
        .prop_flat_map(move |names| {
            let members: Vec<BoxedStrategy<String>> = names
                .into_iter()
                .map(|name| {
                    let value = match name {
                        "hooks" => {
                            object_of(container('[', ']', value.clone()), vec!["Stop", "SessionStart", "stop", "x"])
                        }
                        "mcpServers" | "mcp" | "servers" => object_of(value.clone(), vec!["x", "y"]),
                        _ => value.clone(),
                    };
                    (gap(), gap(), gap(), value, gap())
                        .prop_map(move |(a, b, c, value, d)| format!("{a}\"{name}\"{b}:{c}{value}{d}"))
                        .boxed()
                })
                .collect();
            (members, gap(), any::<bool>()).prop_map(|(members, rest, trailing)| {
                let comma = if trailing && !members.is_empty() { "," } else { "" };
                format!("{{{}{comma}{rest}}}", members.join(","))
            })
        })
        .boxed()
}

fn config() -> impl Strategy<Value = String> {
    let names = vec!["a", "hooks", "mcpServers", "mcp", "servers", "version2", "z"];
    (any::<bool>(), gap(), object_of(value(2), names), gap()).prop_map(|(mark, before, object, after)| {
        format!("{}{before}{object}{after}", if mark { "\u{feff}" } else { "" })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]
    #[test]
    fn any_configuration_comes_back(text in config()) {
        round(Some(&text));
    }

    #[test]
    fn no_text_is_a_panic(text in "[\\[\\]{}\",:/* \n\\\\a1-]{0,40}") {
        for (_, entries, companion) in pieces() {
            if let Ok(edited) = put(Some(&text), &entries, companion.as_ref()) {
                let put = edited.text.unwrap();
                assert_eq!(take(&put, &entries, companion.as_ref()).unwrap().text.as_deref(), Some(text.as_str()));
            }
            drop(take(&text, &entries, companion.as_ref()));
        }
    }
}

fn hooks_of_claude() -> Vec<Entry> {
    crate::claude::hooks()
}

#[test]
fn what_stands_in_the_way_is_named() {
    let servers = vec![crate::host::server_entry("mcpServers", crate::host::server())];
    let cases: [(&[Entry], &str, &str); 9] = [
        (&servers, "{\"mcpServers\": {\"mainstay\": {\"command\": \"other\"}}}", "host_entry_taken"),
        (&servers, "{\"mcpServers\": 7}", "config_invalid"),
        (&servers, "{\"mcpServers\": {}, \"mcpServers\": {}}", "config_invalid"),
        (&servers, "{\"mcpServers\": {\"mainstay\": 1, \"mainstay\": 2}}", "config_invalid"),
        (&servers, "[]", "config_invalid"),
        (&servers, "{\"a\": 1,,}", "config_invalid"),
        (&hooks_of_claude(), "{\"hooks\": {\"Stop\": {}}}", "config_invalid"),
        (&hooks_of_claude(), "{\"hooks\": []}", "config_invalid"),
        (
            &hooks_of_claude(),
            "{\"hooks\": {\"Stop\": [{\"command\": \"mainstay hook stop\"}, {\"command\": \"x; mainstay hook stop -x\"}]}}",
            "host_block_doubled",
        ),
    ];
    for (entries, text, code) in cases {
        assert_eq!(put(Some(text), entries, None).unwrap_err().code, code, "{text}");
    }
}

#[test]
fn entries_of_people_count_and_stay() {
    let text = "{\"mcpServers\":{\"mainstay\":{\"type\":\"stdio\",\"command\":\"/opt/mainstay\",\"args\":[\"serve\",\"--stdio\"]}},\
                \"statusLine\":{\"type\":\"command\",\"command\":\"other\"},\
                \"hooks\":{\"Stop\":[{\"hooks\":[{\"type\":\"command\",\"command\":\"mainstay hook stop\"}]}]}}";
    let parts = (crate::Host::named("claude").unwrap().parts)(Scope::Project);
    let mut entries = vec![crate::host::server_entry("mcpServers", crate::host::server())];
    for part in parts {
        if let Piece::Json { entries: more, .. } = part.piece {
            entries.extend(more.into_iter().filter(|entry| entry.path.first() != Some(&"mcpServers")));
        }
    }
    let edited = put(Some(text), &entries, None).unwrap();
    let codes: Vec<&str> = edited.notes.iter().map(|(code, _)| *code).collect();
    assert_eq!(codes, ["kept", "kept", "taken"]);
    let after = edited.text.unwrap();
    assert_eq!(after.matches("mainstay hook stop").count(), 1, "{after}");
    let left = take(&after, &entries, None).unwrap();
    assert_eq!(left.text.as_deref(), Some(text));
    assert_eq!(left.notes.iter().map(|(code, _)| *code).collect::<Vec<_>>(), ["left", "left"]);
}

#[test]
fn what_people_add_to_our_containers_stays() {
    let entries = vec![crate::host::server_entry("mcpServers", crate::host::server())];
    let one = put(None, &entries, None).unwrap().text.unwrap();
    let added = one.replacen("{\n", "{\n  // mine\n", 1);
    let left = take(&added, &entries, None).unwrap().text.unwrap();
    assert!(left.contains("// mine"), "{left}");
    let mut grown: Value = serde_json::from_str(&one).unwrap();
    grown["mcpServers"]["x"] = json!({"command": "x"});
    let left = take(&grown.to_string(), &entries, None).unwrap().text.unwrap();
    assert_eq!(serde_json::from_str::<Value>(&left).unwrap(), json!({"mcpServers": {"x": {"command": "x"}}}));
}

#[test]
fn a_comment_within_an_entry_of_ours_keeps_it() {
    for part in ALL.iter().flat_map(|host| (host.parts)(Scope::Project)) {
        let Piece::Json { entries, companion } = part.piece else { continue };
        for entry in &entries {
            let (Put::Member(_, value) | Put::Item { value, .. }) = &entry.put;
            assert!(!is_commented(&value.to_string()), "{value}");
            let one = put(None, std::slice::from_ref(entry), companion.as_ref()).unwrap().text.unwrap();
            let at = one.find("\"command\"").unwrap();
            let noted = format!("{}// mine\n{}", &one[..at], &one[at..]);
            let again = put(Some(&noted), std::slice::from_ref(entry), companion.as_ref()).unwrap();
            assert_eq!((again.text.as_ref(), again.notes.len()), (Some(&noted), 0));
            let left = take(&noted, std::slice::from_ref(entry), companion.as_ref()).unwrap();
            assert_eq!((left.text.as_ref(), left.notes[0].0), (Some(&noted), "left"), "{noted}");
        }
    }
}

#[test]
fn a_hook_of_ours_that_stands_twice_is_taken_out_twice() {
    for host in ALL {
        for part in (host.parts)(Scope::Project).into_iter().filter(|part| part.what == "hooks") {
            let Piece::Json { entries, companion } = part.piece else { continue };
            let Put::Item { value, command } = &entries[0].put else { continue };
            let one = put(None, &entries, companion.as_ref()).unwrap().text.unwrap();
            let mut doubled: Value = serde_json::from_str(&one).unwrap();
            let items = doubled["hooks"][entries[0].path[1]].as_array_mut().unwrap();
            items.push(value.clone());
            let code = put(Some(&doubled.to_string()), &entries, None).unwrap_err().code;
            assert_eq!(code, "host_block_doubled", "{}", host.name);
            let left = take(&doubled.to_string(), &entries, companion.as_ref()).unwrap();
            assert!(left.notes.is_empty() && !left.text.unwrap_or_default().contains("mainstay"), "{}", host.name);
            doubled["hooks"][entries[0].path[1]][0] = json!({"hooks": [{"command": command}]});
            let left = take(&doubled.to_string(), &entries, companion.as_ref()).unwrap();
            assert_eq!(left.notes[0].0, "left", "{}", host.name);
            assert_eq!(left.text.unwrap().matches("mainstay").count(), 1, "{}", host.name);
        }
    }
}

#[test]
fn only_a_hook_that_runs_ours_counts_as_ours() {
    let command = "mainstay hook stop";
    let mentions =
        ["echo replaces mainstay hook stop", "mainstay hook stopped", "mainstay-x hook stop", "x mainstay hook stop"];
    let runs = [
        "mainstay hook stop",
        "/opt/bin/mainstay hook stop --host cursor",
        "A=1 \"C:\\x\\mainstay.exe\" hook  stop",
        "command -v mainstay >/dev/null 2>&1 || exit 0; mainstay hook stop --host copilot",
        "if (Get-Command mainstay) { $input | mainstay hook stop }",
    ];
    let entries: Vec<Entry> = hooks_of_claude().into_iter().filter(|entry| entry.path[1] == "Stop").collect();
    for text in mentions.into_iter().chain(runs) {
        let before = json!({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": text}]}]}}).to_string();
        let edited = put(Some(&before), &entries, None).unwrap();
        if runs.contains(&text) {
            assert_eq!((edited.text.as_deref(), edited.notes[0].0), (Some(before.as_str()), "kept"), "{text}");
        } else {
            let after: Value = serde_json::from_str(&edited.text.unwrap()).unwrap();
            assert_eq!((after["hooks"]["Stop"].as_array().unwrap().len(), edited.notes.len()), (2, 0), "{text}");
            assert!(after["hooks"]["Stop"][1].to_string().contains(command));
        }
    }
}

/// Where a comment may stand: between any two tokens.
fn gaps(text: &str) -> Vec<usize> {
    let (mut gaps, mut in_text, mut in_word) = (vec![0], false, false);
    for (at, letter) in text.char_indices() {
        let is_sign = "{}[]:,\"".contains(letter);
        if !in_text && (is_sign || letter.is_whitespace()) {
            gaps.push(at);
            in_word = false;
        } else if !in_text && !in_word {
            in_word = true;
        }
        if letter == '"' {
            in_text = !in_text;
        }
        if !in_text && is_sign {
            gaps.push(at + 1);
        }
    }
    gaps.push(text.len());
    gaps.dedup();
    gaps
}

/// A value without what is ours, and without what is empty.
fn others(value: &Value) -> Value {
    let is_nothing = |value: &Value| *value == json!({}) || *value == json!([]);
    match value {
        Value::Object(object) => {
            let theirs =
                object.iter().filter(|(name, _)| !["mainstay", "statusLine", "version"].contains(&name.as_str()));
            let inner = theirs.map(|(name, value)| (name.clone(), others(value)));
            inner.filter(|(_, value)| !is_nothing(value)).collect::<Object>().into()
        }
        Value::Array(items) => items.iter().filter(|item| !item.to_string().contains("mainstay")).map(others).collect(),
        other => other.clone(),
    }
}

#[test]
fn a_comment_anywhere_stays_and_breaks_nothing() {
    let befores = [
        None,
        Some("{}\n"),
        Some("{\n  \"mcpServers\": {}\n}\n"),
        Some("{\"a\":1,\"hooks\":{\"Stop\":[{\"x\":1}]},\"mcpServers\":{\"o\":{\"command\":\"o\"}}}"),
        Some("{\r\n  \"servers\": {\r\n    \"o\": {}\r\n  },\r\n  \"mcp\": {}, \"z\": [1, 2]\r\n}"),
    ];
    for (path, entries, companion) in pieces() {
        let entries = &entries[..entries.len().min(2)];
        for (turn, before) in befores.into_iter().enumerate() {
            let one = put(before, entries, companion.as_ref()).unwrap().text.unwrap();
            let meant = others(&root_of(&one).unwrap().value());
            let comments = ["// mine\n", "/* mine */", "\r\n  // mine\r\n"];
            for (at, comment) in gaps(&one).into_iter().zip(comments.into_iter().cycle().skip(turn)) {
                let noted = format!("{}{comment}{}", &one[..at], &one[at..]);
                let again = put(Some(&noted), entries, companion.as_ref()).unwrap();
                assert_eq!(again.text.as_ref(), Some(&noted));
                let left = take(&noted, entries, companion.as_ref()).unwrap();
                let text = left.text.unwrap_or_else(|| panic!("{path}: the file is gone\n{noted}"));
                let value = root_of(&text).unwrap_or_else(|why| panic!("{path}: {why:?}\n{noted}\n{text}")).value();
                assert_eq!((others(&value), read::comments(&text)), (meant.clone(), vec![comment.trim()]), "{noted}");
                assert!(!left.notes.iter().any(|(_, said)| said.contains("cannot")), "{path}\n{noted}");
                assert_eq!(value.to_string().contains("mainstay"), !left.notes.is_empty(), "{path}\n{noted}\n{text}");
            }
        }
    }
}
