//! The one table from refusals to JSON-RPC, and the reasons why a server cannot serve.

use std::io;
use std::net::SocketAddr;

use model::{Object, Refusal, Value};
use rmcp::ErrorData;
use rmcp::model::{CallToolResult, ErrorCode};
use tokio::task::JoinError;

/// The refusals that are JSON-RPC errors, with the error object as `data`.
///
/// Every other refusal of a tool is a result with `isError`.
const PROTOCOL_ERRORS: &[(&str, ErrorCode)] = &[
    ("invalid_argument", ErrorCode::INVALID_PARAMS),
    ("missing_argument", ErrorCode::INVALID_PARAMS),
    ("unknown_tool", ErrorCode::INVALID_PARAMS),
    ("resource_not_found", ErrorCode::RESOURCE_NOT_FOUND),
    ("session_required", ErrorCode::INVALID_REQUEST),
    ("too_many_subscriptions", ErrorCode::INVALID_PARAMS),
];

/// The refusals of requests that are no calls, where the client asked for what is not there.
const REQUEST_ERRORS: &[&str] = &["unknown_revision", "revision_folded"];

/// The result or the error that a refused tool call answers with.
pub(crate) fn refused_call(refusal: &Refusal) -> Result<CallToolResult, ErrorData> {
    if let Some(code) = protocol_code(refusal) {
        return Err(error(code, refusal));
    }
    Ok(CallToolResult::structured_error(Value::Object(refusal.to_answer())))
}

/// The error that a refused request of another kind answers with: it has no result to put a refusal into.
pub(crate) fn refused_request(refusal: &Refusal) -> ErrorData {
    let is_clients = REQUEST_ERRORS.contains(&refusal.code.as_ref());
    let code = protocol_code(refusal).or(is_clients.then_some(ErrorCode::INVALID_PARAMS));
    error(code.unwrap_or(ErrorCode::INTERNAL_ERROR), refusal)
}

/// The error after a call that broke instead of answering.
pub(crate) fn broken_call(_: JoinError) -> ErrorData {
    let message = "the call broke inside the server; whether it was carried out is unknown";
    let mut data = Object::new();
    data.insert("code".into(), "internal_error".into());
    data.insert("message".into(), message.into());
    data.insert("hint".into(), "read the state, or repeat the call with the same _meta.requestId".into());
    ErrorData::internal_error(message, Some(Value::Object(data)))
}

fn protocol_code(refusal: &Refusal) -> Option<ErrorCode> {
    PROTOCOL_ERRORS.iter().find(|(code, _)| *code == refusal.code).map(|(_, code)| *code)
}

fn error(code: ErrorCode, refusal: &Refusal) -> ErrorData {
    ErrorData::new(code, refusal.message.clone(), Some(Value::Object(refusal.to_object())))
}

/// Why a server did not start, or did not end well.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// Something else listens there.
    #[error("port {port} of {ip} is in use", port = .0.port(), ip = .0.ip())]
    PortInUse(SocketAddr),
    /// The address is open to the network, and nothing guards it.
    #[error("{0} is not a loopback address: serving there needs a token")]
    TokenRequired(SocketAddr),
    /// A token was given, and it is empty.
    #[error("the token is empty")]
    TokenEmpty,
    /// A token was given that no header can carry whole.
    #[error("the token holds something else than visible ASCII: no client could show it")]
    TokenInvalid,
    /// An origin to be allowed is not of the form `scheme://host[:port]`.
    #[error("{0:?} is no origin: expected scheme://host or scheme://host:port")]
    InvalidOrigin(String),
    /// The system refused something.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The protocol loop broke.
    #[error("the protocol loop broke: {0}")]
    Broken(String),
}

impl ServeError {
    /// The stable `snake_case` word of the error.
    pub fn code(&self) -> &'static str {
        match self {
            Self::PortInUse(_) => "port_in_use",
            Self::TokenRequired(_) | Self::TokenEmpty => "token_required",
            Self::TokenInvalid => "config_invalid",
            Self::InvalidOrigin(_) => "invalid_argument",
            Self::Io(_) => "io_error",
            Self::Broken(_) => "internal_error",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_code_has_its_place() {
        for (code, expected) in [
            ("invalid_argument", Some(-32602)),
            ("missing_argument", Some(-32602)),
            ("unknown_tool", Some(-32602)),
            ("task_not_found", None),
            ("conflict", None),
            ("store_busy", None),
            ("state_corrupt", None),
            ("config_invalid", None),
        ] {
            let refusal = Refusal::refused(code, "no").field("f").with("path", "x");
            match (refused_call(&refusal), expected) {
                (Err(error), Some(number)) => {
                    assert_eq!(error.code.0, number, "{code}");
                    assert_eq!(error.data, Some(Value::Object(refusal.to_object())));
                }
                (Ok(result), None) => {
                    assert_eq!(result.is_error, Some(true), "{code}");
                    let shown = result.structured_content.unwrap();
                    assert_eq!(shown["error"], Value::Object(refusal.to_object()));
                    assert_eq!(result.content[0].as_text().unwrap().text, shown.to_string());
                }
                (other, _) => panic!("{code} became {other:?}"),
            }
        }
    }

    #[test]
    fn a_request_without_a_result_turns_every_refusal_into_an_error() {
        assert_eq!(refused_request(&Refusal::refused("resource_not_found", "no")).code.0, -32002);
        assert_eq!(refused_request(&Refusal::refused("unknown_revision", "no")).code.0, -32602);
        assert_eq!(refused_request(&Refusal::refused("store_busy", "no")).code.0, -32603);
    }
}
