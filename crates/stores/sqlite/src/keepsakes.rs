//! Everything beside records and journal, read around whatever is damaged.

use model::{Space, Timestamp};
use rusqlite::{Connection, Row};
use store::{Checkpoint, Keepsake, KeepsakeKind, PendingMove, Receipt, TableState};

use crate::error::Outcome;
use crate::id::load_revision;
use crate::images;
use crate::journal::load_move;

/// How the rows of one kind are read: from the front, from the back, and one by one.
struct Reading {
    up: &'static str,
    down: &'static str,
    load: fn(&Row<'_>) -> Outcome<Keepsake>,
}

const RECEIPTS: Reading = Reading {
    up: "SELECT tool, request_id, digest, at, revision, reply FROM receipt ORDER BY tool, request_id",
    down: "SELECT tool, request_id, digest, at, revision, reply FROM receipt ORDER BY tool DESC, request_id DESC",
    load: |row| {
        let reply: Option<String> = row.get(5)?;
        Ok(Keepsake::Receipt(Receipt {
            tool: row.get(0)?,
            request_id: row.get(1)?,
            digest: row.get(2)?,
            at: Timestamp::from_millis(row.get(3)?),
            revision: load_revision(row, 4)?,
            reply: reply.map(|text| serde_json::from_str(&text)).transpose()?,
        }))
    },
};

const IMAGES: Reading = Reading {
    up: "SELECT path, confirmed, intended, space FROM image ORDER BY path",
    down: "SELECT path, confirmed, intended, space FROM image ORDER BY path DESC",
    load: |row| Ok(Keepsake::Image(images::load(row, &Space::new(row.get::<_, String>(3)?))?)),
};

const BLOBS: Reading = Reading {
    up: "SELECT digest, bytes FROM blob ORDER BY rowid",
    down: "SELECT digest, bytes FROM blob ORDER BY rowid DESC",
    load: |row| Ok(Keepsake::Blob(row.get(0)?, row.get(1)?)),
};

const TABLES: Reading = Reading {
    up: "SELECT place, nonce, confirmed, intended, drained, space FROM table_image ORDER BY space, place",
    down: "SELECT place, nonce, confirmed, intended, drained, space FROM table_image ORDER BY space DESC, place DESC",
    load: |row| {
        Ok(Keepsake::Table(TableState {
            place: row.get(0)?,
            nonce: row.get(1)?,
            confirmed: load_revision(row, 2)?,
            intended: load_revision(row, 3)?,
            drained: row.get(4)?,
            space: Space::new(row.get::<_, String>(5)?),
        }))
    },
};

const MOVES: Reading = Reading {
    up: "SELECT revision, ordinal, source, target FROM pending_move ORDER BY revision, ordinal",
    down: "SELECT revision, ordinal, source, target FROM pending_move ORDER BY revision DESC, ordinal DESC",
    load: |row| load_move(row).map(|pending: PendingMove| Keepsake::Move(pending)),
};

const CHECKPOINTS: Reading = Reading {
    up: "SELECT id, revision, label, space, at, actor FROM checkpoint ORDER BY id",
    down: "SELECT id, revision, label, space, at, actor FROM checkpoint ORDER BY id DESC",
    load: |row| {
        Ok(Keepsake::Checkpoint(Checkpoint {
            id: row.get(0)?,
            revision: load_revision(row, 1)?,
            label: row.get(2)?,
            space: row.get::<_, Option<String>>(3)?.map(Space::new),
            at: Timestamp::from_millis(row.get(4)?),
            actor: row.get(5)?,
        }))
    },
};

const META: Reading = Reading {
    up: "SELECT name, value FROM meta ORDER BY name",
    down: "SELECT name, value FROM meta ORDER BY name DESC",
    load: |row| Ok(Keepsake::Meta(row.get(0)?, row.get(1)?)),
};

/// Hands out what can be read of a kind; answers whether that was all.
pub(crate) fn all(conn: &Connection, kind: KeepsakeKind, visit: &mut dyn FnMut(Keepsake)) -> Outcome<bool> {
    let reading = match kind {
        KeepsakeKind::Receipts => RECEIPTS,
        KeepsakeKind::Images => IMAGES,
        KeepsakeKind::Blobs => BLOBS,
        KeepsakeKind::Tables => TABLES,
        KeepsakeKind::Moves => MOVES,
        KeepsakeKind::Checkpoints => CHECKPOINTS,
        KeepsakeKind::Meta => META,
    };
    if walk(conn, reading.up, reading.load, visit)? {
        return Ok(true);
    }
    walk(conn, reading.down, reading.load, visit)?;
    Ok(false)
}

// A row that makes no sense is passed over; a page that makes none ends the walk.
fn walk(
    conn: &Connection,
    statement: &str,
    load: fn(&Row<'_>) -> Outcome<Keepsake>,
    visit: &mut dyn FnMut(Keepsake),
) -> Outcome<bool> {
    let mut walked = || -> Outcome<bool> {
        let mut statement = conn.prepare(statement)?;
        let mut rows = statement.query([])?;
        let mut all = true;
        while let Some(row) = rows.next()? {
            match load(row) {
                Ok(keepsake) => visit(keepsake),
                Err(fault) if fault.is_damage() => all = false,
                Err(fault) => return Err(fault),
            }
        }
        Ok(all)
    };
    match walked() {
        Err(fault) if fault.is_damage() => Ok(false),
        walked => walked,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(kind: KeepsakeKind, statements: &str, expected: (usize, bool)) {
        let conn = Connection::open_in_memory().unwrap();
        crate::schema::make_tables(&conn).unwrap();
        conn.execute_batch(statements).unwrap();
        let mut count = 0;
        let all = all(&conn, kind, &mut |_| count += 1).map_err(store::StoreError::from).unwrap();
        assert_eq!((count, all), expected, "{statements}");
    }

    #[test]
    fn what_makes_no_sense_is_passed_over() {
        let receipt = |id: u8, reply: &str| format!("INSERT INTO receipt VALUES ('t', {id}, 'd', 1, 1, '{reply}');");
        check(KeepsakeKind::Receipts, &(receipt(1, "{}") + &receipt(2, "{}")), (2, true));
        // Seen from both sides, since one in between could not be read.
        let three = receipt(1, "{}") + &receipt(2, "nonsense") + &receipt(3, "{}");
        check(KeepsakeKind::Receipts, &three, (4, false));
        check(KeepsakeKind::Images, "INSERT INTO image VALUES ('../x', 's', 'd', NULL)", (0, false));
        check(KeepsakeKind::Moves, "INSERT INTO pending_move VALUES (-1, 0, 'a', 'b')", (0, false));
        check(KeepsakeKind::Meta, "DROP TABLE meta", (0, false));
        check(KeepsakeKind::Checkpoints, "INSERT INTO checkpoint VALUES ('c1', 1, NULL, NULL, 1, 'a')", (1, true));
    }
}
