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
        if is_normal(&path) { Ok(Self(path)) } else { Err(InvalidPath) }
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
        if is_normal(rest) { Ok(Self(format!("{}/{rest}", self.0))) } else { Err(InvalidPath) }
    }
}

// One look at each byte: paths are made at every turn.
fn is_normal(path: &str) -> bool {
    let (mut length, mut dots) = (0, 0);
    for byte in path.bytes().chain([b'/']) {
        match byte {
            // An empty part, `.` or `..`.
            b'/' if length == dots && length <= 2 => return false,
            b'/' => (length, dots) = (0, 0),
            b'\0' | b'\\' => return false,
            _ => (length, dots) = (length + 1, dots + usize::from(byte == b'.')),
        }
    }
    true
}

impl fmt::Display for ProjectPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::ProjectPath;

    #[test]
    fn only_paths_in_normal_form_are_taken() {
        for (path, expected) in [
            ("a", true),
            (".claude/state/wave.json", true),
            ("a/..b/...", true),
            ("é/ü", true),
            ("", false),
            (".", false),
            ("..", false),
            ("a/../b", false),
            ("a/./b", false),
            ("/a", false),
            ("a/", false),
            ("a//b", false),
            ("a\\b", false),
            ("a\0b", false),
        ] {
            assert_eq!(ProjectPath::new(path).is_ok(), expected, "{path:?}");
            assert_eq!(ProjectPath::known("x").join(path).is_ok(), expected, "{path:?} beneath x");
        }
    }
}
