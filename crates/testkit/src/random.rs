//! Numbers that look like chance and are the same every time.

/// The seed where none is named.
pub const SEED: u64 = 20_261_201;

/// A small generator (splitmix64).
pub struct Random(u64);

impl Random {
    /// From a seed; the same one gives the same numbers.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next number.
    pub fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `limit`; 0 where there is none.
    pub fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.number() % (limit.max(1) as u64)).unwrap_or(0)
    }

    /// One of several things.
    pub fn pick<'a, T>(&mut self, things: &'a [T]) -> Option<&'a T> {
        things.get(self.below(things.len()))
    }
}

#[cfg(test)]
mod tests {
    use super::Random;

    #[test]
    fn a_seed_gives_the_same_numbers() {
        let numbers = |seed| (0..4).map(|_| Random::new(seed).below(1000)).collect::<Vec<_>>();
        assert_eq!(numbers(1), numbers(1));
        assert_eq!(Random::new(1).below(0), 0);
        assert_eq!(Random::new(1).pick::<u8>(&[]), None);
    }
}
