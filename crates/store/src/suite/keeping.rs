//! Cases about what a store keeps for the engine: images, bytes, tables, moves, receipts, meta.

use model::{FolderMove, ProjectPath, Revision, Space, Timestamp};

use super::desk::{Desk, SPACE, entry, json};
use crate::{ImageState, Mark, NewEntry, Opener, PendingMove, Receipt, TableState};

/// Images are remembered by path, listed by space, replaced and forgotten.
pub fn images(opener: &dyn Opener) {
    let desk = Desk::new(opener);
    let image = |path, space: &'static str, confirmed, intended| ImageState {
        path: ProjectPath::known(path),
        space: Space::known(space),
        confirmed,
        intended,
    };
    let digest = |text: &str| Mark::Digest(text.into());
    let b = image("b/STATE.md", "one", digest("aa"), Some(Mark::Absent));
    let a = image("a/ä.json", "one", Mark::Absent, Some(digest("bb")));
    let other = image("c", "two", digest("cc"), None);
    desk.commit(|txn| {
        for image in [&b, &a, &other] {
            txn.put_image(image).unwrap();
        }
    });
    assert_eq!(desk.read().images(&Space::known("one")).unwrap(), [a.clone(), b.clone()]);
    assert_eq!(desk.read().images(&Space::known("two")).unwrap(), [other]);

    let moved = ImageState { space: Space::known("two"), confirmed: Mark::Absent, intended: None, ..b };
    desk.commit(|txn| {
        txn.put_image(&moved).unwrap();
        txn.delete_image(&a).unwrap();
        txn.delete_image(&a).unwrap();
    });
    assert_eq!(desk.read().images(&Space::known("one")).unwrap(), []);
    assert_eq!(desk.read().images(&Space::known("two")).unwrap()[0], moved);
}

/// Bytes are kept under their digest, once.
pub fn blobs(opener: &dyn Opener) {
    let desk = Desk::new(opener);
    let bytes: Vec<u8> = (0..200_000_u32).flat_map(u32::to_le_bytes).collect();
    desk.commit(|txn| {
        for (digest, bytes) in [("big", bytes.as_slice()), ("empty", &[]), ("big", bytes.as_slice())] {
            txn.put_blob(digest, bytes).unwrap();
        }
    });
    assert_eq!(desk.read().blob("big").unwrap(), Some(bytes));
    assert_eq!(desk.read().blob("empty").unwrap(), Some(Vec::new()));
    assert_eq!(desk.read().blob("none").unwrap(), None);
    desk.commit(|txn| {
        for digest in ["big", "none"] {
            txn.delete_blob(digest).unwrap();
        }
    });
    assert_eq!(desk.read().blob("big").unwrap(), None);
}

/// Bytes stay while an image has them as one of its marks.
pub fn marked_blobs(opener: &dyn Opener) {
    let desk = Desk::new(opener);
    let marked = |digest: &str| Mark::Digest(digest.into());
    let image = ImageState {
        path: ProjectPath::known("A.md"),
        space: SPACE.clone(),
        confirmed: marked("old"),
        intended: Some(marked("new")),
    };
    desk.commit(|txn| {
        for digest in ["old", "new", "other"] {
            txn.put_blob(digest, digest.as_bytes()).unwrap();
        }
        txn.put_image(&image).unwrap();
        for digest in ["old", "new", "other"] {
            txn.delete_blob(digest).unwrap();
        }
    });
    let kept = |digest: &str| desk.read().blob(digest).unwrap().is_some();
    assert_eq!([kept("old"), kept("new"), kept("other")], [true, true, false]);
    desk.commit(|txn| {
        txn.put_image(&ImageState { confirmed: marked("new"), intended: None, ..image.clone() }).unwrap();
        txn.delete_blob("old").unwrap();
    });
    let kept = |digest: &str| desk.read().blob(digest).unwrap().is_some();
    assert_eq!([kept("old"), kept("new")], [false, true]);
}

