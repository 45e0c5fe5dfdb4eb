//! The files that a patch in the form of Codex's `apply_patch` touches.

/// What stands between the stars and a file's name; hosts differ in whether a blank must follow.
const WORDS: [&str; 4] = ["Add File:", "Update File:", "Delete File:", "Move to:"];

/// The paths, in their order.
pub fn paths(patch: &str) -> impl Iterator<Item = &str> {
    patch.lines().filter_map(named).filter(|path| !path.is_empty())
}

fn named(line: &str) -> Option<&str> {
    let header = line.trim_start().strip_prefix("*** ")?;
    let path = WORDS.iter().find_map(|word| header.strip_prefix(word))?;
    // What the languages of hosts take for white space.
    Some(path.trim_matches(|letter: char| letter.is_whitespace() || letter == '\u{feff}'))
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_file_of_a_patch_is_found() {
        let patch = "*** Begin Patch\n*** Update File: a.rs\n*** Move to: b.rs\n@@\n-x\n+y\n*** Add File: c d.rs\n+z\n\
                     *** Delete File: a.rs\n*** End Patch";
        let paths = |patch| super::paths(patch).collect::<Vec<_>>();
        assert_eq!(paths(patch), ["a.rs", "b.rs", "c d.rs", "a.rs"]);
        assert!(paths("+*** Add File: x\nno patch").is_empty());
        for between in ["", "\t", "  ", "\u{feff}"] {
            for word in super::WORDS {
                let patch = format!("*** {word}{between}a b.rs \r\n");
                assert_eq!(super::paths(&patch).collect::<Vec<_>>(), ["a b.rs"], "{patch:?}");
            }
        }
    }
}
