//! Where the project stands, read out of the values of `Phase`, `Plan`, `Progress` and dates.

use super::phase_id::PhaseId;

/// A value that stands only for what belongs there: `[…]`, the first bracket closed by the last.
pub(super) fn is_placeholder(value: &str) -> bool {
    let mut depth = 0_usize;
    let closes = |(_, c): &(usize, char)| {
        match c {
            '[' => depth += 1,
            ']' => depth -= 1,
            _ => {}
        }
        depth == 0
    };
    value.starts_with('[') && value.char_indices().find(closes).is_some_and(|(at, _)| at + 1 == value.len())
}

/// A value that says something: neither blank nor a placeholder.
pub(super) fn said(value: &str) -> Option<&str> {
    Some(value).filter(|value| !value.is_empty() && !is_placeholder(value))
}

/// What a `Phase` value says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Position {
    /// The phase.
    pub(super) id: PhaseId,
    /// How many phases there are, as it is written.
    pub(super) total: Option<String>,
    /// The phase's name.
    pub(super) name: Option<String>,
}

impl Position {
    /// Reads `N of M (Name)` and the other forms that people write.
    ///
    /// **Shape**: `Phase N …`, `CODE-N …`, `N (Name) — STATE`, `N — Name`; capitals only are a state.
    pub(super) fn parse(value: &str) -> Option<Self> {
        let value = said(value.trim())?;
        let (id, rest) = PhaseId::leading(without_prefix(value))?;
        let rest = rest.trim_start();
        let (total, rest) = match rest.strip_prefix("of ").map(str::trim_start) {
            Some(behind) => {
                let end = behind.find(|c: char| c.is_whitespace() || c == '(').unwrap_or(behind.len());
                (Some(behind[..end].to_owned()).filter(|total| is_whole(total)), behind[end..].trim_start())
            }
            None => (None, rest),
        };
        let name = match rest.strip_prefix('(') {
            Some(inner) => matching(inner),
            None => rest.strip_prefix(['—', '–', '-']).map(str::trim).filter(|name| !is_state(name)),
        };
        Some(Self { id, total, name: name.map(str::trim).filter(|name| is_name(name)).map(str::to_owned) })
    }
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && !text.starts_with('[')
}

fn is_state(text: &str) -> bool {
    text.chars().any(char::is_alphabetic) && !text.chars().any(char::is_lowercase)
}

