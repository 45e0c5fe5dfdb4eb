//! Globs over paths: `**` for any folders, `*` and `?` within a name.

/// The most parts of a glob that count.
const PARTS: usize = 64;

/// A glob, taken apart once for many paths.
pub(super) struct Glob {
    /// Each name; `None` for `**`.
    parts: Vec<Option<Vec<char>>>,
}

impl Glob {
    pub(super) fn new(glob: &str) -> Self {
        let part = |part: &str| (part != "**").then(|| part.chars().collect());
        Self { parts: glob.split('/').filter(|part| !part.is_empty()).take(PARTS).map(part).collect() }
    }

    /// Whether a path, as [`names`] takes it apart, matches.
    pub(super) fn matches(&self, path: &[Vec<char>]) -> bool {
        let fits = |glob: &Option<Vec<char>>, name: &Vec<char>| {
            let Some(glob) = glob else { return true };
            wild(glob, name, |letter| *letter == '*', |glob, letter| *glob == '?' || glob == letter)
        };
        wild(&self.parts, path, Option::is_none, fits)
    }
}

/// The names of a path.
pub(super) fn names(path: &str) -> Vec<Vec<char>> {
    path.split('/').filter(|part| !part.is_empty()).map(|part| part.chars().collect()).collect()
}

// One walk with one place to come back to: the last wildcard can always take one more.
fn wild<T, U>(glob: &[T], items: &[U], is_any: impl Fn(&T) -> bool, fits: impl Fn(&T, &U) -> bool) -> bool {
    let (mut at, mut item) = (0, 0);
    let mut back: Option<(usize, usize)> = None;
    while item < items.len() {
        if at < glob.len() && is_any(&glob[at]) {
            back = Some((at, item));
            at += 1;
        } else if at < glob.len() && fits(&glob[at], &items[item]) {
            (at, item) = (at + 1, item + 1);
        } else if let Some((any, taken)) = back {
            back = Some((any, taken + 1));
            (at, item) = (any + 1, taken + 1);
        } else {
            return false;
        }
    }
    glob[at..].iter().all(is_any)
}

#[cfg(test)]
mod tests {
    use super::{Glob, names};

    #[test]
    fn wildcards_mean_what_they_mean() {
        for (glob, path, expected) in [
            ("**/tests/**", "/tests/a.py", true),
            ("**/tests/**", "/a/b/tests/c/d.py", true),
            ("**/tests/**", "/a/contests/d.py", false),
            ("**/test_*.py", "/x/test_a.py", true),
            ("**/test_*.py", "/test_a.pyc", false),
            ("**/*.test.ts", "/a/b.test.ts", true),
            ("src/*.rs", "/src/a.rs", true),
            ("src/*.rs", "/src/b/a.rs", false),
            ("**/a/**/b", "/a/x/a/y/b", true),
            ("a?c", "/abc", true),
            ("a?c", "/ac", false),
        ] {
            assert_eq!(Glob::new(glob).matches(&names(path)), expected, "{glob} {path}");
        }
        let stars = "*a".repeat(200);
        assert!(!Glob::new(&stars).matches(&names(&"a".repeat(150))));
    }
}
