//! `cargo xtask test`: every test, in order.

use testkit::random::SEED;
use testkit::vectors::Choice;

use crate::arguments::Arguments;
use crate::packages::{JQ, STRACE, ensure};
use crate::product::{Product, cargo};
use crate::steps::{Tally, shown};
use crate::{bench, clients, crash, dist, faults, fuzz, load, power, shells, site, vectors};

/// So long each target is fuzzed here. **Units**: seconds.
const FUZZ_SECONDS: u64 = 4;

pub(crate) fn run(arguments: &mut Arguments) -> Result<(), String> {
    let quick = arguments.flag("--quick");
    arguments.end()?;
    let mut tally = Tally::default();
    tally.step("cargo fmt", || shown(cargo().args(["fmt", "--all", "--check"])));
    tally.step("cargo clippy", || {
        shown(cargo().args(["clippy", "--quiet", "--workspace", "--all-targets", "--", "-D", "warnings"]))
    });
    tally.step("cargo clippy, with faults", || {
        shown(cargo().args([
            "clippy",
            "--quiet",
            "--package",
            "mainstay",
            "--features",
            "mutants",
            "--",
            "-D",
            "warnings",
        ]))
    });
    deny(&mut tally);
    tally.step("cargo test", || {
        // One test holds our jq against the real one.
        ensure(&[JQ])?;
        shown(cargo().args(["test", "--quiet", "--workspace"]))
    });
    let product = match Product::built() {
        Ok(product) => product,
        Err(problem) => {
            tally.step("cargo build", || Err(problem));
            return tally.close();
        }
    };
    tally.step("vectors", || vectors::check(&product, &Choice::default()));
    tally.step("documents", || site::render().map(drop));
    tally.step("fuzz", || fuzz::check(FUZZ_SECONDS, SEED, &[]));
    tally.step("load", || load::check(&product, load::Size::Quick, &[]));
    if quick {
        println!(
            "skipped with --quick: counts (valgrind), crash, power and faults (strace), MCP clients, packages and completions (Python, Node, fish, zsh)"
        );
    } else {
        tally.step("counts that are held", || bench::check_held(&product));
        tally.step("crash", || {
            ensure(&[STRACE])?;
            crash::check(&product, &crash::Choice::quick())
        });
        tally.step("power", || power::check(&product, &power::Choice::quick()));
        tally.step("faults", || faults::check(&product, faults::Extent::Quick, &[], SEED));
        clients::run(&product, &mut tally)?;
        tally.step("completions", || shells::check(&product));
        tally.step("dist", || dist::rehearse(&product));
    }
    tally.close()
}

fn deny(tally: &mut Tally) {
    let is_there = cargo().args(["deny", "--version"]).output().is_ok_and(|output| output.status.success());
    if is_there {
        tally.step("cargo deny", || shown(cargo().args(["deny", "check", "licenses", "bans", "sources"])));
    } else {
        println!("skipped: cargo deny is not installed (cargo install cargo-deny)");
    }
}
