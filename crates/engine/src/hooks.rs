//! Host events: every format that is on is asked, in roll-call order.
//!
//! First the glances, which open nothing; if one of them denies the act, nothing is called. Then the
//! calls, each a request of its own.

use format::{Format, Glance, Hook, HookEvent, Look, Speech};
use model::{Call, Origin, Refusal};

use crate::engine::{Engine, Identity};

/// What one format says at an event.
pub struct Heard {
    /// The format.
    pub format: &'static dyn Format,
    /// What it says.
    pub glance: Glance,
}

/// What all formats say at an event.
#[derive(Default)]
pub struct Hearing {
    /// Those that listen to the event, in roll-call order.
    pub heard: Vec<Heard>,
    /// A fresh random tag for fences.
    pub tag: String,
}

impl Engine {
    /// Tells the formats that are on about an event.
    ///
    /// A format is on here when `mainstay.toml` lists it or its marker stands; the store is not asked.
    ///
    /// **Errors**: only a clock or identity that is not well formed; what a format's call refuses is
    /// said by its [`HookCall::refused`](format::HookCall).
    pub fn hook(&self, event: &HookEvent, identity: &Identity) -> Result<Hearing, Refusal> {
        let look = Look { files: self.files(), probes: self.probes() };
        let ctx = self.bare_context(identity.origin.clone())?;
        let listening = self.listening(&event.name);
        let mut heard: Vec<Heard> = listening
            .iter()
            .map(|(format, _)| Heard { format: *format, glance: format.glance(event, &look, &ctx) })
            .collect();
        if heard.iter().all(|heard| heard.glance.denied.is_none()) {
            for (heard, (_, hooks)) in heard.iter_mut().zip(&listening) {
                for hook in hooks {
                    let said = self.hook_call(hook, event, identity, heard.format)?;
                    heard.glance = std::mem::take(&mut heard.glance).and(said);
                }
            }
        }
        Ok(Hearing { heard, tag: ctx.tag })
    }

    /// Whether a format that is on listens to an event.
    pub fn is_heard(&self, event: &str) -> bool {
        !self.listening(event).is_empty()
    }

    /// Whether formats that are on listen to an event and all of them answer in plain text.
    pub fn speaks_plainly(&self, event: &str) -> bool {
        let listening = self.listening(event);
        !listening.is_empty() && listening.iter().flat_map(|(_, hooks)| hooks).all(|hook| hook.speech == Speech::Text)
    }

    // The formats that listen to an event, each with its hooks in their order.
    fn listening(&self, event: &str) -> Vec<(&'static dyn Format, Vec<&'static Hook>)> {
        let hooks_of = |format: &'static dyn Format| {
            let hooks: Vec<_> = format.surface().hooks.iter().filter(|hook| hook.event == event).collect();
            (!hooks.is_empty()).then_some((format, hooks))
        };
        self.formats_marked().into_iter().filter_map(hooks_of).collect()
    }

    fn hook_call(
        &self,
        hook: &'static Hook,
        event: &HookEvent,
        identity: &Identity,
        format: &'static dyn Format,
    ) -> Result<Glance, Refusal> {
        let Some(wanted) = &hook.call else { return Ok(Glance::default()) };
        let call = Call::new(wanted.tool, model::Object::new());
        let ctx = self.context(format, &call, identity)?;
        let Some(arguments) = (wanted.arguments)(event, &ctx) else { return Ok(Glance::default()) };
        Ok(match self.call(&Call { arguments, ..call }, identity) {
            Ok(reply) => (wanted.says)(&reply.to_object()),
            Err(refusal) => (wanted.refused)(&refusal),
        })
    }

    /// Tells the formats that our own server starts or ends, as `session`'s.
    ///
    /// What they say goes nowhere: a server has no model to inject text into.
    pub fn serving(&self, event: &'static str, session: Option<&str>) {
        let origin = Origin::Hook(event.to_owned());
        let identity = Identity { actor: None, session: session.map(str::to_owned), request_id: None, origin };
        let event = HookEvent { name: event.to_owned(), input: model::Object::new() };
        // A format that cannot note it down now says so at its next call.
        drop(self.hook(&event, &identity));
    }
}
