//! `cargo xtask checks`: the checks on the tree itself, without building the program.

use crate::arguments::Arguments;

pub(crate) fn run(arguments: &mut Arguments) -> Result<(), String> {
    let mend = arguments.flag("--mend");
    arguments.end()?;
    let root = testkit::repository();
    if mend {
        for document in testkit::house::mend_links(&root).map_err(|error| error.to_string())? {
            println!("{document}: set the lines of links");
        }
    }
    let findings = testkit::house::findings(&root);
    for finding in &findings {
        println!("{finding}");
    }
    if findings.is_empty() { Ok(()) } else { Err(format!("{} findings", findings.len())) }
}
