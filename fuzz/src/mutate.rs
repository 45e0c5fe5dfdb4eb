//! New inputs out of old ones: what parsers trip over, by chance but not blindly.

use testkit::random::Random;

/// Most inputs stay below this; few grow to [`HUGE`]. **Units**: bytes.
const USUAL: usize = 16 * 1024;

/// The largest input. **Units**: bytes.
const HUGE: usize = 2 * 1024 * 1024;

/// One input in so many may be huge.
const RARELY: usize = 400;

/// What is awkward in any format.
const AWKWARD: &[&[u8]] = &[
    b"",
    b"\0",
    b"\r",
    b"\r\n",
    b"\n\n",
    b"\xef\xbb\xbf",
    b"\xff\xfe",
    b"\xc3",
    b"\xed\xa0\x80",
    b"\xf4\x90\x80\x80",
    "\u{202e}".as_bytes(),
    "\u{2028}".as_bytes(),
    "\u{e0001}".as_bytes(),
    b"\x1b[2J",
    b"-1",
    b"1e999",
    b"9007199254740993",
    b"18446744073709551616",
    b"\\ud800",
    b"null",
    b"{}",
    b"[]",
    b"../",
    b"<<<<<<< HEAD\n",
    b"=======\n",
    b">>>>>>> other\n",
];

/// What opens, and what closes it.
const BRACKETS: &[(&[u8], &[u8])] =
    &[(b"[", b"]"), (b"{\"a\":", b"}"), (b"> ", b""), (b"- ", b""), (b"(", b")"), (b"`", b"`")];

/// What new inputs are made from.
pub(crate) struct Mutator {
    pub(crate) seeds: Vec<Vec<u8>>,
    pub(crate) words: Vec<Vec<u8>>,
    pub(crate) random: Random,
}

impl Mutator {
    /// The next input.
    pub(crate) fn next(&mut self) -> Vec<u8> {
        let mut bytes = self.seed();
        for _ in 0..=self.random.below(8) {
            self.change(&mut bytes);
        }
        let limit = if self.random.below(RARELY) == 0 { HUGE } else { USUAL };
        if limit == HUGE && !bytes.is_empty() {
            let times = HUGE / bytes.len();
            bytes = bytes.repeat(self.random.below(times).max(1));
        }
        bytes.truncate(limit);
        bytes
    }

    fn seed(&mut self) -> Vec<u8> {
        self.random.pick(&self.seeds).cloned().unwrap_or_default()
    }

    fn word(&mut self) -> Vec<u8> {
        if self.random.below(3) == 0 || self.words.is_empty() {
            return self.random.pick(AWKWARD).map(|word| word.to_vec()).unwrap_or_default();
        }
        self.random.pick(&self.words).cloned().unwrap_or_default()
    }

    fn change(&mut self, bytes: &mut Vec<u8>) {
        let at = self.random.below(bytes.len() + 1);
        let end = at + self.random.below(bytes.len() - at + 1);
        match self.random.below(12) {
            0 => {
                let bit = self.random.below(8);
                if let Some(byte) = bytes.get_mut(at) {
                    *byte ^= 1 << bit;
                }
            }
            1 => {
                let value = u8::try_from(self.random.below(256)).unwrap_or_default();
                bytes.insert(at, value);
            }
            2..=4 => {
                let word = self.word();
                bytes.splice(at..at, word);
            }
            5 => {
                let word = self.word();
                bytes.splice(at..end, word);
            }
            6 => drop(bytes.drain(at..end)),
            7 => {
                let part = bytes[at..end].to_vec();
                bytes.splice(at..at, part);
            }
            8 => self.repeat(bytes, at),
            9 => self.splice_lines(bytes),
            10 => self.swap_lines(bytes),
            _ => bytes.truncate(at),
        }
    }

    /// Something again and again, perhaps with what closes it.
    fn repeat(&mut self, bytes: &mut Vec<u8>, at: usize) {
        let times = 1 << self.random.below(14);
        let (open, close) = match self.random.below(2) {
            0 => (self.word(), Vec::new()),
            _ => self.random.pick(BRACKETS).map(|(open, close)| (open.to_vec(), close.to_vec())).unwrap_or_default(),
        };
        bytes.splice(at..at, [open.repeat(times), close.repeat(times)].concat());
    }

    /// The beginning of this and the end of another seed, cut between lines.
    fn splice_lines(&mut self, bytes: &mut Vec<u8>) {
        let other = self.seed();
        let (own, others) = (self.line_start(bytes), self.line_start(&other));
        bytes.truncate(own);
        bytes.extend_from_slice(&other[others..]);
    }

    /// A line goes elsewhere.
    fn swap_lines(&mut self, bytes: &mut Vec<u8>) {
        let from = self.line_start(bytes);
        let length = bytes[from..].iter().position(|byte| *byte == b'\n').map_or(bytes.len() - from, |end| end + 1);
        let line: Vec<u8> = bytes.drain(from..from + length).collect();
        let to = self.line_start(bytes);
        bytes.splice(to..to, line);
    }

    fn line_start(&mut self, bytes: &[u8]) -> usize {
        let ends = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1);
        let starts: Vec<usize> = std::iter::once(0).chain(ends).collect();
        self.random.pick(&starts).copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::{HUGE, Mutator};
    use testkit::random::Random;

    #[test]
    fn the_same_seed_makes_the_same_inputs() {
        let inputs = |seed: u64| -> Vec<Vec<u8>> {
            let seeds = vec![b"# One\n\n- [ ] T1\n".to_vec(), b"{\"a\":[1,2]}".to_vec()];
            let mut mutator = Mutator { seeds, words: vec![b"- [x] ".to_vec()], random: Random::new(seed) };
            (0..200).map(|_| mutator.next()).collect()
        };
        assert_eq!(inputs(7), inputs(7));
        assert_ne!(inputs(7), inputs(8));
        assert!(inputs(7).iter().all(|bytes| bytes.len() <= HUGE));
    }
}
