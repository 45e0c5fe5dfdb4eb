//! What an accepted verb may touch, verb by verb; every other byte of STATE.md is where it was.

use format::document::{Outline, bullets, fields};
use format::front_matter::{FrontMatter, body_start};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::super::body::Body;
use super::super::derive::ORDER;
use super::super::position::Position;
use super::super::progress::KEYS;
use super::super::settings::VERSION_KEYS;
use super::World;
use super::properties::{document, verb, world};

/// What may happen to lines, by their indexes: old to new, old gone, new come.
struct Rules<'r> {
    change: &'r dyn Fn(usize, usize) -> bool,
    go: &'r dyn Fn(usize) -> bool,
    come: &'r dyn Fn(usize) -> bool,
}

/// One line that is not as it was: old and new, old alone, or new alone.
type Step = (Option<usize>, Option<usize>);

fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

fn parted(line: &str) -> (&str, &str) {
    let content = line.strip_suffix('\n').map_or(line, |line| line.strip_suffix('\r').unwrap_or(line));
    line.split_at(content.len())
}

/// The way from old lines to new ones that keeps most of them; `None` where the rules allow none.
///
/// Only the last line of a text may have no ending, and one before or behind it may get or lose its own by that.
fn way(old: &[&str], new: &[&str], rules: &Rules<'_>) -> Option<Vec<Step>> {
    let ends_alike = |i: usize, j: usize| {
        let (old, new) = (parted(old[i]).1, parted(new[j]).1);
        old == new || old.is_empty() || new.is_empty()
    };
    let is_kept = |i: usize, j: usize| parted(old[i]).0 == parted(new[j]).0 && ends_alike(i, j);
    let mut best: Vec<Vec<Option<(usize, u8)>>> = vec![vec![None; new.len() + 1]; old.len() + 1];
    best[old.len()][new.len()] = Some((0, 0));
    for i in (0..=old.len()).rev() {
        for j in (0..=new.len()).rev() {
            let both = i < old.len() && j < new.len();
            let behind = |di: usize, dj: usize, cost: usize, step: u8| Some((best[i + di][j + dj]?.0 + cost, step));
            let steps = [
                best[i][j],
                if both && is_kept(i, j) { behind(1, 1, 0, 1) } else { None },
                if both && ends_alike(i, j) && (rules.change)(i, j) { behind(1, 1, 1, 2) } else { None },
                if i < old.len() && (rules.go)(i) { behind(1, 0, 1, 3) } else { None },
                if j < new.len() && (rules.come)(j) { behind(0, 1, 1, 4) } else { None },
            ];
            best[i][j] = steps.into_iter().flatten().min();
        }
    }
    let (mut i, mut j, mut steps) = (0, 0, Vec::new());
    while (i, j) != (old.len(), new.len()) {
        match best[i][j]?.1 {
            1 => {}
            2 => steps.push((Some(i), Some(j))),
            3 => steps.push((Some(i), None)),
            _ => steps.push((None, Some(j))),
        }
        let step = best[i][j]?.1;
        i += usize::from(step != 4);
        j += usize::from(step != 3);
    }
    Some(steps)
}

/// The fields that a verb may give a value.
fn fields_of<'v>(tool: &str, arguments: &'v Value) -> Vec<&'v str> {
    let position = ["Phase", "Status", "Last activity"];
    let current = ["Current Phase", "Current Phase Name"];
    match tool {
        "state_update" => vec![arguments["field"].as_str().unwrap()],
        "state_patch" => arguments["fields"].as_object().unwrap().keys().map(String::as_str).collect(),
        "state_begin_phase" if arguments["stage"].is_null() => {
            let more = ["Plan", "Current Plan", "Total Plans in Phase", "Current focus", "Last Activity Description"];
            [&position[..], &current, &more].concat()
        }
        "state_begin_phase" | "state_verify_phase" => [&position[..], &current].concat(),
        "state_planned_phase" => vec!["Status", "Last activity", "Total Plans in Phase"],
        "state_advance_plan" => vec!["Plan", "Current Plan", "Status", "Last activity"],
        "state_complete_phase" => [&position[..], &current, &["Plan", "Current Plan"]].concat(),
        "state_milestone_switch" => [&position[..], &current, &["Plan", "Current Plan", "Progress"]].concat(),
        "state_milestone_complete" => [&position[..], &["Plan"]].concat(),
        "state_update_progress" => vec!["Progress"],
        "state_sync" => vec!["Total Plans in Phase", "Progress", "Last activity"],
        "state_record_session" => {
            let given = [("stopped_at", "Stopped at"), ("paused_at", "Paused at")];
            let given = given.into_iter().filter(|(name, _)| arguments[name].is_string()).map(|(_, field)| field);
            ["Last session", "Last Date"].into_iter().chain(given).collect()
        }
        _ => Vec::new(),
    }
}

