//! Which project a process works on, and what its `mainstay.toml` says.

use std::path::{Path, PathBuf};

use format::Format;
use model::{Object, Refusal, Value};

use crate::images::ProjectFiles;

/// Finds the project root.
///
/// **Order**: the option, `MAINSTAY_PROJECT`, `CLAUDE_PROJECT_DIR`, the nearest folder upwards with
/// `.mainstay/` or `mainstay.toml`, the nearest with a format's marker, git's top level, the
/// working folder.
///
/// **Errors**: `invalid_argument` (field `project`) when a named folder does not exist.
pub(crate) fn find_root(
    option: Option<&Path>,
    variables: [Option<&str>; 2],
    cwd: &Path,
    formats: &[&dyn Format],
) -> Result<PathBuf, Refusal> {
    let named = option.map(Path::to_path_buf).or_else(|| variables.into_iter().flatten().next().map(PathBuf::from));
    if let Some(named) = named {
        return canonical_folder(&cwd.join(named));
    }
    let upwards =
        |matches: &dyn Fn(&Path) -> bool| cwd.ancestors().find(|folder| matches(folder)).map(Path::to_path_buf);
    let ours = |folder: &Path| folder.join(".mainstay").is_dir() || folder.join("mainstay.toml").is_file();
    let marked = |folder: &Path| {
        ProjectFiles::open(folder).is_ok_and(|files| formats.iter().any(|format| format.is_used(&files)))
    };
    let git = |folder: &Path| folder.join(".git").exists();
    let found = upwards(&ours).or_else(|| upwards(&marked)).or_else(|| upwards(&git));
    canonical_folder(&found.unwrap_or_else(|| cwd.to_path_buf()))
}

fn canonical_folder(folder: &Path) -> Result<PathBuf, Refusal> {
    if !folder.is_absolute() {
        return Err(Refusal::invalid("project", "the current folder is gone or cannot be read")
            .hint("go to an existing folder, or name one with --project and its whole path"));
    }
    match folder.canonicalize() {
        Ok(path) if path.is_dir() => Ok(path),
        _ => Err(Refusal::invalid("project", format!("there is no folder {}", folder.display()))
            .hint("name a folder that exists")),
    }
}

/// Largest `mainstay.toml` that is read. **Units**: bytes.
const SETTINGS_LIMIT: u64 = 256 * 1024;

/// Reads `mainstay.toml`; without the file the settings are empty.
///
/// **Errors**: `config_invalid`.
pub(crate) fn read_settings(files: &ProjectFiles, formats: &[&dyn Format]) -> Result<Object, Refusal> {
    use format::{FileState, Files as _};
    let path = model::ProjectPath::known("mainstay.toml");
    let bytes = match files.read(&path, SETTINGS_LIMIT) {
        FileState::Absent => return Ok(Object::new()),
        FileState::Bytes(bytes) => bytes,
        FileState::Irregular(why) => {
            return Err(Refusal::config("mainstay.toml", format!("mainstay.toml cannot be read: it {why}")));
        }
    };
    let text =
        std::str::from_utf8(&bytes).map_err(|_| Refusal::config("mainstay.toml", "mainstay.toml is not UTF-8 text"))?;
    let settings: Object = toml::from_str(text.trim_start_matches('\u{feff}'))
        .map_err(|error| Refusal::config("mainstay.toml", format!("mainstay.toml is not valid TOML: {error}")))?;
    check_keys(&settings, formats)?;
    check_formats(&settings, formats)?;
    Ok(settings)
}

/// Refuses what no project may set: the file comes with the repository and says nothing of servers or commands.
fn check_keys(settings: &Object, formats: &[&dyn Format]) -> Result<(), Refusal> {
    let known = |key: &str, value: &Value| {
        key == "formats" || value.is_object() && formats.iter().any(|format| format.name() == key)
    };
    let Some((key, _)) = settings.iter().find(|(key, value)| !known(key, value)) else {
        return Ok(());
    };
    let tables = formats.iter().map(|format| format!("[{}]", format.name()));
    let allowed: Vec<Value> = std::iter::once("formats".to_owned()).chain(tables).map(Value::from).collect();
    Err(Refusal::config(key.as_str(), format!("mainstay.toml may not set {key:?}")).allowed(allowed))
}

fn check_formats(settings: &Object, formats: &[&dyn Format]) -> Result<(), Refusal> {
    let Some(listed) = settings.get("formats") else {
        return Ok(());
    };
    let names = || formats.iter().map(|format| Value::from(format.name())).collect::<Vec<_>>();
    let known = |value: &Value| value.as_str().is_some_and(|name| formats.iter().any(|format| format.name() == name));
    match listed.as_array() {
        Some(listed) if !listed.is_empty() && listed.iter().all(known) => Ok(()),
        _ => Err(Refusal::config("formats", "`formats` in mainstay.toml is a list of names of formats, at least one")
            .allowed(names())),
    }
}
