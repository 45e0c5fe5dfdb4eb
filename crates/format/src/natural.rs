//! Natural order: digit runs compare as numbers, so that `T2` stands before `T10`.

use std::cmp::Ordering;

/// Compares two texts in natural order.
///
/// **Order**: both are split into runs of ASCII digits and other text; digit runs compare as
/// numbers of any length, everything else by bytes; a prefix comes first, full ties go by bytes.
pub fn compare(a: &str, b: &str) -> Ordering {
    let start = last_common_run(a.as_bytes(), b.as_bytes());
    let (mut left, mut right) = (&a.as_bytes()[start..], &b.as_bytes()[start..]);
    loop {
        match (left.is_empty(), right.is_empty()) {
            (true, true) => return a.cmp(b),
            (true, false) => return Ordering::Less,
            (false, true) => return Ordering::Greater,
            (false, false) => {}
        }
        let (left_run, left_rest) = split_run(left);
        let (right_run, right_rest) = split_run(right);
        let order = if left_run[0].is_ascii_digit() && right_run[0].is_ascii_digit() {
            compare_numbers(left_run, right_run)
        } else {
            left_run.cmp(right_run)
        };
        if order != Ordering::Equal {
            return order;
        }
        (left, right) = (left_rest, right_rest);
    }
}

/// A text that is compared often: most pairs differ in the first number behind the same start.
///
/// **Order**: that of [`compare`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key<'a> {
    text: &'a str,
    /// The text before the first number, and that number, if it is not too long.
    start: Option<(&'a str, u64)>,
}

impl<'a> Key<'a> {
    /// The key of a text.
    pub fn new(text: &'a str) -> Self {
        let at = text.bytes().position(|byte| byte.is_ascii_digit());
        let start = at.and_then(|at| {
            let digits = text[at..].bytes().take_while(u8::is_ascii_digit).count();
            text[at..at + digits].parse().ok().map(|number| (&text[..at], number))
        });
        Self { text, start }
    }
}

impl Ord for Key<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self.start, other.start) {
            (Some((start, number)), Some((other_start, other_number)))
                if number != other_number && start == other_start =>
            {
                number.cmp(&other_number)
            }
            _ => compare(self.text, other.text),
        }
    }
}

impl PartialOrd for Key<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

// Where the last run begins that both may share only in part; what stands before it is the same in both.
//
// Of a run of text its last common byte is enough: such runs compare by bytes. The ids of one project begin alike.
fn last_common_run(a: &[u8], b: &[u8]) -> usize {
    let common = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let digits = a[..common].iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    if digits == 0 { common.saturating_sub(1) } else { common - digits }
}

fn split_run(text: &[u8]) -> (&[u8], &[u8]) {
    let digits = text[0].is_ascii_digit();
    let end = text.iter().position(|byte| byte.is_ascii_digit() != digits).unwrap_or(text.len());
    text.split_at(end)
}

fn compare_numbers(a: &[u8], b: &[u8]) -> Ordering {
    let significant = |run: &[u8]| run.iter().position(|digit| *digit != b'0').unwrap_or(run.len());
    let (a, b) = (&a[significant(a)..], &b[significant(b)..]);
    a.len().cmp(&b.len()).then_with(|| a.cmp(b))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn sorts_as_people_count() {
        let mut ids = vec!["T10", "T2", "T", "T02", "a1b", "a1", "T2.10", "T2.9", "10", "9", "", "t1"];
        ids.sort_by(|a, b| compare(a, b));
        assert_eq!(ids, ["", "9", "10", "T", "T02", "T2", "T2.9", "T2.10", "T10", "a1", "a1b", "t1"]);
    }

    #[test]
    fn numbers_may_have_any_length() {
        let (less, more) = ("T99999999999999999999999", "T100000000000000000000000");
        assert_eq!(compare(less, more), Ordering::Less);
        for (a, b) in [(less, more), ("T9", less), ("T18446744073709551615", "T18446744073709551616")] {
            assert_eq!(Key::new(a).cmp(&Key::new(b)), Ordering::Less, "{a} {b}");
        }
    }

    // The order as its description says it, run by run from the start.
    fn by_runs(a: &str, b: &str) -> Ordering {
        let runs = |text: &str| {
            let bytes: Vec<u8> = text.bytes().collect();
            let runs = bytes.chunk_by(|a, b| a.is_ascii_digit() == b.is_ascii_digit());
            runs.map(<[u8]>::to_vec).collect::<Vec<_>>()
        };
        let (left, right) = (runs(a), runs(b));
        let pairs = left.iter().zip(&right).map(|(left, right)| {
            if left[0].is_ascii_digit() && right[0].is_ascii_digit() {
                compare_numbers(left, right)
            } else {
                left.cmp(right)
            }
        });
        let differs = pairs.into_iter().find(|order| order.is_ne());
        differs.unwrap_or_else(|| left.len().cmp(&right.len()).then_with(|| a.cmp(b)))
    }

    proptest! {
        #[test]
        fn what_begins_alike_is_skipped_rightly(start in "[a0-2-]{0,5}", a in "[ab0-2-]{0,4}", b in "[ab0-2-]{0,4}") {
            let (a, b) = (start.clone() + &a, start + &b);
            prop_assert_eq!(compare(&a, &b), by_runs(&a, &b));
            prop_assert_eq!(Key::new(&a).cmp(&Key::new(&b)), by_runs(&a, &b));
        }

        #[test]
        fn is_a_total_order(a in "[T0-9.-]{0,6}", b in "[T0-9.-]{0,6}", c in "[T0-9.-]{0,6}") {
            prop_assert_eq!(compare(&a, &b), compare(&b, &a).reverse());
            prop_assert_eq!(compare(&a, &b) == Ordering::Equal, a == b);
            if compare(&a, &b) != Ordering::Greater && compare(&b, &c) != Ordering::Greater {
                prop_assert_ne!(compare(&a, &c), Ordering::Greater);
            }
        }
    }
}
