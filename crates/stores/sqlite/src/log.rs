//! Frames of `SQLite`'s write-ahead log: what is whole, what is damaged, what is a torn tail.
//!
//! `SQLite` ends a log at the first frame whose sum is wrong, says nothing, and writes over the rest. After a
//! power failure that is right: each transaction is synced before the next one is begun, so only the last one
//! can be torn. Damage is a wrong frame with a commit behind it upon which another transaction was built.
//! What hits the last transaction alone cannot be told from a torn one, nor a log that was cut off.
//!
//! **Source**: "The Write-Ahead Log" in `SQLite`'s description of its file format.

use std::fmt::{self, Display, Formatter};
use std::fs::{File, OpenOptions};
use std::io::{self, BufReader, ErrorKind, Read};
use std::os::unix::fs::FileExt;
use std::path::Path;

use rusqlite::{Connection, MAIN_DB};

use crate::error::Outcome;
use crate::file;

/// How many bytes the log begins with, before its frames.
const HEADER: usize = 32;

/// How many bytes each frame begins with, before its page.
const FRAME: usize = 24;

/// How many bytes a page of ours has.
const PAGE: usize = 4096;

/// The first word of a log whose sums are over little-endian words; the next number stands for big-endian.
const MAGIC: u32 = 0x377f_0682;

/// The one version of the format.
const VERSION: u32 = 3_007_000;

/// Asks how many frames of the log are in use, and does nothing; outside a transaction.
const COUNT: &str = "PRAGMA main.wal_checkpoint(NOOP)";

/// Empties the log, once all that counts in it is in the database; does nothing while others need it.
const EMPTY: &str = "PRAGMA main.wal_checkpoint(TRUNCATE)";

const LOCK: &str = "BEGIN IMMEDIATE";
const UNLOCK: &str = "ROLLBACK";

/// What is wrong with a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Damage {
    /// The first frame that is not what was written, counted from 1; 0 for the beginning of the log.
    frame: u64,
    /// How many commits stand there and behind.
    pub(crate) commits: u64,
}

impl Display for Damage {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.frame {
            0 => f.write_str("its write-ahead log does not begin as one")?,
            frame => write!(f, "frame {frame} of its write-ahead log is not what was written")?,
        }
        match self.commits {
            0 => f.write_str(", and what it held cannot be told"),
            1 => f.write_str("; one commit that stands there is not read, and a write would destroy it"),
            some => write!(f, "; {some} commits that stand there are not read, and a write would destroy them"),
        }
    }
}

/// Looks behind what `SQLite` reads of the log.
///
/// Its opening has summed the frames up; so it is enough to look whether the log goes on behind the last one that
/// it counts. Only where it seems to, all frames are looked at.
pub(crate) fn look(conn: &Connection, database: &Path) -> Outcome<Option<Damage>> {
    // Where nobody can write nothing is destroyed, and `SQLite` does not count.
    if conn.is_readonly(MAIN_DB)? {
        return Ok(None);
    }
    let count: i64 = conn.query_one(COUNT, [], |row| row.get(1))?;
    // Below zero where there is no log, in another journal mode.
    let Ok(count) = u64::try_from(count) else { return Ok(None) };
    match behind(database, count)? {
        Behind::Nothing => Ok(None),
        Behind::Frames => look_through(conn, database),
        // `SQLite` takes it for empty, and would begin the next log with the salts that it reads there: those of the
        // old frames, which would then look like a part of it. So they go.
        Behind::TornStart => {
            conn.query_one(EMPTY, [], |_| Ok(()))?;
            Ok(None)
        }
    }
}

/// Looks through the whole log; where it seems damaged, once more with writers kept out.
pub(crate) fn look_through(conn: &Connection, database: &Path) -> Outcome<Option<Damage>> {
    let seen = through(database)?;
    if seen.is_none() || conn.is_readonly(MAIN_DB)? {
        return Ok(seen);
    }
    conn.execute_batch(LOCK)?;
    let damage = through(database);
    conn.execute_batch(UNLOCK)?;
    damage
}

/// What stands in the log behind the last frame that counts.
enum Behind {
    /// At most frames of an earlier age.
    Nothing,
    /// What may be frames of the same age.
    Frames,
    /// Frames of an earlier age behind a beginning that is half a new one.
    TornStart,
}

