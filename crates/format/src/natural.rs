//! Natural order: digit runs compare as numbers, so that `T2` stands before `T10`.

use std::cmp::Ordering;

/// Compares two texts in natural order.
///
/// **Order**: both are split into runs of ASCII digits and other text; digit runs compare as
/// numbers of any length, everything else by bytes; a prefix comes first, full ties go by bytes.
pub fn compare(a: &str, b: &str) -> Ordering {
    let (mut left, mut right) = (a.as_bytes(), b.as_bytes());
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
        assert_eq!(compare("T99999999999999999999999", "T100000000000000000000000"), Ordering::Less);
    }

    proptest! {
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
