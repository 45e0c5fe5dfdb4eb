//! Assignments: a document with other values at the places that a term names.

use crate::access::{delete_paths, get_path, set_path};
use crate::arithmetic::arithmetic;
use crate::halt::{Caught, Halt};
use crate::term::{Operator, Term};
use crate::value::Value;

use super::{Run, Scope, Spot};

/// What an update makes of the value at a place; `None` deletes it.
type Change<'a> = &'a mut dyn FnMut(Value) -> Caught<Option<Value>>;

impl<'p> Run<'p> {
    /// The paths that a term names in a document.
    pub(super) fn paths(
        &self,
        term: &'p Term,
        scope: &Scope<'p>,
        root: &Value,
        out: &mut dyn FnMut(Vec<Value>) -> Caught<()>,
    ) -> Caught<()> {
        self.run(term, scope, Spot::root(root.clone()), &mut |spot| {
            let path = spot.path()?;
            self.allocate(path.len(), 0)?;
            out(path)
        })
    }

    /// `paths = value`, for each value.
    pub(super) fn assign(
        &self,
        paths: &'p Term,
        value: &'p Term,
        scope: &Scope<'p>,
        root: &Value,
        out: &mut dyn FnMut(Value) -> Caught<()>,
    ) -> Caught<()> {
        self.values(value, scope, root.clone(), &mut |value| {
            let mut made = root.clone();
            self.copied(&made)?;
            self.paths(paths, scope, root, &mut |path| {
                made = self.put(std::mem::replace(&mut made, Value::Null), &path, value.clone())?;
                Ok(())
            })?;
            out(std::mem::replace(&mut made, Value::Null))
        })
    }

    /// `paths |= change`: the first output stands, none deletes.
    pub(super) fn modify(&self, paths: &'p Term, change: &'p Term, scope: &Scope<'p>, root: &Value) -> Caught<Value> {
        self.change(paths, scope, root, &mut |old| self.first_of(change, scope, old))
    }

    /// `paths op= value`, for each value.
    pub(super) fn update(
        &self,
        operator: Operator,
        paths: &'p Term,
        value: &'p Term,
        scope: &Scope<'p>,
        root: &Value,
        out: &mut dyn FnMut(Value) -> Caught<()>,
    ) -> Caught<()> {
        self.values(value, scope, root.clone(), &mut |value| {
            out(self.change(paths, scope, root, &mut |old| arithmetic(self, operator, old, value.clone()).map(Some))?)
        })
    }

    /// `paths //= value`, for each value.
    pub(super) fn update_alternative(
        &self,
        paths: &'p Term,
        value: &'p Term,
        scope: &Scope<'p>,
        root: &Value,
        out: &mut dyn FnMut(Value) -> Caught<()>,
    ) -> Caught<()> {
        self.values(value, scope, root.clone(), &mut |value| {
            out(self.change(paths, scope, root, &mut |old| Ok(Some(if old.is_true() { old } else { value.clone() })))?)
        })
    }

    // Deletions wait for the end, so that the paths keep their meaning.
    fn change(&self, paths: &'p Term, scope: &Scope<'p>, root: &Value, change: Change<'_>) -> Caught<Value> {
        let mut made = root.clone();
        let mut deleted = Vec::new();
        self.copied(&made)?;
        self.paths(paths, scope, root, &mut |path| {
            match change(get_path(&made, &path)?)? {
                Some(value) => made = self.put(std::mem::replace(&mut made, Value::Null), &path, value)?,
                None => deleted.push(Value::array(path)?),
            }
            Ok(())
        })?;
        self.delete(made, &deleted)
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
        if path.len() > 1_000 {
            return Err(Halt::too_deep());
        }
        // A write far past the end fills what lies between.
        for key in path {
            if let Some(place) = key.as_number().filter(|place| *place > 0.0) {
                #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "bounded before the cast")]
                self.allocate((place.min(2_000_000.0) / 8.0) as usize, 0)?;
            }
        }
        set_path(root, path, value)
    }

    /// Deletes paths, counting the work.
    pub(crate) fn delete(&self, root: Value, paths: &[Value]) -> Caught<Value> {
        if paths.is_empty() {
            return Ok(root);
        }
        // Every deletion closes a gap.
        let size = match &root {
            Value::Array(array) => array.items().len(),
            Value::Object(map) => map.len(),
            _ => 1,
        };
        self.spend(paths.len().saturating_mul(8 + size / 16))?;
        if paths.iter().filter_map(Value::as_items).any(|path| path.len() > 1_000) {
            return Err(Halt::too_deep());
        }
        delete_paths(root, paths)
    }

    // The first write copies what is shared.
    fn copied(&self, value: &Value) -> Caught<()> {
        match value {
            Value::Array(array) => self.allocate(array.items().len(), 0),
            Value::Object(map) => self.allocate(map.len(), 0),
            _ => Ok(()),
        }
    }
}
