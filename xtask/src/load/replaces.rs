//! One writer who replaces images as fast as it can, and readers who look on: promise P3.

use serde_json::json;

use super::doors::Session;
use super::{onlookers, sound};
use crate::product::Product;
use crate::project::Project;

/// So many replaced images; none is ever seen half.
pub(super) fn check(product: &Product, count: usize) -> Result<Vec<String>, String> {
    let project = Project::new(product)?;
    onlookers::prepare(&project)?;
    let (done, looks) = onlookers::during(&project, || replace(&project, count));
    println!("replaces: {count} of two files in turn, and their tables");
    looks.report("replaces");
    let mut problems = looks.problems;
    problems.extend(done.err());
    problems.extend(sound(&project)?);
    Ok(problems)
}

fn replace(project: &Project<'_>, count: usize) -> Result<(), String> {
    let mut session = Session::start(project)?;
    for number in 1..=count {
        let reply = if number % 2 == 0 {
            session.call("state_write", &json!({"fields": onlookers::fields(number)}))
        } else {
            session.call("state_patch", &json!({"patch": onlookers::notes(&number.to_string())}))
        }?;
        if let Some(error) = reply.get("error") {
            return Err(format!("replace {number}: {error}"));
        }
    }
    Ok(())
}
