//! Which folder is the project, what its settings say, and how it begins.

use std::path::Path;
use std::sync::Arc;

use mainstay_engine::{Engine, Identity, Setup};
use model::{Call, Environment, Refusal};
use serde_json::json;
use store_memory::MemoryOpener;
use tempfile::TempDir;

use crate::desk::{Desk, FORMATS, anyone, pair};

/// The root that is found, relative to `top`.
fn root(top: &Path, cwd: &str, option: Option<&str>, env: &[(&str, &str)]) -> Result<String, Refusal> {
    let in_top = |path: &str| top.join(path);
    let env: Environment =
        env.iter().map(|(name, path)| ((*name).to_owned(), in_top(path).to_string_lossy().into_owned())).collect();
    let setup = Setup {
        project: option.map(in_top),
        cwd: in_top(cwd),
        env,
        formats: FORMATS,
        stores: Arc::new(MemoryOpener::default()),
    };
    let engine = Engine::open(setup)?;
    Ok(engine.root().strip_prefix(top).unwrap().to_string_lossy().into_owned())
}

#[test]
fn the_root_is_found_in_this_order() {
    let folder = TempDir::new().unwrap();
    let top = folder.path().canonicalize().unwrap();
    let make = |path: &str| std::fs::create_dir_all(top.join(path)).unwrap();
    let file = |path: &str| std::fs::write(top.join(path), "").unwrap();
    make("git/.git");
    make("git/marked/deep/er");
    make("other");
    make("third");
    let found = |cwd: &str| root(&top, cwd, None, &[]).unwrap();
    assert_eq!(found("git/marked/deep/er"), "git", "git's top level");
    file("git/marked/.probe");
    assert_eq!(found("git/marked/deep/er"), "git/marked", "the nearest with a marker");
    make("git/.mainstay");
    assert_eq!(found("git/marked/deep/er"), "git", "our own folder goes before a marker, however near");
    file("git/marked/deep/mainstay.toml");
    assert_eq!(found("git/marked/deep/er"), "git/marked/deep", "the nearest of ours");
    let env = [("CLAUDE_PROJECT_DIR", "third")];
    assert_eq!(root(&top, "git/marked/deep", None, &env).unwrap(), "third");
    let env = [("MAINSTAY_PROJECT", "other"), ("CLAUDE_PROJECT_DIR", "third")];
    assert_eq!(root(&top, "git/marked/deep", None, &env).unwrap(), "other");
    assert_eq!(root(&top, "git/marked/deep", Some("git/marked"), &env).unwrap(), "git/marked");
    assert_eq!(found("other"), "other", "the working folder");
}

#[test]
fn a_root_that_is_no_folder_is_refused() {
    let folder = TempDir::new().unwrap();
    let top = folder.path().canonicalize().unwrap();
    std::fs::write(top.join("file"), "").unwrap();
    for named in ["nothing", "file"] {
        let refusal = root(&top, "", Some(named), &[]).unwrap_err();
        assert_eq!((refusal.code.as_ref(), refusal.field.as_deref()), ("invalid_argument", Some("project")));
    }
    assert_eq!(root(&top, "", None, &[("MAINSTAY_PROJECT", "nothing")]).unwrap_err().code, "invalid_argument");
}

#[test]
fn settings_that_cannot_be_read_are_refused_and_nothing_is_written() {
    for (text, field) in [
        ("formats = [", "mainstay.toml"),
        ("x = 1\nx = 2\n", "mainstay.toml"),
        ("formats = \"probe\"\n", "formats"),
        ("formats = [\"probe\", \"nothing\"]\n", "formats"),
        ("formats = [1]\n", "formats"),
        ("formats = []\n", "formats"),
        ("bind = \"0.0.0.0\"\n", "bind"),
        ("[http]\nport = 1\n", "http"),
        ("db = \"/elsewhere\"\n", "db"),
        ("token = \"t\"\n", "token"),
        ("command = \"rm\"\n", "command"),
        ("allow_origins = [\"*\"]\n", "allow_origins"),
        ("probe = 1\n", "probe"),
    ] {
        let desk = Desk::new().write("mainstay.toml", text);
        let before = desk.snapshot();
        let refusal = desk.open(Arc::new(MemoryOpener::default())).err().unwrap();
        assert_eq!((refusal.code.as_ref(), refusal.field.as_deref()), ("config_invalid", Some(field)), "{text}");
        assert_eq!(desk.snapshot(), before);
    }
    let desk = Desk::new();
    desk.edit("mainstay.toml", b"\xff\xfe");
    assert_eq!(desk.open(Arc::new(MemoryOpener::default())).err().unwrap().code, "config_invalid");
    desk.remove("mainstay.toml");
    std::fs::create_dir(desk.at("mainstay.toml")).unwrap();
    assert_eq!(desk.open(Arc::new(MemoryOpener::default())).err().unwrap().code, "config_invalid");
}

