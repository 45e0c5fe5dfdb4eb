//! Commands that run the command behind them.

use super::options::{Grammar, Parsed};
use super::writes::base;

/// A command that runs another.
struct Wrapper {
    name: &'static str,
    /// Its options with values.
    grammar: Grammar,
    /// How many words of its own stand before the other.
    operands: usize,
    /// Its options whose value is a shell's text.
    scripts: &'static [&'static str],
}

const fn of(name: &'static str, valued: &'static str, long: &'static [&'static str], operands: usize) -> Wrapper {
    Wrapper {
        name,
        grammar: Grammar { valued, joined: "", digits: "", apart: "", long, stops: true },
        operands,
        scripts: &[],
    }
}

const WRAPPERS: &[Wrapper] = &[
    of("builtin", "", &[], 0),
    of("busybox", "", &[], 0),
    of("chroot", "", &[], 1),
    of("command", "", &[], 0),
    of("doas", "uC", &[], 0),
    Wrapper { scripts: &["S", "split-string"], ..of("env", "uCS", &["unset", "chdir", "split-string"], 0) },
    of("exec", "a", &[], 0),
    Wrapper { scripts: &["c", "command"], ..of("flock", "wEc", &["timeout", "command"], 1) },
    of("function", "", &[], 1),
    of("ionice", "cn", &["class", "classdata"], 0),
    of("nice", "n", &["adjustment"], 0),
    of("nohup", "", &[], 0),
    of("setsid", "", &[], 0),
    of("stdbuf", "ioe", &["input", "output", "error"], 0),
    Wrapper { scripts: &["c", "command"], ..of("su", "cgGsw", &["command", "group", "shell"], 1) },
    of("sudo", "ugUhpCTDRrt", &["user", "group", "other-user", "host", "prompt", "chdir", "chroot"], 0),
    of("time", "fo", &["format", "output"], 0),
    of("timeout", "ks", &["kill-after", "signal"], 1),
    of("xargs", "nIPLdsEa", &["max-args", "replace", "max-procs", "delimiter", "arg-file"], 0),
];

fn find(command: &str) -> Option<&'static Wrapper> {
    let name = base(command);
    WRAPPERS.iter().find(|wrapper| wrapper.name == name)
}

/// The words of the command that a wrapper runs; `None` where it is none.
pub(super) fn inner<'w>(command: &str, words: &'w [String]) -> Option<&'w [String]> {
    let wrapper = find(command)?;
    let operands = Parsed::of(words, wrapper.grammar).operands;
    Some(operands.get(wrapper.operands..).unwrap_or_default())
}

/// The shell's text that a wrapper is given in place of a command.
pub(super) fn script(command: &str, words: &[String]) -> Option<String> {
    if base(command) == "watch" {
        // Its words are a shell's text together.
        return Some(Parsed::of(words, WATCH).operands.join(" "));
    }
    let wrapper = find(command).filter(|wrapper| !wrapper.scripts.is_empty())?;
    let operands = Parsed::of(words, wrapper.grammar).operands;
    // `flock FILE -c TEXT`, `su - USER -c TEXT`.
    let behind = |skipped: usize| Some(Parsed::of(operands.get(skipped..)?, wrapper.grammar));
    let mut places =
        std::iter::once(Parsed::of(words, wrapper.grammar)).chain((1..=wrapper.operands + 1).map_while(behind));
    places.find_map(|parsed| parsed.values(wrapper.scripts).next()).map(str::to_owned)
}

const WATCH: Grammar = Grammar { valued: "n", joined: "d", digits: "", apart: "", long: &["interval"], stops: true };
