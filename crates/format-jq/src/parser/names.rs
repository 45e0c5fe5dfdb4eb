//! Names: what is bound where, definitions, and what is built in.

use crate::halt::Failure;
use crate::library;
use crate::native::{self, FORBIDDEN};
use crate::term::{Definition, Term};

use super::Parser;

/// Something that a name stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Bound {
    Variable(String),
    /// A parameter that is a filter.
    Closure(String),
    /// A definition with so many parameters.
    Definition(String, usize),
    Label(String),
}

impl Parser<'_, '_> {
    /// Reads something in which more names are bound.
    pub(super) fn within<T>(
        &mut self,
        more: impl IntoIterator<Item = Bound>,
        inner: impl FnOnce(&mut Self) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let length = self.bound.len();
        self.bound.extend(more);
        let answer = inner(self);
        self.bound.truncate(length);
        answer
    }

    /// How many bindings back one of these is bound.
    pub(super) fn place(&self, wanted: &Bound) -> Option<usize> {
        self.bound.iter().rev().position(|bound| bound == wanted)
    }

    /// Reads `$name`.
    pub(super) fn dollar_name(&mut self) -> Result<String, Failure> {
        self.reader.expect("$")?;
        match self.reader.name_here() {
            Some(name) => Ok(name.to_owned()),
            None => self.reader.fail("expected a name after \"$\""),
        }
    }

    /// What stands behind `def`, up to the end of the pipe that may use it.
    pub(super) fn definition(&mut self) -> Result<Term, Failure> {
        let name = self.reader.expect_name("the name of a definition")?.to_owned();
        let mut parameters = Vec::new();
        if self.reader.symbol("(") {
            loop {
                let is_value = self.reader.symbol("$");
                let parameter = self.reader.expect_name("a parameter")?.to_owned();
                parameters.push((parameter, is_value));
                if !self.reader.symbol(";") {
                    break;
                }
            }
            self.reader.expect(")")?;
        }
        self.reader.expect(":")?;
        let bound = Bound::Definition(name, parameters.len());
        let definition = self.within([bound.clone()], |parser| parser.body(parameters))?;
        self.reader.expect(";")?;
        let body = self.within([bound], Self::pipe)?;
        Ok(Term::Define(Box::new(definition), Box::new(body)))
    }

    // All parameters are filters; those that are values are then bound once more as variables.
    fn body(&mut self, parameters: Vec<(String, bool)>) -> Result<Definition, Failure> {
        let kinds = parameters.iter().map(|(_, is_value)| *is_value).collect();
        let closures = parameters.iter().map(|(name, _)| Bound::Closure(name.clone()));
        let variables = parameters.iter().filter(|(_, is_value)| *is_value);
        let variables = variables.map(|(name, _)| Bound::Variable(name.clone()));
        let bound: Vec<Bound> = closures.chain(variables).collect();
        let body = self.within(bound, Self::pipe)?;
        Ok(Definition { parameters: kinds, body })
    }

    /// A name that is used as a filter, with its arguments.
    pub(super) fn call(&mut self, name: &str) -> Result<Term, Failure> {
        let mut arguments = Vec::new();
        if self.reader.symbol("(") {
            loop {
                arguments.push(self.pipe()?);
                if !self.reader.symbol(";") {
                    break;
                }
            }
            self.reader.expect(")")?;
        }
        let count = arguments.len();
        let closure = Bound::Closure(name.to_owned());
        let definition = Bound::Definition(name.to_owned(), count);
        let names = |bound: &Bound| (count == 0 && *bound == closure) || *bound == definition;
        if let Some(place) = self.bound.iter().rev().position(names) {
            let is_closure = matches!(self.bound[self.bound.len() - 1 - place], Bound::Closure(_));
            return Ok(if is_closure { Term::Closure(place) } else { Term::Call(place, arguments) });
        }
        if FORBIDDEN.contains(&name) {
            return self.reader.fail(format!("{name} is not available here"));
        }
        if let Some(control) = native::control(name, count) {
            return Ok(Term::Control(control, arguments));
        }
        if let Some(plain) = native::plain(name, count) {
            return Ok(Term::Plain(plain, arguments));
        }
        match self.library_place(name, count)? {
            Some(place) => Ok(Term::Library(place, arguments)),
            None => self.reader.fail(format!("{name}/{count} is not defined")),
        }
    }

    // Compiles a definition of the library the first time that it is reached.
    fn library_place(&mut self, name: &str, count: usize) -> Result<Option<usize>, Failure> {
        let Some((name, parameters, text)) = library::source(name, count) else { return Ok(None) };
        let known = self.library.definitions.iter().position(|known| (known.0, known.1) == (name, count));
        if known.is_some() {
            return Ok(known);
        }
        let place = self.library.definitions.len();
        self.library.definitions.push((name, count, None));
        let parameters = parameters.split(';').filter(|name| !name.is_empty());
        let parameters = parameters.map(|name| (name.trim_start_matches('$').to_owned(), name.starts_with('$')));
        let parameters = parameters.collect();
        let definition = Parser::new(text, self.library).body(parameters)?;
        self.library.definitions[place].2 = Some(definition);
        Ok(Some(place))
    }
}
