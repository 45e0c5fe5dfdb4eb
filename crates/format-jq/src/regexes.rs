//! Regular expressions, found in time that grows with the text.
//!
//! That is what one search takes. Many of them may take as much each, so the clock is looked at between them. Only
//! where an expression refers back to what it has matched, ways are tried one after the other, each a step.

use std::rc::Rc;

use regex::{Regex, RegexBuilder};

use crate::backrefs::{Backrefs, Mode, Places};
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

/// An expression that was read.
enum Expression {
    Plain(Regex),
    Back(Backrefs),
}

// The expression, and how many steps a letter of the text costs: with a large one each may take long.
fn compile(run: &Run<'_>, pattern: &str, flags: &Flags) -> Caught<(Expression, usize)> {
    run.spend(64 + pattern.len() * 16)?;
    let Flags { ignores_case, ignores_blanks, dot_is_newline, .. } = *flags;
    let invalid = |reason: &str| {
        let last = reason.lines().last().unwrap_or_default().trim_start_matches("error: ");
        Halt::error(format!("{pattern} (at offset 0) is not a valid regex: {last}"))
    };
    match Backrefs::read(pattern, Mode { ignores_case, ignores_blanks, dot_is_newline }) {
        Ok(Some(expression)) => return Ok((Expression::Back(expression), 0)),
        Ok(None) => {}
        Err(reason) => return Err(invalid(&reason)),
    }
    let build = |size: usize| {
        RegexBuilder::new(pattern)
            .case_insensitive(ignores_case)
            .ignore_whitespace(ignores_blanks)
            .dot_matches_new_line(dot_is_newline)
            .size_limit(size)
            .dfa_size_limit(1024 * 1024)
            .build()
    };
    if let Ok(regex) = build(SMALL) {
        return Ok((Expression::Plain(regex), 0));
    }
    build(SIZE).map(|regex| (Expression::Plain(regex), 4)).map_err(|error| invalid(&error.to_string()))
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
    let (expression, cost) = compile(run, source, &flags)?;
    let names: Vec<Option<String>> = match &expression {
        Expression::Plain(regex) => regex.capture_names().skip(1).map(|name| name.map(str::to_owned)).collect(),
        Expression::Back(expression) => expression.names.clone(),
    };
    run.spend(text.len() / 8 + text.len().saturating_mul(cost))?;
    let mut found = Vec::new();
    let mut letters = Letters { text, at: 0, count: 0 };
    let mut search = Search::new(run, &expression, source, text);
    while let Some(places) = search.next()? {
        let Some((Some(whole), of_groups)) = places.split_first() else { continue };
        // The search for one match may have gone through the whole text.
        run.look()?;
        run.allocate(8 + names.len() * 4, whole.len())?;
        if flags.skips_empty && whole.is_empty() {
            continue;
        }
        let mut groups = vec![Group {
            name: None,
            text: Some(text[whole.clone()].to_owned()),
            offset: Some(letters.before(whole.start)),
        }];
        for (name, group) in names.iter().zip(of_groups) {
            groups.push(Group {
                name: name.clone(),
                text: group.clone().map(|group| text[group].to_owned()),
                offset: group.as_ref().map(|group| letters.count + text[letters.at..group.start].chars().count()),
            });
        }
        found.push(Matched { start: whole.start, end: whole.end, groups });
        if !(flags.global || all) {
            break;
        }
    }
    Ok(found)
}

/// One match after the other.
struct Search<'r, 't> {
    run: &'r Run<'r>,
    expression: &'r Expression,
    text: &'t str,
    // The text without its final newline, where the expression may ask for the end: that is one too.
    shorter: Option<&'t str>,
    at: usize,
    // Where the last match ended; an empty one there is none.
    end: Option<usize>,
}

impl<'r, 't> Search<'r, 't> {
    fn new(run: &'r Run<'r>, expression: &'r Expression, source: &str, text: &'t str) -> Self {
        let shorter = text.strip_suffix('\n').filter(|_| source.contains('$'));
        Self { run, expression, text, shorter, at: 0, end: None }
    }

    // The first match from where it stands.
    fn first(&self) -> Caught<Option<Places>> {
        let regex = match self.expression {
            Expression::Back(expression) => return expression.find(self.run, self.text, self.at),
            Expression::Plain(regex) => regex,
        };
        let places = |text: &'t str| -> Option<Places> {
            let found = regex.captures_at(text, self.at)?;
            Some(found.iter().map(|group| group.map(|group| group.range())).collect())
        };
        let start = |places: &Places| places[0].as_ref().map_or(usize::MAX, |whole| whole.start);
        let shorter = self.shorter.filter(|shorter| self.at <= shorter.len()).and_then(places);
        Ok(match (places(self.text), shorter) {
            (Some(whole), Some(shorter)) if start(&shorter) < start(&whole) => Some(shorter),
            (Some(found), _) | (None, Some(found)) => Some(found),
            (None, None) => None,
        })
    }

    fn next(&mut self) -> Caught<Option<Places>> {
        while self.at <= self.text.len() {
            let Some(found) = self.first()? else { return Ok(None) };
            let Some((from, to)) = found[0].as_ref().map(|whole| (whole.start, whole.end)) else { return Ok(None) };
            if from == to && self.end == Some(to) {
                // On to the next letter.
                self.at = to + self.text[to..].chars().next().map_or(1, char::len_utf8);
                continue;
            }
            (self.at, self.end) = (to, Some(to));
            return Ok(Some(found));
        }
        Ok(None)
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
