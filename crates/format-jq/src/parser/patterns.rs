//! `as` and what follows it: patterns, `reduce`, `foreach`.

use crate::halt::Failure;
use crate::term::{Fold, Member, Pattern, Term};
use crate::value::Value;

use super::Parser;
use super::names::Bound;

impl Parser<'_, '_> {
    /// `source as pattern | body`; `as` was passed.
    pub(super) fn binding(&mut self, source: Term) -> Result<Term, Failure> {
        let length = self.bound.len();
        let pattern = self.pattern()?;
        if self.reader.symbol("?//") {
            return self.reader.fail("?// is not supported");
        }
        self.reader.expect("|")?;
        let body = self.pipe()?;
        self.bound.truncate(length);
        Ok(Term::Bind(Box::new(source), pattern, Box::new(body)))
    }

    /// A pattern; its variables stay bound.
    fn pattern(&mut self) -> Result<Pattern, Failure> {
        self.nested(|parser| {
            if parser.reader.symbol("[") {
                let mut items = vec![parser.pattern()?];
                while parser.reader.symbol(",") {
                    items.push(parser.pattern()?);
                }
                parser.reader.expect("]")?;
                return Ok(Pattern::Array(items));
            }
            if parser.reader.symbol("{") {
                let mut members = vec![parser.member()?];
                while parser.reader.symbol(",") {
                    members.push(parser.member()?);
                }
                parser.reader.expect("}")?;
                return Ok(Pattern::Object(members));
            }
            let name = parser.dollar_name()?;
            parser.bound.push(Bound::Variable(name));
            Ok(Pattern::Variable)
        })
    }

    fn member(&mut self) -> Result<Member, Failure> {
        if self.reader.peek_symbol() == Some("$") {
            let name = self.dollar_name()?;
            let key = Term::Literal(Value::text(name.as_str()));
            self.bound.push(Bound::Variable(name));
            let pattern = if self.reader.symbol(":") { Some(self.pattern()?) } else { None };
            return Ok(Member { key, bound: true, pattern });
        }
        let key = if self.reader.symbol("(") {
            let key = self.pipe()?;
            self.reader.expect(")")?;
            key
        } else {
            match self.key_text()? {
                Some(key) => key,
                None => Term::Literal(Value::text(self.reader.expect_name("a key")?)),
            }
        };
        self.reader.expect(":")?;
        Ok(Member { key, bound: false, pattern: Some(self.pattern()?) })
    }

    /// `source as pattern (start; update; extract)`; the word was passed.
    pub(super) fn fold(&mut self, extracts: bool) -> Result<Fold, Failure> {
        let source = self.postfix()?;
        if !self.reader.word("as") {
            let found = self.reader.found();
            return self.reader.fail(format!("expected \"as\", found {found}"));
        }
        let length = self.bound.len();
        let pattern = self.pattern()?;
        let variables = self.bound.split_off(length);
        self.reader.expect("(")?;
        let start = self.pipe()?;
        self.reader.expect(";")?;
        self.bound.extend(variables);
        let update = self.pipe()?;
        let extract = if extracts && self.reader.symbol(";") { Some(self.pipe()?) } else { None };
        self.bound.truncate(length);
        self.reader.expect(")")?;
        Ok(Fold { source, pattern, start, update, extract })
    }
}
