//! Assignments: a document with other values at the places that a term names.
//!
//! The root is let go as soon as its paths are known, so that what nobody else holds is changed in place.

use crate::access::{change_path, delete_paths, get_path, set_path};
use crate::arithmetic::arithmetic;
use crate::halt::{Caught, Halt};
use crate::term::{Operator, Term};
use crate::value::Value;

use super::{Run, Scope, Spot, later};

/// The longest path.
const LENGTH: usize = 1_000;

impl<'p> Run<'p> {
    /// The paths that a term names in a document.
    pub(super) fn paths(
        &self,
        term: &'p Term,
        scope: &Scope<'p>,
        root: Value,
        out: &mut dyn FnMut(Vec<Value>) -> Caught<()>,
    ) -> Caught<()> {
        let paths = |out: &mut dyn FnMut(Vec<Value>) -> Caught<()>| {
            self.run(term, scope, Spot::root(root), &mut |spot| {
                let path = spot.path()?;
                drop(spot);
                self.allocate(path.len(), 0)?;
                out(path)
            })
        };
        later(paths, out)
    }

    /// `paths = value`, for each value.
    pub(super) fn assign(
        &self,
        paths: &'p Term,
        value: &'p Term,
        scope: &Scope<'p>,
        root: Value,
        out: &mut dyn FnMut(Value) -> Caught<()>,
    ) -> Caught<()> {
        let assigned = |root: Value, value: &Value| -> Caught<Value> {
            let mut made = root.clone();
            self.paths(paths, scope, root, &mut |path| {
                made = self.put(std::mem::replace(&mut made, Value::Null), &path, value.clone())?;
                Ok(())
            })?;
            Ok(made)
        };
        self.for_each(value, scope, root, &mut |root, value| out(assigned(root, &value)?))
    }

    /// `paths |= change`: the first output stands, none deletes.
    pub(super) fn modify(&self, paths: &'p Term, change: &'p Term, scope: &Scope<'p>, root: Value) -> Caught<Value> {
        let mut made = root.clone();
        // Deletions wait for the end, so that the paths keep their meaning.
        let mut deleted = Vec::new();
        self.paths(paths, scope, root, &mut |path| {
            match self.first_of(change, scope, get_path(self, &made, &path)?)? {
                Some(value) => made = self.put(std::mem::replace(&mut made, Value::Null), &path, value)?,
                None => deleted.push(Value::array(path)?),
            }
            Ok(())
        })?;
        self.delete(made, &deleted)
    }

    /// `paths op= value`, for each value.
    pub(super) fn update(
        &self,
        operator: Operator,
        paths: &'p Term,
        value: &'p Term,
        scope: &Scope<'p>,
        root: Value,
        out: &mut dyn FnMut(Value) -> Caught<()>,
    ) -> Caught<()> {
        self.for_each(value, scope, root, &mut |root, value| {
            out(self.changed(paths, scope, root, &mut |old| arithmetic(self, operator, old, value.clone()))?)
        })
    }

    /// `paths //= value`, for each value.
    pub(super) fn update_alternative(
        &self,
        paths: &'p Term,
        value: &'p Term,
        scope: &Scope<'p>,
        root: Value,
        out: &mut dyn FnMut(Value) -> Caught<()>,
    ) -> Caught<()> {
        self.for_each(value, scope, root, &mut |root, value| {
            let or = |old: Value| Ok(if old.is_true() { old } else { value.clone() });
            out(self.changed(paths, scope, root, &mut { or })?)
        })
    }

    // Each value with the root; the last one gets the root itself.
    fn for_each(
        &self,
        value: &'p Term,
        scope: &Scope<'p>,
        root: Value,
        make: &mut dyn FnMut(Value, Value) -> Caught<()>,
    ) -> Caught<()> {
        let last = self.but_last_value(value, scope, root.clone(), &mut |value| make(root.clone(), value))?;
        last.map_or(Ok(()), |value| make(root, value))
    }

    fn changed(
        &self,
        paths: &'p Term,
        scope: &Scope<'p>,
        root: Value,
        change: &mut dyn FnMut(Value) -> Caught<Value>,
    ) -> Caught<Value> {
        let mut made = root.clone();
        self.paths(paths, scope, root, &mut |path| {
            self.spend(path.len())?;
            is_short(&path)?;
            made = change_path(self, std::mem::replace(&mut made, Value::Null), &path, change)?;
            Ok(())
        })?;
        Ok(made)
    }

    /// The first output of a term, if there is one.
    pub(super) fn first_of(&self, term: &'p Term, scope: &Scope<'p>, input: Value) -> Caught<Option<Value>> {
        let mut first = None;
        let answer = self.values(term, scope, input, &mut |value| {
            first = Some(value);
            Err(Halt::Stop)
        });
        match (answer, first) {
            (Err(Halt::Stop), Some(value)) => Ok(Some(value)),
            (Err(halt), _) => Err(halt),
            (Ok(()), _) => Ok(None),
        }
    }

    /// Puts a value at a path, counting the work.
    pub(crate) fn put(&self, root: Value, path: &[Value], value: Value) -> Caught<Value> {
        self.spend(path.len())?;
        is_short(path)?;
        set_path(self, root, path, value)
    }

    /// Deletes paths, counting the work.
    pub(crate) fn delete(&self, root: Value, paths: &[Value]) -> Caught<Value> {
        if paths.is_empty() {
            return Ok(root);
        }
        paths.iter().filter_map(Value::as_items).try_for_each(is_short)?;
        delete_paths(self, root, paths)
    }
}

fn is_short(path: &[Value]) -> Caught<()> {
    if path.len() > LENGTH { Err(Halt::too_deep()) } else { Ok(()) }
}
