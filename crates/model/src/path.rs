//! Paths of project files: relative, normalised, never built from an id without a check.

use std::fmt;

/// A path beneath the project root.
///
/// **Shape**: `.claude/state/wave.json`: parts joined by `/`, none of them empty, `.` or `..`,
/// none holding a NUL or a backslash. Symbolic links are the engine's business, not this type's.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProjectPath(String);

/// The text is no path beneath the project root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InvalidPath;

impl ProjectPath {
    /// Accepts `path` if it is already in normal form.
    pub fn new(path: impl Into<String>) -> Result<Self, InvalidPath> {
        let path = path.into();
        let plain = !path.bytes().any(|byte| matches!(byte, b'\0' | b'\\'));
        let valid = plain && path.split('/').all(|part| !matches!(part, "" | "." | ".."));
        if valid { Ok(Self(path)) } else { Err(InvalidPath) }
    }

    /// Accepts a path that is written in the program itself.
    pub fn known(path: &'static str) -> Self {
        Self::new(path).expect("paths written in the program are in normal form")
    }

    /// Normalises `path` as a person writes it.
    ///
    /// `.` parts and repeated slashes vanish, `..` goes up. Refuses an absolute path and one that
    /// leaves the root.
    pub fn normalise(path: &str) -> Result<Self, InvalidPath> {
        if path.starts_with('/') || path.contains(['\0', '\\']) {
            return Err(InvalidPath);
        }
        let mut parts: Vec<&str> = Vec::new();
        for part in path.split('/') {
            match part {
                "" | "." => {}
                ".." => drop(parts.pop().ok_or(InvalidPath)?),
                _ => parts.push(part),
            }
        }
        Self::new(parts.join("/"))
    }

    /// The path as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The folder that holds it; `None` for a name directly beneath the root.
    pub fn parent(&self) -> Option<Self> {
        self.0.rsplit_once('/').map(|(folder, _)| Self(folder.to_owned()))
    }

    /// Its last part.
    pub fn name(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or_default()
    }

    /// The path of `name` beside it.
    pub fn beside(&self, name: &str) -> Result<Self, InvalidPath> {
        match self.parent() {
            Some(folder) => folder.join(name),
            None => Self::new(name),
        }
    }

    /// The path of `rest` beneath it.
    pub fn join(&self, rest: &str) -> Result<Self, InvalidPath> {
        Self::new(format!("{}/{rest}", self.0))
    }
}

impl fmt::Display for ProjectPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