/// Each file of a space's table image is remembered apart, the latest state for each.
pub fn tables(opener: &dyn Opener) {
    let desk = Desk::new(opener);
    let first = TableState {
        place: "/x/project.db".into(),
        space: SPACE.clone(),
        nonce: "n1".into(),
        confirmed: Revision(3),
        intended: Revision(4),
        drained: 17,
    };
    let other = TableState { place: "/a".into(), nonce: "n2".into(), drained: 0, ..first.clone() };
    let later = TableState { nonce: "n3".into(), confirmed: Revision(4), ..first.clone() };
    assert_eq!(desk.read().tables(&SPACE).unwrap(), []);
    for table in [&first, &other, &later] {
        desk.commit(|txn| txn.put_table(table).unwrap());
    }
    assert_eq!(desk.read().tables(&SPACE).unwrap(), [other, later]);
    assert_eq!(desk.read().tables(&Space::known("none")).unwrap(), []);
}

/// The moves of entries are pending, in order, until they are settled.
pub fn pending_moves(opener: &dyn Opener) {
    let desk = Desk::new(opener);
    let step = |from, to| FolderMove { from: ProjectPath::known(from), to: ProjectPath::known(to) };
    let steps = [step("z", "y"), step("a", "b"), step("m", "n")];
    desk.commit(|txn| {
        txn.append(&NewEntry { moves: &steps[..2], ..entry(&[]) }).unwrap();
        txn.append(&NewEntry { moves: &steps[2..], ..entry(&[]) }).unwrap();
    });
    let pending = |revision, ordinal, step: &FolderMove| PendingMove {
        revision: Revision(revision),
        ordinal,
        step: step.clone(),
    };
    let all = [pending(1, 0, &steps[0]), pending(1, 1, &steps[1]), pending(2, 0, &steps[2])];
    assert_eq!(desk.read().pending_moves().unwrap(), all);
    desk.commit(|txn| txn.settle_move(&all[1]).unwrap());
    assert_eq!(desk.read().pending_moves().unwrap(), [all[0].clone(), all[2].clone()]);
    desk.commit(|txn| all.iter().for_each(|pending| txn.settle_move(pending).unwrap()));
    assert_eq!(desk.read().pending_moves().unwrap(), []);
}

fn receipt(tool: &str, request_id: &str, at: i64, reply: Option<&str>) -> Receipt {
    Receipt {
        tool: tool.into(),
        request_id: request_id.into(),
        digest: format!("digest of {request_id}"),
        at: Timestamp::from_millis(at),
        revision: Revision(9),
        reply: reply.map(|text| json(text).as_object().unwrap().clone()),
    }
}

/// A receipt is found by tool and request id; a later one takes its place.
pub fn receipts(opener: &dyn Opener) {
    let desk = Desk::new(opener);
    let all = [
        receipt("t", "r", 1, Some(r#"{"z":1.0,"a":[]}"#)),
        receipt("t", "r2", 2, None),
        receipt("t2", "r", 3, Some("{}")),
    ];
    desk.commit(|txn| all.iter().for_each(|receipt| txn.put_receipt(receipt).unwrap()));
    for receipt in all {
        let found = desk.read().receipt(&receipt.tool, &receipt.request_id).unwrap().unwrap();
        assert_eq!(serde_json::to_string(&found.reply).unwrap(), serde_json::to_string(&receipt.reply).unwrap());
        assert_eq!(found, receipt);
    }
    assert_eq!(desk.read().receipt("t2", "r2").unwrap(), None);
    let later = receipt("t", "r", 5, None);
    desk.commit(|txn| txn.put_receipt(&later).unwrap());
    assert_eq!(desk.read().receipt("t", "r").unwrap(), Some(later));
}

/// Receipts go when they are older than asked for, and not sooner.
pub fn receipts_are_dropped_by_age(opener: &dyn Opener) {
    let desk = Desk::new(opener);
    desk.commit(|txn| {
        for at in [999, 1000, 1001] {
            txn.put_receipt(&receipt("t", &at.to_string(), at, None)).unwrap();
        }
        txn.drop_receipts(Timestamp::from_millis(1000)).unwrap();
    });
    let left = ["999", "1000", "1001"].map(|id| desk.read().receipt("t", id).unwrap().is_some());
    assert_eq!(left, [false, true, true]);
}

/// Small values are set, replaced and removed by name.
pub fn meta(opener: &dyn Opener) {
    let desk = Desk::new(opener);
    for value in [Some("one"), Some(""), None, None] {
        desk.commit(|txn| txn.put_meta("name", value).unwrap());
        assert_eq!(desk.read().meta("name").unwrap().as_deref(), value);
        assert_eq!(desk.read().meta("Name").unwrap(), None);
    }
}
