//! Cases and properties of outlines, fields, bullets and line edits.

use super::fields::{NotWritten, find};
use super::*;
use proptest::prelude::*;

fn value(text: &str, name: &str) -> Option<String> {
    let outline = Outline::read(text, 0);
    find(&outline, outline.all(), name).map(|hit| hit.value.to_owned())
}

#[test]
fn headings_have_own_text_and_a_whole() {
    let text = "# A\r\none\n## B ##\n```\n# no\n~~~\n````\ntwo\n### C#\nthree\n#no\n## D\n";
    let outline = Outline::read(text, 0);
    let titles: Vec<_> = outline.headings().map(|heading| (heading.level, outline.title(heading))).collect();
    assert_eq!(titles, [(1, "A"), (2, "B"), (3, "C#"), (2, "D")]);
    let b = outline.section("b").unwrap();
    assert_eq!(outline.slice(outline.own(b)), "```\n# no\n~~~\n````\ntwo");
    assert_eq!(outline.slice(outline.whole(b)), "```\n# no\n~~~\n````\ntwo\n### C#\nthree\n#no");
    assert_eq!(outline.slice(outline.own(outline.section("D").unwrap())), "");
}

#[test]
fn the_form_decides_not_the_order() {
    for (text, expected) in [
        ("| Phase | 1 |\nPhase: 2\n**Phase:** 3", Some("3")),
        ("| Phase | 1 |\nPhase: 2\nphase: 4", Some("2")),
        ("  Phase: 2\n| Phase | 1 |", Some("1")),
        ("**Phase:**  \nPhase: 3", Some("")),
        ("**Phase:**\nPhase: 3", Some("3")),
        ("Phase:\nnext", None),
        ("Phase: \nnext", Some("")),
        ("| **Phase:** | 3 |", Some("| 3 |")),
        ("| Phase | a\\|b |", None),
        ("- a **phase:** x", Some("x")),
        ("```\nPhase: 1\n```", None),
        ("Phaser: 1", None),
        ("Phase : 1", None),
    ] {
        assert_eq!(value(text, "Phase").as_deref(), expected, "{text:?}");
    }
    assert_eq!(value("Last_activity: x", "last activity").as_deref(), Some("x"));
}

/// A document that is all body, and the text of a field written into it.
fn write(text: &str, name: &str, value: &str) -> Result<String, NotWritten> {
    let mut document = Document::new(text.to_owned());
    let lines = document.outline().all();
    let changed = fields::write(&mut document, lines, name, value)?;
    assert_eq!(changed, document.text() != text);
    let read = Document::new(document.text().to_owned());
    assert_eq!(document.outline().lines(), read.outline().lines(), "what is kept of {text:?} is what stands there");
    assert_eq!(document.body_start(), read.body_start());
    Ok(document.into_text())
}

fn changed(text: &str, change: impl FnOnce(&mut Document)) -> String {
    let mut document = Document::new(text.to_owned());
    document.outline();
    change(&mut document);
    let read = Document::new(document.text().to_owned());
    assert_eq!(document.outline().lines(), read.outline().lines());
    document.into_text()
}

fn check_write(text: &str, value: &str, expected: Result<&str, NotWritten>) {
    let written = write(text, "Status", value);
    assert_eq!(written.as_deref(), expected.as_ref().map(|text| *text), "{text:?}");
}

#[test]
fn a_write_changes_its_line() {
    check_write("a\r\nStatus:\r\nNext: b\r\n", "x", Ok("a\r\nStatus: x\r\nNext: b\r\n"));
    check_write("**status:** a", "$1 \\n", Ok("**status:** $1 \\n"));
    check_write("|status|a|\n", "b", Ok("| status | b |\n"));
    check_write("Status:   a\n", "a", Ok("Status:   a\n"));
    check_write("Status: a\n", "", Ok("Status: \n"));
    check_write("**Status:**\nStatus: a\n", "b", Ok("**Status:**\nStatus: b\n"));
    check_write("- **Status:** a\nStatus: b\n", "c", Err(NotWritten::Shadowed));
    check_write("- **Status:** a\n", "c", Err(NotWritten::Inside));
    check_write("| Status | a |\n", "b|c", Err(NotWritten::Shadowed));
    check_write("none\n", "c", Err(NotWritten::Missing));
    check_write("~~~\nStatus: a\n", "c", Err(NotWritten::Missing));
}