/// Whether a text is digits only.
pub(super) fn is_whole(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn without_prefix(value: &str) -> &str {
    let worded = value.get(..6).filter(|word| word.eq_ignore_ascii_case("phase ")).map(|_| value[6..].trim_start());
    let value = worded.unwrap_or(value);
    let code = value.split_once('-').filter(|(code, rest)| {
        code.starts_with(|c: char| c.is_ascii_alphabetic())
            && code.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
            && rest.starts_with(|c: char| c.is_ascii_digit())
    });
    code.map_or(value, |(_, rest)| rest)
}

/// The text up to the parenthesis that closes the one before it.
fn matching(inner: &str) -> Option<&str> {
    let mut depth = 0_usize;
    for (at, c) in inner.char_indices() {
        match c {
            '(' => depth += 1,
            ')' if depth == 0 => return Some(&inner[..at]),
            ')' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// What a `Plan` value says: `A of B` and what follows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PlanValue<'t> {
    /// The plan.
    pub(super) current: u64,
    /// How many there are; `None` for `?`.
    pub(super) total: Option<u64>,
    /// Everything from ` of` on, as it stands.
    pub(super) rest: &'t str,
}

impl<'t> PlanValue<'t> {
    /// Reads `A of B …` with whole numbers; B may be `?`.
    pub(super) fn parse(value: &'t str) -> Option<Self> {
        let digits = value.bytes().take_while(u8::is_ascii_digit).count();
        let (current, rest) = value.split_at(digits);
        let behind =
            rest.trim_start().strip_prefix("of ").filter(|_| rest.starts_with(char::is_whitespace))?.trim_start();
        let end = behind.find(|c: char| !c.is_ascii_digit()).unwrap_or(behind.len());
        let total = if let Some(after) = behind.strip_prefix('?') {
            ends_word(after).then_some(None)?
        } else {
            Some(behind[..end].parse().ok().filter(|_| ends_word(&behind[end..]))?)
        };
        Some(Self { current: current.parse().ok()?, total, rest })
    }
}

fn ends_word(rest: &str) -> bool {
    let goes_on = |c: char| c.is_alphanumeric() || c == '_';
    let has_fraction = rest.strip_prefix('.').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    !rest.starts_with(goes_on) && !has_fraction
}

/// The plan id at the start of a `Current Plan` value.
pub(super) fn plan_id(value: &str) -> Option<&str> {
    let end = value.find(|c: char| c.is_whitespace()).unwrap_or(value.len());
    let id = &value[..end];
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b".-".contains(&byte);
    (id.starts_with(|c: char| c.is_ascii_digit()) && id.bytes().all(allowed)).then_some(id)
}

/// The whole number at the start of a value.
pub(super) fn leading_number(value: &str) -> Option<u64> {
    let digits = value.bytes().take_while(u8::is_ascii_digit).count();
    value[..digits].parse().ok().filter(|_| ends_word(&value[digits..]))
}

/// The date `YYYY-MM-DD` at the start of a text, and what follows it.
pub(super) fn leading_date(text: &str) -> Option<(&str, &str)> {
    let date = text.get(..10)?;
    let shape = date
        .bytes()
        .enumerate()
        .all(|(at, byte)| if matches!(at, 4 | 7) { byte == b'-' } else { byte.is_ascii_digit() });
    let rest = &text[10..];
    (shape && !rest.starts_with(|c: char| c.is_ascii_digit())).then_some((date, rest))
}

/// What follows the date: the text behind ` — `.
pub(super) fn activity_text(rest: &str) -> Option<&str> {
    rest.trim_start().strip_prefix('—').map(str::trim).filter(|text| !text.is_empty())
}

/// The percentage in a `Progress` value.
pub(super) fn percent_in(value: &str) -> Option<u64> {
    let (before, _) = value.split_once('%')?;
    let digits = before.bytes().rev().take_while(u8::is_ascii_digit).count();
    before[before.len() - digits..].parse().ok()
}

/// A bar of ten cells.
pub(super) fn bar(percent: u64) -> String {
    let full = usize::try_from(percent / 10).unwrap_or(10).min(10);
    format!("[{}{}]", "█".repeat(full), "░".repeat(10 - full))
}

/// A `Progress` value with another bar at its start; the text behind the bar stays.
pub(super) fn with_bar(value: &str, bar: &str) -> String {
    let mut rest = value;
    if let Some((cells, behind)) = rest.strip_prefix('[').and_then(|inner| inner.split_once(']'))
        && cells.chars().all(|c| matches!(c, '█' | '░' | '#' | '=' | '-' | '.' | ' ' | '>'))
    {
        rest = behind.trim_start();
    }
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    if let Some(behind) = rest[digits..].strip_prefix('%').filter(|_| digits > 0) {
        rest = behind;
    } else if !rest.is_empty() {
        return format!("{bar} {}", rest.trim_start());
    }
    format!("{bar}{rest}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_read_in_every_form() {
        let read = |value: &str| {
            let position = Position::parse(value)?;
            Some(format!(
                "{} / {} / {}",
                position.id.as_str(),
                position.total.unwrap_or_default(),
                position.name.unwrap_or_default()
            ))
        };
        for (value, expected) in [
            ("2 of 3 (Ledger)", Some("2 / 3 / Ledger")),
            ("Phase 4.5 of 9", Some("4.5 / 9 / ")),
            ("QAY-3 of 7 (Pier (north) end) x", Some("3 / 7 / Pier (north) end")),
            ("2 (Ledger) — EXECUTING", Some("2 /  / Ledger")),
            ("2 — EXECUTING", Some("2 /  / ")),
            ("2 — Night shift", Some("2 /  / Night shift")),
            ("2 of ? ([Name])", Some("2 /  / ")),
            ("2 of 3 (open", Some("2 / 3 / ")),
            ("06A of 9", Some("06A / 9 / ")),
            ("v2.0 wrap-up", None),
            ("[X] of [Y] ([Phase name])", None),
            ("Not started (defining requirements)", None),
            ("Milestone v2.0 complete", None),
            ("2nd of 3", None),
            ("", None),
        ] {
            assert_eq!(read(value).as_deref(), expected, "{value:?}");
        }
    }

    #[test]
    fn plans_are_whole_numbers() {
        for (value, expected) in [
            ("2 of 3 in current phase", Some((2, Some(3), " of 3 in current phase"))),
            ("1 of ?", Some((1, None, " of ?"))),
            ("—", None),
            ("Not started", None),
            ("2 of", None),
            ("2 of 3.5", None),
            ("2of 3", None),
            ("99999999999999999999999 of 3", None),
        ] {
            let plan = PlanValue::parse(value).map(|plan| (plan.current, plan.total, plan.rest));
            assert_eq!(plan, expected, "{value:?}");
        }
    }

    #[test]
    fn dates_and_bars() {
        assert_eq!(leading_date("2026-01-02 — x"), Some(("2026-01-02", " — x")));
        assert_eq!(leading_date("2026-01-023"), None);
        assert_eq!(leading_date("26-01-02"), None);
        assert_eq!(percent_in("[███░░░░░░░] 33% (x)"), Some(33));
        assert_eq!(percent_in("none"), None);
        assert_eq!(bar(59), "[█████░░░░░]");
        let bar = "[█░░░░░░░░░] 10%";
        assert_eq!(with_bar("[░░░░░░░░░░] 0% (two berths wait)", bar), "[█░░░░░░░░░] 10% (two berths wait)");
        assert_eq!(with_bar("", bar), bar);
        assert_eq!(with_bar("40%", bar), bar);
        assert_eq!(with_bar("slow", bar), "[█░░░░░░░░░] 10% slow");
    }
}
