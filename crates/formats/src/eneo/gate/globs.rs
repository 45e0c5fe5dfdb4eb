//! Globs over paths: `**` for any folders, `*` and `?` within a name.

/// Whether a path matches a glob.
pub(super) fn matches(glob: &str, path: &str) -> bool {
    let glob: Vec<&str> = glob.split('/').filter(|part| !part.is_empty()).take(64).collect();
    let path: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    wild(
        &glob,
        &path,
        |part| *part == "**",
        |glob, name| {
            let (glob, name): (Vec<char>, Vec<char>) = (glob.chars().collect(), name.chars().collect());
            wild(&glob, &name, |letter| *letter == '*', |glob, letter| *glob == '?' || glob == letter)
        },
    )
}

// One walk with one place to come back to: the last wildcard can always take one more.
fn wild<T>(glob: &[T], items: &[T], is_any: impl Fn(&T) -> bool, fits: impl Fn(&T, &T) -> bool) -> bool {
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
    use super::matches;

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
            assert_eq!(matches(glob, path), expected, "{glob} {path}");
        }
        let stars = "*a".repeat(200);
        assert!(!matches(&stars, &"a".repeat(150)));
    }
}
