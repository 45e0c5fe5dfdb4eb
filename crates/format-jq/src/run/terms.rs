//! What single terms do with the outputs of their parts.

use std::rc::Rc;

use crate::access;
use crate::arithmetic::{arithmetic, compare};
use crate::halt::{Caught, Halt};
use crate::message::shown;
use crate::term::{Part, Style, Term};
use crate::value::Value;

use super::{Out, Run, Scope, Spot};

impl<'p> Run<'p> {
    /// Runs a term that hands all its outputs on itself.
    pub(super) fn whole(&self, term: &'p Term, scope: &Scope<'p>, spot: Spot, out: Out<'_>) -> Caught<()> {
        match term {
            Term::Identity => out(spot),
            Term::Recurse => self.recurse(spot, out),
            Term::Literal(value) => out(spot.elsewhere(value.clone())),
            Term::Text(style, parts) => self.text(*style, parts, scope, &spot, out),
            Term::Format(style) => {
                let text = style.write(self, &spot.value)?;
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
            Term::Arithmetic(operator, left, right) => {
                let gone = spot.elsewhere(Value::Null);
                self.both(left, right, scope, spot.value, &mut |left, right| {
                    out(gone.elsewhere(arithmetic(self, *operator, left, right)?))
                })
            }
            Term::Compare(comparison, left, right) => {
                let gone = spot.elsewhere(Value::Null);
                self.both(left, right, scope, spot.value, &mut |left, right| {
                    out(gone.elsewhere(Value::Bool(compare(self, *comparison, &left, &right)?)))
                })
            }
            Term::And(left, right) => self.logic(left, right, false, scope, &spot, out),
            Term::Or(left, right) => self.logic(left, right, true, scope, &spot, out),
            Term::Alternative(left, right) => self.alternative(left, right, scope, &spot, out),
            Term::Try(body, catch) => self.attempt(body, catch.as_deref(), scope, &spot, out),
            _ => self.run_bound(term, scope, spot, out),
        }
    }

    // For each right value each left one: the right operand is the outer loop. With the last of them the input
    // is let go, so that `. + [1]` need not copy what nobody else holds.
    fn both(
        &self,
        left: &'p Term,
        right: &'p Term,
        scope: &Scope<'p>,
        input: Value,
        use_them: &mut dyn FnMut(Value, Value) -> Caught<()>,
    ) -> Caught<()> {
        let last = self.but_last_value(right, scope, input.clone(), &mut |right| {
            self.values(left, scope, input.clone(), &mut |left| use_them(left, right.clone()))
        })?;
        let Some(right) = last else { return Ok(()) };
        self.values(left, scope, input, &mut |left| use_them(left, right.clone()))
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
                let text = style.write(self, &value)?;
                self.allocate(0, text.len() + behind.len())?;
                self.text_parts(style, before, scope, spot, format!("{text}{behind}"), out)
            }),
        }
    }

    fn index(&self, target: &'p Term, key: &'p Term, scope: &Scope<'p>, spot: Spot, out: Out<'_>) -> Caught<()> {
        if let Term::Literal(key) = key {
            return self.run(target, scope, spot, &mut |target| out(target.child(self, key)?));
        }
        self.values(key, scope, spot.value.clone(), &mut |key| {
            self.run(target, scope, spot.clone(), &mut |target| out(target.child(self, &key)?))
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
                self.run(target, scope, spot.clone(), &mut |target| out(target.child(self, &key)?))
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
pub(super) fn hand_on(out: Out<'_>, output: Spot, passed: &mut Option<Halt>) -> Caught<()> {
    out(output).map_err(|halt| {
        *passed = Some(halt);
        Halt::Stop
    })
}