/// Looks for frames of the same age as the log.
///
/// Old frames keep the salts of their time. The gaps double from look to look: a damaged stretch hides what is
/// behind it only if it is the longer one.
fn behind(database: &Path, count: u64) -> Outcome<Behind> {
    let Some(log) = open(database)? else { return Ok(Behind::Nothing) };
    let length = log.metadata()?.len();
    let mut start = [0; HEADER];
    if length < HEADER as u64 {
        return Ok(Behind::Nothing);
    }
    log.read_exact_at(&mut start, 0)?;
    let header = match Start::of(&start) {
        Start::Whole(header) => header,
        Start::Torn => return Ok(Behind::TornStart),
        Start::Wrong => return Ok(Behind::Frames),
    };
    if count == 0 {
        return Ok(Behind::Frames);
    }
    let size = (FRAME + header.page) as u64;
    let mut step = 1;
    loop {
        let mut salts = [0; 8];
        let at = HEADER as u64 + (count + step - 1) * size;
        if at + size > length {
            return Ok(Behind::Nothing);
        }
        log.read_exact_at(&mut salts, at + 8)?;
        if salts == header.salts {
            return Ok(Behind::Frames);
        }
        step *= 2;
    }
}

fn through(database: &Path) -> Outcome<Option<Damage>> {
    Ok(open(database)?.map_or(Ok(None), |log| judge(&mut BufReader::new(log)))?)
}

/// Makes each frame up to the last commit one that `SQLite` reads, whatever its page says by now.
///
/// For a copy: it is read by those who expect pages to be damaged.
pub(crate) fn chain_anew(database: &Path) -> Outcome<()> {
    let path = file::log_of(database);
    let Some(log) = open(database)? else { return Ok(()) };
    let last = frames(&mut BufReader::new(&log))?.map_or(0, |(_, walk)| walk.last_commit);
    if last == 0 {
        return Ok(());
    }
    let log = OpenOptions::new().read(true).write(true).open(path)?;
    let mut start = [0; HEADER];
    log.read_exact_at(&mut start, 0)?;
    let mut salts = [0; 8];
    log.read_exact_at(&mut salts, (HEADER + 8) as u64)?;
    let header = Start::of(&start).or_guessed(salts);
    start[..4].copy_from_slice(&(MAGIC + u32::from(header.order == Order::Big)).to_be_bytes());
    start[4..8].copy_from_slice(&VERSION.to_be_bytes());
    start[8..12].copy_from_slice(&u32::try_from(header.page).expect("a page is small").to_be_bytes());
    start[16..24].copy_from_slice(&header.salts);
    let mut sums = Sums::default().over(&start[..24], header.order);
    start[24..].copy_from_slice(&sums.to_bytes());
    log.write_all_at(&start, 0)?;
    let size = FRAME + header.page;
    let (mut before, mut frame) = (Vec::new(), vec![0; size]);
    for number in 0..last {
        let at = HEADER as u64 + number * size as u64;
        log.read_exact_at(&mut frame, at)?;
        if frame[..4] == [0; 4] && !before.is_empty() {
            // A frame without a page would end the log; the one before it once more changes nothing.
            frame.clone_from(&before);
            frame[4..8].fill(0);
        }
        frame[8..16].copy_from_slice(&header.salts);
        sums = sums.over(&frame[..8], header.order).over(&frame[FRAME..], header.order);
        frame[16..FRAME].copy_from_slice(&sums.to_bytes());
        log.write_all_at(&frame, at)?;
        before.clone_from(&frame);
    }
    Ok(())
}

