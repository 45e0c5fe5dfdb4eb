//! Values: JSON that is cheap to share, keeps the order of keys and the text of numbers.

use std::cmp::Ordering;
use std::rc::Rc;

use indexmap::IndexMap;
use model::Object;

use crate::halt::{Caught, Halt};
use crate::number::Number;

/// The deepest nesting that a value may have.
pub(crate) const DEPTH: u32 = 1_000;

/// What a value may weigh, written out; what stands in it several times counts as often. **Units**: bytes.
const WEIGHT: u64 = 256 * 1024 * 1024;

/// What a value weighs beside its texts and parts. **Units**: bytes.
const OWN_WEIGHT: u64 = 48;

/// A value while a program runs.
#[derive(Clone, Debug)]
pub(crate) enum Value {
    Null,
    Bool(bool),
    Number(Number),
    Text(Rc<String>),
    Array(Rc<Array>),
    Object(Rc<Map>),
}

/// The items of an array.
#[derive(Clone, Debug, Default)]
pub(crate) struct Array {
    items: Vec<Value>,
    // At least as deep as its deepest item, and one more.
    depth: u32,
    // That of its items.
    weight: u64,
}

/// The members of an object, in the order in which they came.
#[derive(Clone, Debug, Default)]
pub(crate) struct Map {
    members: IndexMap<Rc<str>, Value>,
    depth: u32,
    // That of its members.
    weight: u64,
}

impl Array {
    pub(crate) fn items(&self) -> &[Value] {
        &self.items
    }

    /// **Errors**: a limit, for an item that is nested too deeply or makes it too heavy.
    pub(crate) fn set(&mut self, place: usize, value: Value) -> Caught<()> {
        self.depth = deeper(self.depth, &value)?;
        if place >= self.items.len() {
            self.weight += OWN_WEIGHT * (place + 1 - self.items.len()) as u64;
            self.items.resize(place + 1, Value::Null);
        }
        self.weight = heavier(self.weight - self.items[place].weight(), &value)?;
        self.items[place] = value;
        Ok(())
    }

    /// Takes an item out and leaves null in its place.
    pub(crate) fn take(&mut self, place: usize) -> Value {
        let Some(item) = self.items.get_mut(place) else { return Value::Null };
        let taken = std::mem::replace(item, Value::Null);
        self.weight = self.weight - taken.weight() + OWN_WEIGHT;
        taken
    }

    pub(crate) fn splice(&mut self, range: std::ops::Range<usize>, values: &Self) -> Caught<()> {
        if values.depth > DEPTH {
            return Err(Halt::too_deep());
        }
        self.depth = self.depth.max(values.depth);
        self.weight += values.weight;
        let gone: u64 = self.items.splice(range, values.items.iter().cloned()).map(|item| item.weight()).sum();
        self.weight -= gone;
        if self.weight > WEIGHT { Err(Halt::Limit("memory")) } else { Ok(()) }
    }

    pub(crate) fn remove(&mut self, range: std::ops::Range<usize>) {
        let gone: u64 = self.items.drain(range).map(|item| item.weight()).sum();
        self.weight -= gone;
    }
}

impl Map {
    pub(crate) fn get(&self, key: &str) -> Option<&Value> {
        self.members.get(key)
    }

    pub(crate) fn len(&self) -> usize {
        self.members.len()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&Rc<str>, &Value)> {
        self.members.iter()
    }

    /// **Errors**: a limit, for a value that is nested too deeply or makes it too heavy.
    pub(crate) fn set(&mut self, key: &Rc<str>, value: Value) -> Caught<()> {
        self.depth = deeper(self.depth, &value)?;
        let before = self.members.get(key).map(|old| old.weight() + key.len() as u64).unwrap_or_default();
        self.weight = heavier(self.weight - before + key.len() as u64, &value)?;
        self.members.insert(Rc::clone(key), value);
        Ok(())
    }

    /// Takes a member's value out and leaves null in its place.
    pub(crate) fn take(&mut self, key: &str) -> Value {
        let Some(value) = self.members.get_mut(key) else { return Value::Null };
        let taken = std::mem::replace(value, Value::Null);
        self.weight = self.weight - taken.weight() + OWN_WEIGHT;
        taken
    }

    /// Removes a member; the rest keep their order.
    pub(crate) fn remove(&mut self, key: &str) -> bool {
        let Some(gone) = self.members.shift_remove(key) else { return false };
        self.weight -= gone.weight() + key.len() as u64;
        true
    }

    /// The keys in the order of their bytes.
    pub(crate) fn sorted_keys(&self) -> Vec<Rc<str>> {
        let mut keys: Vec<Rc<str>> = self.members.keys().cloned().collect();
        keys.sort_unstable();
        keys
    }
}

fn deeper(depth: u32, value: &Value) -> Caught<u32> {
    let depth = depth.max(value.depth() + 1);
    if depth > DEPTH { Err(Halt::too_deep()) } else { Ok(depth) }
}

fn heavier(weight: u64, value: &Value) -> Caught<u64> {
    let weight = weight.saturating_add(value.weight());
    if weight > WEIGHT { Err(Halt::Limit("memory")) } else { Ok(weight) }
}

impl Value {
    pub(crate) fn text(text: impl Into<String>) -> Self {
        Self::Text(Rc::new(text.into()))
    }

    pub(crate) fn number(value: f64) -> Self {
        Self::Number(Number::computed(value))
    }

    #[allow(clippy::cast_precision_loss, reason = "no value has 2^53 parts")]
    pub(crate) fn count(count: usize) -> Self {
        Self::number(count as f64)
    }

