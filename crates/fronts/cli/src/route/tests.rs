//! Which way command lines go.

use super::*;
use crate::fixture::FORMATS;

fn way(line: &[&str]) -> (Globals, String) {
    let arguments: Vec<OsString> = line.iter().map(OsString::from).collect();
    let (globals, route) = find(&arguments, FORMATS).unwrap();
    let shown = match route {
        Route::Format(format, rest) => format!("format {}: {}", format.name(), rest.join(" ")),
        Route::Host(asked) => format!("host: {asked:?}"),
        Route::Ponder => "ponder".to_owned(),
        Route::Call(rest) => format!("call: {}", rest.join(" ")),
        Route::Generic(words) => format!("generic: {}", words.join(" ")),
    };
    (globals, shown)
}

#[test]
fn lines_find_their_way() {
    let cases: &[(&[&str], &str)] = &[
        (&["mainstay"], "generic: "),
        (&["mainstay", "status"], "generic: status"),
        (&["mainstay", "--json", "status"], "generic: --json status"),
        (&["mainstay", "hseos", "state", "read", "--json"], "format hseos: state read --json"),
        (&["mainstay", "--project", "/x", "--json", "hseos", "detect"], "format hseos: detect"),
        (&["mainstay", "--project=/x", "hseos"], "format hseos: "),
        (&["mainstay", "--project"], "generic: --project"),
        (&["mainstay", "--nope", "hseos"], "generic: --nope hseos"),
        (&["mainstay", "call", "state_read"], "call: state_read"),
        (&["mainstay", "--json", "call", "state_read", "-"], "call: state_read -"),
        (&["mainstay", "call", "state_read", "--json"], "generic: call state_read --json"),
        (&["mainstay", "call"], "generic: call"),
        (&["mainstay", "hook", "stop"], "host: Hook(\"stop\", None)"),
        (&["mainstay", "--project", "/x", "hook", "stop", "--json"], "host: Hook(\"stop\", None)"),
        (&["mainstay", "hook", "stop", "--host", "codex"], "host: Hook(\"stop\", Some(\"codex\"))"),
        (&["mainstay", "hook", "stop", "--host=codex", "--json"], "host: Hook(\"stop\", Some(\"codex\"))"),
        (&["mainstay", "hook", "stop", "--host"], "generic: hook stop --host"),
        (&["/proc/self/exe", "ponder"], "ponder"),
        (&["mainstay", "ponder", "x"], "generic: ponder x"),
        (&["mainstay", "hook"], "generic: hook"),
        (&["mainstay", "hook", "--help"], "generic: hook --help"),
        (&["mainstay", "hook", "a", "b"], "generic: hook a b"),
        (&["mainstay", "statusline"], "host: Statusline"),
        (&["mainstay", "statusline", "x"], "generic: statusline x"),
        (&["/usr/bin/hseos", "state", "write", "a", "b"], "format hseos: state write a b"),
        (&["project-state.sh", "--json", "state", "read"], "format hseos: state read"),
        (&["./project-state", "status"], "format hseos: status"),
        (&["hseos.exe", "status"], "format hseos: status"),
        (&["bin/project-detect", "--json"], "format hseos: detect"),
        (&["project-detect", "-x"], "format hseos: detect -x"),
        (&["hseos", "--version"], "generic: --version"),
        (&["hseosx", "status"], "generic: status"),
    ];
    for (line, expected) in cases {
        assert_eq!(way(line).1, *expected, "{line:?}");
    }
}

#[test]
fn leading_options_are_read() {
    let (globals, _) =
        way(&["mainstay", "--actor", "a", "--session=s", "--request-id", "r", "--project", "p", "hseos"]);
    let expected = Globals {
        project: Some("p".into()),
        actor: Some("a".into()),
        session: Some("s".into()),
        request_id: Some("r".into()),
        json: false,
    };
    assert_eq!(globals, expected);
}

#[test]
fn the_environment_stands_in_for_options() {
    let env = Environment::from([("MAINSTAY_ACTOR".into(), "env".into()), ("MAINSTAY_SESSION".into(), String::new())]);
    let given = Globals { actor: Some("me".into()), ..Globals::default() };
    assert_eq!(given.identity(&env, Origin::Command).actor.as_deref(), Some("me"));
    let none = Globals::default().identity(&env, Origin::Tool);
    assert_eq!((none.actor.as_deref(), none.session, none.request_id), (Some("env"), None, None));
}

#[cfg(unix)]
#[test]
fn a_word_that_is_not_utf8_is_a_usage_error() {
    use std::os::unix::ffi::OsStringExt;
    let arguments = [OsString::from("mainstay"), OsString::from_vec(vec![b'a', 0xff])];
    let Err(refusal) = find(&arguments, FORMATS) else { panic!("accepted") };
    assert_eq!((refusal.code.as_ref(), refusal.class), ("invalid_argument", model::RefusalClass::Usage));
}
