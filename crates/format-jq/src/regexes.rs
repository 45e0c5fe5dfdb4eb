//! Regular expressions, found in time that grows with the text.
//!
//! That is what one search takes. Many of them may take as much each, so the clock is looked at between them.

use std::rc::Rc;

use regex::{Captures, Regex, RegexBuilder};

use crate::halt::{Caught, Halt};
use crate::message::shown;
use crate::run::Run;
use crate::value::Value;

/// Largest compiled expression. **Units**: bytes.
const SIZE: usize = 256 * 1024;

/// Up to which size a letter costs next to nothing. **Units**: bytes.
const SMALL: usize = 64 * 1024;

/// One place where an expression was found. **Units**: bytes.
pub(crate) struct Matched {
    pub(crate) start: usize,
    pub(crate) end: usize,
    groups: Vec<Group>,
}

struct Group {
    name: Option<String>,
    text: Option<String>,
    // In letters.
    offset: Option<usize>,
}

#[allow(clippy::struct_excessive_bools, reason = "flags are what they are")]
struct Flags {
    global: bool,
    skips_empty: bool,
    ignores_case: bool,
    ignores_blanks: bool,
    dot_is_newline: bool,
}

fn read_flags(flags: Option<&Value>) -> Caught<Flags> {
    let text = match flags {
        None | Some(Value::Null) => "",
        Some(Value::Text(text)) => text.as_str(),
        Some(other) => return Err(Halt::error(format!("{} is not a string", shown(other)))),
    };
    let mut read =
        Flags { global: false, skips_empty: false, ignores_case: false, ignores_blanks: false, dot_is_newline: false };
    for letter in text.chars() {
        match letter {
            'g' => read.global = true,
            'i' => read.ignores_case = true,
            'x' => read.ignores_blanks = true,
            'n' => read.skips_empty = true,
            'p' => read.dot_is_newline = true,
            // The longest match is asked for where leftmost alternatives would do; `^` and `$` mean the
            // whole text anyway, which is all that `s` asks for.
            'l' | 's' => {}
            _ => return Err(Halt::error(format!("{text} is not a valid modifier string"))),
        }
    }
    Ok(read)
}

// The expression, and how many steps a letter of the text costs: with a large one each may take long.
fn compile(run: &Run<'_>, pattern: &str, flags: &Flags) -> Caught<(Regex, usize)> {
    run.spend(64 + pattern.len() * 16)?;
    let build = |size: usize| {
        RegexBuilder::new(pattern)
            .case_insensitive(flags.ignores_case)
            .ignore_whitespace(flags.ignores_blanks)
            .dot_matches_new_line(flags.dot_is_newline)
            .size_limit(size)
            .dfa_size_limit(1024 * 1024)
            .build()
    };
    if let Ok(regex) = build(SMALL) {
        return Ok((regex, 0));
    }
    build(SIZE).map(|regex| (regex, 4)).map_err(|error| {
        let reason = error.to_string();
        let last = reason.lines().last().unwrap_or_default().trim_start_matches("error: ");
        Halt::error(format!("{pattern} (at offset 0) is not a valid regex: {last}"))
    })
}

/// Where an expression is found in a text: the first place, or all.
///
/// The expression may be a list of itself and its flags.
pub(crate) fn find(
    run: &Run<'_>,
    text: &str,
    pattern: &Value,
    flags: Option<&Value>,
    all: bool,
) -> Caught<Vec<Matched>> {
    let (pattern, flags) = match (pattern.as_items(), flags) {
        (Some([pattern]), flags) => (pattern, flags),
        (Some([pattern, own, ..]), None | Some(Value::Null)) => (pattern, Some(own)),
        _ => (pattern, flags),
    };
    let source = pattern.as_text();
    let source =
        source.ok_or_else(|| Halt::error(format!("{} cannot be matched, as it is not a string", shown(pattern))))?;
    let flags = read_flags(flags)?;
    let (regex, cost) = compile(run, source, &flags)?;
    let names: Vec<Option<String>> = regex.capture_names().skip(1).map(|name| name.map(str::to_owned)).collect();
    run.spend(text.len() / 8 + text.len().saturating_mul(cost))?;
    let mut found = Vec::new();
    let mut letters = Letters { text, at: 0, count: 0 };
    let mut search = Search::new(&regex, source, text);
    while let Some(captures) = search.next() {
        let Some(whole) = captures.get(0) else { continue };
        // The search for one match may have gone through the whole text.
        run.look()?;
        run.allocate(8 + names.len() * 4, whole.len())?;
        if flags.skips_empty && whole.is_empty() {
            continue;
        }
        let mut groups = vec![Group {
            name: None,
            text: Some(whole.as_str().to_owned()),
            offset: Some(letters.before(whole.start())),
        }];
        for (place, name) in names.iter().enumerate() {
            let group = captures.get(place + 1);
            groups.push(Group {
                name: name.clone(),
                text: group.map(|group| group.as_str().to_owned()),
                offset: group.map(|group| letters.count + text[letters.at..group.start()].chars().count()),
            });
        }
        found.push(Matched { start: whole.start(), end: whole.end(), groups });
        if !(flags.global || all) {
            break;
        }
    }
    Ok(found)
}

