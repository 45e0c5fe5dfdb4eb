//! Tasks of this repository: `cargo xtask COMMAND`.

// A tool for people at a terminal: what it prints is its result.
#![allow(clippy::print_stdout, clippy::print_stderr)]

mod arguments;
mod bench;
mod checks;
mod clients;
mod crash;
mod dist;
mod faults;
mod fuzz;
mod history;
mod load;
mod mutants;
mod packages;
mod picture;
mod power;
mod product;
mod project;
mod shells;
mod site;
mod steps;
mod test;
mod vectors;

use std::process::ExitCode;

use arguments::Arguments;

const HELP: &str = "\
cargo xtask COMMAND

  test [--quick]                         every test in order; --quick leaves out what needs outside programs
  checks [--mend]                        the checks on the tree itself: arrows, sizes, docs; --mend sets lines of links
                                         and writes the reference pages
  vectors [--only ID]… [--later]         the behaviour vectors in tests/vectors
  crash [--quick] [--errors] [--verb NAME]
                                         kills each write verb at each mutating system call and checks what is left;
                                         --errors makes each call fail instead, in six ways
  power [--quick] [--verb NAME] [--model strict|ordered]
                                         cuts the power at each call of each write verb: every disk that may be left
                                         is made real and opened by the program
  faults [--quick] [--only PART]… [--seed N]
                                         doors (closed outputs, foreign pages), holders (stopped, killed), damage (cut and
                                         hit files), rebuild (doctor --fix), full-disk (a small file system; needs root), errors (as crash --errors)
  load [--quick] [--only PART]…          mixed (command line, hooks and servers write at once; others read), replaces (readers
                                         hammer images), keys, key, swaps, history (some writers are killed; all must have seen
                                         one order of events), document
  bench [--only PART]… [--calls N]       counts (instructions, system calls and sizes; also --counts), scale (large projects),
                                         planning, upgrade, server (many clients), peers (other tools), life (a million
                                         calls, or N) against their budgets
  clients [--hosts]                      other people's MCP clients against the program (Python, Node);
                                         with --hosts the host programs, more than a gigabyte of them
  completions                            the completion scripts in the shells that read them (bash, fish, zsh)
  dist [--unchecked] [--rehearse]        packs the release: archive, npm package, wheel; counts it, installs each, builds the
                                         program once more elsewhere; --rehearse with the program as tests build it
  site                                   renders the documents as HTML and follows every link
  bench --held [--renew]                 the counts of the program as tests build it against those that are written down;
                                         --renew writes down the present ones
  fuzz [--seconds N] [--seed N] [TARGET]…
                                         throws bytes at whatever reads bytes of others; keeps what kills it
  mutants [--only NAME]…                 plants each fault and expects crash or load to catch it

  --bin PATH                             the program to try, where it is not to be built
  --mutant NAME                          with this fault planted
";

fn main() -> ExitCode {
    let mut words = std::env::args().skip(1);
    let command = words.next().unwrap_or_default();
    let mut arguments = Arguments::new(words);
    let result = match command.as_str() {
        "test" => test::run(&mut arguments),
        "checks" => checks::run(&mut arguments),
        "vectors" => vectors::run(&mut arguments),
        "bench" => bench::run(&mut arguments),
        "crash" => crash::run(&mut arguments),
        "power" => power::run(&mut arguments),
        "clients" => clients::check(&mut arguments),
        "completions" => shells::run(&mut arguments),
        "dist" => dist::run(&mut arguments),
        "site" => site::run(&mut arguments),
        "fuzz" => fuzz::run(&mut arguments),
        "faults" => faults::run(&mut arguments),
        "load" => load::run(&mut arguments),
        "mutants" => mutants::run(&mut arguments),
        "" | "help" | "--help" | "-h" => {
            print!("{HELP}");
            Ok(())
        }
        unknown => Err(format!("there is no command `{unknown}`\n\n{HELP}")),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::FAILURE
        }
    }
}
