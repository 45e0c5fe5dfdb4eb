//! Whatever comes in whatever order: nothing said outside is lost, and all tells one story.

use std::collections::BTreeMap;

use model::{EntryCause, Value};
use proptest::prelude::*;
use serde_json::json;
use store::{Mark, NewEntry};

use crate::desk::{Desk, left, mark, pair};
use crate::probe::{ITEMS, SPACE, item};

type Items = BTreeMap<String, String>;

#[derive(Clone, Debug)]
enum Step {
    Put(u8),
    Refuse,
    Read,
    /// Someone sets a line of the file, making the file if it is gone.
    Edit(u8),
    /// Someone removes a line.
    Cut(u8),
    /// Someone writes what is no item.
    Scribble,
    Remove,
    /// A process dies between its commit and its rename, or between that and confirming.
    Crash {
        key: u8,
        published: bool,
    },
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let key = 0..4_u8;
    let step = prop_oneof![
        4 => key.clone().prop_map(Step::Put),
        2 => Just(Step::Refuse),
        1 => Just(Step::Read),
        4 => key.clone().prop_map(Step::Edit),
        2 => key.clone().prop_map(Step::Cut),
        1 => Just(Step::Scribble),
        1 => Just(Step::Remove),
        2 => (key, any::<bool>()).prop_map(|(key, published)| Step::Crash { key, published }),
    ];
    prop::collection::vec(step, 1..16)
}

/// What the records should be, told from the calls and from the text that others leave.
#[derive(Default)]
struct Story {
    items: Items,
    /// The items of the bytes that were last published or taken in.
    base: Option<Items>,
    /// Bytes that were published and never confirmed: ours as long as nobody edits them.
    unconfirmed: Option<String>,
    scribbles: Vec<String>,
    words: usize,
}

fn parse(text: &str) -> Items {
    let pairs = text.lines().filter_map(|line| line.split_once(": "));
    pairs.map(|(key, value)| (key.to_owned(), value.to_owned())).collect()
}

fn read(desk: &Desk) -> Option<String> {
    std::fs::read_to_string(desk.at(ITEMS)).ok()
}

impl Story {
    fn word(&mut self) -> String {
        self.words += 1;
        format!("word{}", self.words)
    }

    /// What taking in makes of the file.
    fn take_in(&mut self, desk: &Desk) {
        let Some(text) = read(desk) else { return };
        let now = parse(&text);
        if self.unconfirmed.take().is_some_and(|wanted| wanted == text) {
            self.base = Some(now.clone());
        }
        let Some(base) = self.base.take() else {
            for (key, value) in now {
                self.items.entry(key).or_insert(value);
            }
            return;
        };
        for (key, value) in &now {
            if base.get(key) != Some(value) {
                self.items.insert(key.clone(), value.clone());
            }
        }
        self.items.retain(|key, _| now.contains_key(key) || !base.contains_key(key));
        self.base = Some(base);
    }

    /// What the file says now is what the next edit is held against.
    fn settle(&mut self, desk: &Desk) {
        if let Some(text) = read(desk) {
            self.base = Some(parse(&text));
            // What the killed request meant has been published over or confirmed.
            self.unconfirmed = None;
        }
    }

    fn tell(&mut self, desk: &Desk, step: &Step) {
        let name = |key: &u8| format!("k{key}");
        match step {
            Step::Put(key) => {
                let word = self.word();
                self.take_in(desk);
                self.items.insert(name(key), word.clone());
                desk.done("put", pair(&name(key), &word));
                self.settle(desk);
                desk.is_in_order();
            }
            Step::Refuse => {
                self.take_in(desk);
                assert_eq!(desk.refused("refuse", json!({})), "not_today");
                self.settle(desk);
            }
            Step::Read => {
                let before = desk.snapshot();
                desk.done("get", json!({}));
                assert_eq!(desk.snapshot(), before);
                return;
            }
            Step::Edit(key) => {
                let word = self.word();
                return desk.edit(ITEMS, format!("{}{}: {word}\n", without(desk, &name(key)), name(key)));
            }
            Step::Cut(key) => {
                if read(desk).is_some() {
                    desk.edit(ITEMS, without(desk, &name(key)));
                }
                return;
            }
            Step::Scribble => {
                let word = self.word();
                let text = read(desk).unwrap_or_default();
                desk.edit(ITEMS, format!("{text}{word}\n"));
                return self.scribbles.push(word);
            }
            Step::Remove => return drop(std::fs::remove_file(desk.at(ITEMS))),
            Step::Crash { key, published } => {
                // The request that dies takes in first, as any other.
                self.tell(desk, &Step::Refuse);
                let word = self.word();
                self.crash(desk, &name(key), &word, *published);
            }
        }
        assert_eq!(stored(desk), self.items);
    }

