//! `agent.merge`: what a copy came to flows back into main.

use format::equality::equal_members;
use format::three_way::{self, Clash, Keep};
use format::{Draft, View};
use model::{Context, Object, Outcome, Refusal, Reply, Value, Warning};

use super::admit::Admitted;
use super::meta::{self, Meta};
use super::patch::changes;
use super::present::Present;
use super::records::{Kind, members, put_state};
use super::scope::{AgentId, Scope};
use super::spec::Spec;
use super::{arguments, copies};

/// The tool: `{agent, keep?, if_seq?}` to main's state, what changed in it and what both had changed.
///
/// Afterwards the copy as it is is its base.
pub(super) fn agent_merge(
    admitted: &Admitted,
    arguments: &Object,
    view: &View<'_>,
    ctx: &Context,
) -> Result<Outcome, Refusal> {
    let scope = &admitted.scope;
    copies::check_known(view, scope)?;
    let spec = admitted.spec.as_ref().expect("it was asked for");
    let main = Present::load(view, &Scope::Main, Some(spec))?;
    let copy = Present::load(view, scope, Some(spec))?;
    arguments::check_seq(arguments, main.seq)?;
    let keep = arguments::text(arguments, "keep").unwrap_or("main");
    let kept = if keep == "sub" { Keep::Sub } else { Keep::Main };

    let base = copies::base(view.records, scope, Some(spec), &copy.state);
    let mut merged = three_way::merge(&base, &main.state, &copy.state, kept);
    let warnings = leave_out(&mut merged.value, &main.state, spec);
    let conflicts: Value = merged.clashes.iter().map(|clash| Value::Object(conflict(clash, keep))).collect();
    if keep == "fail" && !merged.clashes.is_empty() {
        let paths: Vec<&str> = merged.clashes.iter().map(|clash| clash.path.as_str()).collect();
        let message = format!("main and the copy both changed {}", paths.join(", "));
        return Err(Refusal::refused("merge_conflict", message)
            .with("conflicts", conflicts)
            .hint("merge with keep main or sub, or change one side first"));
    }
    let mut draft = Draft::new(view.records);
    let mut seq = main.seq;
    let is_changed = !equal_members(&main.state, &merged.value);
    let state = if is_changed { merged.value } else { main.state.clone() };
    if is_changed {
        seq = put_state(&mut draft, &Scope::Main, state.clone(), &ctx.now.to_millis_text());
        meta::touch(&mut draft, &Scope::Main, ctx);
    }
    settle(&mut draft, scope, copy, &base, ctx);
    let body = members([
        ("agent", scope.agent().map_or("", AgentId::as_str).into()),
        ("keep", keep.into()),
        ("changes", changes(&main.state, &state)),
        ("state", Value::Object(state)),
        ("conflicts", conflicts),
        ("seq", seq.into()),
    ]);
    Ok(Outcome { changes: draft.into_changes(), reply: Reply::new(body, warnings), ..Outcome::default() })
}

// The copy becomes its own base; a copy that is merged already stays as it is.
fn settle(draft: &mut Draft<'_>, scope: &Scope, copy: Present, base: &Object, ctx: &Context) {
    let is_settled = equal_members(&copy.state, base);
    if !is_settled {
        let base = members([("seq", copy.seq.into()), ("state", Value::Object(copy.state))]);
        draft.put(Kind::Base.only(scope), Value::Object(base));
    }
    let is_merged = Meta::get(draft, scope).is_some_and(|meta| meta.status() == Some("merged"));
    if !is_settled || !is_merged {
        meta::merged(draft, scope, ctx);
    }
}

// Takes out of what was merged the fields that main may not get from a copy.
fn leave_out(merged: &mut Object, main: &Object, spec: &Spec) -> Vec<Warning> {
    let mut warnings = Vec::new();
    merged.retain(|name, value| {
        let may = main.contains_key(name) || spec.additional_fields || spec.schema.field(name).is_some();
        let is_mark = name == "mergedAt" && value.is_string();
        if !may && !is_mark {
            let message = format!("the copy's field {name} is not declared and was left out");
            warnings.push(Warning::new("undeclared_field", message).with("field", name.as_str()));
        }
        may
    });
    warnings
}

fn conflict(clash: &Clash, keep: &str) -> Object {
    let mut object = members([("path", clash.path.as_str().into())]);
    object.extend(clash.main.clone().map(|main| ("main".to_owned(), main)));
    object.extend(clash.sub.clone().map(|sub| ("sub".to_owned(), sub)));
    object.insert("kept".into(), keep.into());
    object
}