fn check_add(text: &str, expected: &str) {
    let heading = Outline::read(text, 0).section("S").unwrap();
    assert_eq!(changed(text, |document| bullets::add(document, heading, "- x")), expected, "{text:?}");
}

#[test]
fn bullets_go_behind_what_stands_there() {
    check_add("## S\n\n- a\n\n## T\n", "## S\n\n- a\n- x\n\n## T\n");
    check_add("## S\n\n## T\n", "## S\n\n- x\n\n## T\n");
    check_add("## S\n## T\n", "## S\n\n- x\n\n## T\n");
    check_add("## S\n\n\n\n## T\n", "## S\n\n- x\n\n\n## T\n");
    check_add("## S", "## S\n\n- x");
    check_add("## S\n", "## S\n\n- x\n");
    check_add("## S\r\n\r\nNone yet.\r\n", "## S\r\n\r\n- x\r\n");
    check_add("## S\n\n- None\n- NoneType\n", "## S\n\n- x\n- NoneType\n");
    check_add("## S\n- a", "## S\n- a\n- x");
    check_add("## S\n\n- NoneType error\n", "## S\n\n- NoneType error\n- x\n");
    check_add("## S\n- a\n~~~\nb\n", "## S\n- a\n- x\n~~~\nb\n");
    check_add("## S\n~~~\nb\n", "## S\n\n- x\n\n~~~\nb\n");
    check_add("## S\n```\nb\n```\n", "## S\n```\nb\n```\n- x\n");
}

#[test]
fn bullets_own_what_is_indented_below() {
    let text = "- a\n  more\n\n  still\n\nprose\n* b\n+ c\n-d\n- None.\n```\n- e\n```\n";
    let outline = Outline::read(text, 0);
    let texts: Vec<String> = bullets::read(&outline, outline.all()).into_iter().map(|bullet| bullet.text).collect();
    assert_eq!(texts, ["a more still", "b", "c"]);
}

#[test]
fn removing_the_last_bullet_says_so() {
    let check = |text: &str, expected: &str| {
        let outline = Outline::read(text, 0);
        let heading = outline.section("S").unwrap();
        let first = bullets::read(&outline, outline.own(heading)).remove(0);
        let removed = changed(text, |document| bullets::remove(document, &[(heading, vec![first.lines])]));
        assert_eq!(removed, expected);
    };
    check("## S\n\n- a\n  b\n\n## T\n", "## S\n\nNone yet.\n\n## T\n");
    check("## S\n\n- a\n- b", "## S\n\n- b");
    check("## S\n\nprose\n- a", "## S\n\nprose");
    check("## S\r\n\r\nprose\r\n- a", "## S\r\n\r\nprose");
    check("## S\n- a", "## S\nNone yet.");
}

#[test]
fn sections_are_made_at_the_end() {
    let check = |text: &str, expected: &str| {
        assert_eq!(changed(text, |document| edit::append_section(document, "## S", &["x"])), expected);
    };
    check("# A\n", "# A\n\n## S\n\nx\n");
    check("# A\n\n", "# A\n\n## S\n\nx\n");
    check("# A\r\nb", "# A\r\nb\r\n\r\n## S\r\n\r\nx");
    check("# A\rb\r", "# A\rb\r\n\r\n## S\r\n\r\nx");
    check("", "## S\n\nx\n");
    check("# A\n```\nb\n", "# A\n\n## S\n\nx\n\n```\nb\n");
    check("```", "## S\n\nx\n\n```");
}

fn line() -> impl Strategy<Value = String> {
    prop_oneof![
        "#{1,3} [A-C]",
        "(\\*\\*Status:\\*\\*|Status:|status:)( [a-z]{0,3}){0,1}",
        "\\| Status \\|( [a-z|]{0,3} ){0,1}\\|",
        "[-*+] (None|x|y)",
        "- \\*\\*Status:\\*\\* [a-z]{0,3}",
        "  [a-z]{1,3}",
        "(```|~~~)",
        "",
        "[\\PC]{0,8}",
    ]
}

