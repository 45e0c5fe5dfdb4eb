//! Regular expressions that refer back to what a group of theirs has matched.
//!
//! No automaton can follow these, so the ways to match are tried one after the other. Every try is a step of the
//! program, and its nesting stands on the program's stack, so that both limits hold here too.

use std::convert::Infallible;
use std::fmt::Write as _;
use std::ops::Range;

use regex_syntax::Error;
use regex_syntax::ast::parse::ParserBuilder;
use regex_syntax::ast::{Ast, GroupKind, Visitor, visit};
use regex_syntax::hir::translate::TranslatorBuilder;
use regex_syntax::hir::{Class, Hir, HirKind, Look, Repetition};

use crate::halt::Caught;
use crate::run::Run;

/// What a reference is called while the expression is read; no group of a program's has such a name.
const REFERENCE: &str = "back_reference_";

/// Where the whole expression and each of its groups matched.
pub(crate) type Places = Vec<Option<Range<usize>>>;

/// How an expression is read.
#[derive(Clone, Copy)]
pub(crate) struct Mode {
    pub(crate) ignores_case: bool,
    pub(crate) ignores_blanks: bool,
    pub(crate) dot_is_newline: bool,
}

/// An expression with references.
pub(crate) struct Backrefs {
    hir: Hir,
    /// The names of the groups.
    pub(crate) names: Vec<Option<String>>,
    /// What each capture that was read is, by its number there less one; the tree may lack some.
    captures: Vec<Capture>,
    // Whether it asks for the end, which a final newline does not move.
    has_end: bool,
}

/// What stands in the place of a capture.
#[derive(Clone, Copy)]
enum Capture {
    /// A group; its number.
    Group(usize),
    /// What this group has matched is to come again.
    Back(usize),
}

/// What is tried next.
type Then<'t, 'a> = &'t mut dyn FnMut(&mut Search<'a>, usize) -> Caught<bool>;

impl Backrefs {
    /// Reads an expression; `None` where it has no references.
    ///
    /// **Errors**: what is wrong with it.
    pub(crate) fn read(pattern: &str, mode: Mode) -> Result<Option<Self>, String> {
        let (marked, targets) = mark(pattern);
        if targets.is_empty() {
            return Ok(None);
        }
        let mut parser = ParserBuilder::new().ignore_whitespace(mode.ignores_blanks).build();
        let ast = parser.parse(&marked).map_err(|error| Error::from(error).to_string())?;
        let mut translator = TranslatorBuilder::new()
            .case_insensitive(mode.ignores_case)
            .dot_matches_new_line(mode.dot_is_newline)
            .build();
        let hir = translator.translate(&marked, &ast).map_err(|error| Error::from(error).to_string())?;
        let Ok(found) = visit(&ast, Groups::default());
        let reference =
            |name: &Option<String>| -> Option<usize> { name.as_ref()?.strip_prefix(REFERENCE)?.parse().ok() };
        let names: Vec<Option<String>> = found.iter().filter(|name| reference(name).is_none()).cloned().collect();
        let mut captures = Vec::with_capacity(found.len());
        let mut count = 0;
        for name in &found {
            captures.push(match reference(name) {
                None => {
                    count += 1;
                    Capture::Group(count)
                }
                Some(own) => Capture::Back(targets[own].group(&names).ok_or("invalid backref number/name")?),
            });
        }
        Ok(Some(Self { hir, names, captures, has_end: pattern.contains('$') }))
    }

    /// The first match from a place on.
    ///
    /// **Errors**: a limit.
    pub(crate) fn find(&self, run: &Run<'_>, text: &str, from: usize) -> Caught<Option<Places>> {
        let starts = text[from..].char_indices().map(|(at, _)| from + at).chain([text.len()]);
        for start in starts {
            let mut search = Search { own: self, run, text, groups: vec![None; self.names.len() + 1] };
            let whole = &mut |search: &mut Search<'_>, end| {
                search.groups[0] = Some(start..end);
                Ok(true)
            };
            if search.node(&self.hir, start, whole)? {
                return Ok(Some(search.groups));
            }
        }
        Ok(None)
    }
}

/// What a reference names.
enum Target {
    Number(usize),
    Name(String),
}

impl Target {
    fn group(&self, names: &[Option<String>]) -> Option<usize> {
        match self {
            Self::Number(number) => (1..=names.len()).contains(number).then_some(*number),
            Self::Name(name) => names.iter().position(|own| own.as_ref() == Some(name)).map(|place| place + 1),
        }
    }
}

