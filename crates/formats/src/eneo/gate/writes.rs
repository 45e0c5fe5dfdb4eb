//! What commands write, as far as their words tell.
//!
//! All reading of one text comes out of one budget, so that parts of a command that multiply each other end in a
//! refusal and not in a host that waits.

use format::patch;

use super::find;
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
    /// Whatever has a name that fits the glob, anywhere beneath a place.
    Found { start: String, name: String },
    /// A folder, removed with everything in it.
    Removed(String),
    /// Something that goes away from its place with everything in it, or is replaced there.
    Moved(String),
    /// The text of a program in another language, which may write what it names.
    Mention(String),
    /// A text that is nested too deeply, or comes to too much, to be read.
    Unread,
    /// A file that the host may look for beneath the root.
    Sought(String),
    /// Files that nobody listed.
    Unlisted,
}

/// How many letters may be read and written down for each letter of the text, and how many beside that.
const READINGS: usize = 8;
const BASE: usize = 64 * 1024;

/// What was found so far, and how much may still be read.
pub(super) struct Found {
    writes: Vec<Write>,
    left: usize,
    is_over: bool,
    /// Whether a command of the text takes a patch, from wherever that comes.
    takes_patch: bool,
}

impl Found {
    /// Takes so many letters out of the budget; answers whether there were as many.
    pub(super) fn may_read(&mut self, letters: usize) -> bool {
        match self.left.checked_sub(letters) {
            Some(left) => self.left = left,
            None if self.is_over => {}
            None => {
                (self.left, self.is_over) = (0, true);
                self.writes.push(Write::Unread);
            }
        }
        !self.is_over
    }

    pub(super) fn push(&mut self, write: impl Fn(String) -> Write, path: &str) {
        if self.may_read(path.len() + 1) {
            self.writes.push(write(path.to_owned()));
        }
    }

    /// Whether what is added writes to this very place.
    pub(super) fn writes_to(&mut self, place: &str, add: impl FnOnce(&mut Self)) -> bool {
        let before = self.writes.len();
        add(self);
        self.writes[before..].iter().any(|write| match write {
            Write::File(path) | Write::Removed(path) | Write::Moved(path) => path == place,
            _ => false,
        })
    }

    pub(super) fn files<'w>(&mut self, paths: impl Iterator<Item = &'w String>) {
        paths.for_each(|path| self.push(Write::File, path));
    }

    pub(super) fn named(&mut self, place: &str, name: &str, write: impl Fn(String, String) -> Write) {
        if self.may_read(place.len() + name.len() + 1) {
            self.writes.push(write(place.to_owned(), name.to_owned()));
        }
    }
}

/// How often a shell may start a shell.
const DEPTH: usize = 8;

/// What a shell's text writes.
pub(super) fn of_shell(text: &str) -> Vec<Write> {
    let left = BASE + READINGS * text.len();
    let mut found = Found { writes: Vec::new(), left, is_over: false, takes_patch: false };
    of_text(text, 0, &mut found);
    if found.takes_patch {
        of_patches(&[text], &mut found);
    }
    found.writes
}

fn of_text(text: &str, depth: usize, found: &mut Found) {
    if depth > DEPTH {
        found.writes.push(Write::Unread);
        return;
    }
    if !found.may_read(text.len()) {
        return;
    }
    let script = split(text);
    if !script.is_whole {
        found.writes.push(Write::Unread);
    }
    for simple in &script.simples {
        found.files(simple.targets.iter());
        of_words(&simple.words, simple, depth, found);
    }
    // A patch may come through a pipe, a variable or a file.
    if found.takes_patch {
        let texts = script.simples.iter().flat_map(|simple| simple.words.iter().chain(&simple.inputs));
        of_patches(&texts.map(String::as_str).collect::<Vec<_>>(), found);
    }
    // A shell that reads what others put out may be given any of these texts.
    if script.simples.iter().any(|simple| simple.inputs.is_empty() && is_bare_shell(&simple.words)) {
        let inputs = script.simples.iter().filter(|simple| !is_shell_of(simple)).flat_map(|simple| &simple.inputs);
        inputs.for_each(|text| of_text(text, depth + 1, found));
    }
}

fn is_shell_of(simple: &Simple) -> bool {
    simple.words.first().is_some_and(|word| is_shell(base(word)))
}

// Whether its standard input is what it runs.
fn is_bare_shell(words: &[String]) -> bool {
    let words = &words[words.iter().take_while(|word| KEYWORDS.contains(&word.as_str())).count()..];
    words.split_first().is_some_and(|(first, rest)| is_shell(base(first)) && rest.iter().all(|word| word.len() < 3))
}

/// Whether a word sets a variable.
pub(super) fn is_setting(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| is_element(name))
}

