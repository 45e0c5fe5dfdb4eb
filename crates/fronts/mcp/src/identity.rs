//! Who calls: what `_meta` of a request says, else what the process was started with.

use engine::Identity;
use model::{Object, Origin, Refusal, Value};

/// What the process was started with, for calls that say nothing of their own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IdentityDefaults {
    /// `--actor` or `MAINSTAY_ACTOR`; without it the engine decides.
    pub actor: Option<String>,
    /// `--session` or `MAINSTAY_SESSION`.
    pub session: Option<String>,
}

/// Reads `_meta.actor`, `_meta.session` and `_meta.requestId`.
///
/// The client's name is no identity: many agents share one client. What a format's own argument says
/// about the actor is the engine's to weigh.
///
/// **Errors**: `invalid_argument` for a member that is not a non-empty text, since a request id that
/// is silently dropped would apply a retry twice.
pub(crate) fn of_call(meta: &Object, defaults: &IdentityDefaults) -> Result<Identity, Refusal> {
    Ok(Identity {
        actor: text(meta, "actor")?.or_else(|| defaults.actor.clone()),
        session: text(meta, "session")?.or_else(|| defaults.session.clone()),
        request_id: text(meta, "requestId")?,
        origin: Origin::Mcp,
    })
}

fn text(meta: &Object, name: &str) -> Result<Option<String>, Refusal> {
    match meta.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) if !text.is_empty() => Ok(Some(text.clone())),
        Some(_) => Err(Refusal::invalid(format!("_meta.{name}"), format!("_meta.{name} must be a non-empty text"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn defaults() -> IdentityDefaults {
        IdentityDefaults { actor: Some("starter".into()), session: Some("s0".into()) }
    }

    fn read(meta: &str) -> Result<Identity, Refusal> {
        of_call(&serde_json::from_str(meta).unwrap(), &defaults())
    }

    #[test]
    fn meta_wins_over_the_defaults_and_the_rest_is_ignored() {
        let said = read(r#"{"actor":"GHOST","session":"s1","requestId":"r1","progressToken":3}"#).unwrap();
        assert_eq!(said.actor.as_deref(), Some("GHOST"));
        assert_eq!(said.session.as_deref(), Some("s1"));
        assert_eq!(said.request_id.as_deref(), Some("r1"));
        assert_eq!(said.origin, Origin::Mcp);

        let silent = read("{}").unwrap();
        assert_eq!(silent.actor.as_deref(), Some("starter"));
        assert_eq!(silent.session.as_deref(), Some("s0"));
        assert_eq!(silent.request_id, None);
    }

    #[test]
    fn a_member_of_another_type_is_refused_by_name() {
        for (meta, field) in [
            (r#"{"requestId":7}"#, "_meta.requestId"),
            (r#"{"actor":""}"#, "_meta.actor"),
            (r#"{"session":["s"]}"#, "_meta.session"),
        ] {
            let refusal = read(meta).unwrap_err();
            assert_eq!((refusal.code.as_ref(), refusal.field.as_deref()), ("invalid_argument", Some(field)));
        }
    }
}