/// Whether a verb may take a line of the body away.
fn may_go(tool: &str, arguments: &Value, outline: &Outline<'_>, line: usize) -> bool {
    let content = outline.content(line);
    let is_of_bullet = || bullets::mark(content).is_some() || content.starts_with(' ') || outline.is_blank(line);
    match tool {
        _ if outline.lines()[line].fenced => false,
        "state_resolve_blocker" => is_of_bullet(),
        "state_prune" => is_of_bullet() || content.starts_with('|'),
        "state_rebuild" => content.starts_with('|'),
        "state_add_decision" | "state_add_blocker" | "state_add_roadmap_evolution" => bullets::says_none(content),
        "state_record_session" if arguments["resumed"] == true => {
            fields::has_label(outline, line..line + 1, "Paused at")
        }
        _ => false,
    }
}

/// Whether a verb may write a line of its own into the body.
fn may_come(tool: &str, content: &str) -> bool {
    let begins: &[&str] = match tool {
        "state_milestone_switch" => &[
            "## Current Position",
            "Phase: Not",
            "Plan: —",
            "Status: Defining",
            "Last activity: 2026-01-02",
            "Progress: [░",
        ],
        "state_record_metric" => &["## Performance Metrics", "| Plan | Duration |", "|------|", "| Phase 2 P1 | 1"],
        "state_add_decision" => &["## Decisions", "- [Phase ?]: - **Status:** x — # y", "- [Phase ?]: One writer"],
        "state_add_blocker" => &["### Blockers", "- ``` <<<<<<< x"],
        "state_resolve_blocker" => return content == bullets::NONE_YET,
        "state_add_roadmap_evolution" => {
            &["## Accumulated Context", "### Roadmap Evolution", "- Phase 2.1 added: Night"]
        }
        "state_record_session" => &[
            "## Session Continuity",
            "Last session: 2026-",
            "Last Date: 2026-",
            "Stopped at: $1 \\ &",
            "Paused at: lunch",
        ],
        "state_rebuild" => return content.starts_with('|'),
        _ => return false,
    };
    content.is_empty() || begins.iter().any(|begin| content.starts_with(begin))
}

/// Whether a line of a field became another line of it with the same label.
fn is_field_written(name: &str, (old, i): (&Outline<'_>, usize), (new, j): (&Outline<'_>, usize)) -> bool {
    let is_its = |outline: &Outline<'_>, line: usize| fields::has_label(outline, line..line + 1, name);
    let label = |content: &str| match content.strip_prefix('|') {
        Some(row) => row.split('|').next().unwrap().trim().to_owned(),
        None => content[..=content.find(':').unwrap()].to_owned(),
    };
    is_its(old, i) && is_its(new, j) && label(old.content(i)) == label(new.content(j))
}

/// The lines of the body that are not as they were, each allowed; the names of the fields among them.
fn check_body(tool: &str, arguments: &Value, before: &str, after: &str) -> Result<Vec<String>, String> {
    let (starts, had_front) = ([body_start(before), body_start(after)], FrontMatter::read(before).is_some());
    let (old, new) = (Outline::read(before, starts[0]), Outline::read(after, starts[1]));
    let body = Body::read(before);
    let names = fields_of(tool, arguments);
    let written = |i: usize, j: usize| {
        let fits = |name: &&&str| body.scope(name).0.contains(&i) && is_field_written(name, (&old, i), (&new, j));
        names.iter().find(fits).copied()
    };
    let is_rebuilt = |i: usize, j: usize| {
        let (old, new) = (old.content(i), new.content(j));
        let rows = old.starts_with('|') && new.starts_with('|');
        tool == "state_rebuild" && (rows || old.contains(":** [") && new.contains(":** (pending)"))
    };
    let rules = Rules {
        change: &|i, j| written(i, j).is_some() || is_rebuilt(i, j),
        go: &|i| may_go(tool, arguments, &old, i),
        // A front matter that was made is parted from the body by a blank line.
        come: &|j| may_come(tool, new.content(j)) || (j == 0 && !had_front && new.content(j).is_empty()),
    };
    let steps = way(&lines(&before[starts[0]..]), &lines(&after[starts[1]..]), &rules).ok_or("another line changed")?;
    let changed: Vec<String> = steps.iter().filter_map(|step| Some(written(step.0?, step.1?)?.to_owned())).collect();
    let twice = changed.iter().find(|name| changed.iter().filter(|other| other == name).count() > 1);
    twice.map_or(Ok(changed.clone()), |name| Err(format!("{name} changed in two lines")))
}

