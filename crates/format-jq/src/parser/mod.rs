//! The text of a program becomes a tree; every name is looked up on the way.

mod names;
mod patterns;
mod strings;
mod terms;

use crate::halt::{Failure, Limit};
use crate::library::Library;
use crate::reader::Reader;
use crate::term::{Comparison, Operator, Term};

use names::Bound;

/// The deepest nesting of a program's text; a pair of parentheses takes two.
const DEPTH: usize = 256;

/// The most operators of one level in a row, which nest the tree to the left.
const ROW: usize = 1_000;

/// The most parts of a pipe or a list that nest the tree to the right, each in the place of the one before it.
const CHAIN: usize = 64;

/// Reads a program in which the names of `variables` are bound, the last one latest.
pub(crate) fn parse(text: &str, variables: &[&str]) -> Result<(Term, Library), Failure> {
    let mut library = Library::default();
    let mut parser = Parser::new(text, &mut library);
    parser.bound.extend(variables.iter().map(|name| Bound::Variable((*name).to_owned())));
    let term = parser.program()?;
    Ok((term, library))
}

/// A program while it is read.
struct Parser<'s, 'l> {
    reader: Reader<'s>,
    /// What is bound here, the latest last.
    bound: Vec<Bound>,
    library: &'l mut Library,
    depth: usize,
    /// How much was read a second time. **Units**: bytes.
    again: usize,
}

/// How tightly an operator binds; a higher level binds tighter.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Alternative,
    Assign,
    Or,
    And,
    Compare,
    Sum,
    Product,
    Tightest,
}

impl Level {
    fn tighter(self) -> Self {
        match self {
            Self::Alternative => Self::Assign,
            Self::Assign => Self::Or,
            Self::Or => Self::And,
            Self::And => Self::Compare,
            Self::Compare => Self::Sum,
            Self::Sum => Self::Product,
            Self::Product | Self::Tightest => Self::Tightest,
        }
    }

    // Whether `a op b op c` is no program.
    fn stands_alone(self) -> bool {
        matches!(self, Self::Assign | Self::Compare)
    }
}

fn level_of(symbol: &str) -> Option<Level> {
    Some(match symbol {
        "//" => Level::Alternative,
        "=" | "|=" | "+=" | "-=" | "*=" | "/=" | "%=" | "//=" => Level::Assign,
        "or" => Level::Or,
        "and" => Level::And,
        "==" | "!=" | "<" | "<=" | ">" | ">=" => Level::Compare,
        "+" | "-" => Level::Sum,
        "*" | "/" | "%" => Level::Product,
        _ => return None,
    })
}

fn join(symbol: &str, left: Term, right: Term) -> Term {
    let (left, right) = (Box::new(left), Box::new(right));
    let arithmetic = |operator, left, right| Term::Arithmetic(operator, left, right);
    let compare = |comparison, left, right| Term::Compare(comparison, left, right);
    match symbol {
        "//" => Term::Alternative(left, right),
        "=" => Term::Assign(left, right),
        "|=" => Term::Modify(left, right),
        "+=" => Term::Update(Operator::Add, left, right),
        "-=" => Term::Update(Operator::Subtract, left, right),
        "*=" => Term::Update(Operator::Multiply, left, right),
        "/=" => Term::Update(Operator::Divide, left, right),
        "%=" => Term::Update(Operator::Remainder, left, right),
        "//=" => Term::UpdateAlternative(left, right),
        "or" => Term::Or(left, right),
        "and" => Term::And(left, right),
        "==" => compare(Comparison::Equal, left, right),
        "!=" => compare(Comparison::Unequal, left, right),
        "<" => compare(Comparison::Less, left, right),
        "<=" => compare(Comparison::LessOrEqual, left, right),
        ">" => compare(Comparison::Greater, left, right),
        ">=" => compare(Comparison::GreaterOrEqual, left, right),
        "+" => arithmetic(Operator::Add, left, right),
        "-" => arithmetic(Operator::Subtract, left, right),
        "*" => arithmetic(Operator::Multiply, left, right),
        "/" => arithmetic(Operator::Divide, left, right),
        _ => arithmetic(Operator::Remainder, left, right),
    }
}

