//! Numbers that look like chance and are the same every time.

use crate::arguments::Arguments;

/// The seed where none is named.
pub(crate) const SEED: u64 = 20_261_201;

/// A small generator (splitmix64).
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// What `--seed N` says.
    pub(crate) fn seed(arguments: &mut Arguments) -> Result<u64, String> {
        match arguments.value("--seed")? {
            None => Ok(SEED),
            Some(text) => text.parse().map_err(|error| format!("--seed {text}: {error}")),
        }
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `limit`; 0 where there is none.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        let limit = u64::try_from(limit).unwrap_or(u64::MAX).max(1);
        usize::try_from(self.next() % limit).unwrap_or(0)
    }
}