/// The keys that a verb, or the settling behind it, may give a value.
fn keys_of(tool: &str, arguments: &Value, front: &FrontMatter, changed: &[String]) -> Vec<String> {
    let is_there = |key: &str| front.text(key).is_some_and(|text| !text.is_empty());
    let is_changed = |name: &str| changed.iter().any(|field| fields::same_name(field, name));
    let is_given = matches!(tool, "state_update" | "state_patch");
    let names_key = |key: &str| is_given && fields_of(tool, arguments).iter().any(|name| fields::same_name(name, key));
    let sets_lifecycle = ["phase", "plan", "milestone", "lifecycle"].iter().any(|word| tool.contains(word));
    let takes_lines = ["state_resolve_blocker", "state_prune", "state_rebuild"].contains(&tool);
    let own = ORDER[1..].iter().filter(|key| match **key {
        "milestone" | "milestone_name" => !is_there(key) || tool == "state_milestone_switch",
        "active_phase" | "next_action" | "next_phases" => sets_lifecycle,
        "status" => {
            let follows = is_changed("Status") || is_changed("Paused at") || tool == "state_record_session";
            !is_there("status") || sets_lifecycle || follows || takes_lines || tool == "state_sync"
        }
        _ => true,
    });
    let own: Vec<String> = own.map(|key| (*key).to_owned()).collect();
    let others = front
        .entries
        .iter()
        .map(|entry| entry.key.clone())
        .filter(|key| names_key(key) && !ORDER.contains(&key.as_str()));
    let version =
        VERSION_KEYS.iter().filter(|_| !VERSION_KEYS.iter().any(|key| is_there(key))).map(|key| (*key).to_owned());
    own.into_iter().chain(others).chain(version).collect()
}

