//! Values as error messages show them: their kind, and not too much of their text.

use crate::text::beginning;
use crate::value::Value;

/// The longest text that is shown in full. **Units**: bytes.
const FULL: usize = 14;

/// How much is shown of a longer one. **Units**: bytes.
const CUT: usize = 11;

/// **Shape**: `object ({"a":"01234...)`.
pub(crate) fn shown(value: &Value) -> String {
    let text = beginning(value, FULL);
    if text.len() <= FULL {
        return format!("{} ({text})", value.kind());
    }
    let end = (0..=CUT).rev().find(|end| text.is_char_boundary(*end)).unwrap_or_default();
    format!("{} ({}...)", value.kind(), &text[..end])
}