// The expression with a named group in the place of each reference, and what they name.
fn mark(pattern: &str) -> (String, Vec<Target>) {
    let (mut marked, mut targets) = (String::new(), Vec::new());
    let (mut rest, mut class) = (pattern, 0_usize);
    while let Some(letter) = rest.chars().next() {
        if letter == '\\'
            && class == 0
            && let Some((target, length)) = reference(&rest[1..])
        {
            // Writing to a String cannot fail.
            let _ = write!(marked, "(?P<{REFERENCE}{}>a)", targets.len());
            targets.push(target);
            rest = &rest[1 + length..];
            continue;
        }
        let length =
            letter.len_utf8() + if letter == '\\' { rest[1..].chars().next().map_or(0, char::len_utf8) } else { 0 };
        match letter {
            '[' => class += 1,
            ']' => class = class.saturating_sub(1),
            _ => {}
        }
        marked.push_str(&rest[..length]);
        rest = &rest[length..];
    }
    (marked, targets)
}

// `1`, `k<1>`, `k<name>`, `k'name'` behind a backslash, and how long it is.
fn reference(text: &str) -> Option<(Target, usize)> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    if digits > 0 && !text.starts_with('0') {
        return Some((Target::Number(text[..digits].parse().ok()?), digits));
    }
    let (open, close) = if text.starts_with("k<") { ("k<", '>') } else { ("k'", '\'') };
    let name = text.strip_prefix(open)?.split_once(close)?.0;
    let target = name.parse().map_or_else(|_| Target::Name(name.to_owned()), Target::Number);
    Some((target, open.len() + name.len() + 1))
}

/// The names of all groups in the order of their numbers, those too that the tree drops as they never match.
#[derive(Default)]
struct Groups(Vec<Option<String>>);

impl Visitor for Groups {
    type Output = Vec<Option<String>>;
    type Err = Infallible;

    fn finish(self) -> Result<Self::Output, Infallible> {
        Ok(self.0)
    }

    fn visit_pre(&mut self, ast: &Ast) -> Result<(), Infallible> {
        if let Ast::Group(group) = ast {
            match &group.kind {
                GroupKind::CaptureIndex(_) => self.0.push(None),
                GroupKind::CaptureName { name, .. } => self.0.push(Some(name.name.clone())),
                GroupKind::NonCapturing(_) => {}
            }
        }
        Ok(())
    }
}

// The letter that stands for a reference is read as two where case does not matter at that place.
fn ignores_case(mark: &Hir) -> bool {
    matches!(mark.kind(), HirKind::Class(_))
}

/// One try from one place.
struct Search<'a> {
    own: &'a Backrefs,
    run: &'a Run<'a>,
    text: &'a str,
    groups: Places,
}

