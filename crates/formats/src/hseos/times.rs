//! Times as they are stored, compared and shown.

use std::borrow::Cow;

use model::Timestamp;

/// Reads a stored time: RFC 3339, or the `YYYY-MM-DD HH:MM:SS` of `SQLite` as UTC.
pub(super) fn parse(text: &str) -> Option<Timestamp> {
    let civil = |form| Timestamp::parse_utc(form, text);
    Timestamp::parse_rfc3339(text).or_else(|| civil("%Y-%m-%d %H:%M:%S")).or_else(|| civil("%Y-%m-%d %H:%M:%S%.f"))
}

/// The millisecond form of a stored time; `None` where it cannot be read.
///
/// Texts in this form compare by bytes as their instants do.
pub(super) fn to_millis(text: &str) -> Option<Cow<'_, str>> {
    if is_certain(text, MILLIS) {
        Some(Cow::Borrowed(text))
    } else if is_certain(text, SQLITE) {
        Some(Cow::Owned([&text[..10], "T", &text[11..], ".000Z"].concat()))
    } else {
        parse(text).map(|at| Cow::Owned(at.to_millis_text()))
    }
}

/// A stored time as replies give it: readable ones in the millisecond form, others verbatim.
pub(super) fn shown(text: &str) -> Cow<'_, str> {
    to_millis(text).unwrap_or(Cow::Borrowed(text))
}

/// The newest of some stored times; unreadable ones are oldest.
pub(super) fn newest<'a>(times: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    times.map(|text| (to_millis(text), text)).max().map(|(_, text)| text)
}

/// The two forms that long lists are full of, a digit for each `d`.
const MILLIS: &[u8] = b"dddd-dd-ddTdd:dd:dd.dddZ";
const SQLITE: &[u8] = b"dddd-dd-dd dd:dd:dd";

/// Whether the text is certainly a valid time in the form; a quick look, which does not know how long months are.
fn is_certain(text: &str, form: &[u8]) -> bool {
    let bytes = text.as_bytes();
    let fits = bytes.len() == form.len()
        && bytes.iter().zip(form).all(|(byte, form)| if *form == b'd' { byte.is_ascii_digit() } else { byte == form });
    fits && ("01"..="12").contains(&&text[5..7])
        && ("01"..="28").contains(&&text[8..10])
        && &text[11..13] < "24"
        && &text[14..16] < "60"
        && &text[17..19] < "60"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_both_forms() {
        let form = |text| to_millis(text).map(Cow::into_owned);
        let cases = [
            ("2026-01-02T03:04:05.678Z", Some("2026-01-02T03:04:05.678Z")),
            ("2026-01-02 03:04:05", Some("2026-01-02T03:04:05.000Z")),
            ("2026-12-28 23:59:59", Some("2026-12-28T23:59:59.000Z")),
            ("2026-01-02 24:04:05", None),
            ("2026-02-30 03:04:05", None),
            ("2026-01-02 03:04:05.5", Some("2026-01-02T03:04:05.500Z")),
            ("2026-01-31T03:04:05Z", Some("2026-01-31T03:04:05.000Z")),
            ("2026-01-02T05:04:05+02:00", Some("2026-01-02T03:04:05.000Z")),
            ("2026-02-30T03:04:05.678Z", None),
            ("2026-13-02T03:04:05.678Z", None),
            ("yesterday", None),
            ("", None),
        ];
        for (text, expected) in cases {
            assert_eq!(form(text).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn compares_by_instant_and_unreadable_text_is_oldest() {
        let times = ["zzz", "2026-01-02 03:04:06", "2026-01-02T03:04:05.999Z"];
        assert_eq!(newest(times.into_iter()), Some("2026-01-02 03:04:06"));
        assert_eq!(newest(["b", "a"].into_iter()), Some("b"));
        assert_eq!(newest(std::iter::empty()), None);
    }
}
