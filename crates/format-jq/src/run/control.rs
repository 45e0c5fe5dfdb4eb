//! The built-in functions that run their arguments themselves.

use crate::access::get_path;
use crate::halt::{Caught, Halt};
use crate::message::shown;
use crate::native::Control;
use crate::term::Term;
use crate::value::Value;
use crate::{arrays, regexes};

use super::{Out, Run, Scope, Spot, hand_on};

impl<'p> Run<'p> {
    pub(super) fn control(
        &self,
        control: Control,
        arguments: &'p [Term],
        scope: &Scope<'p>,
        spot: Spot,
        out: Out<'_>,
    ) -> Caught<()> {
        let (first, second) = (&arguments.first().unwrap_or(&Term::Identity), arguments.get(1));
        let second = second.unwrap_or(&Term::Identity);
        match control {
            Control::Empty => Ok(()),
            Control::Debug => out(spot),
            Control::Select => self.values(first, scope, spot.value.clone(), &mut |truth| {
                if truth.is_true() { out(spot.clone()) } else { Ok(()) }
            }),
            Control::Recurse => self.recurse_by(first, None, scope, spot, out),
            Control::RecurseWhile => self.recurse_by(first, Some(second), scope, spot, out),
            Control::Path => {
                self.paths(first, scope, spot.value.clone(), &mut |path| out(spot.elsewhere(Value::array(path)?)))
            }
            Control::Pick => {
                let mut made = Value::Null;
                self.paths(first, scope, spot.value.clone(), &mut |path| {
                    let value = get_path(self, &spot.value, &path)?;
                    made = self.put(std::mem::replace(&mut made, Value::Null), &path, value)?;
                    Ok(())
                })?;
                out(spot.elsewhere(made))
            }
            Control::GetPath => {
                self.values(first, scope, spot.value.clone(), &mut |path| self.at_path(&spot, &path, out))
            }
            Control::First => self.first(first, scope, spot, out),
            Control::Last => {
                let mut last = spot.elsewhere(Value::Null);
                self.run(first, scope, spot, &mut |output| {
                    last = output;
                    Ok(())
                })?;
                out(last)
            }
            Control::IsEmpty => {
                let is_empty = self.first_of(first, scope, spot.value.clone())?.is_none();
                out(spot.elsewhere(Value::Bool(is_empty)))
            }
            Control::Limit => self.values(first, scope, spot.value.clone(), &mut |count| {
                self.limit(&count, second, scope, spot.clone(), out)
            }),
            Control::Until => self.until(first, second, scope, spot, out),
            Control::While => self.while_true(first, second, scope, spot, out),
            Control::Repeat => self.repeat(first, scope, &spot, out),
            Control::Range => self.range(arguments, scope, &spot, out),
            Control::SortBy | Control::GroupBy | Control::UniqueBy | Control::MinBy | Control::MaxBy => {
                out(spot.elsewhere(self.keyed(control, first, scope, &spot.value)?))
            }
            Control::Substitute => self.substitute(arguments, false, scope, &spot, out),
            Control::SubstituteAll => self.substitute(arguments, true, scope, &spot, out),
        }
    }

    fn at_path(&self, spot: &Spot, path: &Value, out: Out<'_>) -> Caught<()> {
        let keys = path.as_items().ok_or_else(|| Halt::error("Path must be specified as an array"))?;
        self.spend(keys.len())?;
        let mut here = spot.clone();
        for key in keys {
            // Beneath an absent value everything is absent.
            here = if here.value.is_null() { here.at(|| key.clone(), Value::Null)? } else { here.child(self, key)? };
        }
        out(here)
    }

    fn first(&self, term: &'p Term, scope: &Scope<'p>, spot: Spot, out: Out<'_>) -> Caught<()> {
        let mut first = None;
        match self.run(term, scope, spot, &mut |output| {
            first = Some(output);
            Err(Halt::Stop)
        }) {
            Ok(()) => Ok(()),
            Err(Halt::Stop) if first.is_some() => first.map_or(Ok(()), out),
            Err(halt) => Err(halt),
        }
    }

