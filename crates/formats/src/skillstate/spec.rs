//! The procedure spec: which fields the state has and what the work is about.

use format::field_schema::FieldSchema;
use format::{FileState, View};
use model::{Context, Object, ProjectPath, Refusal, RefusalClass, Value};

use super::records::members;

/// The largest spec that is read. **Units**: bytes.
const LIMIT: u64 = 1024 * 1024;

/// The variable that names another spec.
const VARIABLE: &str = "SKILLSTATE_SPEC_PATH";

/// A valid spec.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Spec {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) version: String,
    pub(super) instructions: String,
    pub(super) schema: FieldSchema,
    /// Whether patches may use fields that the schema does not declare.
    pub(super) additional_fields: bool,
    pub(super) source: Source,
}

/// Where a spec comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// It is part of the program.
    Builtin,
    /// `skill-spec.json`.
    Project,
    /// The file that the environment names.
    Env,
}

/// The project's own spec.
pub(super) fn path() -> ProjectPath {
    ProjectPath::known("skill-spec.json")
}

/// The spec in force. **Errors**: `spec_invalid`; never another spec in its place.
pub(super) fn load(view: &View<'_>, ctx: &Context) -> Result<Spec, Refusal> {
    let (place, state, source) = match ctx.var(VARIABLE) {
        Some(place) => (place.to_owned(), view.probes.file(place, LIMIT), Source::Env),
        None => match view.files.read(&path(), LIMIT) {
            FileState::Absent => return Ok(builtin()),
            state => (path().to_string(), state, Source::Project),
        },
    };
    let spec = read(&place, state)?;
    Ok(Spec { source, ..spec })
}

/// Reads a spec that a person names, and its bytes. **Errors**: `spec_invalid`.
pub(super) fn named(view: &View<'_>, place: &str) -> Result<(Spec, Vec<u8>), Refusal> {
    let state = view.probes.file(place, LIMIT);
    let spec = read(place, state.clone())?;
    match state {
        FileState::Bytes(bytes) => Ok((spec, bytes)),
        _ => unreachable!("only bytes can be read as a spec"),
    }
}

fn read(place: &str, state: FileState) -> Result<Spec, Refusal> {
    let parsed = match state {
        FileState::Bytes(bytes) => parse(&bytes),
        FileState::Absent => Err("there is no such file".to_owned()),
        FileState::Irregular(why) => Err(format!("it {why}")),
    };
    parsed.map_err(|wrong| {
        Refusal::new(RefusalClass::Usage, "spec_invalid", format!("the spec {place} cannot be used: {wrong}"))
            .with("path", place)
            .hint("mend the spec; mainstay call spec.get tells when it is valid")
    })
}

/// Reads the text of a spec. **Errors**: one sentence about the first thing that is wrong.
pub(super) fn parse(bytes: &[u8]) -> Result<Spec, String> {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let spec: Object = serde_json::from_slice(bytes).map_err(|error| format!("it is no JSON object: {error}"))?;
    let text = |name: &str| match spec.get(name).and_then(Value::as_str) {
        Some(text) if !text.is_empty() => Ok(text.to_owned()),
        _ => Err(format!("{name:?} is no text, or an empty one")),
    };
    let schema = spec.get("schema").and_then(Value::as_object).ok_or("\"schema\" is no object")?;
    let additional_fields = match spec.get("additional_fields") {
        None => false,
        Some(value) => value.as_bool().ok_or("\"additional_fields\" is neither true nor false")?,
    };
    Ok(Spec {
        id: text("id")?,
        name: text("name")?,
        version: text("version")?,
        instructions: text("instructions")?,
        schema: FieldSchema::read(schema)?,
        additional_fields,
        source: Source::Project,
    })
}

/// The spec of projects that have none.
pub(super) fn builtin() -> Spec {
    const FIELDS: [(&str, bool, &str); 6] = [
        ("goal", false, "what the work should achieve"),
        ("progress", true, "finished steps or milestones"),
        ("next_steps", true, "planned steps"),
        ("artifacts", true, "files made or changed"),
        ("blockers", true, "open obstacles or unknowns"),
        ("notes", false, "anything else worth keeping"),
    ];
    let field = |(name, is_list, about): (&str, bool, &str)| {
        let (kind, default) = if is_list { ("array", Value::Array(Vec::new())) } else { ("string", "".into()) };
        let field = members([("type", kind.into()), ("default", default), ("description", about.into())]);
        (name.to_owned(), Value::Object(field))
    };
    let schema: Object = FIELDS.into_iter().map(field).collect();
    Spec {
        id: "generic-procedure".to_owned(),
        name: "Project notes".to_owned(),
        version: "1.0.0".to_owned(),
        instructions: "Saved notes that outlive a context reset. \
                       They support the task at hand and never replace it."
            .to_owned(),
        schema: FieldSchema::read(&schema).expect("the builtin schema is valid"),
        additional_fields: false,
        source: Source::Builtin,
    }
}

impl Spec {
    /// The spec as a file holds it.
    pub(super) fn to_object(&self) -> Object {
        let mut object = members([
            ("id", self.id.as_str().into()),
            ("name", self.name.as_str().into()),
            ("version", self.version.as_str().into()),
            ("instructions", self.instructions.as_str().into()),
            ("schema", Value::Object(self.schema.to_object())),
        ]);
        if self.additional_fields {
            object.insert("additional_fields".into(), true.into());
        }
        object
    }

    /// The word of its source.
    pub(super) fn source_word(&self) -> &'static str {
        match self.source {
            Source::Builtin => "builtin",
            Source::Project => "project",
            Source::Env => "env",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_builtin_reads_back() {
        let written = Value::Object(builtin().to_object()).to_string();
        let read = parse(format!("\u{feff}{written}").as_bytes()).unwrap();
        assert_eq!(read, Spec { source: Source::Project, ..builtin() });
    }

    #[test]
    fn says_what_is_wrong() {
        let check = |text: &str, word: &str| {
            let wrong = parse(text.as_bytes()).unwrap_err();
            assert!(wrong.contains(word), "{text}: {wrong}");
        };
        check("", "no JSON object");
        check("[]", "no JSON object");
        check("{}", "schema");
        let with = |name: &str, value: Value| {
            let mut spec = builtin().to_object();
            spec.insert(name.to_owned(), value);
            Value::Object(spec).to_string()
        };
        for name in ["id", "name", "version", "instructions"] {
            check(&with(name, "".into()), name);
            check(&with(name, 1.into()), name);
        }
        check(&with("additional_fields", "yes".into()), "additional_fields");
        check(&with("schema", Value::Array(vec![])), "schema");
        assert!(parse(with("schema", Value::Object(Object::new())).as_bytes()).is_ok());
        assert!(parse(with("other", 1.into()).as_bytes()).is_ok());
    }
}