#[test]
fn a_byte_order_mark_is_no_error() {
    let desk = Desk::new().write("mainstay.toml", "\u{feff}formats = [\"hseos\"]\n");
    let on: Vec<_> = desk.engine().formats_on().iter().map(|format| format.name()).collect();
    assert_eq!(on, ["hseos"]);
}

#[test]
fn formats_are_on_by_list_by_marker_or_by_records() {
    let on = |desk: &Desk| desk.engine().formats_on().iter().map(|format| format.name()).collect::<Vec<_>>();
    let desk = Desk::new();
    assert_eq!(on(&desk), ["probe"]);
    desk.remove(".probe");
    assert_eq!(on(&desk), Vec::<&str>::new());
    desk.done("put", pair("a", "one"));
    assert_eq!(on(&desk), ["probe"]);
    let desk = desk.write("mainstay.toml", "formats = [\"hseos\"]\n");
    assert_eq!(on(&desk), ["hseos"]);
    // What the list leaves out is read, and not written: nobody would see it, and undo would not reach it.
    let before = desk.snapshot();
    assert_eq!(desk.refused("put", pair("a", "two")), "format_off");
    assert_eq!(desk.done("get", json!({})).body["items"], json!({"a": "one"}));
    assert_eq!(desk.snapshot(), before);
}

#[test]
fn init_twice_changes_nothing() {
    let desk = Desk::new();
    desk.remove(".probe");
    let first = desk.engine().init(&["probe".to_owned()]).unwrap();
    assert_eq!(first["created"], json!([".mainstay/.gitignore", "mainstay.toml", ".probe"]));
    assert_eq!(first["kept"], json!([]));
    assert!(desk.text("mainstay.toml").ends_with("formats = [\"probe\"]\n"));
    assert_eq!(desk.text(".mainstay/.gitignore"), "*\n");
    let before = desk.snapshot();
    let second = desk.engine().init(&["probe".to_owned()]).unwrap();
    assert_eq!(second["created"], json!([]));
    assert_eq!(second["kept"], first["created"]);
    assert_eq!(desk.snapshot(), before);
    assert_eq!(desk.engine().init(&["nothing".to_owned()]).unwrap_err().code, "invalid_argument");
    assert_eq!(desk.snapshot(), before);
}

#[test]
fn init_keeps_what_stands() {
    let desk = Desk::new().write("mainstay.toml", "# mine\n");
    desk.engine().init(&[]).unwrap();
    assert_eq!(desk.text("mainstay.toml"), "# mine\n");
    assert_eq!(desk.text(".probe"), "on\n");
}

#[test]
fn our_folder_is_for_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let desk = Desk::new();
    desk.done("put", pair("a", "one"));
    assert_eq!(desk.at(".mainstay").metadata().unwrap().permissions().mode() & 0o077, 0);
}

#[test]
fn a_clock_that_makes_no_sense_is_refused() {
    let desk = Desk::new().with("MAINSTAY_NOW", "yesterday");
    assert_eq!(desk.refused("put", pair("a", "one")), "config_invalid");
}

#[test]
fn names_of_callers_are_bounded() {
    let desk = Desk::new();
    let engine = desk.engine();
    let put = Call::new("put", pair("a", "one").as_object().cloned().unwrap());
    let long = "x".repeat(257);
    for name in [long.as_str(), "two\nlines", "nul\0", "\u{9b}2J"] {
        let name = || Some(name.to_owned());
        for (field, identity) in [
            ("actor", Identity { actor: name(), ..anyone() }),
            ("session", Identity { session: name(), ..anyone() }),
            ("request_id", Identity { request_id: name(), ..anyone() }),
        ] {
            let refusal = engine.call(&put, &identity).unwrap_err();
            assert_eq!((refusal.code.as_ref(), refusal.field.as_deref()), ("invalid_argument", Some(field)));
        }
    }
    let longest = Some("ü".repeat(128));
    let identity = Identity { actor: longest.clone(), session: longest.clone(), request_id: longest, ..anyone() };
    engine.call(&put, &identity).unwrap();
}
