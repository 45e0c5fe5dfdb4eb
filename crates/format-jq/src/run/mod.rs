//! The run of a program: every output is handed on as soon as it is there.
//!
//! A term is run over a [`Spot`]: a value, and where in the document it stands if someone wants to
//! know. So `path(f)`, assignments and plain evaluation are one and the same walk.

mod assign;
mod call;
mod control;
mod fold;
mod scope;
mod spot;
mod terms;

use std::cell::Cell;

use crate::halt::{Caught, Halt};
use crate::library::Library;
use crate::limits::{Limits, Taken};
use crate::live::Held;
use crate::term::Term;
use crate::value::Value;

use scope::{Bound, find, push};
use terms::hand_on;

pub(crate) use scope::{Scope, bind};
pub(crate) use spot::Spot;

/// How many outputs of a term may wait for its end.
const WAITING: usize = 16;

/// Where outputs go.
pub(crate) type Out<'a> = &'a mut dyn FnMut(Spot) -> Caught<()>;

/// Hands outputs on when their giver has ended, the first of them at least.
fn later<T>(
    give: impl FnOnce(&mut dyn FnMut(T) -> Caught<()>) -> Caught<()>,
    out: &mut dyn FnMut(T) -> Caught<()>,
) -> Caught<()> {
    let mut waiting = Vec::new();
    let mut is_streaming = false;
    let answer = give(&mut |output| {
        if is_streaming {
            return out(output);
        }
        waiting.push(output);
        if waiting.len() < WAITING {
            return Ok(());
        }
        is_streaming = true;
        waiting.drain(..).try_for_each(&mut *out)
    });
    match answer {
        // What came before an error goes out before it.
        Ok(()) | Err(Halt::Error(_) | Halt::Break(_)) => waiting.into_iter().try_for_each(out)?,
        Err(_) => {}
    }
    answer
}

/// What is to be run next.
struct Next<'p> {
    term: &'p Term,
    scope: Scope<'p>,
    spot: Spot,
}

/// A run with its limits.
pub(crate) struct Run<'p> {
    library: &'p Library,
    /// The clock of the request. **Units**: seconds since 1970.
    pub(crate) now: f64,
    taken: Taken<'p>,
    labels: Cell<u64>,
}

impl<'p> Run<'p> {
    pub(crate) fn new(library: &'p Library, now: f64, limits: Limits<'p>) -> Self {
        Self { library, now, taken: Taken::nothing(limits), labels: Cell::new(0) }
    }

    /// Counts work. **Errors**: a limit.
    pub(crate) fn spend(&self, steps: usize) -> Caught<()> {
        self.taken.spend(steps)
    }

    /// There must be room for so many values and bytes of text; counts the work of making them.
    ///
    /// **Errors**: a limit.
    pub(crate) fn allocate(&self, values: usize, bytes: usize) -> Caught<()> {
        self.taken.allocate(values, bytes)
    }

    /// Looks whether the time is over, after something that takes long for few steps.
    pub(crate) fn look(&self) -> Caught<()> {
        self.taken.look()
    }

    /// **Errors**: the limit of depth.
    pub(crate) fn check_stack(&self) -> Caught<()> {
        self.taken.check_stack()
    }

    fn fresh_label(&self) -> u64 {
        let label = self.labels.get() + 1;
        self.labels.set(label);
        label
    }

    /// Runs a term over values alone.
    ///
    /// The first outputs wait until the term has ended, so that what is done with them does not stand
    /// on top of it on the stack.
    pub(crate) fn values(
        &self,
        term: &'p Term,
        scope: &Scope<'p>,
        input: Value,
        out: &mut dyn FnMut(Value) -> Caught<()>,
    ) -> Caught<()> {
        if let Term::Literal(value) = term {
            self.spend(1)?;
            return out(value.clone());
        }
        self.spots(term, scope, Spot::plain(input), &mut |spot| out(spot.value))
    }

    /// Runs a term; the first outputs wait until it has ended.
    pub(crate) fn spots(&self, term: &'p Term, scope: &Scope<'p>, spot: Spot, out: Out<'_>) -> Caught<()> {
        later(|out| self.run(term, scope, spot, out), out)
    }

