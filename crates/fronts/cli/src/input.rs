//! Standard input, where an argument stands for it.

use std::io::Read as _;

use model::Refusal;

/// The most that arguments may measure. **Units**: bytes; 1 MiB and room for what stands around one large value.
pub(crate) const LIMIT: usize = (1 << 20) + (64 << 10);

/// Reads standard input to its end, for the argument `field`.
///
/// **Errors**: `too_large`, `invalid_argument` for what is not UTF-8.
pub(crate) fn text(field: &str) -> Result<String, Refusal> {
    let mut bytes = Vec::new();
    let bound = u64::try_from(LIMIT + 1).expect("the limit is small");
    let unreadable = |error| Refusal::invalid(field, format!("standard input cannot be read: {error}"));
    std::io::stdin().lock().take(bound).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() > LIMIT {
        return Err(too_large(field));
    }
    String::from_utf8(bytes).map_err(|_| Refusal::invalid(field, "standard input is not UTF-8"))
}

/// The refusal of an argument over [`LIMIT`].
pub(crate) fn too_large(field: &str) -> Refusal {
    Refusal::refused("too_large", format!("{field} is larger than {LIMIT} bytes")).field(field)
}
