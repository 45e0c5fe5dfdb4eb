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

use std::cell::Cell;
use std::rc::Rc;

use crate::access;
use crate::arithmetic::{arithmetic, compare};
use crate::halt::{Caught, Halt};
use crate::library::Library;
use crate::message::shown;
use crate::term::{Part, Style, Term};
use crate::value::Value;

use scope::{Bound, find, push};

pub(crate) use scope::{Scope, bind};
pub(crate) use spot::Spot;

/// How many steps a program may take. A step is a term that is run, or a part of a value that is looked at.
const STEPS: u64 = 4_000_000;

/// How much memory a program may ask for, all in all. **Units**: bytes.
const MEMORY: u64 = 256 * 1024 * 1024;

/// How much of the thread's stack a program may use. **Units**: bytes.
const STACK: usize = 1024 * 1024;

/// What a value costs beside its texts. **Units**: bytes.
const VALUE: u64 = 48;

/// How many outputs of a term may wait for its end.
const WAITING: usize = 16;

/// Where outputs go.
pub(crate) type Out<'a> = &'a mut dyn FnMut(Spot) -> Caught<()>;

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
    steps: Cell<u64>,
    memory: Cell<u64>,
    labels: Cell<u64>,
    base: usize,
}

impl<'p> Run<'p> {
    pub(crate) fn new(library: &'p Library, now: f64) -> Self {
        let marker = 0u8;
        Self {
            library,
            now,
            steps: Cell::new(0),
            memory: Cell::new(0),
            labels: Cell::new(0),
            base: std::ptr::from_ref(&marker).addr(),
        }
    }

    /// Counts work. **Errors**: a limit.
    pub(crate) fn spend(&self, steps: usize) -> Caught<()> {
        let total = self.steps.get().saturating_add(steps as u64);
        self.steps.set(total);
        if total > STEPS { Err(Halt::Limit("time")) } else { Ok(()) }
    }

    /// Counts memory for so many values and bytes of text, and the work of filling it. **Errors**: a limit.
    pub(crate) fn allocate(&self, values: usize, bytes: usize) -> Caught<()> {
        self.spend(values.saturating_add(bytes / 16))?;
        let total = self.memory.get().saturating_add(values as u64 * VALUE).saturating_add(bytes as u64);
        self.memory.set(total);
        if total > MEMORY { Err(Halt::Limit("memory")) } else { Ok(()) }
    }