fn document() -> impl Strategy<Value = String> {
    let ending = prop_oneof![Just("\n"), Just("\r\n")];
    (prop::collection::vec((line(), ending), 0..12), any::<bool>()).prop_map(|(lines, ends)| {
        let mut text: String = lines.iter().flat_map(|(line, ending)| [line, *ending]).collect();
        if !ends {
            text.truncate(text.trim_end_matches(['\r', '\n']).len());
        }
        text
    })
}

proptest! {
    #[test]
    fn lines_cover_the_text(text in "(\n|\r|a|#| |```|é){0,20}") {
        let outline = Outline::read(&text, 0);
        let joined: String = outline.lines().iter().map(|line| &text[line.start..line.next]).collect();
        prop_assert_eq!(joined, text);
    }

    #[test]
    fn a_written_field_reads_back_and_changes_one_line(text in document(), value in "[\\PC]{0,6}") {
        let value = value.trim();
        let outline = Outline::read(&text, 0);
        let Ok(written) = write(&text, "Status", value) else { return Ok(()) };
        let after = Outline::read(&written, 0);
        prop_assert_eq!(find(&after, after.all(), "status").map(|hit| hit.value), Some(value));
        prop_assert_eq!(after.lines().len(), outline.lines().len());
        let ending = |outline: &Outline<'_>, line: usize| {
            let line = outline.lines()[line];
            outline.text()[line.end..line.next].to_owned()
        };
        let differs = |line: &usize| outline.content(*line) != after.content(*line);
        prop_assert!(outline.all().filter(differs).count() <= 1);
        prop_assert!(outline.all().all(|line| ending(&outline, line) == ending(&after, line)));
    }

    #[test]
    fn what_is_kept_of_a_changed_document_is_what_is_read_anew(text in document(), front in any::<bool>(), values in ["[\\PC]{0,6}", "(```|# x|[a-z]{0,9})"]) {
        let mut document = Document::new(if front { format!("---\na: b\n---\n{text}") } else { text });
        for value in values {
            let (before, outline) = (document.clone(), document.outline());
            let all = outline.all();
            drop(outline);
            if fields::write(&mut document, all, "Status", value.trim()).is_err() {
                prop_assert_eq!(document.text(), before.text());
            }
            let anew = Document::new(document.text().to_owned());
            prop_assert_eq!(document.outline().shared(), anew.outline().shared(), "{:?}", document.text());
            prop_assert_eq!((document.located(), document.front()), (anew.located(), anew.front()));
        }
    }

    #[test]
    fn an_added_bullet_is_read_and_the_rest_stays(text in document()) {
        let outline = Outline::read(&text, 0);
        let Some(heading) = outline.section("A") else { return Ok(()) };
        let changed = changed(&text, |document| bullets::add(document, heading, "- new"));
        let after = Outline::read(&changed, 0);
        let bullets = bullets::read(&after, after.own(heading));
        prop_assert!(bullets.iter().any(|bullet| bullet.text.starts_with("new")));
        prop_assert_eq!(text.ends_with('\n') || text.is_empty(), changed.ends_with('\n') || changed.is_empty());
        let mut rest = after.lines().iter().map(|line| &changed[line.start..line.end]);
        let none = |line: &usize| bullets::says_none(outline.content(*line));
        let kept = outline.all().filter(|line| !none(line)).all(|line| rest.any(|other| other == outline.content(line)));
        prop_assert!(kept, "{text:?} became {changed:?}");
    }
}

#[test]
fn spans_are_replaced_at_once() {
    let check = |text: &str, edits: Vec<(std::ops::Range<usize>, &str)>, expected: &str| {
        let mut made = text.to_owned();
        edit::splice(&mut made, edits);
        assert_eq!(made, expected, "{text:?}");
    };
    check("a\nb\nc\n", vec![(4..6, ""), (0..2, "")], "b\n");
    check("a\nb\nc", vec![(2..4, ""), (4..5, "")], "a");
    check("a\r\nb\r\nc", vec![(3..6, ""), (6..7, ""), (3..6, "")], "a");
    check("a\nb\nc", vec![(0..4, ""), (2..4, "")], "c");
    check("a\nb\nc", vec![(0..1, "x"), (4..5, "yz")], "x\nb\nyz");
    check("a\nb", vec![(2..3, "")], "a");
    check("a\nb", Vec::new(), "a\nb");
}
