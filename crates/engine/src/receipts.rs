//! Receipts: a repeat of a request is answered, not carried out again.

use model::{Call, Context, Refusal, Reply, Revision, Timestamp, Value, Warning};
use mutants::planted;
use store::{Receipt, Txn};

use crate::batch::Asked;
use crate::{images, refusals};

/// How long receipts are kept. **Units**: milliseconds.
const KEPT: i64 = 7 * 24 * 60 * 60 * 1000;

/// The largest reply that is kept with its receipt. **Units**: bytes.
const REPLY_LIMIT: usize = 4096;

/// What the store says about a request id.
pub(crate) enum Found {
    /// Nothing: the request is new.
    Nothing,
    /// It was carried out and this was the reply.
    Reply(Reply),
    /// It was carried out; the reply is to be computed again from the state before this entry.
    Compute(Receipt),
}

/// Looks a request up.
///
/// **Errors**: `request_id_reused` when the id came with other arguments.
pub(crate) fn find(txn: &dyn Txn, call: &Call, ctx: &Context) -> Result<Found, Refusal> {
    let Some(id) = ctx.request_id.as_ref().filter(|_| !planted("request_id_not_unique")) else {
        return Ok(Found::Nothing);
    };
    let Some(receipt) = txn.receipt(&call.tool, id).map_err(|error| refusals::of_store(&error))? else {
        return Ok(Found::Nothing);
    };
    // Only requests with an id drop old ones, so this one may be older than it may get.
    if receipt.at < oldest(ctx.now) {
        return Ok(Found::Nothing);
    }
    // One that was made again from its entry does not know its arguments.
    if !receipt.digest.is_empty() && receipt.digest != digest(call) {
        return Err(Refusal::refused("request_id_reused", format!("request id {id:?} was used with other arguments"))
            .field("request_id")
            .hint("take a fresh request id for a new request"));
    }
    Ok(match receipt.reply.clone() {
        Some(body) => Found::Reply(replayed(body)),
        None => Found::Compute(receipt),
    })
}

/// Whether the request was not carried out before.
pub(crate) fn is_new(txn: &dyn Txn, call: &Call, ctx: &Context) -> Result<bool, Refusal> {
    Ok(matches!(find(txn, call, ctx)?, Found::Nothing))
}

/// Marks a reply as a repeat.
pub(crate) fn replayed(mut body: model::Object) -> Reply {
    let warnings = match body.shift_remove("warnings") {
        Some(Value::Array(warnings)) => warnings.into_iter().filter_map(warning).collect(),
        _ => Vec::new(),
    };
    body.insert("replayed".into(), true.into());
    Reply::new(body, warnings)
}

fn warning(value: Value) -> Option<Warning> {
    let Value::Object(mut details) = value else { return None };
    let code = details.shift_remove("code")?.as_str()?.to_owned();
    let message = details.shift_remove("message")?.as_str()?.to_owned();
    Some(Warning { code: code.into(), message, details })
}

/// Keeps the receipt of a request that was carried out, and drops old ones.
pub(crate) fn keep(txn: &mut dyn Txn, asked: &Asked, reply: &Reply, revision: Revision) -> Result<(), Refusal> {
    let Asked { call, ctx, applied, .. } = asked;
    let Some(id) = &ctx.request_id else { return Ok(()) };
    let body = reply.to_object();
    let small = serde_json::to_string(&body).is_ok_and(|text| text.len() <= REPLY_LIMIT);
    let receipt = Receipt {
        tool: call.tool.clone(),
        request_id: id.clone(),
        digest: digest(call),
        at: *applied,
        revision,
        reply: small.then_some(body),
    };
    txn.put_receipt(&receipt)
        .and_then(|()| txn.drop_receipts(oldest(*applied)))
        .map_err(|error| refusals::of_store(&error))
}

// The age at which a receipt counts no more.
fn oldest(now: Timestamp) -> Timestamp {
    Timestamp::from_millis(now.as_millis().saturating_sub(KEPT))
}

// Of the arguments, whatever order their members came in.
fn digest(call: &Call) -> String {
    let mut arguments = Value::Object(call.arguments.clone());
    arguments.sort_all_objects();
    images::digest(arguments.to_string().as_bytes())
}