    fn check_stack(&self) -> Caught<()> {
        let marker = 0u8;
        let used = self.base.abs_diff(std::ptr::from_ref(&marker).addr());
        if used > STACK { Err(Halt::too_deep()) } else { Ok(()) }
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
        let mut waiting = Vec::new();
        let mut is_streaming = false;
        let answer = self.run(term, scope, spot, &mut |spot| {
            if is_streaming {
                return out(spot);
            }
            waiting.push(spot);
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

    /// All outputs of a term.
    pub(crate) fn collect(&self, term: &'p Term, scope: &Scope<'p>, input: Value) -> Caught<Vec<Value>> {
        let mut items = Vec::new();
        self.values(term, scope, input, &mut |value| {
            self.allocate(1, 0)?;
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
                _ => Err(call::MISPLACED),
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

    fn whole(&self, term: &'p Term, scope: &Scope<'p>, spot: Spot, out: Out<'_>) -> Caught<()> {
        match term {
            Term::Identity => out(spot),
            Term::Recurse => self.recurse(spot, out),
            Term::Literal(value) => out(spot.elsewhere(value.clone())),
            Term::Text(style, parts) => self.text(*style, parts, scope, &spot, out),
            Term::Format(style) => {
                let text = style.write(&spot.value)?;
                self.allocate(1, text.len())?;
                out(spot.elsewhere(Value::text(text)))
            }
            Term::Index(target, key) => self.index(target, key, scope, spot, out),
            Term::Slice(target, from, to) => self.slice(target, from.as_deref(), to.as_deref(), scope, spot, out),
            Term::Iterate(target) => self.run(target, scope, spot, &mut |target| self.iterate(&target, out)),
            Term::Collect(inner) => {
                let items = match inner {
                    Some(inner) => self.collect(inner, scope, spot.value.clone())?,
                    None => Vec::new(),
                };
                out(spot.elsewhere(Value::array(items)?))
            }
            Term::Object(members) => self.object(members, scope, &spot, &mut Vec::new(), out),
            Term::Negate(inner) => self.values(inner, scope, spot.value.clone(), &mut |value| {
                let number = value.as_number();
                let number = number.ok_or_else(|| Halt::error(format!("{} cannot be negated", shown(&value))))?;
                out(spot.elsewhere(Value::number(-number)))
            }),
            Term::Arithmetic(operator, left, right) => self.both(left, right, scope, &spot, &mut |left, right| {
                out(spot.elsewhere(arithmetic(self, *operator, left, right)?))
            }),
            Term::Compare(comparison, left, right) => self.both(left, right, scope, &spot, &mut |left, right| {
                out(spot.elsewhere(Value::Bool(compare(*comparison, &left, &right))))
            }),
            Term::And(left, right) => self.logic(left, right, false, scope, &spot, out),
            Term::Or(left, right) => self.logic(left, right, true, scope, &spot, out),
            Term::Alternative(left, right) => self.alternative(left, right, scope, &spot, out),
            Term::Try(body, catch) => self.attempt(body, catch.as_deref(), scope, &spot, out),
            _ => self.run_bound(term, scope, spot, out),
        }
    }

    // For each right value each left one: the right operand is the outer loop.
    fn both(
        &self,
        left: &'p Term,
        right: &'p Term,
        scope: &Scope<'p>,
        spot: &Spot,
        use_them: &mut dyn FnMut(Value, Value) -> Caught<()>,
    ) -> Caught<()> {
        self.values(right, scope, spot.value.clone(), &mut |right| {
            self.values(left, scope, spot.value.clone(), &mut |left| use_them(left, right.clone()))
        })
    }

    fn logic(
        &self,
        left: &'p Term,
        right: &'p Term,
        decided_by: bool,
        scope: &Scope<'p>,
        spot: &Spot,
        out: Out<'_>,
    ) -> Caught<()> {
        self.values(left, scope, spot.value.clone(), &mut |truth| {
            if truth.is_true() == decided_by {
                return out(spot.elsewhere(Value::Bool(decided_by)));
            }
            self.values(
                right,
                scope,
                spot.value.clone(),
                &mut |truth| out(spot.elsewhere(Value::Bool(truth.is_true()))),
            )
        })
    }

    fn alternative(&self, left: &'p Term, right: &'p Term, scope: &Scope<'p>, spot: &Spot, out: Out<'_>) -> Caught<()> {
        let mut found = false;
        let mut passed = None;
        let tried = self.run(left, scope, spot.clone(), &mut |left| {
            if !left.value.is_true() {
                return Ok(());
            }
            found = true;
            hand_on(out, left, &mut passed)
        });
        match (tried, passed) {
            (Err(Halt::Stop), Some(halt)) => Err(halt),
            (Ok(()), _) if !found => self.run(right, scope, spot.clone(), out),
            (other, _) => other,
        }
    }

    // What whoever receives the outputs raises is not the body's error.
    fn attempt(
        &self,
        body: &'p Term,
        catch: Option<&'p Term>,
        scope: &Scope<'p>,
        spot: &Spot,
        out: Out<'_>,
    ) -> Caught<()> {
        let mut passed = None;
        let tried = self.run(body, scope, spot.clone(), &mut |output| hand_on(out, output, &mut passed));
        match (tried, passed, catch) {
            (Err(Halt::Stop), Some(halt), _) => Err(halt),
            (Err(Halt::Error(error)), _, Some(catch)) => self.run(catch, scope, spot.elsewhere(error), out),
            (Err(Halt::Error(_)), _, None) => Ok(()),
            (other, _, _) => other,
        }
    }

    fn text(&self, style: Style, parts: &'p [Part], scope: &Scope<'p>, spot: &Spot, out: Out<'_>) -> Caught<()> {
        self.text_parts(style, parts, scope, spot, String::new(), out)
    }

    // From the last part to the first, so that the last one is the outer loop.
    fn text_parts(
        &self,
        style: Style,
        parts: &'p [Part],
        scope: &Scope<'p>,
        spot: &Spot,
        behind: String,
        out: Out<'_>,
    ) -> Caught<()> {
        match parts.split_last() {
            None => out(spot.elsewhere(Value::text(behind))),
            Some((Part::Text(text), before)) => {
                self.allocate(0, text.len() + behind.len())?;
                self.text_parts(style, before, scope, spot, format!("{text}{behind}"), out)
            }
            Some((Part::Term(term), before)) => self.values(term, scope, spot.value.clone(), &mut |value| {
                let text = style.write(&value)?;
                self.allocate(0, text.len() + behind.len())?;
                self.text_parts(style, before, scope, spot, format!("{text}{behind}"), out)
            }),
        }
    }

    fn index(&self, target: &'p Term, key: &'p Term, scope: &Scope<'p>, spot: Spot, out: Out<'_>) -> Caught<()> {
        if let Term::Literal(key) = key {
            return self.run(target, scope, spot, &mut |target| out(target.child(key)?));
        }
        self.values(key, scope, spot.value.clone(), &mut |key| {
            self.run(target, scope, spot.clone(), &mut |target| out(target.child(&key)?))
        })
    }

    fn slice(
        &self,
        target: &'p Term,
        from: Option<&'p Term>,
        to: Option<&'p Term>,
        scope: &Scope<'p>,
        spot: Spot,
        out: Out<'_>,
    ) -> Caught<()> {
        let bound = |term: Option<&'p Term>, out: &mut dyn FnMut(Value) -> Caught<()>| match term {
            Some(term) => self.values(term, scope, spot.value.clone(), out),
            None => out(Value::Null),
        };
        bound(from, &mut |from| {
            bound(to, &mut |to| {
                let key = access::slice_key(from.clone(), to)?;
                self.run(target, scope, spot.clone(), &mut |target| {
                    let part = target.child(&key)?;
                    self.allocate(
                        part.value.as_items().map_or(0, <[Value]>::len),
                        part.value.as_text().map_or(0, str::len),
                    )?;
                    out(part)
                })
            })
        })
    }

    fn iterate(&self, spot: &Spot, out: Out<'_>) -> Caught<()> {
        match &spot.value {
            Value::Array(array) => {
                for (place, item) in array.items().iter().enumerate() {
                    self.spend(1)?;
                    out(spot.at(|| Value::count(place), item.clone())?)?;
                }
                Ok(())
            }
            Value::Object(map) => {
                for (key, value) in map.iter() {
                    self.spend(1)?;
                    out(spot.at(|| Value::text(key.as_ref()), value.clone())?)?;
                }
                Ok(())
            }
            other => {
                let name = if other.is_null() { "null".to_owned() } else { shown(other) };
                Err(Halt::error(format!("Cannot iterate over {name}")))
            }
        }
    }

    /// The value and everything in it, each before its parts.
    fn recurse(&self, spot: Spot, out: Out<'_>) -> Caught<()> {
        self.spend(1)?;
        self.check_stack()?;
        out(spot.clone())?;
        if matches!(spot.value, Value::Array(_) | Value::Object(_)) {
            self.iterate(&spot, &mut |child| self.recurse(child, out))?;
        }
        Ok(())
    }

    fn object(
        &self,
        members: &'p [(Term, Term)],
        scope: &Scope<'p>,
        spot: &Spot,
        made: &mut Vec<(Rc<str>, Value)>,
        out: Out<'_>,
    ) -> Caught<()> {
        let Some(((key, value), rest)) = members.split_first() else {
            self.allocate(made.len(), 0)?;
            return out(spot.elsewhere(Value::object(made.iter().cloned())?));
        };
        self.values(key, scope, spot.value.clone(), &mut |key| {
            let Some(key) = key.as_text().map(Rc::from) else {
                return Err(Halt::error(format!("Object keys must be strings, not {}", shown(&key))));
            };
            self.values(value, scope, spot.value.clone(), &mut |value| {
                made.push((Rc::clone(&key), value));
                let answer = self.object(rest, scope, spot, made, out);
                made.pop();
                answer
            })
        })
    }
}

// Hands an output on; what its receiver raises is set aside and the giver is told to stop.
fn hand_on(out: Out<'_>, output: Spot, passed: &mut Option<Halt>) -> Caught<()> {
    out(output).map_err(|halt| {
        *passed = Some(halt);
        Halt::Stop
    })
}
