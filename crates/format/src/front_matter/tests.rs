//! Cases and properties of both readers and the writer.

use std::cell::Cell;

use super::*;
use crate::document::Document;
use proptest::prelude::*;

thread_local! {
    static READINGS: Cell<u64> = const { Cell::new(0) };
}

/// Counts one reading of a block of keys.
pub(super) fn count_reading() {
    READINGS.with(|readings| readings.set(readings.get() + 1));
}

fn change(text: &mut String, change: Change<'_>) {
    let mut document = Document::new(text.clone());
    let is_changed = write(&mut document, &[change]);
    assert_eq!(is_changed, document.text() != text, "{text:?}");
    *text = document.into_text();
}

fn set(text: &mut String, key: &str, value: &Scalar) {
    change(text, Change::Value(key, value.clone()));
}

fn set_nested(text: &mut String, key: &str, name: &str, value: &Scalar) {
    change(text, Change::Member(key, name, value.clone()));
}

fn remove(text: &mut String, key: &str) {
    change(text, Change::Gone(key));
}

fn text(held: &Held) -> String {
    match held {
        Held::Null => "-".into(),
        Held::Text(text) => text.clone(),
        Held::List(items) => format!("{items:?}"),
        Held::Map => "map".into(),
    }
}

#[test]
fn people_write_values_in_many_ways() {
    let document = "---\n# kept\nplain: a b # note\nhash: a#b\nquoted: \"a # \\\"b\\\"\\u00e9\" # c\nsingle: 'it''s'\nempty:\n\
                    tilde: ~\nnone: null # c\ncomment: # only\ntight:x\n\"odd key\": 1\nflow: [a, \"b, c\", 'd']\nlong: [\n  a,\n  b # no\n]\n\
                    dashed:\n- a\n  - \"b\"\nprogress:\n  # inside\n  total: 3\n\n  percent: \"40\"\nfolded: >\n  one\n  two\nlast: a\nlast: b\n---\nbody: x\n";
    let front = FrontMatter::read(document).unwrap();
    let check = |key: &str, expected: &str| assert_eq!(text(&front.entry(key).unwrap().held), expected, "{key}");
    check("plain", "a b");
    check("hash", "a#b");
    check("quoted", "a # \"b\"é");
    check("single", "it's");
    check("empty", "-");
    check("tilde", "-");
    check("none", "-");
    check("comment", "-");
    check("tight", "x");
    check("odd key", "1");
    check("flow", r#"["a", "b, c", "d"]"#);
    check("long", r#"["a", "b"]"#);
    check("dashed", r#"["a", "b"]"#);
    check("progress", "map");
    check("folded", "one two");
    check("last", "b");
    assert_eq!(front.nested("progress", "total"), Some("3"));
    assert_eq!(front.nested("progress", "percent"), Some("40"));
    assert!(front.entry("body").is_none());
}

#[test]
fn front_matter_is_found_where_it_stands() {
    let found = |text: &str| match locate(text) {
        Located::Absent => "absent".to_owned(),
        Located::Unclosed => "unclosed".to_owned(),
        Located::Found(block) => text[block.body..].to_owned(),
    };
    for (text, expected) in [
        ("", "absent"),
        ("---", "unclosed"),
        ("---\na: b\n", "unclosed"),
        ("---\n---\n", ""),
        ("\u{feff}---\r\na: b\r\n---\r\nx", "x"),
        ("--- \na: b\n---\nx", "x"),
        ("\n\n---\na: b\n---\nx", "x"),
        ("\n---\nprose\n---\nx", "absent"),
        ("\n---\na: b\n", "unclosed"),
        ("\n---\n\na: b\n", "absent"),
        ("\n---\nStatus: b\n", "absent"),
        ("--- # state\na: b\n---\nx", "x"),
        ("---# state\na: b\n---\nx", "absent"),
        (" ---\na: b\n---\nx", "x"),
        (" ---\nprose\n---\nx", "absent"),
        ("\u{feff}\n ---\na: b\n", "unclosed"),
        ("# a\n---\na: b\n---\n", "absent"),
        ("----\na: b\n---\n", "absent"),
    ] {
        assert_eq!(found(text), expected, "{text:?}");
    }
}

#[test]
fn the_subset_knows_no_yaml() {
    let subset = Subset::read(
        "---\r\na: 'x'\r\nb:y # z\r\nc: null\r\nd: \"\"\r\na: last\r\nprogress:\r\n\tpercent: 40.9\r\n total: \"3\"\r\n done: -1\r\n\
         next: [\"4.5\",\r\n 5]\r\nlist:\r\n- a\r\n  - 'b'\r\nnone: []\r\n---\r\n",
    )
    .unwrap();
    assert_eq!(subset.get("a"), Some("last"));
    assert_eq!(subset.get("b"), Some("y # z"));
    assert_eq!((subset.get("c"), subset.get("d"), subset.get("e")), (None, None, None));
    assert_eq!(subset.count("progress", "percent"), Some("40"));
    assert_eq!((subset.count("progress", "total"), subset.count("progress", "done")), (None, None));
    assert_eq!(subset.list("next").unwrap(), ["4.5", "5"]);
    assert_eq!(subset.list("list").unwrap(), ["a", "b"]);
    assert_eq!(subset.list("none"), None);
    for text in
        ["", "---", "---\n---\n", "\n---\na: b\n---\n", "\u{feff}---\na: b\n---\n", "--- \na: b\n---\n", "---\na: b\n"]
    {
        assert_eq!(Subset::read(text), None, "{text:?}");
    }
}

#[test]
fn scalars_are_quoted_where_yaml_would_read_them_otherwise() {
    for (text, expected) in [
        ("Night Train", "Night Train"),
        ("v2.0", "v2.0"),
        ("Phase 2 (Ledger)", "Phase 2 (Ledger)"),
        ("6A", "6A"),
        ("2", "\"2\""),
        ("1E5", "\"1E5\""),
        ("0x1F", "\"0x1F\""),
        ("No", "\"No\""),
        ("", "\"\""),
        ("- a", "\"- a\""),
        ("a: b", "\"a: b\""),
        ("a\\\"b\t", "\"a\\\\\\\"b\\u0009\""),
        ("é", "\"é\""),
    ] {
        assert_eq!(Scalar::Text(text.into()).token(), expected);
    }
    assert_eq!(Scalar::Quoted("1.0".into()).token(), "'1.0'");
    assert_eq!(Scalar::List(vec!["4.5".into(), "a\"".into()]).token(), r#"["4.5", "a\""]"#);
}

fn check_set(before: &str, key: &str, value: &Scalar, after: &str) {
    let mut text = before.to_owned();
    set(&mut text, key, value);
    assert_eq!(text, after);
    set(&mut text, key, value);
    assert_eq!(text, after, "again");
}

#[test]
fn values_change_in_place() {
    let one = Scalar::Text("one".into());
    check_set("---\na: x  # c\n---\n", "a", &one, "---\na: one  # c\n---\n");
    check_set("---\r\na:\r\nb: 2\r\n---", "a", &one, "---\r\na: one\r\nb: 2\r\n---");
    check_set("---\na: # c\n---\n", "a", &one, "---\na: one # c\n---\n");
    check_set(
        "---\na:\n  - x\n  # c\n  - y\nb: 1\n---\n",
        "a",
        &Scalar::Null,
        "---\na:\n  - x\n  # c\n  - y\nb: 1\n---\n".replace("a:\n  - x\n  # c\n  - y", "a: null\n  # c").as_str(),
    );
    check_set("---\na: [x,\n y]\nb: 1\n---\n", "a", &one, "---\na: one\nb: 1\n---\n");
    check_set("---\na: [x,\n y]\n z\nb: 1\n---\n", "a", &Scalar::Null, "---\na: null\nb: 1\n---\n");
    check_set("---\na: \"1\"\n---\n", "a", &Scalar::Count(1), "---\na: \"1\"\n---\n");
    check_set("---\na: 1\na: 2\n---\n", "a", &one, "---\na: 1\na: one\n---\n");
    check_set("---\n---\n", "a", &one, "---\na: one\n---\n");
    check_set("\u{feff}# T\r\n", "a", &one, "\u{feff}---\r\na: one\r\n---\r\n\r\n# T\r\n");
    check_set("", "a", &one, "---\na: one\n---\n");
    check_set("---\na: b\n", "a", &one, "---\na: b\n");
}

#[test]
fn nested_values_change_in_place() {
    let check = |before: &str, after: &str| {
        let mut text = before.to_owned();
        set_nested(&mut text, "p", "n", &Scalar::Count(7));
        assert_eq!(text, after);
        assert_eq!(FrontMatter::read(&text).unwrap().nested("p", "n"), Some("7"));
    };
    check("---\np:\n    n: 1 # c\n---\n", "---\np:\n    n: 7 # c\n---\n");
    check("---\np:\n    m: 1\nz: 1\n---\n", "---\np:\n    m: 1\n    n: 7\nz: 1\n---\n");
    check("---\np: null\nz: 1\n---\n", "---\np:\n  n: 7\nz: 1\n---\n");
    check("---\np: {m: \"a, b\", n: 3} # c\nz: 1\n---\n", "---\np:  # c\n  m: \"a, b\"\n  n: 7\nz: 1\n---\n");
    check("---\np:\n- a\n- b\nz: 1\n---\n", "---\np:\n  n: 7\nz: 1\n---\n");
    check("---\nz: 1\n---\n", "---\nz: 1\np:\n  n: 7\n---\n");
    check("", "---\np:\n  n: 7\n---\n");
}

#[test]
fn many_keys_change_at_once() {
    let mut document = Document::new("---\na: 1 # c\np:\n    m: 1\nz: [x,\n y]\ngone: 1\n---\nrest".to_owned());
    let count = |count| Scalar::Count(count);
    let changes = [
        Change::Value("new", count(2)),
        Change::Value("a", count(3)),
        Change::Member("p", "n", count(4)),
        Change::Member("q", "m", count(5)),
        Change::Member("p", "o", count(6)),
        Change::Member("q", "n", count(7)),
        Change::Value("z", Scalar::Null),
        Change::Gone("gone"),
    ];
    let before = READINGS.with(Cell::get);
    assert!(write(&mut document, &changes));
    assert_eq!(READINGS.with(Cell::get) - before, 1, "one look tells it all");
    let expected = "---\na: 3 # c\np:\n    m: 1\n    n: 4\n    o: 6\nz: null\nnew: 2\nq:\n  m: 5\n  n: 7\n---\nrest";
    assert_eq!(document.text(), expected);
    assert!(!write(&mut document, &changes));
    assert_eq!(document.text(), expected);
    // A block at the end of the front matter, and new keys behind it.
    let mut document = Document::new("---\np:\n  m: 1\n---\n".to_owned());
    write(&mut document, &[Change::Value("z", count(1)), Change::Member("p", "n", count(2))]);
    assert_eq!(document.text(), "---\np:\n  m: 1\n  n: 2\nz: 1\n---\n");
    // Where there is no front matter, nothing is made for what need not be there.
    let mut document = Document::new("# T\n".to_owned());
    assert!(!write(&mut document, &[Change::Gone("a")]));
    // What has no keys even as a block takes none.
    let mut document = Document::new("---\np: {- a}\n---\n".to_owned());
    write(&mut document, &[Change::Member("p", "n", count(2)), Change::Member("p", "o", count(2))]);
    assert!(document.text().starts_with("---\np:\n"), "{}", document.text());
}

#[test]
fn an_escaped_quote_in_a_list_does_not_take_the_comment_for_text() {
    let mut text = "---\nb: # c\n---\n".to_owned();
    let list = Scalar::List(vec!["\"".to_owned()]);
    set(&mut text, "b", &list);
    assert_eq!(text, "---\nb: [\"\\\"\"] # c\n---\n");
    let read = FrontMatter::read(&text).unwrap();
    assert!(list.is(&read.entry("b").unwrap().held));
}

#[test]
fn a_value_with_an_empty_line_in_it_is_replaced_whole() {
    for value in ["|\n  first\n\n  second", "\"first\n\n  second\"", ">-\n  first\n \n\n  second"] {
        let mut document = Document::new(format!("---\na: {value}\n\nb: 1\n---\nrest"));
        write(&mut document, &[Change::Value("a", Scalar::Count(2))]);
        assert_eq!(document.text(), "---\na: 2\n\nb: 1\n---\nrest", "{value:?}");
    }
    // What looks like a comment within a quote or a block is text; a plain value goes on below an empty line.
    for value in [
        "\"x\n  # y\n  z\"",
        "'x\n  # y\n\n  z'",
        "|\n  x\n\n  # y\n  z",
        "|2\n    x\n  # y",
        "x\n\n  y",
        "\"x # y\n  z\" # c",
        "\"x\ny\"",
        "[x,\n  \"y # ]\",\n  z]",
    ] {
        let mut document = Document::new(format!("---\na: {value}\nb: 1\n---\n"));
        write(&mut document, &[Change::Value("a", Scalar::Count(2))]);
        assert_eq!(document.text(), "---\na: 2\nb: 1\n---\n", "{value:?}");
    }
    // A comment with less indent than the block is none of its lines.
    let mut document = Document::new("---\na: >\n  x\n # c\nb: 1\n---\n".to_owned());
    write(&mut document, &[Change::Value("a", Scalar::Count(2))]);
    assert_eq!(document.text(), "---\na: 2\n # c\nb: 1\n---\n");
    // A quote that never closes ends at the next key, or at a comment.
    for rest in ["b: \"\"\n", "# it's \"x\"\n"] {
        let mut document = Document::new(format!("---\na: \"x\n  y\n{rest}---\n"));
        write(&mut document, &[Change::Value("a", Scalar::Count(2))]);
        assert_eq!(document.text(), format!("---\na: 2\n{rest}---\n"));
    }
    // One that goes on over many lines ends where its quote is closed, and so before the next indented line.
    let mut document = Document::new("---\na: 'x\n\n  it''s\n\n  y'\n\n  b: 1\n---\n".to_owned());
    write(&mut document, &[Change::Value("a", Scalar::Count(2))]);
    assert_eq!(document.text(), "---\na: 2\n\n  b: 1\n---\n");
    // A quoted value that is closed ends there.
    for value in ["\"x \\\" y\"", "'it''s'"] {
        let mut document = Document::new(format!("---\na: {value}\n\n  b: 1\n---\n"));
        write(&mut document, &[Change::Value("a", Scalar::Count(2))]);
        assert_eq!(document.text(), "---\na: 2\n\n  b: 1\n---\n", "{value:?}");
    }
}

#[test]
fn removing_takes_every_line_of_a_key() {
    let mut text = "---\na: 1\nb:\n  - x\n  - y\n# c\na: 2\n---\nrest".to_owned();
    remove(&mut text, "a");
    remove(&mut text, "b");
    remove(&mut text, "z");
    assert_eq!(text, "---\n# c\n---\nrest");
}

fn line() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-c]: [a-z#\"' :\\[\\],]{0,8}",
        "[a-c]: [|>][-+2]?",
        " {1,3}[a-z#\"' ,\\]]{1,6}",
        "[a-c]:",
        "  [a-c]: [0-9\"]{0,3}",
        "  ?- [a-z]{0,3}",
        " {0,2}#[a-z ]{0,5}",
        "",
        "[\\PC]{0,10}",
    ]
}

fn document() -> impl Strategy<Value = String> {
    (
        any::<bool>(),
        prop::bool::weighted(0.3),
        prop::collection::vec(line(), 0..8),
        prop::collection::vec(line(), 0..4),
        any::<bool>(),
    )
        .prop_map(|(crlf, bom, inner, body, ends)| {
            let ending = if crlf { "\r\n" } else { "\n" };
            let mut lines = vec!["---".to_owned()];
            lines.extend(inner);
            lines.push("---".into());
            lines.extend(body);
            let text = lines.join(ending) + if ends { ending } else { "" };
            if bom { format!("\u{feff}{text}") } else { text }
        })
}

fn value() -> impl Strategy<Value = Scalar> {
    prop_oneof![
        "[\\PC\t]{0,12}".prop_map(Scalar::Text),
        any::<u64>().prop_map(Scalar::Count),
        Just(Scalar::Null),
        prop::collection::vec("[\\PC]{0,5}", 0..3).prop_map(Scalar::List),
    ]
}

/// The lines that stand in both texts, in their order, are all lines of the shorter one but `lost`.
fn is_subsequence(small: &[&str], large: &[&str]) -> bool {
    let mut rest = large.iter();
    small.iter().all(|line| rest.any(|other| other == line))
}

proptest! {
    #[test]
    fn what_is_set_reads_back_and_nothing_else_changes(document in document(), key in "[a-d]", value in value()) {
        let before = FrontMatter::read(&document);
        let mut text = document.clone();
        set(&mut text, &key, &value);
        let Some(before) = before else { return Ok(()) };
        let after = FrontMatter::read(&text).expect("it stands there as before");
        let entry = after.entry(&key).expect("the key stands there");
        prop_assert!(value.is(&entry.held), "{:?} in {text:?}", entry.held);
        prop_assert_eq!(&text[after.block.body..], &document[before.block.body..]);
        let changed = before.entry(&key).map(|entry| entry.lines.clone()).unwrap_or_default();
        let kept: String = document.split_inclusive('\n').scan(0, |at, line| { let start = *at; *at += line.len(); Some((start, line)) })
            .filter(|(start, _)| changed.iter().all(|lines| lines.start != *start)).map(|(_, line)| line).collect();
        let kept: Vec<&str> = kept.split_inclusive('\n').collect();
        let now: Vec<&str> = text.split_inclusive('\n').collect();
        prop_assert!(is_subsequence(&kept, &now), "{document:?} became {text:?}");
        let mut again = text.clone();
        set(&mut again, &key, &value);
        prop_assert_eq!(again, text);
    }

    #[test]
    fn readers_take_any_text(text in "(---|\n|\r|\u{feff}|a:|  b: |- |\"|'|\\[|\\]|#| |\\\\|é|,){0,24}") {
        let _ = (locate(&text), FrontMatter::read(&text));
        if let Some(subset) = Subset::read(&text) {
            let _ = (subset.get("a"), subset.count("a", "b"), subset.list("a"));
        }
        let mut changed = text.clone();
        set_nested(&mut changed, "a", "b", &Scalar::Count(1));
        remove(&mut changed, "a");
    }

    #[test]
    fn texts_read_back(text in "[\\PC\\p{Cc}\\\\\"'#: ]{0,16}") {
        let mut document = "---\n---\n".to_owned();
        set(&mut document, "a", &Scalar::Text(text.clone()));
        let front = FrontMatter::read(&document).unwrap();
        prop_assert_eq!(front.text("a"), Some(text.as_str()));
    }
}

#[test]
fn a_key_is_removed_with_one_look_however_often_it_stands() {
    let mut text = format!("---\nkept: 1\n{}---\n", "gone: [a,\n  b]\n".repeat(100));
    let before = READINGS.with(Cell::get);
    remove(&mut text, "gone");
    assert_eq!((text.as_str(), READINGS.with(Cell::get) - before), ("---\nkept: 1\n---\n", 1));
}
