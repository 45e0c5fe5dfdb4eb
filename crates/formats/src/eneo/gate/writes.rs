//! What commands write, as far as their words tell.

use super::options::{Grammar, Parsed};
use super::shell::{KEYWORDS, Simple, split};
use super::wrappers;

/// Something that a tool would write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Write {
    /// A file.
    File(String),
    /// A file of this name, if the place is a folder.
    Into { folder: String, name: String },
    /// A folder, removed with everything in it.
    Removed(String),
    /// Something that goes away from its place with everything in it, or is replaced there.
    Moved(String),
    /// The text of a program in another language, which may write what it names.
    Mention(String),
    /// A text that is nested too deeply to be read.
    Unread,
    /// Files that nobody listed.
    Unlisted,
}

/// How often a shell may start a shell.
const DEPTH: usize = 8;

/// What a shell's text writes.
pub(super) fn of_shell(text: &str) -> Vec<Write> {
    let mut writes = Vec::new();
    of_text(text, 0, &mut writes);
    writes
}

fn of_text(text: &str, depth: usize, writes: &mut Vec<Write>) {
    let script = split(text);
    if depth > DEPTH || !script.is_whole {
        writes.push(Write::Unread);
    }
    if depth > DEPTH {
        return;
    }
    for simple in &script.simples {
        writes.extend(simple.targets.iter().cloned().map(Write::File));
        of_words(&simple.words, simple, depth, writes);
    }
}

fn of_words(words: &[String], simple: &Simple, depth: usize, writes: &mut Vec<Write>) {
    let is_setting = |word: &str| word.split_once('=').is_some_and(|(name, _)| is_element(name));
    let mut words = words;
    let (command, arguments) = loop {
        let Some((first, rest)) = words.split_first() else { return };
        if let Some(text) = wrappers::script(first, rest) {
            return of_text(text, depth + 1, writes);
        }
        let is_named = first == "coproc" && rest.get(1).is_some_and(|word| word == "{");
        if let Some(inner) = wrappers::inner(first, rest) {
            words = inner;
        } else if KEYWORDS.contains(&first.as_str()) || is_setting(first) {
            words = &rest[usize::from(is_named)..];
        } else {
            break (first, rest);
        }
    };
    let parsed = |grammar| Parsed::of(arguments, grammar);
    let plain = Grammar::default();
    match base(command) {
        "rm" => {
            let parsed = parsed(plain);
            let is_recursive = parsed.has(&["r", "R", "recursive"]);
            writes.extend(parsed.files().cloned().map(if is_recursive { Write::Removed } else { Write::File }));
        }
        "tee" | "unlink" => writes.extend(parsed(plain).files().cloned().map(Write::File)),
        "truncate" => writes.extend(parsed(TRUNCATE).files().cloned().map(Write::File)),
        "shred" => writes.extend(parsed(SHRED).files().cloned().map(Write::File)),
        "mv" => {
            let parsed = parsed(COPY);
            let sources = into_last(&parsed, writes);
            writes.extend(sources.into_iter().cloned().map(Write::Moved));
        }
        "cp" | "install" => drop(into_last(&parsed(COPY), writes)),
        "ln" => {
            let parsed = parsed(COPY);
            into_last(&parsed, writes);
            // A link in the place of a folder.
            if parsed.has(&["n", "T", "no-dereference", "no-target-directory"]) {
                writes.extend(parsed.files().next_back().cloned().map(Write::Moved));
            }
        }
        "rsync" => {
            let parsed = parsed(RSYNC);
            into_last(&parsed, writes);
            if parsed.has(&["del", "delete", "delete-before", "delete-during", "delete-after", "delete-excluded"]) {
                writes.extend(parsed.files().next_back().cloned().map(Write::Moved));
            }
        }
        "dd" => {
            let targets = arguments.iter().filter_map(|word| word.strip_prefix("of="));
            writes.extend(targets.map(|path| Write::File(path.to_owned())));
        }
        "sed" => in_place(&parsed(SED), writes),
        "find" => of_find(arguments, simple, depth, writes),
        "eval" => of_text(&arguments.join(" "), depth + 1, writes),
        name if is_shell(name) => {
            let parsed = parsed(SHELL);
            let is_text = parsed.has(&["c"]);
            if let Some(text) = parsed.operands.first().filter(|_| is_text) {
                of_text(text, depth + 1, writes);
            } else if parsed.operands.is_empty() || parsed.has(&["s"]) {
                simple.inputs.iter().for_each(|text| of_text(text, depth + 1, writes));
            }
        }
        name => of_interpreter(name, arguments, writes),
    }
}

const TRUNCATE: Grammar = Grammar { valued: "sr", joined: "", long: &["size", "reference"], stops: false };
const SHRED: Grammar =
    Grammar { valued: "ns", joined: "", long: &["iterations", "size", "random-source"], stops: false };