    /// All outputs of a term.
    pub(crate) fn collect(&self, term: &'p Term, scope: &Scope<'p>, input: Value) -> Caught<Vec<Value>> {
        let mut items = Vec::new();
        let mut held = Held::default();
        self.values(term, scope, input, &mut |value| {
            self.spend(1)?;
            if items.len() == items.capacity() {
                held.resize(2 * items.len() * size_of::<Value>());
                self.allocate(0, 0)?;
            }
            items.push(value);
            Ok(())
        })?;
        Ok(items)
    }

    /// Runs a term; each output goes to `out` before the next one is made.
    ///
    /// What a term ends with is run in its place, so that a loop by recursion needs no stack.
    pub(crate) fn run(&self, term: &'p Term, scope: &Scope<'p>, spot: Spot, out: Out<'_>) -> Caught<()> {
        self.check_stack()?;
        let mut next = Next { term, scope: scope.clone(), spot };
        loop {
            self.spend(1)?;
            match self.step(next, out)? {
                Some(then) => next = then,
                None => return Ok(()),
            }
        }
    }

    // Runs one term, up to the one that it ends with.
    fn step(&self, next: Next<'p>, out: Out<'_>) -> Caught<Option<Next<'p>>> {
        let Next { term, scope, spot } = next;
        match term {
            Term::Pipe(left, right) => {
                let last = self.but_last(left, &scope, spot, &mut |output| self.run(right, &scope, output, out))?;
                Ok(last.map(|spot| Next { term: right, scope, spot }))
            }
            Term::Comma(left, right) => {
                self.run(left, &scope, spot.clone(), out)?;
                Ok(Some(Next { term: right, scope, spot }))
            }
            Term::If(condition, then, otherwise) => {
                let branch = |truth: &Spot| match otherwise {
                    _ if truth.value.is_true() => &**then,
                    Some(otherwise) => otherwise,
                    None => &Term::Identity,
                };
                let input = Spot::plain(spot.value.clone());
                let last = self.but_last(condition, &scope, input, &mut |truth| {
                    self.run(branch(&truth), &scope, spot.clone(), out)
                })?;
                Ok(last.map(|truth| Next { term: branch(&truth), scope, spot }))
            }
            Term::Define(definition, body) => {
                Ok(Some(Next { term: body, scope: push(&scope, Bound::Definition(definition)), spot }))
            }
            Term::Closure(place) => match find(&scope, *place).map(|binding| &binding.bound) {
                Some(Bound::Closure(term, scope)) => Ok(Some(Next { term, scope: scope.clone(), spot })),
                _ => Err(call::misplaced()),
            },
            Term::Call(..) | Term::Library(..) => self.call(term, &scope, spot, out),
            _ => self.whole(term, &scope, spot, out).map(|()| None),
        }
    }

    // Hands on all outputs but the last, which is answered; what came before an error all goes on.
    fn but_last(&self, term: &'p Term, scope: &Scope<'p>, spot: Spot, out: Out<'_>) -> Caught<Option<Spot>> {
        let mut last: Option<Spot> = None;
        let mut is_theirs = false;
        let answer = self.spots(term, scope, spot, &mut |output| match last.replace(output) {
            Some(before) => out(before).inspect_err(|_| is_theirs = true),
            None => Ok(()),
        });
        match (answer, last) {
            (Ok(()), last) => Ok(last),
            (Err(halt @ (Halt::Error(_) | Halt::Break(_))), Some(last)) if !is_theirs => {
                out(last)?;
                Err(halt)
            }
            (Err(halt), _) => Err(halt),
        }
    }

    // The same of values alone.
    fn but_last_value(
        &self,
        term: &'p Term,
        scope: &Scope<'p>,
        input: Value,
        out: &mut dyn FnMut(Value) -> Caught<()>,
    ) -> Caught<Option<Value>> {
        if let Term::Literal(value) = term {
            self.spend(1)?;
            return Ok(Some(value.clone()));
        }
        let last = self.but_last(term, scope, Spot::plain(input), &mut |spot| out(spot.value))?;
        Ok(last.map(|spot| spot.value))
    }
}