// The log has no locks of its own, so opening and closing it takes none away.
fn open(database: &Path) -> Outcome<Option<File>> {
    match File::open(file::log_of(database)) {
        Ok(log) => Ok(Some(log)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// In which order the bytes of a word are summed up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    Little,
    Big,
}

/// The two running sums over the log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Sums(u32, u32);

impl Sums {
    fn over(self, bytes: &[u8], order: Order) -> Self {
        let word = |bytes: &[u8]| match order {
            Order::Little => u32::from_le_bytes(bytes.try_into().expect("four bytes")),
            Order::Big => word(bytes),
        };
        bytes.chunks_exact(8).fold(self, |Self(first, second), pair| {
            let first = first.wrapping_add(word(&pair[..4])).wrapping_add(second);
            Self(first, second.wrapping_add(word(&pair[4..])).wrapping_add(first))
        })
    }

    fn stored(bytes: &[u8]) -> Self {
        Self(word(&bytes[..4]), word(&bytes[4..8]))
    }

    fn to_bytes(self) -> [u8; 8] {
        let mut bytes = [0; 8];
        bytes[..4].copy_from_slice(&self.0.to_be_bytes());
        bytes[4..].copy_from_slice(&self.1.to_be_bytes());
        bytes
    }
}

fn word(bytes: &[u8]) -> u32 {
    u32::from_be_bytes(bytes.try_into().expect("four bytes"))
}

/// What the beginning of a log says about its frames.
#[derive(Clone, Copy, Debug)]
struct Header {
    order: Order,
    page: usize,
    salts: [u8; 8],
}

/// The beginning of a log.
enum Start {
    Whole(Header),
    /// A power failure may leave it so; all that the log held is in the database by then.
    Torn,
    Wrong,
}

impl Start {
    fn of(bytes: &[u8; HEADER]) -> Self {
        let magic = word(&bytes[..4]);
        let is_empty = |part: &[u8]| part.iter().all(|byte| *byte == 0);
        let (head, tail) = bytes.split_at(HEADER / 2);
        if is_empty(head) || (is_empty(tail) && magic & !1 == MAGIC) {
            return Self::Torn;
        }
        let order = if magic & 1 == 0 { Order::Little } else { Order::Big };
        let (page, sums) = (word(&bytes[8..12]) as usize, Sums::stored(&bytes[24..]));
        let is_page = page.is_power_of_two() && (512..=65536).contains(&page);
        if magic & !1 != MAGIC || word(&bytes[4..8]) != VERSION || !is_page {
            return Self::Wrong;
        }
        let sound = |bytes: &[u8; HEADER]| Sums::default().over(&bytes[..24], order) == sums;
        if sound(bytes) {
            let salts = bytes[16..24].try_into().expect("eight bytes");
            return Self::Whole(Header { order, page, salts });
        }
        // Begun anew, with one more in the count, and torn after that.
        let mut before = *bytes;
        before[12..16].copy_from_slice(&word(&bytes[12..16]).wrapping_sub(1).to_be_bytes());
        if sound(&before) { Self::Torn } else { Self::Wrong }
    }

    /// The header, or what the first frame lets guess of it.
    fn or_guessed(self, salts: [u8; 8]) -> Header {
        match self {
            Self::Whole(header) => header,
            _ => Header { order: Order::Little, page: PAGE, salts },
        }
    }
}

/// What a walk along the frames has seen.
#[derive(Clone, Copy, Debug, Default)]
struct Walk {
    /// The first frame that does not follow from the ones before it.
    wrong: Option<u64>,
    /// How many transactions end there and behind, but for a torn one.
    commits: u64,
    /// Whether a transaction was built upon one of those.
    is_built_upon: bool,
    /// The last frame of the last of all transactions, but for a torn one.
    last_commit: u64,
}

impl Walk {
    fn commit(&mut self, frame: u64) {
        self.last_commit = frame;
        self.commits += u64::from(self.wrong.is_some());
    }
}

// Walks along the frames; nothing where the log has no beginning that says anything.
fn frames(log: &mut impl Read) -> io::Result<Option<(Start, Walk)>> {
    let mut bytes = [0; HEADER];
    if !fill(log, &mut bytes)? {
        return Ok(None);
    }
    let start = Start::of(&bytes);
    let mut header = match start {
        Start::Whole(header) => Some(header),
        Start::Torn => return Ok(None),
        Start::Wrong => None,
    };
    let mut frame = vec![0; FRAME + header.map_or(PAGE, |header| header.page)];
    let mut walk = Walk::default();
    // The sums so far as they are stored and as they come out: one of them is what the next frame was built upon.
    let order = header.map_or(Order::Little, |header| header.order);
    let mut before = [Sums::stored(&bytes[24..]), Sums::default().over(&bytes[..24], order)];
    // Whether the frame before ended a transaction, and whether one is whole since it began.
    let (mut is_behind_end, mut is_whole) = (false, true);
    for number in 1.. {
        if !fill(log, &mut frame)? {
            break;
        }
        let salts: [u8; 8] = frame[8..16].try_into().expect("eight bytes");
        let header = *header.get_or_insert_with(|| Start::Wrong.or_guessed(salts));
        let is_of_now = salts == header.salts && frame[..4] != [0; 4];
        let stored = Sums::stored(&frame[16..FRAME]);
        let sum_up = |sums: Sums| sums.over(&frame[..8], header.order).over(&frame[FRAME..], header.order);
        let sums = sum_up(before[0]);
        let follows = is_of_now && (sums == stored || (before[1] != before[0] && sum_up(before[1]) == stored));
        if follows && is_behind_end {
            walk.is_built_upon |= walk.wrong.is_some();
            if walk.last_commit < number - 1 {
                walk.commit(number - 1);
            }
        }
        if !follows || matches!(start, Start::Wrong) {
            walk.wrong = walk.wrong.or(Some(number));
        }
        is_whole &= follows;
        is_behind_end = frame[4..8] != [0; 4];
        if is_behind_end {
            if is_whole {
                walk.commit(number);
            }
            is_whole = true;
        }
        before = [stored, sums];
    }
    Ok(Some((start, walk)))
}

fn judge(log: &mut impl Read) -> io::Result<Option<Damage>> {
    Ok(frames(log)?.and_then(|(start, walk)| match start {
        Start::Wrong => Some(Damage { frame: 0, commits: walk.commits }),
        _ if walk.is_built_upon => Some(Damage { frame: walk.wrong.unwrap_or_default(), commits: walk.commits }),
        _ => None,
    }))
}

// Whether there was as much.
fn fill(from: &mut impl Read, buffer: &mut [u8]) -> io::Result<bool> {
    match from.read_exact(buffer) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::UnexpectedEof => Ok(false),
        Err(error) => Err(error),
    }
}
