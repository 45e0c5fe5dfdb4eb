//! Cases about transactions: isolation, savepoints, giving up.

use std::thread;

use model::{ProjectPath, Revision, Timestamp};

use super::desk::{Desk, SPACE, append, change, key, page, text_of};
use crate::{ImageState, Mark, Opener, Receipt, StoreError, Txn};

/// A transaction reads what it wrote, before others do.
pub fn reads_see_what_was_written(opener: &dyn Opener) {
    let desk = Desk::new(opener);
    let task = key("task", "1");
    let mut txn = desk.store.begin().unwrap();
    append(txn.as_mut(), &[change(&task, None, Some("1"))]);
    append(txn.as_mut(), &[change(&task, Some("1"), Some("2"))]);
    txn.put_meta("m", Some("1")).unwrap();
    assert_eq!(text_of(&*txn, &task).as_deref(), Some("2"));
    assert_eq!(page(&*txn, None, 0).len(), 2);
    assert_eq!(txn.changes_of(&task, Revision(1)).unwrap().len(), 1);
    assert_eq!(txn.meta("m").unwrap().as_deref(), Some("1"));
    assert_eq!(text_of(desk.read().as_ref(), &task), None);
    txn.commit().unwrap();
    assert_eq!(text_of(desk.read().as_ref(), &task).as_deref(), Some("2"));
}

/// Writes one of everything.
fn write_everything(txn: &mut dyn Txn, id: &str) {
    append(txn, &[change(&key("k", id), None, Some("1"))]);
    txn.put_meta(id, Some("1")).unwrap();
    txn.put_blob(id, b"bytes").unwrap();
    let path = ProjectPath::new(id).unwrap();
    txn.put_image(&ImageState { path, space: SPACE.clone(), confirmed: Mark::Absent, intended: None }).unwrap();
    txn.put_receipt(&Receipt {
        tool: "t".into(),
        request_id: id.into(),
        digest: String::new(),
        at: Timestamp::from_millis(1),
        revision: Revision(1),
        reply: None,
    })
    .unwrap();
}

/// What is there of it, one answer for each thing.
fn present(desk: &Desk<'_>, id: &str) -> [bool; 5] {
    let view = desk.read();
    [
        view.record(&key("k", id)).unwrap().is_some(),
        view.meta(id).unwrap().is_some(),
        view.blob(id).unwrap().is_some(),
        view.images(&SPACE).unwrap().iter().any(|image| image.path.as_str() == id),
        view.receipt("t", id).unwrap().is_some(),
    ]
}

/// Rollback undoes what came after the savepoint and nothing else; release keeps it.
pub fn rollback_undoes_back_to_the_savepoint(opener: &dyn Opener) {
    let desk = Desk::new(opener);
    desk.commit(|txn| {
        write_everything(txn, "before");
        txn.savepoint().unwrap();
        write_everything(txn, "undone");
        txn.rollback().unwrap();
        assert_eq!(txn.head().unwrap(), Revision(1));
        txn.savepoint().unwrap();
        write_everything(txn, "kept");
        txn.release().unwrap();
        txn.savepoint().unwrap();
        txn.rollback().unwrap();
        write_everything(txn, "after");
    });
    assert_eq!(desk.read().head().unwrap(), Revision(3));
    for id in ["before", "kept", "after"] {
        assert_eq!(present(&desk, id), [true; 5], "{id}");
    }
    assert_eq!(present(&desk, "undone"), [false; 5]);
    assert_eq!(page(desk.read().as_ref(), None, 0).len(), 3);
}

/// There is one savepoint at a time; misuse is an error and harms nothing.
pub fn savepoints_do_not_nest(opener: &dyn Opener) {
    let desk = Desk::new(opener);
    desk.commit(|txn| {
        assert!(txn.release().is_err());
        assert!(txn.rollback().is_err());
        write_everything(txn, "a");
        txn.savepoint().unwrap();
        assert!(txn.savepoint().is_err());
        write_everything(txn, "b");
        txn.release().unwrap();
        assert!(txn.rollback().is_err());
        txn.savepoint().unwrap();
        write_everything(txn, "c");
        // A commit with a savepoint open keeps what came after it.
    });
    assert_eq!(desk.read().head().unwrap(), Revision(3));
    assert_eq!(present(&desk, "c"), [true; 5]);
}

