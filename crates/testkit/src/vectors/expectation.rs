//! Comparing what came of a step with what its vector wants.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::json::{at, differences, shorten};
use crate::process::Finished;
use crate::sql;

use super::case::{Expect, FileRule, Query};

/// The bytes, just before the run, of those files that must not change.
pub(super) struct Before(BTreeMap<String, Option<Vec<u8>>>);

impl Before {
    pub(super) fn of(root: &Path, expect: &Expect) -> Self {
        let watched = expect.files.iter().filter(|(_, rule)| rule.unchanged);
        Self(watched.map(|(path, _)| (path.clone(), fs::read(root.join(path)).ok())).collect())
    }
}

/// All that is wrong with what a step left behind.
pub(super) fn problems(want: &Expect, got: &Finished, root: &Path, before: &Before) -> Vec<String> {
    let mut problems = streams(want, got);
    if want.json.is_some() || !want.json_path.is_empty() {
        match serde_json::from_str(&got.stdout) {
            Ok(reply) => problems.extend(json_reply(want, &reply)),
            Err(error) => problems.push(format!("stdout is not JSON ({error}): {}", both(got))),
        }
    }
    problems.extend(want.files.iter().flat_map(|(path, rule)| file(root, path, rule, before)));
    problems.extend(want.sql.iter().filter_map(|query| rows(root, query)));
    problems
}

fn streams(want: &Expect, got: &Finished) -> Vec<String> {
    let mut problems = Vec::new();
    if let Some(exit) = want.exit
        && got.status.code() != Some(exit)
    {
        problems.push(format!("exit: wanted {exit}, got {}; {}", got.exit(), both(got)));
    }
    if let Some(stdout) = &want.stdout
        && *stdout != got.stdout
    {
        problems.push(format!("stdout: wanted {stdout:?}\n      got    {:?}", got.stdout));
    }
    problems.extend(lacking("stdout", &want.stdout_contains, &got.stdout));
    problems.extend(forbidden("stdout", &want.stdout_not_contains, &got.stdout));
    problems.extend(lacking("stderr", &want.stderr_contains, &got.stderr));
    problems
}

fn json_reply(want: &Expect, reply: &Value) -> Vec<String> {
    let whole = want.json.iter().flat_map(|want| differences(want, reply, "$"));
    let parts = want.json_path.iter().flat_map(|(path, want)| match at(reply, path) {
        Some(got) => differences(want, got, path),
        None => vec![format!("{path}: missing in {}", shorten(&reply.to_string()))],
    });
    whole.chain(parts).collect()
}

fn file(root: &Path, path: &str, rule: &FileRule, before: &Before) -> Vec<String> {
    let place = root.join(path);
    if rule.absent {
        return place.symlink_metadata().map(|_| format!("{path}: should be absent")).into_iter().collect();
    }
    let bytes = match fs::read(&place) {
        Ok(bytes) => bytes,
        Err(error) => return vec![format!("{path}: {error}")],
    };
    let text = String::from_utf8_lossy(&bytes);
    let mut problems = Vec::new();
    if rule.unchanged && before.0.get(path).is_some_and(|earlier| earlier.as_ref() != Some(&bytes)) {
        problems.push(format!("{path}: changed; now {:?}", shorten(&text)));
    }
    if let Some(wanted) = &rule.equals
        && *wanted != text
    {
        problems.push(format!("{path}: wanted {wanted:?}\n      got    {text:?}"));
    }
    problems.extend(lacking(path, &rule.contains, &text));
    problems.extend(forbidden(path, &rule.not_contains, &text));
    if let Some(wanted) = &rule.json {
        match serde_json::from_str(&text) {
            Ok(value) => problems.extend(differences(wanted, &value, path)),
            Err(error) => problems.push(format!("{path}: not JSON ({error})")),
        }
    }
    problems
}

fn rows(root: &Path, query: &Query) -> Option<String> {
    let got = match sql::query(&root.join(&query.db), &query.query) {
        Ok(rows) => rows,
        Err(problem) => return Some(problem),
    };
    let as_json = |rows: &[Vec<Value>]| Value::from(rows.iter().cloned().map(Value::from).collect::<Vec<_>>());
    let (want, got) = (as_json(&query.rows), as_json(&got));
    (!differences(&want, &got, "rows").is_empty()).then(|| format!("{}: wanted {want}, got {got}", query.query))
}

fn lacking(place: &str, parts: &[String], text: &str) -> Vec<String> {
    let lacked = parts.iter().filter(|part| !text.contains(part.as_str()));
    lacked.map(|part| format!("{place} lacks {part:?}; holds {:?}", shorten(text))).collect()
}

fn forbidden(place: &str, parts: &[String], text: &str) -> Vec<String> {
    let held = parts.iter().filter(|part| text.contains(part.as_str()));
    held.map(|part| format!("{place} must not hold {part:?}")).collect()
}

fn both(got: &Finished) -> String {
    format!("stdout {:?}; stderr {:?}", shorten(&got.stdout), shorten(&got.stderr))
}
