//! Table tests of the grammar over a small set of commands.

use model::RefusalClass;
use serde_json::json;

use super::*;
use crate::fixture::FORMATS;

const fn opt(name: &'static str, flags: &'static [&'static str], positional: bool, required: bool) -> Opt {
    Opt { name, flags, positional, required, takes: Takes::Value, about: "" }
}

const fn command(words: &'static [&'static str], options: &'static [Opt]) -> Command {
    Command { words, options, ..Command::BARE }
}

const KEY: Opt = opt("key", &["key"], true, true);
const VALUE: Opt = opt("value", &["value"], true, true);
const AGENT: Opt = opt("agent", &["agent"], true, false);
const ID: Opt = opt("id", &["id"], true, true);
const OWNER: Opt = opt("owner", &["owner"], true, true);
const DESCRIPTION: Opt = opt("description", &["desc", "description"], true, true);
const DEPENDS: Opt = opt("depends", &["depends"], true, false);
const REASON: Opt = opt("reason", &["reason"], true, false);
const STATUS: Opt = opt("status", &["status"], false, true);
const NOTE: Opt = opt("note", &["note"], false, false);
const FORCE: Opt = Opt { takes: Takes::Nothing, ..opt("force", &["force"], false, false) };

const FILE: Opt = Opt { takes: Takes::Values, ..opt("file", &["file"], false, false) };
const PAIRS: Opt = Opt { takes: Takes::Rest, ..opt("pairs", &[], true, false) };

pub(crate) static COMMANDS: [Command; 9] = [
    command(&["complete"], &[ID, FILE]),
    command(&["update"], &[ID, FORCE, PAIRS]),
    command(&["state"], &[]),
    command(&["state", "read"], &[]),
    command(&["state", "write"], &[KEY, VALUE, AGENT]),
    command(&["tasks", "add"], &[ID, OWNER, DESCRIPTION, DEPENDS]),
    command(&["tasks", "block"], &[ID, REASON]),
    command(&["tasks", "update"], &[ID, STATUS, NOTE, FORCE]),
    command(&["history"], &[opt("n", &["n"], true, false)]),
];

/// Reads a line whose tokens stand between single blanks; two blanks make an empty token.
fn typed(line: &str) -> Typed<'static> {
    let commands: Vec<&'static Command> = COMMANDS.iter().collect();
    let tokens: Vec<String> = line.split(' ').map(str::to_owned).collect();
    read(FORMATS[0], &commands, if line.is_empty() { &[] } else { &tokens })
}

fn refusal(line: &str) -> Refusal {
    typed(line).asked.map(|asked| format!("{line:?} gave {asked:?}")).unwrap_err()
}

#[test]
fn commands_are_read() {
    let cases = [
        ("state", "state", json!({})),
        ("state read", "state read", json!({})),
        ("state write a b", "state write", json!({"key": "a", "value": "b"})),
        ("state write a b ORBIT", "state write", json!({"key": "a", "value": "b", "agent": "ORBIT"})),
        ("state write k ", "state write", json!({"key": "k", "value": ""})),
        ("tasks block T1", "tasks block", json!({"id": "T1"})),
        ("tasks update T1 --force --status s", "tasks update", json!({"id": "T1", "status": "s", "force": true})),
        ("history -N 3", "history", json!({"n": "3"})),
        // What may be given again is a list; what takes the rest takes options too.
        ("complete T1 --file a --file=b", "complete", json!({"id": "T1", "file": ["a", "b"]})),
        ("complete --file a T1", "complete", json!({"id": "T1", "file": ["a"]})),
        ("update e --force n v", "update", json!({"id": "e", "force": true, "pairs": ["n", "v"]})),
        (
            "update e n --force --json -- v",
            "update",
            json!({"id": "e", "pairs": ["n", "--force", "--json", "--", "v"]}),
        ),
        ("update e", "update", json!({"id": "e"})),
        // PowerShell spellings: one dash or two, any case, `=`.
        ("state write -key a -value b", "state write", json!({"key": "a", "value": "b"})),
        ("state write -Value b --KEY a", "state write", json!({"key": "a", "value": "b"})),
        ("state write --key=a -value=b=c", "state write", json!({"key": "a", "value": "b=c"})),
        ("state write -value= a", "state write", json!({"key": "a", "value": ""})),
        ("tasks add -id 5 -owner O -desc d", "tasks add", json!({"id": "5", "owner": "O", "description": "d"})),
        // Positionals fill the places that no flag filled.
        ("tasks add O -id 5 d", "tasks add", json!({"id": "5", "owner": "O", "description": "d"})),
        // Unknown dash tokens are text; so is everything behind `--`, and the value of an option.
        ("state write k -5", "state write", json!({"key": "k", "value": "-5"})),
        ("state write k --unknown", "state write", json!({"key": "k", "value": "--unknown"})),
        ("state write k -", "state write", json!({"key": "k", "value": "-"})),
        ("state write k ---value", "state write", json!({"key": "k", "value": "---value"})),
        ("state write k -- -value", "state write", json!({"key": "k", "value": "-value"})),
        ("state write -- k --json", "state write", json!({"key": "k", "value": "--json"})),
        ("state write k -- --", "state write", json!({"key": "k", "value": "--"})),
        ("state write k -value -key", "state write", json!({"key": "k", "value": "-key"})),
        ("state write k -value --json", "state write", json!({"key": "k", "value": "--json"})),
    ];
    for (line, words, expected) in cases {
        let Ok(Asked::Run(command, typed)) = typed(line).asked else { panic!("{line:?} is refused") };
        assert_eq!((command.words.join(" ").as_str(), Value::Object(typed)), (words, expected), "{line:?}");
    }
}