// How parts are grouped changes nothing; a long row becomes a tree that is as shallow as it can be.
fn chain(mut parts: Vec<Term>, join: fn(Box<Term>, Box<Term>) -> Term) -> Term {
    if parts.len() > CHAIN {
        let rest = parts.split_off(parts.len() / 2);
        return join(Box::new(chain(parts, join)), Box::new(chain(rest, join)));
    }
    let last = parts.pop().unwrap_or(Term::Identity);
    parts.into_iter().rfold(last, |right, left| join(Box::new(left), Box::new(right)))
}

impl<'s, 'l> Parser<'s, 'l> {
    fn new(text: &'s str, library: &'l mut Library) -> Self {
        Self { reader: Reader::new(text), bound: Vec::new(), library, depth: 0, again: 0 }
    }

    fn program(&mut self) -> Result<Term, Failure> {
        for word in ["import", "include", "module"] {
            if self.reader.word(word) {
                return self.reader.fail(format!("{word} is not available here"));
            }
        }
        let term = self.pipe()?;
        if self.reader.is_at_end() {
            return Ok(term);
        }
        let found = self.reader.found();
        self.reader.fail(format!("unexpected {found}"))
    }

    fn nested<T>(&mut self, inner: impl FnOnce(&mut Self) -> Result<T, Failure>) -> Result<T, Failure> {
        self.depth += 1;
        if self.depth > DEPTH {
            return Err(Failure::Limit(Limit::Depth));
        }
        let answer = inner(self);
        self.depth -= 1;
        answer
    }

    /// `term | term`, and what stands before a whole pipe: definitions and labels.
    fn pipe(&mut self) -> Result<Term, Failure> {
        self.nested(|parser| {
            parser.row("|", Term::Pipe, &mut |parser| {
                parser.row(",", Term::Comma, &mut |parser| parser.binary(Level::Alternative))
            })
        })
    }

    // Parts that are read in a loop, so that how many they are is not depth.
    fn row(
        &mut self,
        between: &str,
        join: fn(Box<Term>, Box<Term>) -> Term,
        part: &mut dyn FnMut(&mut Self) -> Result<Term, Failure>,
    ) -> Result<Term, Failure> {
        let mut parts = vec![part(self)?];
        while self.reader.symbol(between) {
            parts.push(part(self)?);
        }
        Ok(chain(parts, join))
    }

    fn binary(&mut self, least: Level) -> Result<Term, Failure> {
        let mut left = self.operand()?;
        for _ in 0..ROW {
            let Some(symbol) = self.reader.peek_symbol() else { return Ok(left) };
            let Some(level) = level_of(symbol).filter(|level| *level >= least) else { return Ok(left) };
            self.reader.symbol(symbol);
            // `//` groups from the right, all others from the left.
            let right_least = if level == Level::Alternative { level } else { level.tighter() };
            let right = self.nested(|parser| parser.binary(right_least))?;
            left = join(symbol, left, right);
            let next = self.reader.peek_symbol().and_then(level_of);
            if level.stands_alone() && next == Some(level) {
                let found = self.reader.found();
                return self.reader.fail(format!("unexpected {found}: put parentheses around what comes first"));
            }
        }
        Err(Failure::Limit(Limit::Depth))
    }

    fn operand(&mut self) -> Result<Term, Failure> {
        if self.reader.symbol("-") {
            let term = self.nested(|parser| parser.binary(Level::Product))?;
            return Ok(Term::Negate(Box::new(term)));
        }
        if self.reader.word("def") {
            return self.nested(Self::definition);
        }
        if self.reader.word("label") {
            let name = self.dollar_name()?;
            self.reader.expect("|")?;
            let body = self.within([Bound::Label(name)], Self::pipe)?;
            return Ok(Term::Label(Box::new(body)));
        }
        let term = self.nested(Self::postfix)?;
        if self.reader.word("as") {
            return self.binding(term);
        }
        Ok(term)
    }
}
