//! What `find` does to what it finds.

use super::shell::Simple;
use super::writes::{Found, Write, of_words};

/// How often a command may find others.
const DEPTH: usize = 4;

/// What it deletes lies beneath the places where it begins; what it runs is told of those.
///
/// Names that are asked for are globs of what is found, unless they are negated.
pub(super) fn of_find(arguments: &[String], simple: &Simple, depth: usize, found: &mut Found) {
    let is_test = |word: &String| word.starts_with('-') || word == "(" || word == "!";
    let first = arguments.iter().position(|word| !matches!(word.as_str(), "-L" | "-H" | "-P")).unwrap_or_default();
    let (starts, tests) = arguments[first..]
        .split_at(arguments[first..].iter().position(is_test).unwrap_or(arguments.len().saturating_sub(first)));
    let here = [".".to_owned()];
    let starts = if starts.is_empty() { &here[..] } else { starts };
    let (names, is_harmless) = names(tests);
    let mut has_deleted = is_harmless;
    let mut words = tests.iter().enumerate();
    while let Some((at, word)) = words.next() {
        match word.as_str() {
            "-delete" if !std::mem::replace(&mut has_deleted, true) => {
                for start in starts {
                    match names.as_slice() {
                        [] => found.push(Write::Removed, start),
                        names => names.iter().for_each(|name| {
                            found.named(start, name, |start, name| Write::Found { start, name });
                        }),
                    }
                }
            }
            "-exec" | "-execdir" | "-ok" | "-okdir" if depth < DEPTH && !is_harmless => {
                let rest = &tests[at + 1..];
                let length = rest.iter().position(|word| word == ";" || word == "+").unwrap_or(rest.len());
                let puts = rest[..length].iter().filter(|word| *word == "{}").count();
                for start in starts {
                    let place = names.first().map_or_else(|| start.clone(), |name| format!("{start}/{name}"));
                    if !found.may_read(puts.saturating_mul(place.len()) + length + 1) {
                        return;
                    }
                    let put = |word: &String| if word == "{}" { place.clone() } else { word.clone() };
                    let command: Vec<String> = rest[..length].iter().map(put).collect();
                    if found.writes_to(&place, |found| of_words(&command, simple, depth + 1, found)) {
                        for name in &names {
                            found.named(start, name, |start, name| Write::Found { start, name });
                        }
                    }
                }
                words.by_ref().take(length).for_each(drop);
            }
            _ => {}
        }
    }
}

// The names that are asked for, and whether nothing that is found can be protected: an empty folder.
fn names(tests: &[String]) -> (Vec<&str>, bool) {
    let own = own_words(tests);
    let first = own.iter().position(|word| is_command(word) || *word == "-delete").unwrap_or(own.len());
    let (mut names, mut is_empty, mut is_folder, mut has_or) = (Vec::new(), false, false, false);
    for (at, pair) in own.windows(2).enumerate() {
        let is_negated = at > 0 && is_not(own[at - 1]);
        // What is asked behind the act keeps nothing from it.
        let is_before = at < first;
        match pair[0] {
            "-empty" if !is_negated => is_empty |= is_before,
            "-type" if !is_negated => is_folder |= is_before && pair[1] == "d",
            "-name" | "-iname" if !is_negated && (is_before || has_or) => names.push(pair[1]),
            "-path" | "-wholename" | "-ipath" if !is_negated && (is_before || has_or) => {
                names.push(pair[1].rsplit('/').next().unwrap_or_default());
            }
            "-o" | "-or" | "," if !names.is_empty() && matches!(pair[1], "-name" | "-iname") => has_or = true,
            "-o" | "-or" | "," => return (Vec::new(), false),
            word if is_not(word) && pair[1] == "(" => return (Vec::new(), false),
            _ => {}
        }
    }
    (names, is_empty && is_folder && !has_or)
}

fn is_not(word: &str) -> bool {
    matches!(word, "!" | "-not")
}

fn is_command(word: &str) -> bool {
    matches!(word, "-exec" | "-execdir" | "-ok" | "-okdir")
}

// The words without those of the commands that are run.
fn own_words(tests: &[String]) -> Vec<&str> {
    let mut is_inner = false;
    let mut own = Vec::new();
    for word in tests {
        if !is_inner {
            own.push(word.as_str());
            is_inner = is_command(word);
        } else if word == ";" || word == "+" {
            is_inner = false;
        }
    }
    own
}