    fn crash(&mut self, desk: &Desk, key: &str, word: &str, published: bool) {
        let before = self.items.insert(key.to_owned(), word.to_owned());
        let change = model::Change { key: item(key), before: before.map(Value::from), after: Some(Value::from(word)) };
        let text = read(desk);
        let confirmed = text.as_ref().map_or(Mark::Absent, |text| mark(text.as_bytes()));
        let wanted = lines(&self.items);
        desk.tamper(|txn| {
            let at = model::Timestamp::from_millis(0);
            let (actor, call, cause) = ("tester", "put", EntryCause::Call);
            let changes = [change];
            let (space, moves) = (&SPACE, &[]);
            let (session, request_id, takes_back) = (None, None, &[]);
            let entry =
                NewEntry { at, actor, session, request_id, space, call, cause, changes: &changes, moves, takes_back };
            txn.append(&entry).unwrap();
            txn.put_image(&left(ITEMS, confirmed, mark(wanted.as_bytes()))).unwrap();
            for bytes in text.iter().chain([&wanted]) {
                let Mark::Digest(digest) = mark(bytes.as_bytes()) else { panic!("bytes have a digest") };
                txn.put_blob(&digest, bytes.as_bytes()).unwrap();
            }
        });
        self.base = text.map(|text| parse(&text));
        if published {
            desk.edit(ITEMS, &wanted);
            self.unconfirmed = Some(wanted);
        }
    }
}

fn lines(items: &Items) -> String {
    let mut text = "# Items\n\n".to_owned();
    for (key, value) in items {
        text.extend([key, ": ", value, "\n"]);
    }
    text
}

/// The text of the file without the line of a key.
fn without(desk: &Desk, key: &str) -> String {
    let text = read(desk).unwrap_or_default();
    let is_other = |line: &&str| line.split_once(": ").is_none_or(|(other, _)| other != key);
    text.split_inclusive('\n').filter(is_other).collect()
}

fn stored(desk: &Desk) -> Items {
    let Ok(Some(store)) = store::Opener::open(&desk.opener, &desk.root().join(".mainstay")) else {
        return Items::new();
    };
    let records = store.read().unwrap().scan(&SPACE, "item", &model::Scan::all()).unwrap();
    records
        .into_iter()
        .map(|record| (record.id.as_str().to_owned(), record.value.as_str().unwrap().to_owned()))
        .collect()
}

/// Everything that anyone wrote which is no item stands in a copy.
fn kept(desk: &Desk) -> String {
    let copies = desk.names("").into_iter().filter(|name| name.starts_with("ITEMS.md"));
    copies.map(|name| desk.text(&name)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn nothing_is_lost_and_all_tells_one_story(steps in steps()) {
        let desk = Desk::new();
        let mut story = Story::default();
        for step in steps.iter().chain([&Step::Put(9)]) {
            let stood = read(&desk);
            story.tell(&desk, step);
            if matches!(step, Step::Remove) && let Some(text) = stood {
                // What someone wrote and then removed was not there for anyone to see.
                story.scribbles.retain(|word| !text.contains(word.as_str()) || kept(&desk).contains(word.as_str()));
            }
        }
        prop_assert_eq!(stored(&desk), story.items);
        let kept = kept(&desk);
        for word in &story.scribbles {
            prop_assert!(kept.contains(word.as_str()), "{} is lost", word);
        }
    }
}