impl<'a> Search<'a> {
    // Whether the node matches here and what comes then does too.
    fn node(&mut self, hir: &'a Hir, at: usize, then: Then<'_, 'a>) -> Caught<bool> {
        self.run.spend(1)?;
        self.run.check_stack()?;
        match hir.kind() {
            HirKind::Empty => then(self, at),
            HirKind::Literal(_) | HirKind::Class(_) => match self.single(hir, at) {
                Some(end) => then(self, end),
                None => Ok(false),
            },
            HirKind::Look(look) => {
                if self.stands(*look, at) {
                    then(self, at)
                } else {
                    Ok(false)
                }
            }
            HirKind::Concat(parts) => self.row(parts, at, then),
            HirKind::Alternation(parts) => {
                for part in parts {
                    if self.node(part, at, &mut *then)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            HirKind::Repetition(repetition) => self.repeat(repetition, 0, at, then),
            HirKind::Capture(capture) => match self.own.captures.get(capture.index as usize - 1) {
                None => Ok(false),
                Some(Capture::Back(group)) => match self.again(*group, ignores_case(&capture.sub), at) {
                    Some(end) => then(self, end),
                    None => Ok(false),
                },
                Some(&Capture::Group(group)) => self.node(&capture.sub, at, &mut |search, end| {
                    let before = search.groups[group].replace(at..end);
                    let matches = then(search, end)?;
                    if !matches {
                        search.groups[group] = before;
                    }
                    Ok(matches)
                }),
            },
        }
    }

    fn row(&mut self, parts: &'a [Hir], at: usize, then: Then<'_, 'a>) -> Caught<bool> {
        match parts.split_first() {
            None => then(self, at),
            Some((first, rest)) => self.node(first, at, &mut |search, at| search.row(rest, at, &mut *then)),
        }
    }

    fn repeat(&mut self, own: &'a Repetition, count: u32, at: usize, then: Then<'_, 'a>) -> Caught<bool> {
        if matches!(own.sub.kind(), HirKind::Literal(_) | HirKind::Class(_)) {
            return self.repeat_single(own, at, then);
        }
        let more = |search: &mut Self, then: Then<'_, 'a>| {
            let may = own.max.is_none_or(|max| count < max);
            // What is empty could come for ever.
            let next = &mut |search: &mut Self, end| {
                if end == at && count >= own.min { Ok(false) } else { search.repeat(own, count + 1, end, &mut *then) }
            };
            if may { search.node(&own.sub, at, next) } else { Ok(false) }
        };
        if own.greedy && more(self, &mut *then)? {
            return Ok(true);
        }
        if count >= own.min && then(self, at)? {
            return Ok(true);
        }
        if own.greedy { Ok(false) } else { more(self, then) }
    }

    // A repeated letter needs no stack: where it may end is counted out first.
    fn repeat_single(&mut self, own: &'a Repetition, at: usize, then: Then<'_, 'a>) -> Caught<bool> {
        let mut ends = vec![at];
        let mut last = at;
        while own.max.is_none_or(|max| ends.len() <= max as usize) {
            // A lazy one may be content with fewer.
            if !own.greedy && ends.len() > own.min as usize && then(self, last)? {
                return Ok(true);
            }
            self.run.spend(1)?;
            let Some(end) = self.single(&own.sub, last) else { return self.fewer(own, &ends, then) };
            ends.push(end);
            last = end;
        }
        self.fewer(own, &ends, then)
    }

    fn fewer(&mut self, own: &Repetition, ends: &[usize], then: Then<'_, 'a>) -> Caught<bool> {
        // A lazy one has tried all of these but the last of a full count.
        let is_full = own.max.is_some_and(|max| ends.len() > max as usize);
        let tried = if own.greedy { 0 } else { ends.len() - usize::from(is_full) };
        for end in ends.iter().skip((own.min as usize).max(tried)).rev() {
            self.run.spend(1)?;
            if then(self, *end)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    // Where a literal or a letter of a class ends.
    fn single(&self, hir: &Hir, at: usize) -> Option<usize> {
        let rest = &self.text[at..];
        match hir.kind() {
            HirKind::Literal(literal) => rest.as_bytes().starts_with(&literal.0).then(|| at + literal.0.len()),
            HirKind::Class(class) => {
                let letter = rest.chars().next()?;
                let holds = match class {
                    Class::Unicode(class) => {
                        class.ranges().iter().any(|range| (range.start()..=range.end()).contains(&letter))
                    }
                    Class::Bytes(class) => u8::try_from(letter).is_ok_and(|letter| {
                        class.ranges().iter().any(|range| (range.start()..=range.end()).contains(&letter))
                    }),
                };
                holds.then(|| at + letter.len_utf8())
            }
            _ => None,
        }
    }

    // Where what a group has matched ends, if it comes again here.
    fn again(&self, group: usize, ignores_case: bool, at: usize) -> Option<usize> {
        let before = &self.text[self.groups[group].clone()?];
        let rest = &self.text[at..];
        if !ignores_case {
            return rest.starts_with(before).then(|| at + before.len());
        }
        let mut letters = rest.chars();
        let is_same = |one: char, other: char| one.to_lowercase().eq(other.to_lowercase());
        before
            .chars()
            .all(|one| letters.next().is_some_and(|other| is_same(one, other)))
            .then(|| at + rest.len() - letters.as_str().len())
    }

    fn stands(&self, look: Look, at: usize) -> bool {
        let (before, behind) = self.text.split_at(at);
        let is_word = |letter: Option<char>| letter.is_some_and(|letter| letter.is_alphanumeric() || letter == '_');
        let (left, right) = (is_word(before.chars().next_back()), is_word(behind.chars().next()));
        match look {
            Look::Start => at == 0,
            Look::End => behind.is_empty() || self.own.has_end && behind == "\n",
            Look::StartLF | Look::StartCRLF => before.is_empty() || before.ends_with('\n'),
            Look::EndLF | Look::EndCRLF => behind.is_empty() || behind.starts_with('\n'),
            Look::WordAscii | Look::WordUnicode => left != right,
            Look::WordAsciiNegate | Look::WordUnicodeNegate => left == right,
            Look::WordStartAscii | Look::WordStartUnicode => !left && right,
            Look::WordEndAscii | Look::WordEndUnicode => left && !right,
            Look::WordStartHalfAscii | Look::WordStartHalfUnicode => !left,
            Look::WordEndHalfAscii | Look::WordEndHalfUnicode => !right,
        }
    }
}
