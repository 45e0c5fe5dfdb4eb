//! Phase ids: `4`, `04`, `4.5`, `6A`, compared as people number phases.

use std::cmp::Ordering;

/// The id of a phase, as it is written and as it compares.
///
/// **Order**: part by part as numbers without leading zeros, a letter behind the first part before
/// the further parts; `04` equals `4`, `4.5` does not.
#[derive(Clone, Debug)]
pub(super) struct PhaseId {
    text: String,
}

impl PhaseId {
    /// **Shape**: `[0-9]+[A-Z]?(\.[0-9]+)*`.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (id, rest) = Self::leading(text)?;
        rest.is_empty().then_some(id)
    }

    /// The id at the start of a text, and what follows it; `None` where more letters or digits do.
    pub(super) fn leading(text: &str) -> Option<(Self, &str)> {
        let bytes = text.as_bytes();
        let digits = |from: usize| bytes[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        let mut end = digits(0);
        if end == 0 {
            return None;
        }
        end += usize::from(bytes.get(end).is_some_and(u8::is_ascii_uppercase));
        while bytes.get(end) == Some(&b'.') && digits(end + 1) > 0 {
            end += 1 + digits(end + 1);
        }
        let rest = &text[end..];
        let bounded = !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_');
        bounded.then(|| (Self { text: text[..end].to_owned() }, rest))
    }

    /// The id as it was written.
    pub(super) fn as_str(&self) -> &str {
        &self.text
    }

    /// The number before the first letter or dot, without leading zeros.
    pub(super) fn whole(&self) -> &str {
        number(self.text.split(|c: char| !c.is_ascii_digit()).next().unwrap_or_default())
    }

    /// Whether it is the plain number `count`.
    pub(super) fn is_number(&self, count: u64) -> bool {
        number(&self.text) == count.to_string()
    }

    fn parts(&self) -> (&str, Option<u8>, impl Iterator<Item = &str>) {
        let (first, rest) =
            self.text.split_once('.').map_or((self.text.as_str(), None), |(first, rest)| (first, Some(rest)));
        let letter = first.bytes().last().filter(u8::is_ascii_uppercase);
        let first = first.trim_end_matches(|c: char| c.is_ascii_uppercase());
        (number(first), letter, rest.into_iter().flat_map(|rest| rest.split('.')).map(number))
    }
}

fn number(digits: &str) -> &str {
    let significant = digits.trim_start_matches('0');
    if significant.is_empty() { &digits[digits.len().saturating_sub(1)..] } else { significant }
}

fn compare_numbers(a: &str, b: &str) -> Ordering {
    a.len().cmp(&b.len()).then_with(|| a.cmp(b))
}

/// Compares two whole numbers of any length, written without leading zeros.
pub(super) fn at_most(number: &str, limit: u64) -> bool {
    compare_numbers(number, &limit.to_string()) != Ordering::Greater
}

impl PartialEq for PhaseId {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for PhaseId {}

impl PartialOrd for PhaseId {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for PhaseId {
    fn cmp(&self, other: &Self) -> Ordering {
        #[cfg(test)]
        super::tests::count_work();
        let ((a, a_letter, a_rest), (b, b_letter, b_rest)) = (self.parts(), other.parts());
        let (mut a_rest, mut b_rest) = (a_rest, b_rest);
        compare_numbers(a, b).then_with(|| a_letter.cmp(&b_letter)).then_with(|| {
            loop {
                match (a_rest.next(), b_rest.next()) {
                    (None, None) => return Ordering::Equal,
                    (None, Some(_)) => return Ordering::Less,
                    (Some(_), None) => return Ordering::Greater,
                    (Some(a), Some(b)) => match compare_numbers(a, b) {
                        Ordering::Equal => {}
                        order => return order,
                    },
                }
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_compare_part_by_part() {
        let mut ids = ["10", "4.5", "04", "4A", "4.10", "3.9.1", "0"].map(|text| PhaseId::parse(text).unwrap());
        ids.sort();
        assert_eq!(ids.each_ref().map(PhaseId::as_str), ["0", "3.9.1", "04", "4.5", "4.10", "4A", "10"]);
        let same = |a: &str, b: &str| PhaseId::parse(a) == PhaseId::parse(b);
        assert!(same("04", "4") && same("0", "00") && !same("4", "4.5") && !same("4", "4.0") && !same("4", "4A"));
        let long = PhaseId::parse("004.5").unwrap();
        assert_eq!((long.whole(), long.is_number(4)), ("4", false));
        assert!(at_most("4", 4) && at_most("0", 4) && !at_most("99999999999999999999999", 4));
    }

    #[test]
    fn an_id_ends_where_it_ends() {
        for text in ["", "x", "v2.0", "4th", "4.", "4.5.", "4a", "A4", "-1", "4 "] {
            assert_eq!(PhaseId::parse(text).map(|id| id.text), None, "{text:?}");
        }
        let (id, rest) = PhaseId::leading("4.5. of 9").unwrap();
        assert_eq!((id.as_str(), rest), ("4.5", ". of 9"));
        assert!(PhaseId::leading("2nd").is_none());
    }
}
