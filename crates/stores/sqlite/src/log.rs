//! What a damaged log still holds and `SQLite` passes over.
//!
//! At the first frame whose checksum is wrong `SQLite` takes the log to end, as it has to after a commit that was cut
//! short. Each frame's checksum goes on from the one before, as that one tells it, so frames behind the wrong one can
//! still be told to belong together. **Source**: the database file format, section 4.

use std::fs::File;
use std::io::{BufReader, ErrorKind, Read, Seek as _, SeekFrom};
use std::path::Path;

use crate::error::Outcome;

const HEADER: usize = 32;
const FRAME_HEADER: usize = 24;

/// The first word of a log. The last bit says in which order the words of a checksum's bytes are read.
const MAGIC: u32 = 0x377f_0682;

/// What a checksum has come to.
type Sum = (u32, u32);

/// How many commits stand behind the place where the log is damaged; 0 for a log that is not.
///
/// A commit that was cut short leaves frames too. But a commit begins only when the one before it is synced, so a
/// whole commit that is followed by a frame of the next tells of bytes that were safe once.
pub(crate) fn out_of_reach(log: &Path) -> Outcome<u64> {
    let file = match File::open(log) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(0),
        opened => opened?,
    };
    let mut reader = BufReader::new(file);
    let Some(header) = bytes(&mut reader, HEADER)? else { return Ok(0) };
    let found = walk(&header, &mut reader)?;
    // A log that was begun anew meanwhile is another one.
    let mut file = reader.into_inner();
    file.seek(SeekFrom::Start(0))?;
    Ok(if bytes(&mut file, HEADER)?.as_ref() == Some(&header) { found } else { 0 })
}

fn walk(header: &[u8], reader: &mut impl Read) -> Outcome<u64> {
    let is_big = word(header, 0) & 1 == 1;
    let is_header_sound =
        word(header, 0) & !1 == MAGIC && sum(is_big, (0, 0), &header[..24]) == (word(header, 24), word(header, 28));
    let page = usize::try_from(word(header, 8)).unwrap_or(0);
    let page = if page.is_power_of_two() && (512..=65_536).contains(&page) { page } else { 4096 };
    let mut salts = is_header_sound.then(|| header[16..24].to_vec());
    let (mut before, mut is_damaged) = ((word(header, 24), word(header, 28)), !is_header_sound);
    let (mut commits, mut is_proven, mut follows_commit) = (0, false, false);
    while let Some(frame) = bytes(reader, FRAME_HEADER + page)? {
        let is_of_now = frame[8..16] == **salts.get_or_insert_with(|| frame[8..16].to_vec());
        let told = (word(&frame, 16), word(&frame, 20));
        let so_far = sum(is_big, before, &frame[..8]);
        let goes_on = is_of_now && sum(is_big, so_far, &frame[FRAME_HEADER..]) == told;
        let is_first_wrong = !goes_on && !is_damaged;
        is_damaged |= !goes_on;
        if is_damaged {
            is_proven |= goes_on && follows_commit;
            follows_commit = word(&frame, 4) > 0 && is_of_now && (goes_on || is_first_wrong);
            commits += u64::from(follows_commit);
        }
        before = told;
    }
    Ok(if is_proven { commits } else { 0 })
}

// The next bytes, all of them or none.
fn bytes(reader: &mut impl Read, count: usize) -> Outcome<Option<Vec<u8>>> {
    let mut bytes = vec![0; count];
    match reader.read_exact(&mut bytes) {
        Err(error) if error.kind() == ErrorKind::UnexpectedEof => Ok(None),
        read => Ok(read.map(|()| Some(bytes))?),
    }
}

fn word(bytes: &[u8], place: usize) -> u32 {
    bytes[place..place + 4].iter().fold(0, |word, byte| word << 8 | u32::from(*byte))
}

fn sum(is_big: bool, from: Sum, bytes: &[u8]) -> Sum {
    let read = |place: usize| {
        let word = word(bytes, place);
        if is_big { word } else { word.swap_bytes() }
    };
    (0..bytes.len() / 8).fold(from, |(one, two), pair| {
        let one = one.wrapping_add(read(pair * 8)).wrapping_add(two);
        (one, two.wrapping_add(read(pair * 8 + 4)).wrapping_add(one))
    })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use rusqlite::{Connection, config::DbConfig};

    use super::*;

    const PAGE: usize = 4096;
    const FRAME: usize = FRAME_HEADER + PAGE;

    /// The log of five commits of one frame each, behind one of two that makes the table.
    fn log(folder: &Path) -> Vec<u8> {
        let conn = Connection::open(folder.join("state.db")).unwrap();
        conn.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true).unwrap();
        conn.pragma_update(None, "journal_mode", "wal").unwrap();
        conn.execute_batch("CREATE TABLE t(v)").unwrap();
        for number in 0..5 {
            conn.execute("INSERT INTO t VALUES(?1)", [number]).unwrap();
        }
        drop(conn);
        fs::read(folder.join("state.db-wal")).unwrap()
    }

    #[test]
    fn commits_behind_damage_are_counted() {
        let folder = tempfile::tempdir().unwrap();
        let whole = log(folder.path());
        let frames = (whole.len() - HEADER) / FRAME;
        let place = folder.path().join("tried-wal");
        let tried = |bytes: &[u8]| {
            fs::write(&place, bytes).unwrap();
            out_of_reach(&place).unwrap()
        };
        assert_eq!((frames, tried(&whole)), (7, 0));
        for frame in 0..frames {
            for within in [0, FRAME_HEADER + 100] {
                let mut bytes = whole.clone();
                bytes[HEADER + frame * FRAME + within] ^= 1;
                // The last commit may have been cut short, and nobody was told of it.
                let behind = if frame + 1 < frames { 7 - frame.max(1) as u64 } else { 0 };
                let found = tried(&bytes);
                assert_eq!(found, behind, "frame {frame}, byte {within}");
            }
        }
        let mut bytes = whole.clone();
        bytes[20] ^= 1;
        assert_eq!(tried(&bytes), 6, "the header");
        for left in [0, 10, HEADER, HEADER + FRAME, HEADER + 3 * FRAME + 100] {
            assert_eq!(tried(&whole[..left]), 0, "cut at {left}");
        }
    }

    #[test]
    fn what_an_earlier_round_left_is_no_damage() {
        let folder = tempfile::tempdir().unwrap();
        let old = log(folder.path());
        let conn = Connection::open(folder.path().join("state.db")).unwrap();
        conn.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true).unwrap();
        conn.query_row("PRAGMA wal_checkpoint(RESTART)", [], |_| Ok(())).unwrap();
        conn.execute("INSERT INTO t VALUES(9)", []).unwrap();
        let log = folder.path().join("state.db-wal");
        assert_eq!(fs::metadata(&log).unwrap().len(), old.len() as u64);
        assert_eq!(out_of_reach(&log).unwrap(), 0);
    }
}
