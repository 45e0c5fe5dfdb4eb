//! One JSON-RPC message before it is known to be one: what bytes must be to reach the protocol.

use model::Value;
use rmcp::ErrorData;
use rmcp::model::{NumberOrString, ServerJsonRpcMessage};

/// The greatest message, in bytes, over HTTP and over stdio.
pub(crate) const MAX_BYTES: usize = 1024 * 1024;

/// Reads one JSON object; nesting is bounded by the JSON reader (128).
///
/// **Errors**: -32700 for what is no JSON, -32600 for a batch (no revision that is spoken here has them) and for
/// anything else that is no object.
pub(crate) fn read(bytes: &[u8]) -> Result<Value, ErrorData> {
    match serde_json::from_slice(bytes) {
        Ok(message @ Value::Object(_)) => Ok(message),
        Ok(Value::Array(_)) => Err(ErrorData::invalid_request("batches are not supported: send one message", None)),
        Ok(_) => Err(ErrorData::invalid_request("a message is a JSON object", None)),
        Err(problem) => Err(ErrorData::parse_error(format!("not JSON: {problem}"), None)),
    }
}

/// The error for an object that is no JSON-RPC message.
pub(crate) fn shapeless() -> ErrorData {
    ErrorData::invalid_request("not a JSON-RPC 2.0 message", None)
}

/// The error for a message beyond [`MAX_BYTES`].
pub(crate) fn too_large() -> ErrorData {
    ErrorData::invalid_request(format!("a message has at most {MAX_BYTES} bytes"), None)
}

/// The error for a request whose id another request has that is still under way.
pub(crate) fn doubled(id: &NumberOrString) -> ErrorData {
    ErrorData::invalid_request(
        format!("a request with the id {id} is still under way; this one was not carried out"),
        None,
    )
}

/// The id of a message, where it has one of the two kinds that there are.
pub(crate) fn id(message: &Value) -> Option<NumberOrString> {
    match message.get("id") {
        Some(Value::String(text)) => Some(NumberOrString::String(text.as_str().into())),
        Some(Value::Number(number)) => number.as_i64().map(NumberOrString::Number),
        _ => None,
    }
}

/// The bytes of an error, with the id of the message it answers where that can be told.
pub(crate) fn error_bytes(error: ErrorData, id: Option<NumberOrString>) -> Vec<u8> {
    serde_json::to_vec(&ServerJsonRpcMessage::error(error, id)).expect("an error object is plain JSON")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(bytes: &[u8]) -> Option<i32> {
        read(bytes).err().map(|error| error.code.0)
    }

    #[test]
    fn only_objects_pass() {
        assert_eq!(code(br#"{"jsonrpc":"2.0"}"#), None);
        assert_eq!(code(b"[]"), Some(-32600));
        assert_eq!(code(br#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#), Some(-32600));
        for other in ["null", "1", "\"x\"", "true"] {
            assert_eq!(code(other.as_bytes()), Some(-32600), "{other}");
        }
        for broken in ["", "{", "{\"a\":1,}", "{'a':1}", "{} {}", "nope", "\u{0}"] {
            assert_eq!(code(broken.as_bytes()), Some(-32700), "{broken:?}");
        }
        assert_eq!(code(&[0xff, 0xfe, b'{', 0]), Some(-32700));
        let deep = format!("{{\"a\":{}{}}}", "[".repeat(100_000), "]".repeat(100_000));
        assert_eq!(code(deep.as_bytes()), Some(-32700));
    }

    #[test]
    fn an_error_names_the_id_where_there_is_one() {
        let ids = [("7", "\"id\":7"), ("\"a\"", "\"id\":\"a\""), ("null", "\"error\""), ("1.5", "\"error\"")];
        for (id, expected) in ids {
            let message: Value = serde_json::from_str(&format!("{{\"id\":{id}}}")).unwrap();
            let bytes = error_bytes(shapeless(), super::id(&message));
            assert!(String::from_utf8(bytes).unwrap().contains(expected), "{id}");
        }
    }
}
