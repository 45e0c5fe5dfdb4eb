//! `sync`: the document brought in line with the disk.

use format::front_matter::FrontMatter;
use model::{Outcome, Refusal, Reply, Value};

use super::arguments::Arguments;
use super::derive::{self, ORDER};
use super::edit::Edit;
use super::fields::shown;
use super::members;
use super::position::{bar, with_bar};
use super::progress::KEYS;
use super::site::Site;

/// The tool.
pub(super) fn sync(given: &Arguments, site: &Site<'_>) -> Result<Outcome, Refusal> {
    let verify = given.switch("verify")?;
    let mut edit = Edit::open(site)?;
    edit.syncs_status = true;
    let mut changes = Vec::new();
    let on_disk = edit.current_phase().and_then(|phase| site.plans_on_disk(&phase));
    if let Some(plans) = on_disk {
        set(&mut edit, "Total Plans in Phase", &plans.to_string(), &mut changes)?;
    }
    if let Some(progress) = edit.derived().progress {
        let there = edit.field("Progress").unwrap_or_default();
        let new = with_bar(&there, &format!("{} {}%", bar(progress.percent), progress.percent));
        set(&mut edit, "Progress", &new, &mut changes)?;
    }
    if !changes.is_empty() || !key_changes(&edit).is_empty() {
        let before = edit.field("Last activity");
        edit.date_activity(None)?;
        let after = edit.field("Last activity");
        if before != after {
            changes.push(told("Last activity", before, after));
        }
    }
    changes.extend(key_changes(&edit));
    edit.settles_always = !changes.is_empty();
    let body = members([
        ("synced", (!verify).into()),
        ("changes", changes.into()),
        ("dry_run", verify.into()),
        ("kept", edit.kept_list()),
    ]);
    if verify {
        return Ok(Outcome { reply: Reply::new(body, edit.derived().warnings), ..Outcome::default() });
    }
    edit.finish(body)
}

fn set(edit: &mut Edit<'_>, name: &str, value: &str, changes: &mut Vec<String>) -> Result<(), Refusal> {
    let before = edit.field(name);
    if before.as_deref() != Some(value) && edit.set(name, value)? {
        changes.push(told(name, before, Some(value.to_owned())));
    }
    Ok(())
}

fn told(name: &str, before: Option<String>, after: Option<String>) -> String {
    let or_none = |text: Option<String>| text.unwrap_or_else(|| "none".to_owned());
    format!("{name}: {} -> {}", or_none(before), or_none(after))
}

/// The keys that would change, but for those that every write changes.
fn key_changes(edit: &Edit<'_>) -> Vec<String> {
    let settled = edit.with(&edit.derived().keys);
    let (before, after) = (edit.document.front(), settled.front());
    let mut changes = Vec::new();
    for key in ORDER {
        let name = derive::name_in(key, after, edit.site);
        if key == "progress" {
            for key in KEYS {
                let value = |front: Option<&FrontMatter>| front?.nested("progress", key).map(str::to_owned);
                if value(before) != value(after) {
                    changes.push(told(&format!("progress.{key}"), value(before), value(after)));
                }
            }
            continue;
        }
        let value = |front: Option<&FrontMatter>| match shown(front?.entry(name)?) {
            Value::Null => None,
            Value::String(text) => Some(text),
            other => Some(other.to_string()),
        };
        if value(before) != value(after) {
            changes.push(told(name, value(before), value(after)));
        }
    }
    changes
}
