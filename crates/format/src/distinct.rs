//! Lists in which everything stands once.

use std::collections::HashSet;
use std::hash::Hash;

/// Each item once, where it stood first, in time that grows with the list and not with its square.
pub fn distinct<T: Copy + Eq + Hash>(items: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut seen = HashSet::new();
    items.into_iter().filter(|item| seen.insert(*item)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;
    use std::hash::Hasher;

    thread_local! {
        static COMPARED: Cell<usize> = const { Cell::new(0) };
    }

    #[derive(Clone, Copy, Debug)]
    struct Counted(usize);

    impl PartialEq for Counted {
        fn eq(&self, other: &Self) -> bool {
            COMPARED.set(COMPARED.get() + 1);
            self.0 == other.0
        }
    }

    impl Eq for Counted {}

    impl Hash for Counted {
        fn hash<H: Hasher>(&self, state: &mut H) {
            self.0.hash(state);
        }
    }

    #[test]
    fn the_first_of_each_stays_at_little_work() {
        assert_eq!(distinct(["b", "a", "b", "c", "a"]), ["b", "a", "c"]);
        let count = 10_000;
        assert_eq!(distinct((0..count).chain(0..count).map(Counted)).len(), count);
        assert!(COMPARED.get() < 4 * count, "{} comparisons", COMPARED.get());
    }
}