/// A transaction that is dropped leaves nothing, also after a release.
pub fn dropping_undoes(opener: &dyn Opener) {
    let desk = Desk::new(opener);
    let mut txn = desk.store.begin().unwrap();
    write_everything(txn.as_mut(), "a");
    txn.savepoint().unwrap();
    write_everything(txn.as_mut(), "b");
    txn.release().unwrap();
    txn.savepoint().unwrap();
    write_everything(txn.as_mut(), "c");
    drop(txn);
    for id in ["a", "b", "c"] {
        assert_eq!(present(&desk, id), [false; 5], "{id}");
    }
    assert_eq!(desk.read().head().unwrap(), Revision(0));
    desk.commit(|txn| write_everything(txn, "a"));
    assert_eq!(present(&desk, "a"), [true; 5]);
}

/// A view shows what was committed when it was opened, even if it reads only later.
pub fn a_view_does_not_move(opener: &dyn Opener) {
    let desk = Desk::new(opener);
    desk.commit(|txn| write_everything(txn, "a"));
    let view = desk.read();
    desk.commit(|txn| write_everything(txn, "b"));
    let other = desk.again();
    let mut txn = other.begin().unwrap();
    append(txn.as_mut(), &[change(&key("k", "a"), Some("1"), None)]);
    txn.commit().unwrap();

    assert_eq!(view.head().unwrap(), Revision(1));
    assert_eq!(text_of(view.as_ref(), &key("k", "a")).as_deref(), Some("1"));
    assert_eq!(text_of(view.as_ref(), &key("k", "b")), None);
    assert_eq!(view.meta("b").unwrap(), None);
    assert_eq!(page(view.as_ref(), None, 0).len(), 1);
    drop(view);
    assert_eq!(desk.read().head().unwrap(), Revision(3));
    assert_eq!(present(&desk, "b"), [true; 5]);
}

/// While one transaction is open a second one answers `Busy`; reading goes on.
///
/// In this store and in another one over the same folder.
pub fn a_second_writer_finds_the_store_busy(opener: &dyn Opener) {
    let desk = Desk::new(opener);
    let other = desk.again();
    let mut txn = desk.store.begin().unwrap();
    append(txn.as_mut(), &[]);
    thread::scope(|scope| {
        let stores = [&desk.store, &other];
        let tries = stores.map(|store| scope.spawn(|| matches!(store.begin(), Err(StoreError::Busy))));
        assert_eq!(tries.map(|answer| answer.join().unwrap()), [true, true]);
    });
    assert_eq!(other.read().unwrap().head().unwrap(), Revision(0));
    txn.commit().unwrap();
    let txn = other.begin().unwrap();
    assert_eq!(txn.head().unwrap(), Revision(1));
}

/// One store serves many threads; no write is lost.
pub fn writing_works_from_other_threads(opener: &dyn Opener) {
    let desk = Desk::new(opener);
    let counter = key("k", "counter");
    desk.append(&[change(&counter, None, Some("0"))]);
    let store = &desk.store;
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..5 {
                    let mut txn = loop {
                        match store.begin() {
                            Err(StoreError::Busy) => {}
                            other => break other.unwrap(),
                        }
                    };
                    let now = text_of(&*txn, &counter).unwrap();
                    let next = (now.parse::<u32>().unwrap() + 1).to_string();
                    append(txn.as_mut(), &[change(&counter, Some(&now), Some(&next))]);
                    txn.commit().unwrap();
                    assert!(store.read().unwrap().head().unwrap() > Revision(1));
                }
            });
        }
    });
    assert_eq!(text_of(desk.read().as_ref(), &counter).as_deref(), Some("20"));
    assert_eq!(desk.read().head().unwrap(), Revision(21));
}
