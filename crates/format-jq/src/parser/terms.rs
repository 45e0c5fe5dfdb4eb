//! Terms: what can stand alone, and what can be appended to it.

use std::rc::Rc;

use crate::halt::{Failure, Limit};
use crate::number::Number;
use crate::term::{Style, Term};
use crate::value::Value;

use super::names::Bound;
use super::{Level, Parser};

/// Words that cannot be the name of a filter.
const KEYWORDS: &[&str] = &[
    "def", "if", "then", "elif", "else", "end", "as", "reduce", "foreach", "try", "catch", "label", "import",
    "include", "and", "or", "__loc__",
];

fn literal(text: &str) -> Term {
    Term::Literal(Value::text(text))
}

/// How much of a program may be read a second time. **Units**: bytes.
const AGAIN: usize = 256 * 1024;

fn index(target: Term, key: Term) -> Term {
    Term::Index(Box::new(target), Box::new(key))
}

impl Parser<'_, '_> {
    /// A term with everything that is appended to it.
    pub(super) fn postfix(&mut self) -> Result<Term, Failure> {
        let mut term = self.primary()?;
        // What is appended nests the tree, so it counts as depth.
        let depth = self.depth;
        loop {
            let appended = match self.reader.peek_symbol() {
                // `.a?//b` is `.a? // b`.
                Some("?" | "?//" | "?//=") => {
                    self.reader.letter('?');
                    Term::Try(Box::new(term), None)
                }
                Some("[") => self.bracket(term)?,
                Some(".") => {
                    self.reader.symbol(".");
                    self.after_dot(term)?
                }
                _ => break,
            };
            term = appended;
            self.depth += 1;
            if self.depth > super::DEPTH {
                return Err(Failure::Limit(Limit::Depth));
            }
        }
        self.depth = depth;
        Ok(term)
    }

    fn after_dot(&mut self, target: Term) -> Result<Term, Failure> {
        if let Some(name) = self.reader.name() {
            return Ok(index(target, literal(name)));
        }
        match self.reader.peek_symbol() {
            Some("[") => self.bracket(target),
            Some("\"" | "@") => {
                let key = self.key_text()?.unwrap_or(Term::Identity);
                Ok(index(target, key))
            }
            _ => {
                let found = self.reader.found();
                self.reader.fail(format!("expected a key, found {found}"))
            }
        }
    }

    /// `[]`, `[key]`, `[from:to]` behind a target.
    fn bracket(&mut self, target: Term) -> Result<Term, Failure> {
        self.reader.expect("[")?;
        let target = Box::new(target);
        if self.reader.symbol("]") {
            return Ok(Term::Iterate(target));
        }
        if self.reader.symbol(":") {
            let to = self.pipe()?;
            self.reader.expect("]")?;
            return Ok(Term::Slice(target, None, Some(Box::new(to))));
        }
        let from = self.pipe()?;
        if !self.reader.symbol(":") {
            self.reader.expect("]")?;
            return Ok(Term::Index(target, Box::new(from)));
        }
        let to = if self.reader.peek_symbol() == Some("]") { None } else { Some(Box::new(self.pipe()?)) };
        self.reader.expect("]")?;
        Ok(Term::Slice(target, Some(Box::new(from)), to))
    }

    fn primary(&mut self) -> Result<Term, Failure> {
        self.reader.blanks();
        if let Some(text) = self.reader.number() {
            return Ok(Term::Literal(number(text)));
        }
        match self.reader.peek_symbol() {
            Some("..") => {
                self.reader.symbol("..");
                return Ok(Term::Recurse);
            }
            Some(".") => return self.dot(),
            Some("(") => {
                self.reader.symbol("(");
                let term = self.pipe()?;
                self.reader.expect(")")?;
                return Ok(term);
            }
            Some("[") => {
                self.reader.symbol("[");
                if self.reader.symbol("]") {
                    return Ok(Term::Collect(None));
                }
                let term = self.pipe()?;
                self.reader.expect("]")?;
                return Ok(Term::Collect(Some(Box::new(term))));
            }
            Some("{") => return self.object(),
            Some("\"") => return self.string(Style::Text),
            Some("@") => {
                let style = self.style()?;
                let has_string = self.reader.peek_symbol() == Some("\"");
                return if has_string { self.string(style) } else { Ok(Term::Format(style)) };
            }
            Some("$") => return self.variable(),
            _ => {}
        }
        self.named()
    }

    // `.` alone, or with a key right behind it.
    fn dot(&mut self) -> Result<Term, Failure> {
        self.reader.symbol(".");
        if let Some(name) = self.reader.name_here() {
            return Ok(index(Term::Identity, literal(name)));
        }
        match self.reader.peek_letter() {
            Some('"') => {
                let key = self.string(Style::Text)?;
                Ok(index(Term::Identity, key))
            }
            _ => Ok(Term::Identity),
        }
    }

    fn variable(&mut self) -> Result<Term, Failure> {
        let name = self.dollar_name()?;
        if let Some(place) = self.place(&Bound::Variable(name.clone())) {
            return Ok(Term::Variable(place));
        }
        match name.as_str() {
            "__loc__" => self.location(),
            "ENV" | "__prog_args" => self.reader.fail(format!("${name} is not available here")),
            _ => self.reader.fail(format!("${name} is not defined")),
        }
    }

