//! `cargo xtask checks`: the checks on the tree itself; with `--mend` links and generated pages are set right.

use crate::arguments::Arguments;
use crate::product::cargo;
use crate::steps::shown;

pub(crate) fn run(arguments: &mut Arguments) -> Result<(), String> {
    let mend = arguments.flag("--mend");
    arguments.end()?;
    let root = testkit::repository();
    if mend {
        for document in testkit::house::mend_links(&root).map_err(|error| error.to_string())? {
            println!("{document}: set the lines of links");
        }
        shown(
            cargo()
                .args(["test", "--quiet", "--package", "mainstay", "--test", "main", "reference"])
                .env("MAINSTAY_MEND_PAGES", "yes"),
        )?;
    }
    let findings = testkit::house::findings(&root);
    for finding in &findings {
        println!("{finding}");
    }
    if findings.is_empty() { Ok(()) } else { Err(format!("{} findings", findings.len())) }
}
