//! `state.finalize`: how the work of a scope came out.

use format::{Draft, View};
use model::{Context, Object, Outcome, Refusal, Reply};

use super::admit::Admitted;
use super::present::Present;
use super::records::members;
use super::{arguments, copies, meta};

/// The longest result. The session meta that holds it stays small enough to be read. **Units**: bytes.
const RESULT_LIMIT: usize = 16_384;

/// The tool: `{status, result?, agent?}` to what the session meta says from now on.
pub(super) fn state_finalize(
    admitted: &Admitted,
    arguments: &Object,
    view: &View<'_>,
    ctx: &Context,
) -> Result<Outcome, Refusal> {
    let scope = &admitted.scope;
    copies::check_known(view, scope)?;
    Present::load(view, scope, admitted.spec.as_ref().ok())?;
    let status = arguments::text(arguments, "status").unwrap_or_default();
    let result = arguments::text(arguments, "result");
    if let Some(result) = result.filter(|result| result.len() > RESULT_LIMIT) {
        let message = format!("the result has {} bytes; at most {RESULT_LIMIT} are kept", result.len());
        return Err(Refusal::refused("too_large", message)
            .field("result")
            .allowed(RESULT_LIMIT)
            .hint("say it in a few words, and keep the rest in the state or in a file"));
    }
    let mut draft = Draft::new(view.records);
    meta::finish(&mut draft, scope, status, result, ctx);
    let mut body = members([
        ("status", status.into()),
        ("finishedAt", ctx.now.to_millis_text().into()),
        ("sessionMetaPath", scope.meta_path().as_str().into()),
    ]);
    body.extend(result.map(|result| ("result".to_owned(), result.into())));
    Ok(Outcome { changes: draft.into_changes(), reply: Reply::new(body, Vec::new()), ..Outcome::default() })
}
