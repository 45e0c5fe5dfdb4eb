//! Log messages to clients that ask for them: the warnings of their calls.
//!
//! The newest revision names the level with each request; older ones set it for the session.

#![expect(deprecated, reason = "logging leaves the protocol some day; hosts that speak older revisions use it")]

use model::{Value, Warning};
use rmcp::model::{
    LoggingLevel, LoggingMessageNotification, LoggingMessageNotificationParam, RequestMetaObject, ServerNotification,
    SetLevelRequestParams,
};
use rmcp::{Peer, RoleServer};

/// How grave a message is. **Order**: as in RFC 5424, the least first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Severity(u8);

impl Severity {
    /// Of what went through and is worth knowing.
    pub(crate) const WARNING: Self = Self(3);

    fn of(level: LoggingLevel) -> Self {
        Self(match level {
            LoggingLevel::Debug => 0,
            LoggingLevel::Info => 1,
            LoggingLevel::Notice => 2,
            LoggingLevel::Warning => 3,
            LoggingLevel::Error => 4,
            LoggingLevel::Critical => 5,
            LoggingLevel::Alert => 6,
            LoggingLevel::Emergency => 7,
        })
    }
}

/// The request by which a client sets its level.
pub(crate) type LevelRequest = SetLevelRequestParams;

/// The level that a client sets.
pub(crate) fn level(request: &LevelRequest) -> Severity {
    Severity::of(request.level)
}

/// The level that a request itself names.
pub(crate) fn level_of_request(meta: &RequestMetaObject) -> Option<Severity> {
    meta.log_level().map(Severity::of)
}

/// Sends a call's warnings; whether they arrive is the client's affair.
pub(crate) async fn send_warnings(peer: &Peer<RoleServer>, tool: &str, warnings: &[Warning]) {
    for warning in warnings {
        let mut data = warning.to_object();
        data.insert("tool".into(), tool.into());
        let params = LoggingMessageNotificationParam::new(LoggingLevel::Warning, Value::Object(data));
        let message = LoggingMessageNotification::new(params.with_logger("mainstay"));
        let sent = peer.send_notification(ServerNotification::LoggingMessageNotification(message)).await;
        if sent.is_err() {
            return;
        }
    }
}
