//! `[eneo]` in `mainstay.toml`, and the variables that say more.

use model::{Context, Refusal, Value};

/// The tests, where nothing else is set.
const TESTS: &[&str] = &[
    "**/tests/**",
    "**/__tests__/**",
    "**/test_*.py",
    "**/*_test.py",
    "**/*.test.ts",
    "**/*.test.tsx",
    "**/*.spec.ts",
    "**/*.spec.tsx",
];

/// The source, where nothing else is set.
const SOURCE: &[&str] = &["**/backend/src/intric/**"];

/// The settings of a project, defaults filled in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Config {
    pub(super) lenient: bool,
    pub(super) protect_wave: bool,
    pub(super) tests: Vec<String>,
    pub(super) source: Vec<String>,
}

/// Reads the settings.
///
/// **Errors**: `config_invalid`.
pub(super) fn read(ctx: &Context) -> Result<Config, Refusal> {
    let table = ctx.settings.get("eneo").and_then(Value::as_object);
    let known = ["lenient", "protect_wave", "test_globs", "source_globs"];
    if let Some(unknown) = table.and_then(|table| table.keys().find(|name| !known.contains(&name.as_str()))) {
        let allowed = known.map(Value::from).to_vec();
        return Err(Refusal::config(unknown.as_str(), format!("[eneo] has no setting {unknown:?}")).allowed(allowed));
    }
    let get = |name: &str| table.and_then(|table| table.get(name));
    let switch = |name: &'static str| match get(name) {
        None => Ok(false),
        Some(Value::Bool(on)) => Ok(*on),
        Some(_) => Err(Refusal::config(name, format!("{name} is true or false"))),
    };
    let globs = |name: &'static str, usual: &[&str]| match get(name) {
        None => Ok(usual.iter().map(|glob| (*glob).to_owned()).collect()),
        Some(Value::Array(globs)) => globs
            .iter()
            .map(|glob| glob.as_str().map(str::to_owned))
            .collect::<Option<Vec<_>>>()
            .ok_or_else(|| Refusal::config(name, format!("{name} is a list of texts"))),
        Some(_) => Err(Refusal::config(name, format!("{name} is a list of texts"))),
    };
    Ok(Config {
        lenient: switch("lenient")? || ctx.var("ENEO_LENIENT") == Some("1"),
        protect_wave: switch("protect_wave")?,
        tests: globs("test_globs", TESTS)?,
        source: globs("source_globs", SOURCE)?,
    })
}