    fn limit(&self, count: &Value, term: &'p Term, scope: &Scope<'p>, spot: Spot, out: Out<'_>) -> Caught<()> {
        let Some(mut left) = count.as_number() else {
            return Err(Halt::error(format!("{} is no count", shown(count))));
        };
        if left <= 0.0 {
            // A negative count is no limit.
            return if left < 0.0 { self.run(term, scope, spot, out) } else { Ok(()) };
        }
        let mut passed = None;
        let answer = self.run(term, scope, spot, &mut |output| {
            left -= 1.0;
            hand_on(out, output, &mut passed)?;
            if left <= 0.0 { Err(Halt::Stop) } else { Ok(()) }
        });
        match (answer, passed) {
            (Err(Halt::Stop), Some(halt)) => Err(halt),
            (Err(Halt::Stop), None) if left <= 0.0 => Ok(()),
            (answer, _) => answer,
        }
    }

    fn recurse_by(
        &self,
        step: &'p Term,
        condition: Option<&'p Term>,
        scope: &Scope<'p>,
        spot: Spot,
        out: Out<'_>,
    ) -> Caught<()> {
        self.check_stack()?;
        out(spot.clone())?;
        self.run(step, scope, spot, &mut |next| match condition {
            None => self.recurse_by(step, None, scope, next, out),
            Some(condition) => self.values(condition, scope, next.value.clone(), &mut |truth| {
                if truth.is_true() { self.recurse_by(step, Some(condition), scope, next.clone(), out) } else { Ok(()) }
            }),
        })
    }

    // A loop as long as there is one next value; more of them nest.
    fn until(&self, done: &'p Term, step: &'p Term, scope: &Scope<'p>, spot: Spot, out: Out<'_>) -> Caught<()> {
        self.check_stack()?;
        let mut here = spot;
        loop {
            let mut truths = self.collect(done, scope, here.value.clone())?;
            if truths.len() != 1 {
                for truth in truths {
                    if truth.is_true() {
                        out(here.clone())?;
                    } else {
                        self.run(step, scope, here.clone(), &mut |next| self.until(done, step, scope, next, out))?;
                    }
                }
                return Ok(());
            }
            if truths.pop().is_some_and(|truth| truth.is_true()) {
                return out(here);
            }
            let mut next = self.all_spots(step, scope, here)?;
            here = match (next.pop(), next.is_empty()) {
                (None, _) => return Ok(()),
                (Some(next), true) => next,
                (Some(last), false) => {
                    for one in next {
                        self.until(done, step, scope, one, out)?;
                    }
                    last
                }
            };
        }
    }

    fn while_true(
        &self,
        condition: &'p Term,
        step: &'p Term,
        scope: &Scope<'p>,
        spot: Spot,
        out: Out<'_>,
    ) -> Caught<()> {
        self.check_stack()?;
        let mut here = spot;
        loop {
            let truths = self.collect(condition, scope, here.value.clone())?;
            let [truth] = truths.as_slice() else {
                for _ in truths.iter().filter(|truth| truth.is_true()) {
                    out(here.clone())?;
                    self.run(step, scope, here.clone(), &mut |next| {
                        self.while_true(condition, step, scope, next, out)
                    })?;
                }
                return Ok(());
            };
            if !truth.is_true() {
                return Ok(());
            }
            out(here.clone())?;
            let Some(next) =
                self.single(step, scope, here, &mut |next| self.while_true(condition, step, scope, next, out))?
            else {
                return Ok(());
            };
            here = next;
        }
    }

    // The same step over the same input, without end.
    fn repeat(&self, step: &'p Term, scope: &Scope<'p>, spot: &Spot, out: Out<'_>) -> Caught<()> {
        loop {
            self.run(step, scope, spot.clone(), out)?;
        }
    }

    // The last output, for a loop; those before it are handed on one after the other.
    fn single(&self, step: &'p Term, scope: &Scope<'p>, spot: Spot, out: Out<'_>) -> Caught<Option<Spot>> {
        let mut last: Option<Spot> = None;
        self.run(step, scope, spot, &mut |next| last.replace(next).map_or(Ok(()), &mut *out))?;
        Ok(last)
    }

