//! `cargo xtask checks`: the checks on the tree itself, without building the program.

use crate::arguments::Arguments;

pub(crate) fn run(arguments: &mut Arguments) -> Result<(), String> {
    arguments.end()?;
    let findings = testkit::house::findings(&testkit::repository());
    for finding in &findings {
        println!("{finding}");
    }
    if findings.is_empty() { Ok(()) } else { Err(format!("{} findings", findings.len())) }
}
