//! Many processes that change one document at once.

use super::row::{Budget, Row};
use crate::load::waits_for_one_document;
use crate::product::Product;

/// How often all of them begin at once.
const ROUNDS: usize = 20;

/// What one of a hundred may take at most. **Units**: milliseconds.
const LIMIT: f64 = 2_000.0;

/// What each of 32 updates of eneo's task takes when all begin at once; every one of them has to count.
pub(super) fn rows(product: &Product) -> Result<Vec<Row>, String> {
    let waits = waits_for_one_document(product, ROUNDS)?;
    let at = |percent: usize| waits[(waits.len() * percent / 100).min(waits.len() - 1)].as_secs_f64() * 1000.0;
    let row = |name: &str, measured, budget| Row { name: name.to_owned(), measured, unit: "ms", budget };
    Ok(vec![
        row("32 eneo task-updates at once, the median", at(50), Budget::None),
        row("32 eneo task-updates at once, 99 of 100", at(99), Budget::Most(LIMIT)),
    ])
}
