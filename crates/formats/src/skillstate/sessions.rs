//! Events of sessions: one begins, a sub-agent's copy is forked, one ends.

use format::{Draft, View};
use model::{Context, Object, Outcome, Refusal};

use super::admit::Admitted;
use super::present::Present;
use super::records::Kind;
use super::scope::Scope;
use super::{arguments, copies, meta};

/// The event: `{agent?, serves?}` to nothing. A session begins; `serves` where it is our own server's.
pub(super) fn launch(admitted: &Admitted, arguments: &Object, view: &View<'_>, ctx: &Context) -> Outcome {
    let mut draft = Draft::new(view.records);
    let is_readable = Present::load(view, &admitted.scope, admitted.spec.as_ref().ok()).is_ok();
    if is_readable && copies::is_known(view, &admitted.scope) {
        let key = Kind::Previous.only(&admitted.scope);
        let serves = arguments::is_set(arguments, "serves");
        match meta::previous(view.records, &admitted.scope, ctx).filter(|_| serves) {
            Some(previous) => draft.put(key, previous.into()),
            None => draft.delete(key),
        }
        meta::launch(&mut draft, &admitted.scope, ctx);
    }
    touch(draft)
}

/// The event: `{agent}` to nothing. A copy that is not there yet is forked.
pub(super) fn fork(admitted: &Admitted, view: &View<'_>, ctx: &Context) -> Result<Outcome, Refusal> {
    let mut draft = Draft::new(view.records);
    if let Some(id) = admitted.scope.agent().filter(|_| !copies::is_known(view, &admitted.scope)) {
        let main = Present::load(view, &Scope::Main, admitted.spec.as_ref().ok())?;
        copies::fork(&mut draft, id, &main);
        meta::launch(&mut draft, &admitted.scope, ctx);
    }
    Ok(touch(draft))
}

/// The event: `{agent?}` to nothing. A session that runs ends without a result.
pub(super) fn end(admitted: &Admitted, view: &View<'_>) -> Outcome {
    let mut draft = Draft::new(view.records);
    if Present::load(view, &admitted.scope, admitted.spec.as_ref().ok()).is_ok() {
        meta::interrupt(&mut draft, &admitted.scope);
    }
    touch(draft)
}

// Nobody's work: undo and the default history skip it.
fn touch(draft: Draft<'_>) -> Outcome {
    Outcome { changes: draft.into_changes(), minor: true, ..Outcome::default() }
}
