//! What is bound where: values, filters, definitions, labels, each upon those before it.

use std::rc::Rc;

use crate::live::Held;
use crate::term::{Definition, Term};
use crate::value::Value;

/// What is bound at a place of the program, the latest first.
pub(crate) type Scope<'p> = Option<Rc<Binding<'p>>>;

/// One binding and those before it.
pub(crate) struct Binding<'p> {
    pub(super) bound: Bound<'p>,
    pub(super) before: Scope<'p>,
    _held: Held,
}

/// What a name stands for.
pub(super) enum Bound<'p> {
    Value(Value),
    /// A filter, with what was bound where it was written.
    Closure(&'p Term, Scope<'p>),
    Definition(&'p Definition),
    Label(u64),
}

impl Drop for Binding<'_> {
    // As with the steps of a trail: what a loop bound goes without a stack.
    fn drop(&mut self) {
        let mut waiting = Vec::new();
        self.let_go(&mut waiting);
        while let Some(binding) = waiting.pop() {
            if let Some(mut binding) = Rc::into_inner(binding) {
                binding.let_go(&mut waiting);
            }
        }
    }
}

impl Binding<'_> {
    fn let_go(&mut self, waiting: &mut Vec<Rc<Self>>) {
        waiting.extend(self.before.take());
        if let Bound::Closure(_, scope) = &mut self.bound {
            waiting.extend(scope.take());
        }
    }
}

/// The scope with a value bound in it.
pub(crate) fn bind<'p>(scope: &Scope<'p>, value: Value) -> Scope<'p> {
    push(scope, Bound::Value(value))
}

/// The scope with one binding more.
pub(super) fn push<'p>(scope: &Scope<'p>, bound: Bound<'p>) -> Scope<'p> {
    Some(Rc::new(Binding { bound, before: scope.clone(), _held: Held::new(size_of::<Binding<'_>>()) }))
}

/// The binding so many places back; the parser counted, so it is there.
pub(super) fn find<'s, 'p>(mut scope: &'s Scope<'p>, place: usize) -> Option<&'s Rc<Binding<'p>>> {
    for _ in 0..place {
        scope = &scope.as_ref()?.before;
    }
    scope.as_ref()
}
