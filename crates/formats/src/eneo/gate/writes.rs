//! What commands write, as far as their words tell.

use super::shell::{Simple, split};

/// Something that a tool would write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Write {
    /// A file.
    File(String),
    /// A folder, removed with everything in it.
    Removed(String),
    /// The text of a program in another language, which may write what it names.
    Mention(String),
}

impl Write {
    pub(super) fn path(&self) -> &str {
        match self {
            Self::File(path) | Self::Removed(path) | Self::Mention(path) => path,
        }
    }

    pub(super) fn is_recursive(&self) -> bool {
        matches!(self, Self::Removed(_))
    }
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
    if depth > DEPTH {
        return;
    }
    for simple in split(text) {
        writes.extend(simple.targets.iter().cloned().map(Write::File));
        of_words(&simple, depth, writes);
    }
}

/// Words that stand before a command and are none.
const BEFORE: &[&str] = &[
    "if", "then", "else", "elif", "do", "while", "until", "{", "}", "!", "sudo", "env", "command", "builtin", "exec",
    "nohup", "time", "nice", "xargs", "doas",
];

fn of_words(simple: &Simple, depth: usize, writes: &mut Vec<Write>) {
    let is_setting = |word: &str| word.split_once('=').is_some_and(|(name, _)| is_name(name));
    let mut words = simple.words.as_slice();
    while let Some((first, rest)) = words.split_first() {
        let is_wrapper = BEFORE.contains(&first.as_str());
        if !(is_wrapper || is_setting(first)) {
            break;
        }
        words = rest;
        // Options of what stands before, as `sudo -u name` without its value.
        while is_wrapper && words.first().is_some_and(|word| word.starts_with('-')) {
            words = &words[1..];
        }
    }
    let Some((command, arguments)) = words.split_first() else { return };
    let name = command.rsplit('/').next().unwrap_or_default();
    let files = || arguments.iter().filter(|word| !word.starts_with('-')).cloned();
    match name {
        "rm" => {
            let is_recursive = arguments.iter().any(|word| {
                word == "--recursive" || (word.starts_with('-') && !word.starts_with("--") && word.contains(['r', 'R']))
            });
            writes.extend(files().map(if is_recursive { Write::Removed } else { Write::File }));
        }
        "tee" | "unlink" | "truncate" | "shred" | "mv" => writes.extend(files().map(Write::File)),
        "cp" | "install" | "rsync" | "ln" => writes.extend(files().next_back().map(Write::File)),
        "dd" => {
            let targets = arguments.iter().filter_map(|word| word.strip_prefix("of="));
            writes.extend(targets.map(|path| Write::File(path.to_owned())));
        }
        "sed" | "perl" if edits_in_place(arguments) => in_place(arguments, writes),
        "sh" | "bash" | "dash" | "zsh" | "ksh" => {
            if let Some(text) = behind_option(arguments, 'c') {
                of_text(text, depth + 1, writes);
            }
        }
        "eval" => of_text(&arguments.join(" "), depth + 1, writes),
        _ if is_interpreter(name) => {
            let texts = ['c', 'e'].into_iter().filter_map(|option| behind_option(arguments, option));
            writes.extend(texts.map(|text| Write::Mention(text.to_owned())));
        }
        _ => {}
    }
}

fn is_name(name: &str) -> bool {
    name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        && name.bytes().next().is_some_and(|byte| !byte.is_ascii_digit())
}

fn is_interpreter(name: &str) -> bool {
    let base = name.trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == '.');
    matches!(base, "python" | "node" | "nodejs" | "perl" | "ruby")
}

fn edits_in_place(arguments: &[String]) -> bool {
    arguments.iter().any(|word| {
        word.starts_with("--in-place")
            || (word.starts_with('-')
                && !word.starts_with("--")
                && word.split('.').next().is_some_and(|flags| flags.contains('i')))
    })
}

// The first word that is no option is the script, unless `-e` or `-f` named one.
fn in_place(arguments: &[String], writes: &mut Vec<Write>) {
    let mut has_script = false;
    let mut files = Vec::new();
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "-e" | "-f" | "--expression" | "--file" => {
                has_script = true;
                words.next();
            }
            option if option.starts_with("--expression=") || option.starts_with("--file=") => has_script = true,
            // `-pe SCRIPT`, `-i -ne SCRIPT`.
            option if option.starts_with('-') && option.len() > 1 => {
                if option.ends_with('e') && !option.starts_with("--") {
                    has_script = true;
                    words.next();
                }
            }
            file => files.push(file.to_owned()),
        }
    }
    writes.extend(files.into_iter().skip(usize::from(!has_script)).map(Write::File));
}

// The word behind an option, also where options are joined: `-lc`.
fn behind_option(arguments: &[String], option: char) -> Option<&str> {
    let is_it = |word: &String| word.starts_with('-') && !word.starts_with("--") && word.ends_with(option);
    let place = arguments.iter().position(is_it)?;
    arguments.get(place + 1).map(String::as_str)
}
