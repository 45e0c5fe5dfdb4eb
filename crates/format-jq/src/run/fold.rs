//! `reduce`, `foreach` and the patterns that take values apart.

use crate::access;
use crate::halt::Caught;
use crate::term::{Fold, Member, Pattern, Term};
use crate::value::Value;

use super::{Out, Run, Scope, Spot, bind};

/// What goes on with the variables of a pattern bound.
type Next<'a, 'p> = &'a mut dyn FnMut(&Scope<'p>) -> Caught<()>;

impl<'p> Run<'p> {
    /// Takes a value apart, for each way in which its keys can be computed.
    pub(super) fn destructure(
        &self,
        pattern: &'p Pattern,
        value: &Value,
        scope: &Scope<'p>,
        next: Next<'_, 'p>,
    ) -> Caught<()> {
        match pattern {
            Pattern::Variable => next(&bind(scope, value.clone())),
            Pattern::Array(items) => self.items(items, 0, value, scope, next),
            Pattern::Object(members) => self.members(members, value, scope, next),
        }
    }

    fn items(
        &self,
        items: &'p [Pattern],
        place: usize,
        value: &Value,
        scope: &Scope<'p>,
        next: Next<'_, 'p>,
    ) -> Caught<()> {
        let Some((item, rest)) = items.split_first() else { return next(scope) };
        let found = access::get(self, value, &Value::count(place))?;
        self.destructure(item, &found, scope, &mut |scope| self.items(rest, place + 1, value, scope, next))
    }

    fn members(&self, members: &'p [Member], value: &Value, scope: &Scope<'p>, next: Next<'_, 'p>) -> Caught<()> {
        let Some((member, rest)) = members.split_first() else { return next(scope) };
        self.values(&member.key, scope, value.clone(), &mut |key| {
            let found = access::get(self, value, &key)?;
            let bound = if member.bound { bind(scope, found.clone()) } else { scope.clone() };
            match &member.pattern {
                Some(pattern) => {
                    self.destructure(pattern, &found, &bound, &mut |scope| self.members(rest, value, scope, next))
                }
                None => self.members(rest, value, &bound, next),
            }
        })
    }

    /// Runs `source as pattern | body`.
    pub(super) fn binding(
        &self,
        (source, pattern, body): (&'p Term, &'p Pattern, &'p Term),
        scope: &Scope<'p>,
        spot: &Spot,
        out: Out<'_>,
    ) -> Caught<()> {
        self.values(source, scope, spot.value.clone(), &mut |value| {
            self.destructure(pattern, &value, scope, &mut |scope| self.run(body, scope, spot.clone(), out))
        })
    }

    /// The last output of the update is the next state; none makes it null.
    pub(super) fn reduce(&self, fold: &'p Fold, scope: &Scope<'p>, spot: &Spot, out: Out<'_>) -> Caught<()> {
        self.run(&fold.start, scope, spot.clone(), &mut |start| {
            let mut state = start;
            self.values(&fold.source, scope, spot.value.clone(), &mut |value| {
                self.destructure(&fold.pattern, &value, scope, &mut |scope| {
                    let gone = spot.elsewhere(Value::Null);
                    let before = std::mem::replace(&mut state, gone);
                    self.run(&fold.update, scope, before, &mut |after| {
                        state = after;
                        Ok(())
                    })
                })
            })?;
            out(std::mem::replace(&mut state, Spot::plain(Value::Null)))
        })
    }

    /// Every output of the update is a state, and shown.
    pub(super) fn foreach(&self, fold: &'p Fold, scope: &Scope<'p>, spot: &Spot, out: Out<'_>) -> Caught<()> {
        self.run(&fold.start, scope, spot.clone(), &mut |start| {
            let mut state = start;
            self.values(&fold.source, scope, spot.value.clone(), &mut |value| {
                self.destructure(&fold.pattern, &value, scope, &mut |scope| {
                    let gone = spot.elsewhere(Value::Null);
                    let before = std::mem::replace(&mut state, gone);
                    self.run(&fold.update, scope, before, &mut |after| {
                        state = after.clone();
                        match &fold.extract {
                            Some(extract) => self.run(extract, scope, after, out),
                            None => out(after),
                        }
                    })
                })
            })
        })
    }
}