#[test]
fn wrong_grammar_is_refused() {
    let cases = [
        ("", "command", "hseos needs a command"),
        ("tasks", "command", "hseos tasks needs one more word"),
        ("tasks frobnicate x", "command", "hseos has no command \"tasks frobnicate\""),
        ("tsks add", "command", "hseos has no command \"tsks\""),
        ("STATE read", "command", "hseos has no command \"STATE\""),
        ("state write phase", "value", "hseos state write needs VALUE"),
        ("state write", "key", "hseos state write needs KEY"),
        ("state read x", "arguments", "hseos state read does not take \"x\" as well"),
        ("state write a b c d", "arguments", "hseos state write does not take \"d\" as well"),
        ("tasks update T1 done", "arguments", "hseos tasks update does not take \"done\" as well"),
        ("tasks update T1", "status", "hseos tasks update needs STATUS"),
        ("tasks update T1 --status", "status", "--status needs a value"),
        ("tasks update T1 -note a --NOTE b", "note", "--NOTE is given twice"),
        ("tasks update T1 --force=yes", "force", "--force=yes takes no value"),
        ("state write k -owner", "owner", "hseos state write has no option -owner"),
        ("state write k --actor x", "actor", "--actor stands before hseos"),
    ];
    for (line, field, message) in cases {
        let refusal = refusal(line);
        assert_eq!((refusal.code.as_ref(), refusal.class), ("invalid_argument", RefusalClass::Usage), "{line:?}");
        assert_eq!((refusal.field.as_deref(), refusal.message.as_str()), (Some(field), message), "{line:?}");
        assert!(refusal.hint.is_some(), "{line:?}");
    }
}

#[test]
fn a_refusal_offers_what_fits() {
    let offered = json!(["tasks add", "tasks block", "tasks update"]);
    assert_eq!(refusal("tasks frobnicate").allowed, Some(offered));
    let usage = "usage: mainstay hseos state write KEY VALUE [AGENT]";
    assert_eq!(refusal("state write phase").hint.as_deref(), Some(usage));
}

#[test]
fn json_and_help_are_heard_anywhere() {
    let cases = [
        ("--json state read", true),
        ("state read --json", true),
        ("state write k --json v", true),
        ("tasks frobnicate --json", true),
        ("tasks update T1 -owner --json", true),
        ("state write k -- --json", false),
        ("state write k --JSON", false),
        ("state read", false),
    ];
    for (line, json) in cases {
        assert_eq!(typed(line).json, json, "{line:?}");
    }
    for line in ["--help", "tasks --help", "-h"] {
        assert!(matches!(typed(line).asked, Ok(Asked::Help(None))), "{line:?}");
    }
    for line in ["tasks add --help", "tasks add -nope --help", "tasks add --status x --help"] {
        let Ok(Asked::Help(Some(command))) = typed(line).asked else { panic!("{line:?} is no help") };
        assert_eq!(command.words, ["tasks", "add"]);
    }
}