    fn all_spots(&self, step: &'p Term, scope: &Scope<'p>, spot: Spot) -> Caught<Vec<Spot>> {
        let mut spots = Vec::new();
        self.run(step, scope, spot, &mut |next| {
            self.allocate(1, 0)?;
            spots.push(next);
            Ok(())
        })?;
        Ok(spots)
    }

    // The first argument is the outer loop.
    fn range(&self, arguments: &'p [Term], scope: &Scope<'p>, spot: &Spot, out: Out<'_>) -> Caught<()> {
        let number = |value: &Value| value.as_number().ok_or_else(|| Halt::error("Range bounds must be numeric"));
        let mut count = |from: f64, to: f64, by: f64| -> Caught<()> {
            let mut at = from;
            while (by > 0.0 && at < to) || (by < 0.0 && at > to) {
                self.spend(1)?;
                out(spot.elsewhere(Value::number(at)))?;
                at += by;
            }
            Ok(())
        };
        let input = || spot.value.clone();
        match arguments {
            [to] => self.values(to, scope, input(), &mut |to| count(0.0, number(&to)?, 1.0)),
            [from, to] => self.values(from, scope, input(), &mut |from| {
                self.values(to, scope, input(), &mut |to| count(number(&from)?, number(&to)?, 1.0))
            }),
            [from, to, by] => self.values(from, scope, input(), &mut |from| {
                self.values(to, scope, input(), &mut |to| {
                    self.values(by, scope, input(), &mut |by| count(number(&from)?, number(&to)?, number(&by)?))
                })
            }),
            _ => Ok(()),
        }
    }

    fn keyed(&self, control: Control, by: &'p Term, scope: &Scope<'p>, input: &Value) -> Caught<Value> {
        let Some(items) = input.as_items() else {
            let word = if control == Control::GroupBy { "grouped" } else { "sorted" };
            return Err(Halt::error(format!("{} cannot be {word}, as it is not an array", shown(input))));
        };
        let mut pairs = Vec::with_capacity(items.len());
        for item in items {
            pairs.push((Value::array(self.collect(by, scope, item.clone())?)?, item.clone()));
        }
        self.allocate(pairs.len() * 2, 0)?;
        arrays::keyed(self, control, pairs)
    }

    fn substitute(&self, arguments: &'p [Term], all: bool, scope: &Scope<'p>, spot: &Spot, out: Out<'_>) -> Caught<()> {
        let [pattern, replacement, flags @ ..] = arguments else { return Ok(()) };
        let text = spot.value.as_text();
        let text = text
            .ok_or_else(|| Halt::error(format!("{} cannot be matched, as it is not a string", shown(&spot.value))))?;
        let mut substituted = |pattern: &Value, flags: Option<&Value>| -> Caught<()> {
            let found = regexes::find(self, text, pattern, flags, all)?;
            if found.is_empty() {
                return out(spot.clone());
            }
            // The first replacement of every match makes the first output, and so on.
            let mut made: Vec<String> = Vec::new();
            let mut from = 0;
            for matched in found {
                let gap = &text[from..matched.start];
                let mut count = 0;
                self.values(replacement, scope, matched.named()?, &mut |value| {
                    let Some(own) = value.as_text() else {
                        return Err(Halt::error(format!("{} cannot be added to a string", shown(&value))));
                    };
                    if made.len() == count {
                        made.push(String::new());
                    }
                    self.allocate(0, gap.len() + own.len())?;
                    made[count].push_str(gap);
                    made[count].push_str(own);
                    count += 1;
                    Ok(())
                })?;
                from = matched.end;
            }
            for mut text_so_far in made {
                self.allocate(0, text.len() - from)?;
                text_so_far.push_str(&text[from..]);
                out(spot.elsewhere(Value::text(text_so_far)))?;
            }
            Ok(())
        };
        self.values(pattern, scope, spot.value.clone(), &mut |pattern| match flags.first() {
            Some(flags) => {
                self.values(flags, scope, spot.value.clone(), &mut |flags| substituted(&pattern, Some(&flags)))
            }
            None => substituted(&pattern, None),
        })
    }
}