/// The front matter's lines that are not as they were, each allowed.
fn check_front(tool: &str, arguments: &Value, before: &str, after: &str, changed: &[String]) -> Result<(), String> {
    let new = FrontMatter::read(after).ok_or("a write leaves front matter")?;
    let Some(old) = FrontMatter::read(before) else { return Ok(()) };
    let (old_block, new_block) = (&old.block, &new.block);
    let (old_close, new_close) =
        (&before[old_block.inner.end..old_block.body], &after[new_block.inner.end..new_block.body]);
    // What ended the text has lines behind it now.
    let is_followed = old_block.body == before.len() && new_close.trim_end_matches(['\r', '\n']) == old_close;
    let is_opened_alike = before[..old_block.inner.start] == after[..new_block.inner.start];
    if !is_opened_alike || (old_close != new_close && !is_followed) {
        return Err("a fence of the front matter changed".to_owned());
    }
    let keys = keys_of(tool, arguments, &old, changed);
    let may_write = |key: &str| keys.iter().any(|own| own == key);
    let place =
        |lines: &[&str], start: usize, line: usize| start + lines[..line].iter().map(|line| line.len()).sum::<usize>();
    let (old_lines, new_lines) = (lines(&before[old_block.inner.clone()]), lines(&after[new_block.inner.clone()]));
    // Of a key that stands there twice, the last counts.
    let last = |key: &str| old.entries.iter().rposition(|entry| entry.key == key);
    let value_of = |i: usize| {
        let at = place(&old_lines, old_block.inner.start, i);
        let own =
            old.entries.iter().enumerate().filter(|(n, entry)| may_write(&entry.key) && last(&entry.key) == Some(*n));
        let nested = old.entry("progress").into_iter().flat_map(|entry| &entry.nested);
        let known = nested.filter(|member| KEYS.contains(&member.key.as_str()));
        own.map(|(_, entry)| entry).chain(known).find(|entry| entry.lines[0].start == at)
    };
    let rules = Rules {
        change: &|i, j| {
            value_of(i).is_some_and(|entry| {
                let (line, new) = (&entry.lines[0], new_lines[j]);
                let (label, behind) = (&before[line.start..entry.token.start], &before[entry.token.end..line.end]);
                new.starts_with(label) && new.ends_with(behind) && new.len() >= label.len() + behind.len()
            })
        },
        go: &|i| {
            let at = place(&old_lines, old_block.inner.start, i);
            old.entries.iter().enumerate().any(|(n, entry)| {
                let below = entry.lines.iter().skip(usize::from(entry.key != "state_head"));
                // A block of counts keeps its lines; a progress that is none becomes one.
                let is_value = may_write(&entry.key) && last(&entry.key) == Some(n);
                let is_it = is_value && (entry.key != "progress" || entry.nested.is_empty());
                (is_it || entry.key == "state_head") && below.into_iter().any(|line| line.start == at)
            })
        },
        come: &|j| {
            let at = place(&new_lines, new_block.inner.start, j);
            let is_new = |key: &str| may_write(key) && old.entry(key).is_none();
            let top = new.entries.iter().find(|entry| entry.lines[0].start == at);
            let nested = new
                .entry("progress")
                .into_iter()
                .flat_map(|entry| &entry.nested)
                .find(|entry| entry.lines[0].start == at);
            top.is_some_and(|entry| is_new(&entry.key))
                || nested.is_some_and(|entry| KEYS.contains(&entry.key.as_str()))
        },
    };
    way(&old_lines, &new_lines, &rules).map(drop).ok_or_else(|| "another line of the front matter changed".to_owned())
}

/// What reads otherwise than a verb gave it.
fn misread(tool: &str, arguments: &Value, reply: &Value, world: &mut World) -> Option<String> {
    let mut get = |name: &str| world.call("state_get", json!({"name": name})).unwrap()[name].clone();
    let given: Vec<(String, Value)> = match tool {
        "state_update" => vec![(reply["field"].as_str().unwrap().to_owned(), reply["value"].clone())],
        "state_patch" => {
            let trimmed = |value: &Value| Value::from(value.as_str().unwrap().trim());
            let updated = reply["updated"].as_array().unwrap().iter().map(|name| name.as_str().unwrap().to_owned());
            updated.map(|name| (name.clone(), trimmed(&arguments["fields"][&name]))).collect()
        }
        "state_record_session" | "state_begin_phase" => {
            let updated = |name: &&(&str, &str)| reply["updated"].as_array().unwrap().contains(&json!(name.0));
            let values = match tool {
                "state_record_session" => vec![("Stopped at", "$1 \\ &"), ("Last session", "2026-01-02T03:04:05.678Z")],
                _ if arguments["stage"].is_null() => vec![
                    ("Plan", "1 of 2 in current phase"),
                    ("Status", "Executing Phase 3"),
                    ("Last activity", "2026-01-02"),
                    ("Current Phase", "3"),
                    ("Current Plan", "1"),
                    ("Total Plans in Phase", "2"),
                ],
                _ => vec![("Status", "Planning Phase 2"), ("Current Phase", "2"), ("Current Phase Name", "x: y")],
            };
            values.iter().filter(updated).map(|(name, value)| ((*name).to_owned(), json!(value))).collect()
        }
        _ => Vec::new(),
    };
    let wrong = given.into_iter().find(|(name, value)| get(name) != *value).map(|(name, _)| name);
    let begun = tool == "state_begin_phase" && reply["updated"].as_array().unwrap().contains(&json!("Phase"));
    let mut phase = || Position::parse(get("Phase").as_str()?).map(|position| position.id.as_str().to_owned());
    wrong.or_else(|| (begun && phase().as_deref() != arguments["phase"].as_str()).then(|| "Phase".to_owned()))
}

