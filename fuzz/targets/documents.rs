//! Documents that people and programs edit together: front matter, fields, bullets.

use format::document::{Document, Outline, bullets, edit, fields};
use format::front_matter::{self, Change, FrontMatter, Located, Scalar, Subset};

const KEYS: &[&str] = &["status", "milestone", "next_phases", "progress", "percent", "a", "owner"];
const FIELDS: &[&str] = &["Status", "Phase", "Last activity", "Current Phase", "a"];

/// Both readers take any text, and what is written is read and leaves the text behind it alone.
pub(super) fn front_matter(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes).into_owned();
    if let Some(subset) = Subset::read(&text) {
        for key in KEYS {
            let _ = (subset.get(key), subset.list(key), subset.count("progress", key));
        }
    }
    let document = Document::new(text.clone());
    assert_eq!(document.front(), FrontMatter::read(&text).as_ref());
    let values = [Scalar::Null, Scalar::Text("a: \"b\" # c".into()), Scalar::List(vec!["4.5".into(), "x\\".into()])];
    for (key, value) in KEYS.iter().flat_map(|key| values.iter().map(move |value| (key, value))) {
        let mut changed = document.clone();
        front_matter::write(&mut changed, &[Change::Value(key, value.clone())]);
        if *document.located() == Located::Unclosed {
            assert_eq!(changed.text(), text, "what never closes stays");
            continue;
        }
        let front = FrontMatter::read(changed.text()).expect("it stands there");
        assert!(front.entry(key).is_some_and(|entry| value.is(&entry.held)), "{key} in {:?}", changed.text());
        assert!(changed.body().ends_with(document.body()), "{:?}", changed.text());
        let once = changed.text().to_owned();
        assert!(!front_matter::write(&mut changed, &[Change::Value(key, value.clone())]), "{once:?}");
        front_matter::write(
            &mut changed,
            &[Change::Member("progress", "percent", Scalar::Count(7)), Change::Gone("a")],
        );
        assert!(changed.front().is_none_or(|front| front.entry("a").is_none()), "{:?}", changed.text());
    }
}

/// A field is found or it is not; where it is written it is read, and one line has changed.
pub(super) fn fields(bytes: &[u8]) {
    // So much that one input with every field in every section takes no second.
    let bytes = &bytes[..bytes.len().min(32 * 1024)];
    let document = Document::new(String::from_utf8_lossy(bytes).into_owned());
    let outline = document.outline();
    let scopes = outline.headings().map(|heading| outline.own(heading)).chain([outline.all()]);
    for (scope, name) in scopes.take(20).flat_map(|scope| FIELDS.iter().map(move |name| (scope.clone(), name))) {
        let mut changed = document.clone();
        let written = fields::write(&mut changed, scope.clone(), name, "1 of 2 (x)");
        assert_eq!(written == Ok(true), changed.text() != document.text(), "{name}: {written:?}");
        if written.is_err() {
            continue;
        }
        let read = Outline::read(changed.text(), changed.body_start());
        assert_eq!(read.lines(), changed.outline().lines(), "what is kept is what stands there");
        assert_eq!(fields::find(&read, scope, name).map(|hit| hit.value), Some("1 of 2 (x)"), "{:?}", changed.text());
        let differs = outline.all().filter(|line| outline.content(*line) != read.content(*line)).count();
        assert!(read.lines().len() == outline.lines().len() && differs <= 1, "{:?}", changed.text());
    }
    for heading in outline.headings().take(20) {
        let (own, whole) = (outline.own(heading), outline.whole(heading));
        assert!(own.end <= whole.end);
        let mut changed = document.clone();
        bullets::add(&mut changed, heading, "- one more");
        let read = changed.outline();
        assert!(read.all().any(|line| read.content(line) == "- one more"), "{:?}", changed.text());
        let mut changed = document.clone();
        let all = bullets::read(&outline, own).into_iter().map(|bullet| bullet.lines).collect();
        bullets::remove(&mut changed, &[(heading, all)]);
        edit::append_section(&mut changed, "## End", &["x"]);
    }
}