/// One match after the other.
struct Search<'r, 't> {
    regex: &'r Regex,
    text: &'t str,
    // The text without its final newline, where the expression may ask for the end: that is one too.
    shorter: Option<&'t str>,
    at: usize,
    // Where the last match ended; an empty one there is none.
    end: Option<usize>,
}

impl<'r, 't> Search<'r, 't> {
    fn new(regex: &'r Regex, source: &str, text: &'t str) -> Self {
        let shorter = text.strip_suffix('\n').filter(|_| source.contains('$'));
        Self { regex, text, shorter, at: 0, end: None }
    }

    fn next(&mut self) -> Option<Captures<'t>> {
        while self.at <= self.text.len() {
            let whole = self.regex.captures_at(self.text, self.at);
            let shorter = self.shorter.filter(|shorter| self.at <= shorter.len());
            let shorter = shorter.and_then(|shorter| self.regex.captures_at(shorter, self.at));
            let start = |captures: &Captures<'_>| captures.get(0).map_or(usize::MAX, |found| found.start());
            let found = match (whole, shorter) {
                (Some(whole), Some(shorter)) if start(&shorter) < start(&whole) => shorter,
                (Some(found), _) | (None, Some(found)) => found,
                (None, None) => return None,
            };
            let (from, to) = found.get(0).map(|found| (found.start(), found.end()))?;
            if from == to && self.end == Some(to) {
                // On to the next letter.
                self.at = to + self.text[to..].chars().next().map_or(1, char::len_utf8);
                continue;
            }
            (self.at, self.end) = (to, Some(to));
            return Some(found);
        }
        None
    }
}

// Counts letters up to places that only grow.
struct Letters<'t> {
    text: &'t str,
    at: usize,
    count: usize,
}

impl Letters<'_> {
    fn before(&mut self, place: usize) -> usize {
        self.count += self.text[self.at..place].chars().count();
        self.at = place;
        self.count
    }
}

impl Matched {
    /// The named groups as an object.
    pub(crate) fn named(&self) -> Caught<Value> {
        let named = self.groups.iter().filter_map(|group| Some((group.name.as_deref()?, group)));
        Value::object(named.map(|(name, group)| (Rc::from(name), group.to_text())))
    }

    /// **Shape**: `{"offset","length","string","captures":[{"offset","length","string","name"}]}`.
    fn to_value(&self) -> Caught<Value> {
        let (whole, groups) = self.groups.split_first().ok_or_else(|| Halt::error("nothing was matched"))?;
        let captures = groups.iter().map(|group| {
            let mut members = group.members();
            members
                .push((Rc::from("name"), group.name.as_ref().map_or(Value::Null, |name| Value::text(name.as_str()))));
            Value::object(members)
        });
        let captures = Value::array(captures.collect::<Caught<_>>()?)?;
        let mut members = whole.members();
        members.push((Rc::from("captures"), captures));
        Value::object(members)
    }
}

impl Group {
    fn to_text(&self) -> Value {
        self.text.as_ref().map_or(Value::Null, |text| Value::text(text.as_str()))
    }

    fn members(&self) -> Vec<(Rc<str>, Value)> {
        let length = self.text.as_ref().map_or(0, |text| text.chars().count());
        let offset = (Rc::from("offset"), self.offset.map_or(Value::number(-1.0), Value::count));
        let (length, string) = ((Rc::from("length"), Value::count(length)), (Rc::from("string"), self.to_text()));
        // What was not part of the match names its string first, as the reference does.
        if self.text.is_some() { vec![offset, length, string] } else { vec![offset, string, length] }
    }
}

fn input_text(input: &Value) -> Caught<&str> {
    input.as_text().ok_or_else(|| Halt::error(format!("{} cannot be matched, as it is not a string", shown(input))))
}

pub(crate) fn test(run: &Run<'_>, input: Value, arguments: &[Value]) -> Caught<Value> {
    Ok(Value::Bool(!find(run, input_text(&input)?, &arguments[0], arguments.get(1), false)?.is_empty()))
}

pub(crate) fn matches(run: &Run<'_>, input: Value, arguments: &[Value]) -> Caught<Value> {
    let found = find(run, input_text(&input)?, &arguments[0], arguments.get(1), false)?;
    Value::array(found.iter().map(Matched::to_value).collect::<Caught<_>>()?)
}

/// The text cut at every match.
pub(crate) fn split(run: &Run<'_>, input: Value, arguments: &[Value]) -> Caught<Value> {
    let text = input_text(&input)?;
    let found = find(run, text, &arguments[0], arguments.get(1), true)?;
    run.allocate(found.len() + 1, text.len())?;
    let mut from = 0;
    let mut parts = Vec::with_capacity(found.len() + 1);
    for matched in found {
        parts.push(Value::text(&text[from..matched.start]));
        from = matched.end;
    }
    parts.push(Value::text(&text[from..]));
    Value::array(parts)
}