    /// **Errors**: a limit, for items that are nested too deeply.
    pub(crate) fn array(items: Vec<Self>) -> Caught<Self> {
        let (mut depth, mut weight) = (1, 0);
        for item in &items {
            depth = deeper(depth, item)?;
            weight = heavier(weight, item)?;
        }
        Ok(Self::Array(Rc::new(Array { items, depth, weight })))
    }

    /// **Errors**: a limit, for values that are nested too deeply.
    pub(crate) fn object(members: impl IntoIterator<Item = (Rc<str>, Self)>) -> Caught<Self> {
        let mut map = Map::default();
        for (key, value) in members {
            map.set(&key, value)?;
        }
        Ok(Self::Object(Rc::new(map)))
    }

    pub(crate) fn depth(&self) -> u32 {
        match self {
            Self::Array(array) => array.depth,
            Self::Object(map) => map.depth.max(1),
            _ => 0,
        }
    }

    /// What it would weigh with nothing shared in it. **Units**: bytes.
    fn weight(&self) -> u64 {
        OWN_WEIGHT
            + match self {
                Self::Text(text) => text.len() as u64,
                Self::Array(array) => array.weight,
                Self::Object(map) => map.weight,
                _ => 0,
            }
    }

    /// Everything but `null` and `false` counts as true.
    pub(crate) fn is_true(&self) -> bool {
        !matches!(self, Self::Null | Self::Bool(false))
    }

    pub(crate) fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "boolean",
            Self::Number(_) => "number",
            Self::Text(_) => "string",
            Self::Array(_) => "array",
            Self::Object(_) => "object",
        }
    }

    pub(crate) fn as_number(&self) -> Option<f64> {
        match self {
            Self::Number(number) => Some(number.value()),
            _ => None,
        }
    }

    pub(crate) fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    pub(crate) fn as_items(&self) -> Option<&[Self]> {
        match self {
            Self::Array(array) => Some(array.items()),
            _ => None,
        }
    }

    /// Reads a document. **Errors**: a limit, for one that is nested too deeply.
    pub(crate) fn from_json(value: &model::Value) -> Caught<Self> {
        Self::read(value, DEPTH)
    }

    fn read(value: &model::Value, left: u32) -> Caught<Self> {
        let left = left.checked_sub(1).ok_or_else(Halt::too_deep)?;
        Ok(match value {
            model::Value::Null => Self::Null,
            model::Value::Bool(truth) => Self::Bool(*truth),
            model::Value::Number(number) => Self::Number(Number::written(number.as_str())),
            model::Value::String(text) => Self::text(text.as_str()),
            model::Value::Array(items) => {
                Self::array(items.iter().map(|item| Self::read(item, left)).collect::<Caught<_>>()?)?
            }
            model::Value::Object(members) => {
                let members = members.iter().map(|(key, value)| Ok((Rc::from(key.as_str()), Self::read(value, left)?)));
                Self::object(members.collect::<Caught<Vec<_>>>()?)?
            }
        })
    }

    /// The value as JSON; `None` where a number lies outside the range of doubles.
    pub(crate) fn to_json(&self) -> Option<model::Value> {
        Some(match self {
            Self::Null => model::Value::Null,
            Self::Bool(truth) => model::Value::Bool(*truth),
            Self::Number(number) if number.is_finite() => model::Value::Number(model::json::number(&number.to_text())?),
            Self::Number(_) => return None,
            Self::Text(text) => model::Value::String(text.to_string()),
            Self::Array(array) => {
                model::Value::Array(array.items().iter().map(Self::to_json).collect::<Option<Vec<_>>>()?)
            }
            Self::Object(map) => {
                let member = |(key, value): (&Rc<str>, &Self)| Some((key.to_string(), value.to_json()?));
                model::Value::Object(map.iter().map(member).collect::<Option<Object>>()?)
            }
        })
    }

    fn rank(&self) -> u8 {
        match self {
            Self::Null => 0,
            Self::Bool(false) => 1,
            Self::Bool(true) => 2,
            Self::Number(_) => 3,
            Self::Text(_) => 4,
            Self::Array(_) => 5,
            Self::Object(_) => 6,
        }
    }

    /// Compares any two values.
    ///
    /// **Order**: null, false, true, numbers, texts, arrays, objects; objects by their sorted keys
    /// first, then by the values of those.
    pub(crate) fn compare(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Number(own), Self::Number(others)) => own.compare(others),
            (Self::Text(own), Self::Text(others)) => own.as_bytes().cmp(others.as_bytes()),
            (Self::Array(own), Self::Array(others)) => {
                let pairs = own.items().iter().zip(others.items());
                let order = pairs.map(|(own, others)| own.compare(others)).find(|order| order.is_ne());
                order.unwrap_or_else(|| own.items().len().cmp(&others.items().len()))
            }
            (Self::Object(own), Self::Object(others)) => {
                let (keys, other_keys) = (own.sorted_keys(), others.sorted_keys());
                keys.cmp(&other_keys).then_with(|| {
                    let values = keys.iter().map(|key| match (own.get(key), others.get(key)) {
                        (Some(own), Some(others)) => own.compare(others),
                        _ => Ordering::Equal,
                    });
                    values.into_iter().find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
                })
            }
            _ => self.rank().cmp(&other.rank()),
        }
    }

    pub(crate) fn equals(&self, other: &Self) -> bool {
        self.compare(other).is_eq()
    }
}