const COPY: Grammar = Grammar {
    valued: "tSmog",
    joined: "",
    long: &["target-directory", "suffix", "mode", "owner", "group"],
    stops: false,
};
const RSYNC: Grammar = Grammar { valued: "eBTfM", joined: "", long: &["exclude", "include", "rsh"], stops: false };
const SED: Grammar = Grammar { valued: "efl", joined: "i", long: &["expression", "file", "line-length"], stops: false };
const SHELL: Grammar = Grammar { valued: "oO", joined: "", long: &["rcfile", "init-file"], stops: true };
const PYTHON: Grammar = Grammar { valued: "cmWX", joined: "", long: &[], stops: true };
const NODE: Grammar = Grammar { valued: "er", joined: "", long: &["eval", "print", "require", "import"], stops: false };
const PERL: Grammar = Grammar { valued: "eEI", joined: "MmFxidDCl", long: &[], stops: true };
const RUBY: Grammar = Grammar { valued: "eIrC", joined: "iFxKWTE", long: &[], stops: true };

// The last of several is the target, unless `-t` names a folder. Answers the others.
fn into_last<'w>(parsed: &Parsed<'w>, writes: &mut Vec<Write>) -> Vec<&'w String> {
    let mut sources: Vec<&String> = parsed.files().collect();
    let named = parsed.values(&["t", "target-directory"]).last();
    let target = named.map(|folder| format!("{}/", folder.trim_end_matches('/')));
    let Some(target) = target.or_else(|| sources.pop().cloned()) else { return sources };
    let name = |source: &String| base(source.trim_end_matches('/')).to_owned();
    writes.extend(sources.iter().map(|source| Write::Into { folder: target.clone(), name: name(source) }));
    writes.push(Write::File(target));
    sources
}

// The first word that is no option is the script, unless an option was it.
fn in_place(parsed: &Parsed<'_>, writes: &mut Vec<Write>) {
    if parsed.has(&["i", "in-place"]) {
        let has_script = parsed.has(&["e", "E", "f", "expression", "file"]);
        writes.extend(parsed.files().skip(usize::from(!has_script)).cloned().map(Write::File));
    }
}

// What it deletes lies beneath the places where it begins; what it runs is told of those.
fn of_find(arguments: &[String], simple: &Simple, depth: usize, writes: &mut Vec<Write>) {
    let is_test = |word: &String| word.starts_with('-') || word == "(" || word == "!";
    let first = arguments.iter().position(|word| !matches!(word.as_str(), "-L" | "-H" | "-P")).unwrap_or_default();
    let starts = &arguments[first..];
    let starts = &starts[..starts.iter().position(is_test).unwrap_or(starts.len())];
    let mut words = arguments.iter().enumerate();
    while let Some((at, word)) = words.next() {
        match word.as_str() {
            "-delete" => writes.extend(starts.iter().cloned().map(Write::Removed)),
            "-exec" | "-execdir" | "-ok" | "-okdir" if depth < DEPTH => {
                let rest = &arguments[at + 1..];
                let length = rest.iter().position(|word| word == ";" || word == "+").unwrap_or(rest.len());
                let place = starts.first().map_or(".", String::as_str);
                let put = |word: &String| if word == "{}" { place.to_owned() } else { word.clone() };
                let command: Vec<String> = rest[..length].iter().map(put).collect();
                of_words(&command, simple, depth + 1, writes);
                words.by_ref().take(length).for_each(drop);
            }
            _ => {}
        }
    }
}

fn of_interpreter(name: &str, arguments: &[String], writes: &mut Vec<Write>) {
    let grammar = match name.trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == '.') {
        "python" | "pypy" => PYTHON,
        "node" | "nodejs" => NODE,
        "perl" => PERL,
        "ruby" => RUBY,
        _ => return,
    };
    let parsed = Parsed::of(arguments, grammar);
    let texts: Vec<&str> = parsed.values(&["c", "e", "E", "eval", "print"]).collect();
    // `node -p CODE`; with `-pe` the text is that of `-e`.
    let printed = parsed.files().next().filter(|_| texts.is_empty() && parsed.has(&["p"]) && name.starts_with("node"));
    writes.extend(texts.into_iter().chain(printed.map(String::as_str)).map(|text| Write::Mention(text.to_owned())));
    if matches!(name, "perl" | "ruby") {
        in_place(&parsed, writes);
    }
}

/// The name of a command, or of a file, without its folders.
pub(super) fn base(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or_default()
}

fn is_shell(name: &str) -> bool {
    matches!(name, "sh" | "bash" | "dash" | "zsh" | "ksh")
}

/// Whether a word can be the name of a variable.
pub(super) fn is_name(name: &str) -> bool {
    name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        && name.bytes().next().is_some_and(|byte| !byte.is_ascii_digit())
}

// `name`, `name+`, `name[…]`.
fn is_element(text: &str) -> bool {
    is_name(text.split('[').next().unwrap_or_default().trim_end_matches('+'))
}