/// What is wrong about a document that a verb made of another.
fn wrong(tool: &str, arguments: &Value, before: &str, after: &str) -> Result<(), String> {
    let changed = check_body(tool, arguments, before, after)?;
    check_front(tool, arguments, before, after, &changed)?;
    let mark = |text: &str| text.starts_with('\u{feff}');
    let endings = |text: &str| (text.matches("\r\n").count(), text.matches('\n').count());
    let ((crlf, all), (crlf_now, all_now)) = (endings(before), endings(after));
    let front = FrontMatter::read(after).ok_or("no front matter")?;
    let is_empty = before.trim_start_matches('\u{feff}').is_empty();
    let is_there = |key: &&str| front.text(key).is_some_and(|text| !text.is_empty());
    match () {
        () if mark(before) != mark(after) => Err("the byte order mark came or went".to_owned()),
        () if !is_empty && before.ends_with('\n') != after.ends_with('\n') => {
            Err("the last line's ending came or went".to_owned())
        }
        () if crlf == 0 && crlf_now > 0 => Err("a CRLF came in".to_owned()),
        () if crlf == all && all > 0 && crlf_now < all_now => Err("an LF came in".to_owned()),
        () if !["status", "last_updated"].iter().all(is_there) => Err("a key is missing".to_owned()),
        () => Ok(()),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn a_verb_touches_what_it_may_and_what_it_wrote_is_read(text in document(), (tool, arguments) in verb()) {
        let mut world = world(&text);
        let before = world.clone();
        match world.call(tool, arguments.clone()) {
            Err(_) => prop_assert_eq!(world.state(), before.state()),
            Ok(reply) => {
                let after = world.state().to_owned();
                if after != text {
                    let found = wrong(tool, &arguments, &text, &after);
                    prop_assert_eq!(found, Ok(()), "{}: {:?} became {:?}", tool, text, after);
                }
                let misread = misread(tool, &arguments, &reply, &mut world);
                prop_assert_eq!(misread, None, "{}: {:?} became {:?}", tool, text, after);
            }
        }
    }
}

#[test]
fn what_must_not_change_is_seen() {
    const FRONT: &str = "---\nmsd_state_version: '1.0'\nmilestone: v1\nmilestone_name: A\nstatus: executing # c\n# note\nmine: [a]\nlast_updated: x\n---\n";
    const BODY: &str =
        "\n# S\n\nStatus: Waiting  \nCore value: ships \n```\nStatus: y\n```\n\n## Decisions\n\nNone yet.\n\nend";
    let before = format!("{FRONT}{BODY}");
    let check = |tool: &str, arguments: Value, edits: &[(&str, &str)], is_allowed: bool| {
        let after = edits.iter().fold(before.clone(), |text, (old, new)| {
            assert!(text.contains(old), "{old:?}");
            text.replacen(old, new, 1)
        });
        assert_eq!(wrong(tool, &arguments, &before, &after).is_ok(), is_allowed, "{tool} {edits:?}");
    };
    let stamp = ("last_updated: x", "last_updated: now");
    let decision = ("None yet.", "- [Phase ?]: - **Status:** x — # y");
    let add = |edits: &[(&'static str, &'static str)], is_allowed| {
        check("state_add_decision", json!({}), &[&[stamp, decision], edits].concat(), is_allowed);
    };
    add(&[], true);
    for edit in [
        ("Core value: ships ", "Core value:"),
        ("Core value: ships ", "Core value: ships"),
        ("Status: Waiting  ", "Status: Waiting"),
        ("Status: y", "Status: z"),
        ("# note\n", ""),
        (" # c", ""),
        ("mine: [a]", "mine: [ a ]"),
        ("status: executing", "status: paused"),
        ("end", "end\n"),
        ("# S\n", "# S\r\n"),
        ("---\nmsd", "--- \nmsd"),
        ("milestone: v1", "milestone: v2"),
    ] {
        add(&[edit], false);
    }
    let update = json!({"field": "Status", "value": "Done"});
    let status = [stamp, ("Status: Waiting  ", "Status: Done"), ("status: executing", "status: completed")];
    check("state_update", update.clone(), &status, true);
    for edit in [("Status: y", "Status: Done"), ("Core value: ships ", "Core value: Done"), ("mine: [a]", "mine: Done")]
    {
        check("state_update", update.clone(), &[&status[..], &[edit]].concat(), false);
    }
    check("state_update", update, &[stamp, ("Status: Waiting  ", "STATUS: Done")], false);
}
