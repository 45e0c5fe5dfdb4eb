//! Names at work: variables, filters, definitions, labels, functions.

use std::rc::Rc;

use crate::halt::{Caught, Halt};
use crate::native::Plain;
use crate::term::{Definition, Term};
use crate::value::Value;

use super::{Bound, Next, Out, Run, Scope, Spot, bind, find, push};

/// A name that the parser placed is not there.
pub(super) fn misplaced() -> Halt {
    Halt::error("a name stands for nothing")
}

impl<'p> Run<'p> {
    /// The terms that bind or use names, and assignments.
    pub(super) fn run_bound(&self, term: &'p Term, scope: &Scope<'p>, spot: Spot, out: Out<'_>) -> Caught<()> {
        let gone = spot.elsewhere(Value::Null);
        match term {
            Term::Assign(paths, value) => {
                self.assign(paths, value, scope, spot.value, &mut |made| out(gone.elsewhere(made)))
            }
            Term::Modify(paths, change) => out(gone.elsewhere(self.modify(paths, change, scope, spot.value)?)),
            Term::Update(operator, paths, value) => {
                self.update(*operator, paths, value, scope, spot.value, &mut |made| out(gone.elsewhere(made)))
            }
            Term::UpdateAlternative(paths, value) => {
                self.update_alternative(paths, value, scope, spot.value, &mut |made| out(gone.elsewhere(made)))
            }
            Term::Reduce(fold) => self.reduce(fold, scope, &spot, out),
            Term::Foreach(fold) => self.foreach(fold, scope, &spot, out),
            Term::Bind(source, pattern, body) => self.binding((source, pattern, body), scope, &spot, out),
            Term::Label(body) => self.labelled(body, scope, spot, out),
            Term::Break(place) => match find(scope, *place).map(|binding| &binding.bound) {
                Some(Bound::Label(label)) => Err(Halt::Break(*label)),
                _ => Err(misplaced()),
            },
            Term::Variable(place) => match find(scope, *place).map(|binding| &binding.bound) {
                Some(Bound::Value(value)) => out(spot.elsewhere(value.clone())),
                _ => Err(misplaced()),
            },
            Term::Plain(plain, arguments) => self.plain(*plain, arguments, scope, &spot, Vec::new(), out),
            Term::Control(control, arguments) => self.control(*control, arguments, scope, spot, out),
            _ => Err(misplaced()),
        }
    }

    fn labelled(&self, body: &'p Term, scope: &Scope<'p>, spot: Spot, out: Out<'_>) -> Caught<()> {
        let label = self.fresh_label();
        match self.run(body, &push(scope, Bound::Label(label)), spot, out) {
            Err(Halt::Break(to)) if to == label => Ok(()),
            answer => answer,
        }
    }

    /// Calls a definition; its body is what is to be run next.
    pub(super) fn call(&self, term: &'p Term, scope: &Scope<'p>, spot: Spot, out: Out<'_>) -> Caught<Option<Next<'p>>> {
        let (definition, arguments, mut inner) = match term {
            Term::Call(place, arguments) => {
                let own = find(scope, *place).ok_or_else(misplaced)?;
                let Bound::Definition(definition) = own.bound else { return Err(misplaced()) };
                (definition, arguments, Some(Rc::clone(own)))
            }
            Term::Library(place, arguments) => {
                let definition = self.library.definitions.get(*place).and_then(|known| known.2.as_ref());
                (definition.ok_or_else(misplaced)?, arguments, None)
            }
            _ => return Err(misplaced()),
        };
        // Arguments belong to the caller's scope, the body to that of the definition.
        for argument in arguments {
            inner = match argument {
                // A filter that is handed on needs no walk back through its callers.
                Term::Closure(place) => match find(scope, *place).map(|binding| &binding.bound) {
                    Some(Bound::Closure(term, scope)) => push(&inner, Bound::Closure(term, scope.clone())),
                    _ => return Err(misplaced()),
                },
                _ => push(&inner, Bound::Closure(argument, scope.clone())),
            };
        }
        let pairs = definition.parameters.iter().zip(arguments);
        let values: Vec<&'p Term> = pairs.filter(|(is_value, _)| **is_value).map(|(_, term)| term).collect();
        if values.is_empty() {
            return Ok(Some(Next { term: &definition.body, scope: inner, spot }));
        }
        self.with_values(&values, (scope, &inner), definition, spot, out).map(|()| None)
    }

    // The first value parameter is the outer loop.
    fn with_values(
        &self,
        values: &[&'p Term],
        (scope, inner): (&Scope<'p>, &Scope<'p>),
        definition: &'p Definition,
        spot: Spot,
        out: Out<'_>,
    ) -> Caught<()> {
        let Some((first, rest)) = values.split_first() else {
            return self.run(&definition.body, inner, spot, out);
        };
        self.values(first, scope, spot.value.clone(), &mut |value| {
            self.with_values(rest, (scope, &bind(inner, value)), definition, spot.clone(), out)
        })
    }

    // The last argument is the outer loop.
    fn plain(
        &self,
        plain: Plain,
        arguments: &'p [Term],
        scope: &Scope<'p>,
        spot: &Spot,
        behind: Vec<Value>,
        out: Out<'_>,
    ) -> Caught<()> {
        let Some((last, before)) = arguments.split_last() else {
            let evaluated: Vec<Value> = behind.into_iter().rev().collect();
            return out(spot.elsewhere(plain(self, spot.value.clone(), &evaluated)?));
        };
        self.values(last, scope, spot.value.clone(), &mut |value| {
            let mut behind = behind.clone();
            behind.push(value);
            self.plain(plain, before, scope, spot, behind, out)
        })
    }
}