    fn location(&self) -> Result<Term, Failure> {
        let line = Value::count(self.reader.line());
        let members = [(Rc::from("file"), Value::text("<top-level>")), (Rc::from("line"), line)];
        Value::object(members).map(Term::Literal).or(Err(Failure::Limit(Limit::Depth)))
    }

    fn named(&mut self) -> Result<Term, Failure> {
        let Some(name) = self.reader.name() else {
            let found = self.reader.found();
            return self.reader.fail(format!("unexpected {found}"));
        };
        match name {
            "if" => self.condition(),
            "try" => {
                let body = self.nested(Self::postfix)?;
                let catch = if self.reader.word("catch") { Some(Box::new(self.nested(Self::postfix)?)) } else { None };
                Ok(Term::Try(Box::new(body), catch))
            }
            "reduce" => Ok(Term::Reduce(Box::new(self.nested(|parser| parser.fold(false))?))),
            "foreach" => Ok(Term::Foreach(Box::new(self.nested(|parser| parser.fold(true))?))),
            "break" => {
                let label = self.dollar_name()?;
                match self.place(&Bound::Label(label.clone())) {
                    Some(place) => Ok(Term::Break(place)),
                    None => self.reader.fail(format!("there is no label ${label} here")),
                }
            }
            // A definition inside a term reaches to the end of the term's own pipe.
            "def" => self.nested(Self::definition),
            "null" => Ok(Term::Literal(Value::Null)),
            "true" => Ok(Term::Literal(Value::Bool(true))),
            "false" => Ok(Term::Literal(Value::Bool(false))),
            _ if KEYWORDS.contains(&name) => self.reader.fail(format!("unexpected {name:?}")),
            _ => self.call(name),
        }
    }

    /// What stands behind `if` or `elif`.
    fn condition(&mut self) -> Result<Term, Failure> {
        self.nested(|parser| {
            let condition = parser.pipe()?;
            parser.expect_word("then")?;
            let then = parser.pipe()?;
            let otherwise = if parser.reader.word("elif") {
                Some(Box::new(parser.condition()?))
            } else {
                let term = if parser.reader.word("else") { Some(Box::new(parser.pipe()?)) } else { None };
                parser.expect_word("end")?;
                term
            };
            Ok(Term::If(Box::new(condition), Box::new(then), otherwise))
        })
    }

    fn expect_word(&mut self, wanted: &str) -> Result<(), Failure> {
        if self.reader.word(wanted) {
            return Ok(());
        }
        let found = self.reader.found();
        self.reader.fail(format!("expected {wanted:?}, found {found}"))
    }

    fn object(&mut self) -> Result<Term, Failure> {
        self.reader.expect("{")?;
        let mut members = Vec::new();
        if self.reader.symbol("}") {
            return Ok(Term::Object(members));
        }
        loop {
            members.push(self.object_member()?);
            if self.reader.symbol("}") {
                return Ok(Term::Object(members));
            }
            self.reader.expect(",")?;
        }
    }

    fn object_member(&mut self) -> Result<(Term, Term), Failure> {
        if self.reader.peek_symbol() == Some("$") {
            let name = self.dollar_name()?;
            let value = match self.place(&Bound::Variable(name.clone())) {
                Some(place) => Term::Variable(place),
                None if name == "__loc__" => self.location()?,
                None => return self.reader.fail(format!("${name} is not defined")),
            };
            return Ok((literal(&name), value));
        }
        if self.reader.symbol("(") {
            let key = self.pipe()?;
            self.reader.expect(")")?;
            self.reader.expect(":")?;
            return Ok((key, self.object_value()?));
        }
        if self.reader.peek_symbol() == Some("\"") || self.reader.peek_symbol() == Some("@") {
            let again = self.reader.mark();
            let key = self.key_text()?.unwrap_or(Term::Identity);
            if self.reader.symbol(":") {
                return Ok((key, self.object_value()?));
            }
            // `{"name"}`: the text is read once more, as the key of the input. Within such keys that doubles
            // at every level, so there is an end to it.
            self.again += self.reader.mark() - again;
            if self.again > AGAIN {
                return Err(Failure::Limit(Limit::Length));
            }
            self.reader.reset(again);
            let same = self.key_text()?.unwrap_or(Term::Identity);
            return Ok((key, index(Term::Identity, same)));
        }
        let name = self.reader.expect_name("a key")?.to_owned();
        let value = if self.reader.symbol(":") { self.object_value()? } else { index(Term::Identity, literal(&name)) };
        Ok((literal(&name), value))
    }

    // A comma ends a member, so it is no operator here.
    fn object_value(&mut self) -> Result<Term, Failure> {
        self.nested(|parser| parser.row("|", Term::Pipe, &mut |parser| parser.binary(Level::Alternative)))
    }
}

// A number keeps its text where JSON could hold it.
fn number(text: &str) -> Value {
    let is_json = text.parse::<serde_json::Number>().is_ok();
    Value::Number(if is_json { Number::written(text) } else { Number::computed(text.parse().unwrap_or(f64::NAN)) })
}
