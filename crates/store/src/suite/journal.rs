//! Cases about the journal: appending, paging, unwinding.

use std::ops::ControlFlow;

use model::{Entry, EntryCause, FolderMove, ProjectPath, RecordKey, Revision, Space, Timestamp};

use super::desk::{Desk, append, change, entry, key, page, text_of};
use crate::{EntryPage, NewEntry, Opener, StoreError, Unwinder};

/// Revisions begin at 1 and leave no gap, also where a transaction was given up.
pub fn append_gives_consecutive_revisions(opener: &dyn Opener) {
    let desk = Desk::new(opener);
    assert_eq!(desk.read().head().unwrap(), Revision(0));
    assert_eq!(desk.append(&[]), Revision(1));
    let mut given_up = desk.store.begin().unwrap();
    assert_eq!(append(given_up.as_mut(), &[]), Revision(2));
    drop(given_up);
    desk.commit(|txn| {
        assert_eq!(append(txn, &[]), Revision(2));
        assert_eq!(txn.head().unwrap(), Revision(2));
        assert_eq!(append(txn, &[]), Revision(3));
    });
    assert_eq!(desk.again().read().unwrap().head().unwrap(), Revision(3));
}

/// A `before` that is not what is stored changes nothing at all.
pub fn a_false_before_is_a_conflict(opener: &dyn Opener) {
    let desk = Desk::new(opener);
    let (here, absent) = (key("k", "here"), key("k", "absent"));
    desk.append(&[change(&here, None, Some(r#"{"a":1.0,"b":2}"#))]);
    desk.commit(|txn| {
        for wrong in [
            change(&here, None, Some("1")),
            change(&here, Some(r#"{"a":1.0}"#), Some("1")),
            change(&here, Some(r#"{"a":1.00,"b":2}"#), None),
            change(&here, Some(r#"{"b":2,"a":1.0}"#), Some("1")),
            change(&absent, Some("1"), Some("2")),
            change(&absent, Some("1"), None),
        ] {
            let changes = [change(&key("k", "bystander"), None, Some("1")), wrong];
            let result = txn.append(&entry(&changes));
            assert!(matches!(result, Err(StoreError::Conflict(_))), "{result:?}");
        }
        append(txn, &[change(&absent, None, None)]);
    });
    let view = desk.read();
    assert_eq!(view.head().unwrap(), Revision(2));
    assert_eq!(text_of(view.as_ref(), &here).as_deref(), Some(r#"{"a":1.0,"b":2}"#));
    assert_eq!(text_of(view.as_ref(), &key("k", "bystander")), None);
}

/// One entry changes a key once.
pub fn a_key_changed_twice_is_a_conflict(opener: &dyn Opener) {
    let desk = Desk::new(opener);
    let twice = [change(&key("k", "a"), None, Some("1")), change(&key("k", "a"), None, Some("2"))];
    desk.commit(|txn| assert!(matches!(txn.append(&entry(&twice)), Err(StoreError::Conflict(_)))));
    assert_eq!(desk.read().head().unwrap(), Revision(0));
}

/// Every field of an entry comes back, changes and moves in their order.
pub fn entries_keep_every_field(opener: &dyn Opener) {
    let desk = Desk::new(opener);
    let step = |from, to| FolderMove { from: ProjectPath::known(from), to: ProjectPath::known(to) };
    let moves = [step("z/ä", ".mainstay/trash/1"), step("a", "b")];
    let changes = [change(&key("z", "z"), None, Some("1")), change(&key("a", "10"), None, Some("{}"))];
    let space = Space::known("upgrade/x");
    let full = NewEntry {
        at: Timestamp::from_millis(1_234_567_890_123),
        actor: "agent's \"name\"",
        session: Some("s-1"),
        request_id: Some("r-1"),
        space: &space,
        call: "task_start",
        cause: EntryCause::Outside,
        changes: &changes,
        moves: &moves,
        takes_back: &[Revision(7), Revision(3)],
    };
    let bare = NewEntry {
        session: None,
        request_id: None,
        cause: EntryCause::Undo,
        changes: &[],
        moves: &[],
        takes_back: &[],
        ..full
    };
    desk.commit(|txn| {
        txn.append(&full).unwrap();
        txn.append(&bare).unwrap();
    });
    let view = desk.read();
    let mut unwinder = Unwinder::new(view.as_ref());
    for (entry, appended) in page(view.as_ref(), None, 0).into_iter().zip([bare, full]) {
        assert_eq!(unwinder.entry(entry.clone()).unwrap(), expected(entry.revision, &appended));
    }
}

/// A page has an exclusive upper and an inclusive lower end, and stops where the visitor says.
pub fn entries_are_paged(opener: &dyn Opener) {
    let desk = Desk::new(opener);
    assert_eq!(page(desk.read().as_ref(), None, 0), []);
    for _ in 0..6 {
        desk.append(&[]);
    }
    let view = desk.read();
    let revisions = |before, down_to| -> Vec<u64> {
        page(view.as_ref(), before, down_to).into_iter().map(|entry| entry.revision.0).collect()
    };
    assert_eq!(revisions(None, 0), [6, 5, 4, 3, 2, 1]);
    assert_eq!(revisions(None, 4), [6, 5, 4]);
    assert_eq!(revisions(Some(4), 2), [3, 2]);
    assert_eq!(revisions(Some(u64::MAX), 6), [6]);
    assert_eq!(revisions(Some(3), 3), [0; 0]);
    assert_eq!(revisions(None, u64::MAX), [0; 0]);

    let mut seen = Vec::new();
    view.entries(&EntryPage::default(), &mut |entry| {
        seen.push(entry.revision.0);
        // A visitor may read meanwhile, even the journal itself.
        assert_eq!(page(view.as_ref(), Some(2), 0).len(), 1);
        if seen.len() == 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })
    .unwrap();
    assert_eq!(seen, [6, 5]);
}

/// The changes of one record, newest first, down to a revision that is left out.
pub fn changes_of_a_record(opener: &dyn Opener) {
    let desk = Desk::new(opener);
    let (seven, padded) = (key("k", "7"), key("k", "07"));
    desk.append(&[change(&seven, None, Some("1")), change(&padded, None, Some("1"))]);
    desk.append(&[change(&padded, Some("1"), Some("2"))]);
    desk.append(&[change(&seven, Some("1"), None)]);
    desk.append(&[change(&seven, None, Some("[1]"))]);
    let view = desk.read();
    let changed = |key: &RecordKey, after| -> Vec<u64> {
        let changes = view.changes_of(key, Revision(after)).unwrap();
        changes.into_iter().map(|(revision, _)| revision.0).collect()
    };
    assert_eq!(changed(&seven, 0), [4, 3, 1]);
    assert_eq!(changed(&seven, 1), [4, 3]);
    assert_eq!(changed(&seven, 4), [0; 0]);
    assert_eq!(changed(&seven, u64::MAX), [0; 0]);
    assert_eq!(changed(&padded, 0), [2, 1]);
    assert_eq!(changed(&key("k", "x"), 0), [0; 0]);
    let (_, newest) = view.changes_of(&seven, Revision(3)).unwrap().remove(0);
    assert_eq!(newest.apply(None).unwrap().as_deref(), Some("[1]"));
}

/// A history of three records over many entries, as it was appended.
fn history(desk: &Desk<'_>) -> Vec<Entry> {
    let keys = [key("k", "1"), key("k", "01"), key("l", "1")];
    let mut now: [Option<String>; 3] = [const { None }; 3];
    let mut entries = Vec::new();
    for round in 0..40_usize {
        let mut changes = Vec::new();
        for (place, key) in keys.iter().enumerate().filter(|(place, _)| round.is_multiple_of(place + 1)) {
            let after = (round % 7 != place).then(|| format!("{{\"round\":{round},\"é\":[{place},1.0]}}"));
            changes.push(change(key, now[place].as_deref(), after.as_deref()));
            now[place] = after;
        }
        let new = entry(&changes);
        let revision = desk.append(&changes);
        entries.push(expected(revision, &new));
    }
    entries
}

/// Entries unwind to the values that were appended, newest first and in any other order.
pub fn unwinding_gives_what_was_appended(opener: &dyn Opener) {
    let desk = Desk::new(opener);
    let appended = history(&desk);
    let view = desk.read();
    let mut stored = page(view.as_ref(), None, 0);
    let mut unwinder = Unwinder::new(view.as_ref());
    for (entry, expected) in stored.iter().zip(appended.iter().rev()) {
        assert_eq!(unwinder.entry(entry.clone()).unwrap(), *expected);
    }
    stored.reverse();
    for (entry, expected) in stored.iter().zip(&appended) {
        assert_eq!(unwinder.entry(entry.clone()).unwrap(), *expected);
    }
}

/// Entries that a filter leaves out do not disturb those that it lets through.
pub fn unwinding_skips_entries(opener: &dyn Opener) {
    let desk = Desk::new(opener);
    let appended = history(&desk);
    let view = desk.read();
    let stored = page(view.as_ref(), None, 0);
    for stride in 2..9 {
        let mut unwinder = Unwinder::new(view.as_ref());
        for (entry, expected) in stored.iter().zip(appended.iter().rev()).skip(stride - 2).step_by(stride) {
            assert_eq!(unwinder.entry(entry.clone()).unwrap(), *expected, "stride {stride}");
        }
    }
}

/// The entry that unwinding should give for what was appended.
fn expected(revision: Revision, new: &NewEntry<'_>) -> Entry {
    Entry {
        revision,
        at: new.at,
        actor: new.actor.to_owned(),
        session: new.session.map(str::to_owned),
        request_id: new.request_id.map(str::to_owned),
        space: new.space.clone(),
        call: new.call.to_owned(),
        cause: new.cause,
        changes: new.changes.to_vec(),
        moves: new.moves.to_vec(),
        takes_back: new.takes_back.to_vec(),
    }
}
