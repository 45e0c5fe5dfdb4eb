//! Rows of the table: what was measured, and what it may be.

use std::fmt::Write as _;

use serde_json::{Value, json};

/// One measured number.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Row {
    /// What was measured.
    pub(super) name: String,
    /// The number.
    pub(super) measured: f64,
    /// Its unit, as `instructions`.
    pub(super) unit: &'static str,
    /// What it may be.
    pub(super) budget: Budget,
}

/// What a number may be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Budget {
    /// At most this.
    Most(f64),
    /// At least this.
    Least(f64),
    /// It is told for comparison.
    None,
}

impl Row {
    pub(super) fn is_over(&self) -> bool {
        match self.budget {
            Budget::Most(most) => self.measured > most,
            Budget::Least(least) => self.measured < least,
            Budget::None => false,
        }
    }
}

/// The rows as a table of at most 100 columns.
pub(super) fn table(rows: &[Row]) -> String {
    let wide = |row: &Row| row.name.chars().count();
    let width = rows.iter().map(wide).max().unwrap_or(0);
    let mut text = format!("{:width$}  {:>13}  {:>15}  \n", "what", "measured", "budget");
    for row in rows {
        let budget = match row.budget {
            Budget::Most(most) => format!("≤ {}", number(most)),
            Budget::Least(least) => format!("≥ {}", number(least)),
            Budget::None => "–".to_owned(),
        };
        let verdict = if row.is_over() { "  OVER" } else { "" };
        let measured = number(row.measured);
        writeln!(text, "{:width$}  {measured:>13}  {budget:>15}  {}{verdict}", row.name, row.unit)
            .expect("writing to a string succeeds");
    }
    text
}

/// The rows for machines.
pub(super) fn json(rows: &[Row]) -> String {
    let rows: Vec<Value> = rows
        .iter()
        .map(|row| {
            let (most, least) = match row.budget {
                Budget::Most(most) => (Some(most), None),
                Budget::Least(least) => (None, Some(least)),
                Budget::None => (None, None),
            };
            json!({
                "name": row.name, "measured": row.measured, "unit": row.unit, "most": most, "least": least,
                "over": row.is_over(),
            })
        })
        .collect();
    serde_json::to_string_pretty(&json!({ "rows": rows })).expect("numbers and texts can be written")
}

/// A number as people read it: thousands are set apart, what is small keeps two digits behind the point.
pub(super) fn number(value: f64) -> String {
    if value.fract() != 0.0 && value < 1000.0 {
        return format!("{value:.2}");
    }
    let digits = format!("{value:.0}");
    let mut shown = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            shown.push(',');
        }
        shown.push(digit);
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_well() {
        for (value, shown) in [(0.0, "0"), (7.0, "7"), (1234.0, "1,234"), (1_234_567.0, "1,234,567"), (1.5, "1.50")] {
            assert_eq!(number(value), shown);
        }
    }

    #[test]
    fn budgets_have_two_sides() {
        let row = |measured, budget| Row { name: "x".to_owned(), measured, unit: "bytes", budget };
        assert!(row(2.0, Budget::Most(1.0)).is_over() && !row(1.0, Budget::Most(1.0)).is_over());
        assert!(row(1.0, Budget::Least(2.0)).is_over() && !row(2.0, Budget::Least(2.0)).is_over());
        assert!(!row(2.0, Budget::None).is_over());
        let table = table(&[row(1200.0, Budget::Most(1000.0))]);
        assert!(table.ends_with("x          1,200          ≤ 1,000  bytes  OVER\n"), "{table}");
    }
}
