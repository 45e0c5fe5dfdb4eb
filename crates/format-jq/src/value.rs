//! Values: JSON that is cheap to share, keeps the order of keys and the text of numbers.

use std::ops::Range;
use std::rc::Rc;

use indexmap::IndexMap;
use model::Object;

use crate::halt::{Caught, Halt, Limit};
use crate::live::{Held, Text};
use crate::number::Number;

/// The deepest nesting that a value may have.
pub(crate) const DEPTH: u32 = 1_000;

/// What a value may weigh, written out; what stands in it several times counts as often. **Units**: bytes.
const WEIGHT: u64 = 256 * 1024 * 1024;

/// What a value weighs beside its texts and parts. **Units**: bytes.
const OWN_WEIGHT: u64 = 48;

/// What a member costs: a place in the list of members and one in their index. **Units**: bytes.
const MEMBER: usize = size_of::<(u64, Rc<str>, Value)>() + 2 * size_of::<usize>();

/// What a key costs beside its text. **Units**: bytes.
const NAME: usize = 24;

/// A value while a program runs.
#[derive(Clone, Debug)]
pub(crate) enum Value {
    Null,
    Bool(bool),
    Number(Number),
    Text(Rc<Text>),
    Array(Rc<Array>),
    Object(Rc<Map>),
}

/// The items of an array.
#[derive(Clone, Debug, Default)]
pub(crate) struct Array {
    items: Vec<Value>,
    sum: Sum,
    held: Held,
}

/// The members of an object, in the order in which they came.
#[derive(Clone, Debug, Default)]
pub(crate) struct Map {
    members: IndexMap<Rc<str>, Value>,
    sum: Sum,
    // How long their keys are together.
    names: usize,
    held: Held,
}

/// What is known of the parts of a value without walking them.
#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    // At least as deep as the deepest of them, and one more.
    depth: u32,
    // What they weigh together.
    weight: u64,
    // Something among them may not even equal itself.
    has_nan: bool,
}

impl Sum {
    /// **Errors**: a limit, for a part that is nested too deeply or makes it too heavy.
    fn add(&mut self, value: &Value, name: usize) -> Caught<()> {
        self.depth = self.depth.max(value.depth() + 1);
        self.has_nan |= value.has_nan();
        self.weight = self.weight.saturating_add(value.weight() + name as u64);
        if self.depth > DEPTH {
            Err(Halt::too_deep())
        } else if self.weight > WEIGHT {
            Err(Halt::Limit(Limit::Memory))
        } else {
            Ok(())
        }
    }

    fn take(&mut self, value: &Value, name: usize) {
        self.weight -= value.weight() + name as u64;
    }
}

impl Array {
    pub(crate) fn items(&self) -> &[Value] {
        &self.items
    }

    fn hold(&mut self) {
        self.held.resize(self.items.capacity() * size_of::<Value>());
    }

    /// Puts an item in its place; what lies between it and the end becomes null.
    ///
    /// **Errors**: a limit, for an item that is nested too deeply or makes it too heavy.
    pub(crate) fn set(&mut self, place: usize, value: Value) -> Caught<()> {
        if place >= self.items.len() {
            self.sum.weight += OWN_WEIGHT * (place + 1 - self.items.len()) as u64;
            self.items.resize(place + 1, Value::Null);
            self.hold();
        }
        self.sum.take(&self.items[place], 0);
        self.sum.add(&value, 0)?;
        self.items[place] = value;
        Ok(())
    }

    /// Takes an item out and leaves null in its place.
    pub(crate) fn take(&mut self, place: usize) -> Value {
        let Some(item) = self.items.get_mut(place) else { return Value::Null };
        let taken = std::mem::replace(item, Value::Null);
        self.sum.take(&taken, 0);
        self.sum.weight += OWN_WEIGHT;
        taken
    }

    pub(crate) fn splice(&mut self, range: Range<usize>, values: &Self) -> Caught<()> {
        for value in &values.items {
            self.sum.add(value, 0)?;
        }
        for gone in self.items.splice(range, values.items.iter().cloned()) {
            self.sum.take(&gone, 0);
        }
        self.hold();
        Ok(())
    }

    /// Keeps the items whose places are wanted.
    pub(crate) fn retain(&mut self, mut is_wanted: impl FnMut(usize) -> bool) {
        let (sum, mut place) = (&mut self.sum, 0);
        self.items.retain(|item| {
            let stays = is_wanted(place);
            place += 1;
            if !stays {
                sum.take(item, 0);
            }
            stays
        });
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
        self.sum.add(&value, key.len())?;
        match self.members.insert(Rc::clone(key), value) {
            Some(before) => self.sum.take(&before, key.len()),
            None => self.names += NAME + key.len(),
        }
        self.held.resize(self.members.capacity() * MEMBER + self.names);
        Ok(())
    }

    /// Takes a member's value out and leaves null in its place.
    pub(crate) fn take(&mut self, key: &str) -> Value {
        let Some(value) = self.members.get_mut(key) else { return Value::Null };
        let taken = std::mem::replace(value, Value::Null);
        self.sum.take(&taken, 0);
        self.sum.weight += OWN_WEIGHT;
        taken
    }

    /// Keeps the members whose keys are wanted, in their order.
    pub(crate) fn retain(&mut self, mut is_wanted: impl FnMut(&str) -> bool) {
        let Self { members, sum, names, .. } = self;
        members.retain(|key, value| {
            let stays = is_wanted(key);
            if !stays {
                sum.take(value, key.len());
                *names -= NAME + key.len();
            }
            stays
        });
    }

    /// The keys in the order of their bytes.
    pub(crate) fn sorted_keys(&self) -> Vec<Rc<str>> {
        let mut keys: Vec<Rc<str>> = self.members.keys().cloned().collect();
        keys.sort_unstable();
        keys
    }
}

impl Value {
    pub(crate) fn text(text: impl Into<String>) -> Self {
        Self::Text(Rc::new(Text::new(text.into())))
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
        let mut sum = Sum::default();
        for item in &items {
            sum.add(item, 0)?;
        }
        let mut array = Array { items, sum, held: Held::default() };
        array.hold();
        Ok(Self::Array(Rc::new(array)))
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
            Self::Array(array) => array.sum.depth.max(1),
            Self::Object(map) => map.sum.depth.max(1),
            _ => 0,
        }
    }

    /// What it would weigh with nothing shared in it. **Units**: bytes.
    pub(crate) fn weight(&self) -> u64 {
        OWN_WEIGHT
            + match self {
                Self::Text(text) => text.len() as u64,
                Self::Array(array) => array.sum.weight,
                Self::Object(map) => map.sum.weight,
                _ => 0,
            }
    }

    /// Whether it may hold something that does not even equal itself.
    pub(crate) fn has_nan(&self) -> bool {
        match self {
            Self::Number(number) => number.value().is_nan(),
            Self::Array(array) => array.sum.has_nan,
            Self::Object(map) => map.sum.has_nan,
            _ => false,
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
}
