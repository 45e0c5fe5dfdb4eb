//! Schemas of flat objects: named fields, each with a type and a default.

use model::{Object, Value};

/// The type of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldType {
    /// A text.
    String,
    /// A number.
    Number,
    /// True or false.
    Boolean,
    /// A list.
    Array,
    /// An object.
    Object,
}

impl FieldType {
    /// The words of all types.
    pub const WORDS: &'static [&'static str] = &["string", "number", "boolean", "array", "object"];

    /// The word of the type.
    pub fn word(self) -> &'static str {
        match self {
            Self::String => "string",
            Self::Number => "number",
            Self::Boolean => "boolean",
            Self::Array => "array",
            Self::Object => "object",
        }
    }

    /// The type of that word.
    pub fn from_word(word: &str) -> Option<Self> {
        [Self::String, Self::Number, Self::Boolean, Self::Array, Self::Object].into_iter().find(|it| it.word() == word)
    }

    /// Whether a value is of the type.
    pub fn fits(self, value: &Value) -> bool {
        type_word(value) == self.word()
    }
}

/// The word of a value's type: one of [`FieldType::WORDS`], or `null`.
pub fn type_word(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// One declared field.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// Its name; never empty.
    pub name: String,
    /// Its type.
    pub kind: FieldType,
    /// Its value until someone gives it another; of its type.
    pub default: Value,
    /// What it means; may be empty.
    pub description: String,
}

/// Declared fields, in their order; no name twice.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FieldSchema {
    /// The fields.
    pub fields: Vec<Field>,
}

impl FieldSchema {
    /// Reads `{NAME:{"type","default","description"?}}`.
    ///
    /// **Errors**: one sentence about the first field that is wrong.
    pub fn read(members: &Object) -> Result<Self, String> {
        members
            .iter()
            .map(|(name, value)| Field::read(name, value))
            .collect::<Result<_, _>>()
            .map(|fields| Self { fields })
    }

    /// The declared field of that name.
    pub fn field(&self, name: &str) -> Option<&Field> {
        self.fields.iter().find(|field| field.name == name)
    }

    /// Every field with its default, in the order of the schema.
    pub fn defaults(&self) -> Object {
        self.fields.iter().map(|field| (field.name.clone(), field.default.clone())).collect()
    }

    /// The names of the fields, as refusals tell what is allowed.
    pub fn names(&self) -> Value {
        self.fields.iter().map(|field| field.name.as_str()).collect()
    }

    /// The schema as [`FieldSchema::read`] takes it.
    pub fn to_object(&self) -> Object {
        self.fields.iter().map(|field| (field.name.clone(), Value::Object(field.to_object()))).collect()
    }
}

impl Field {
    fn read(name: &str, value: &Value) -> Result<Self, String> {
        if name.is_empty() {
            return Err("a field has no name".to_owned());
        }
        let member = |member: &str| value.get(member);
        let kind = member("type").and_then(Value::as_str).and_then(FieldType::from_word);
        let words = FieldType::WORDS.join(", ");
        let kind = kind.ok_or_else(|| format!("the type of field {name:?} is none of {words}"))?;
        let default = member("default").filter(|default| kind.fits(default)).cloned();
        let default = default.ok_or_else(|| format!("field {name:?} has no default of type {}", kind.word()))?;
        let description = match member("description") {
            None => String::new(),
            Some(Value::String(description)) => description.clone(),
            Some(_) => return Err(format!("the description of field {name:?} is no text")),
        };
        Ok(Self { name: name.to_owned(), kind, default, description })
    }

    fn to_object(&self) -> Object {
        let mut object = Object::new();
        object.insert("type".into(), self.kind.word().into());
        object.insert("default".into(), self.default.clone());
        if !self.description.is_empty() {
            object.insert("description".into(), self.description.as_str().into());
        }
        object
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn reads_what_it_writes() {
        let written = json!({
            "z": {"type": "string", "default": "", "description": "d"},
            "a": {"type": "array", "default": [1]},
        });
        let schema = FieldSchema::read(written.as_object().unwrap()).unwrap();
        assert_eq!(Value::Object(schema.to_object()).to_string(), written.to_string());
        assert_eq!(Value::Object(schema.defaults()).to_string(), r#"{"z":"","a":[1]}"#);
        assert_eq!(schema.field("a").unwrap().kind, FieldType::Array);
        assert_eq!(schema.names(), json!(["z", "a"]));
    }

    #[test]
    fn says_which_field_is_wrong() {
        let check = |schema: Value, word: &str| {
            let wrong = FieldSchema::read(schema.as_object().unwrap()).unwrap_err();
            assert!(wrong.contains(word), "{wrong}");
        };
        check(json!({"": {"type": "string", "default": ""}}), "no name");
        check(json!({"a": 1}), "type of field \"a\"");
        check(json!({"a": {"type": "text", "default": ""}}), "string, number");
        check(json!({"a": {"type": "string"}}), "default of type string");
        check(json!({"a": {"type": "object", "default": []}}), "default of type object");
        check(json!({"a": {"type": "number", "default": 1, "description": 2}}), "description");
    }
}
