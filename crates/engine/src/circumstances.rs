//! Who asks for something, when and where: what every request is thought about with.

use format::Format;
use model::{Call, Context, Origin, Refusal, Timestamp};

use crate::clock;
use crate::engine::{Engine, Identity};

impl Engine {
    /// The circumstances of a call.
    ///
    /// The actor is the call's own word, else the front's, else the format's variable, else the
    /// format's default for the door.
    pub(crate) fn context(&self, format: &dyn Format, call: &Call, identity: &Identity) -> Result<Context, Refusal> {
        let surface = format.surface();
        let argument = surface.actor_argument.and_then(|name| call.arguments.get(name)?.as_str());
        let variable = surface.actor_variable.and_then(|name| self.env.get(name)).map(String::as_str);
        let named = argument.or(identity.actor.as_deref()).or(variable.filter(|actor| !actor.is_empty()));
        let actor = named.map_or_else(|| (surface.default_actor)(&identity.origin), str::to_owned);
        check_name(surface.actor_argument.filter(|_| argument.is_some()).unwrap_or("actor"), Some(&actor))?;
        check_name("session", identity.session.as_deref())?;
        let takes_id =
            surface.tool(&call.tool).is_some_and(|tool| tool.params.iter().any(|it| it.name == "request_id"));
        let said = call.arguments.get("request_id").and_then(|id| id.as_str()).filter(|id| takes_id && !id.is_empty());
        let request_id = said.map(str::to_owned).or_else(|| identity.request_id.clone());
        check_name("request_id", request_id.as_deref())?;
        Ok(Context {
            actor,
            session: identity.session.clone(),
            request_id,
            ..self.bare_context(identity.origin.clone())?
        })
    }

    /// The circumstances of a generic command that writes.
    pub(crate) fn own_context(&self, identity: &Identity) -> Result<Context, Refusal> {
        let bare = self.bare_context(identity.origin.clone())?;
        let actor = identity.actor.clone().unwrap_or_else(|| bare.actor.clone());
        check_name("actor", Some(&actor))?;
        check_name("session", identity.session.as_deref())?;
        check_name("request_id", identity.request_id.as_deref())?;
        let (session, request_id) = (identity.session.clone(), identity.request_id.clone());
        Ok(Context { actor, session, request_id, ..bare })
    }

    /// The circumstances of a generic command.
    pub(crate) fn bare_context(&self, origin: Origin) -> Result<Context, Refusal> {
        Ok(Context {
            now: self.now()?,
            actor: "cli".to_owned(),
            session: None,
            request_id: None,
            origin,
            root: self.root().to_string_lossy().into_owned(),
            tag: clock::tag(self.env.get("MAINSTAY_TAG").map(String::as_str)),
            env: self.env.clone(),
            settings: self.settings.clone(),
        })
    }

    /// The clock, or what `MAINSTAY_NOW` says instead.
    pub(crate) fn now(&self) -> Result<Timestamp, Refusal> {
        clock::now(self.env.get("MAINSTAY_NOW").map(String::as_str))
    }
}

/// The longest actor, session and request id. **Units**: bytes.
const NAME_LIMIT: usize = 256;

fn check_name(field: &str, name: Option<&str>) -> Result<(), Refusal> {
    match name {
        Some(name) if name.len() > NAME_LIMIT || name.chars().any(char::is_control) => {
            Err(Refusal::invalid(field, format!("{field} has at most {NAME_LIMIT} bytes and no control characters")))
        }
        _ => Ok(()),
    }
}
