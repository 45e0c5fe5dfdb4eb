//! Everything beside records and journal, read around whatever is damaged.

use rusqlite::{Connection, Row};
use store::{Keepsake, KeepsakeKind};

use crate::book::{self, End, Shelf};
use crate::error::Outcome;
use crate::{checkpoints, images, journal, receipts};

/// Hands out what can be read of a kind; answers whether that was all.
pub(crate) fn all(conn: &Connection, kind: KeepsakeKind, visit: &mut dyn FnMut(Keepsake)) -> Outcome<bool> {
    if walk(conn, kind, End::Front, visit)? {
        return Ok(true);
    }
    walk(conn, kind, End::Back, visit)?;
    Ok(false)
}

fn shelf(kind: KeepsakeKind) -> Shelf {
    match kind {
        KeepsakeKind::Receipts => Shelf::Receipt,
        KeepsakeKind::Images => Shelf::Image,
        KeepsakeKind::Blobs => Shelf::Blob,
        KeepsakeKind::Tables => Shelf::Table,
        KeepsakeKind::Moves => Shelf::Move,
        KeepsakeKind::Checkpoints => Shelf::Checkpoint,
        KeepsakeKind::Meta => Shelf::Meta,
    }
}

fn load(kind: KeepsakeKind, row: &Row<'_>) -> Outcome<Keepsake> {
    Ok(match kind {
        KeepsakeKind::Receipts => Keepsake::Receipt(receipts::load(row)?),
        KeepsakeKind::Images => Keepsake::Image(images::load(row)?),
        KeepsakeKind::Blobs => Keepsake::Blob(row.get(0)?, row.get(1)?),
        KeepsakeKind::Tables => Keepsake::Table(images::load_table(row)?),
        KeepsakeKind::Moves => Keepsake::Move(journal::load_move(row)?),
        KeepsakeKind::Checkpoints => Keepsake::Checkpoint(checkpoints::load(row)?),
        KeepsakeKind::Meta => Keepsake::Meta(row.get(0)?, row.get(1)?),
    })
}

// A row that makes no sense is passed over; a page that makes none ends the walk.
fn walk(conn: &Connection, kind: KeepsakeKind, from: End, visit: &mut dyn FnMut(Keepsake)) -> Outcome<bool> {
    let mut all = true;
    let walked = book::all(conn, shelf(kind), from, |row| {
        match load(kind, row) {
            Ok(keepsake) => visit(keepsake),
            Err(fault) if fault.is_damage() => all = false,
            Err(fault) => return Err(fault),
        }
        Ok(())
    });
    match walked {
        Ok(()) => Ok(all),
        Err(fault) if fault.is_damage() => Ok(false),
        Err(fault) => Err(fault),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(kind: KeepsakeKind, rows: &[(&str, &str)], expected: (usize, bool)) {
        let conn = Connection::open_in_memory().unwrap();
        crate::schema::make_tables(&conn).unwrap();
        for (name, value) in rows {
            book::put(&conn, shelf(kind), name, *value).unwrap();
        }
        let mut count = 0;
        let all = all(&conn, kind, &mut |_| count += 1).map_err(store::StoreError::from).unwrap();
        assert_eq!((count, all), expected, "{rows:?}");
    }

    #[test]
    fn what_makes_no_sense_is_passed_over() {
        check(KeepsakeKind::Receipts, &[("t 1", r#"[1,1,"d",{}]"#), ("t 2", r#"[1,1,"d",null]"#)], (2, true));
        // Seen from both sides, since one in between could not be read.
        for nonsense in ["nonsense", r#"[1,1,"d"]"#, r#"[1,-1,"d",{}]"#, ""] {
            let three = [("t 1", r#"[1,1,"d",{}]"#), ("t 2", nonsense), ("t 3", r#"[1,1,"d",{}]"#)];
            check(KeepsakeKind::Receipts, &three, (4, false));
        }
        check(KeepsakeKind::Images, &[("../x", "d . s"), ("x", "d"), ("y", "d - s")], (2, false));
        check(KeepsakeKind::Moves, &[("-1 0", r#"["a","b"]"#), ("1", r#"["a","b"]"#)], (0, false));
        check(KeepsakeKind::Tables, &[(r#"["s","p"]"#, r#"["n",1,2,3]"#)], (1, true));
        check(KeepsakeKind::Checkpoints, &[("c1", r#"[1,null,null,1,"a"]"#)], (1, true));
    }

    #[test]
    fn a_missing_table_is_damage() {
        let conn = Connection::open_in_memory().unwrap();
        crate::schema::make_tables(&conn).unwrap();
        conn.execute_batch("DROP TABLE book").unwrap();
        let all = all(&conn, KeepsakeKind::Meta, &mut |_| {}).map_err(store::StoreError::from).unwrap();
        assert!(!all);
    }
}