/// What a command writes; `simple` is the one of the text in which it stands.
pub(super) fn of_words(words: &[String], simple: &Simple, depth: usize, found: &mut Found) {
    let mut words = words;
    let (command, arguments) = loop {
        let Some((first, rest)) = words.split_first() else { return };
        if let Some(text) = wrappers::script(first, rest) {
            return of_text(&text, depth + 1, found);
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
            let write = if parsed.has(&["r", "R", "recursive"]) { Write::Removed } else { Write::File };
            parsed.files().for_each(|path| found.push(write, path));
        }
        "tee" | "unlink" => found.files(parsed(plain).files()),
        "truncate" => found.files(parsed(TRUNCATE).files()),
        "shred" => found.files(parsed(SHRED).files()),
        "mv" => {
            let parsed = parsed(COPY);
            for path in into_last(&parsed, found) {
                found.push(Write::Moved, path);
            }
        }
        "cp" | "install" => drop(into_last(&parsed(COPY), found)),
        "ln" => {
            let parsed = parsed(COPY);
            into_last(&parsed, found);
            // A link in the place of a folder.
            if parsed.has(&["n", "T", "no-dereference", "no-target-directory"]) {
                parsed.files().next_back().into_iter().for_each(|path| found.push(Write::Moved, path));
            }
        }
        "rsync" => {
            let parsed = parsed(RSYNC);
            into_last(&parsed, found);
            if parsed.has(&["del", "delete", "delete-before", "delete-during", "delete-after", "delete-excluded"]) {
                parsed.files().next_back().into_iter().for_each(|path| found.push(Write::Moved, path));
            }
        }
        "apply_patch" | "applypatch" => found.takes_patch = true,
        _ if arguments.first().is_some_and(|word| word == "--codex-run-as-apply-patch") => found.takes_patch = true,
        "dd" => {
            let targets = arguments.iter().filter_map(|word| word.strip_prefix("of="));
            targets.for_each(|path| found.push(Write::File, path));
        }
        "sed" => in_place(&parsed(SED), found),
        "find" => find::of_find(arguments, simple, depth, found),
        "eval" => of_text(&arguments.join(" "), depth + 1, found),
        name if is_shell(name) => of_started_shell(arguments, simple, depth, found),
        name => of_interpreter(name, arguments, simple, found),
    }
}

// Hosts carry it out in a shell as their tool of that name. Commands write a line break as `\n`, too.
fn of_patches(texts: &[&str], found: &mut Found) {
    for text in texts.iter().filter(|text| text.contains("***")) {
        if found.may_read(text.len()) {
            patch::paths(&text.replace("\\n", "\n")).for_each(|path| found.push(Write::File, path));
        }
    }
}

// `+e` is an option as `-e` is.
fn of_started_shell(arguments: &[String], simple: &Simple, depth: usize, found: &mut Found) {
    let dashed = |word: &String| word.strip_prefix('+').map_or_else(|| word.clone(), |rest| format!("-{rest}"));
    let options = arguments.iter().take_while(|word| word.starts_with(['-', '+']) || !word.contains(' '));
    let options: Vec<String> = options.map(dashed).collect();
    let arguments = [&options, &arguments[options.len()..]].concat();
    let parsed = Parsed::of(&arguments, SHELL);
    let script = parsed.operands.first().map(String::as_str);
    match script {
        Some(text) if parsed.has(&["c"]) => of_text(text, depth + 1, found),
        None | Some("-" | "/dev/stdin" | "/dev/fd/0") => of_inputs(simple, depth, found),
        Some(_) if parsed.has(&["s"]) => of_inputs(simple, depth, found),
        Some(_) => {}
    }
}

fn of_inputs(simple: &Simple, depth: usize, found: &mut Found) {
    simple.inputs.iter().for_each(|text| of_text(text, depth + 1, found));
}

const PLAIN: Grammar = Grammar { valued: "", joined: "", digits: "", apart: "", long: &[], stops: false };
const TRUNCATE: Grammar = Grammar { valued: "sr", long: &["size", "reference"], ..PLAIN };
const SHRED: Grammar = Grammar { valued: "ns", long: &["iterations", "size", "random-source"], ..PLAIN };
const COPY: Grammar =
    Grammar { valued: "tSmog", long: &["target-directory", "suffix", "mode", "owner", "group"], ..PLAIN };
const RSYNC: Grammar = Grammar { valued: "eBTfM", long: &["exclude", "include", "rsh"], ..PLAIN };
const SED: Grammar = Grammar { valued: "efl", joined: "i", long: &["expression", "file", "line-length"], ..PLAIN };
const SHELL: Grammar = Grammar { apart: "oO", long: &["rcfile", "init-file"], stops: true, ..PLAIN };
const PYTHON: Grammar = Grammar { valued: "cmWX", stops: true, ..PLAIN };
const NODE: Grammar = Grammar { valued: "er", long: &["eval", "print", "require", "import"], ..PLAIN };
const PERL: Grammar = Grammar { valued: "eEI", joined: "MmFxidDC", digits: "l0", stops: true, ..PLAIN };
const RUBY: Grammar = Grammar { valued: "eIrC", joined: "iFxKE", digits: "0WT", stops: true, ..PLAIN };

// The last of several is the target, unless `-t` names a folder. Answers the others.
fn into_last<'w>(parsed: &Parsed<'w>, found: &mut Found) -> Vec<&'w String> {
    let mut sources: Vec<&String> = parsed.files().collect();
    let named = parsed.values(&["t", "target-directory"]).last();
    let target = named.map(|folder| format!("{}/", folder.trim_end_matches('/')));
    let Some(target) = target.or_else(|| sources.pop().cloned()) else { return sources };
    for source in &sources {
        let name = base(source.trim_end_matches('/'));
        found.named(&target, name, |folder, name| Write::Into { folder, name });
    }
    found.push(Write::File, &target);
    sources
}

// The first word that is no option is the script, unless an option was it.
fn in_place(parsed: &Parsed<'_>, found: &mut Found) {
    if parsed.has(&["i", "in-place"]) {
        let has_script = parsed.has(&["e", "E", "f", "expression", "file"]);
        found.files(parsed.files().skip(usize::from(!has_script)));
    }
}

fn of_interpreter(name: &str, arguments: &[String], simple: &Simple, found: &mut Found) {
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
    // Without a script it is what stands in the here-document.
    let is_read = texts.is_empty() && parsed.files().all(|word| word == "-");
    let inputs = simple.inputs.iter().filter(|_| is_read).map(String::as_str);
    texts
        .into_iter()
        .chain(printed.map(String::as_str))
        .chain(inputs)
        .for_each(|text| found.push(Write::Mention, text));
    if matches!(name, "perl" | "ruby") {
        in_place(&parsed, found);
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
