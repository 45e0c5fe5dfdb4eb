//! The files that a patch in the form of Codex's `apply_patch` touches.

/// What stands before a file's name.
const WORDS: [&str; 4] = ["*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: "];

/// The paths, in their order.
pub fn paths(patch: &str) -> impl Iterator<Item = &str> {
    patch.lines().filter_map(named).filter(|path| !path.is_empty())
}

fn named(line: &str) -> Option<&str> {
    WORDS.iter().find_map(|word| line.trim_start().strip_prefix(word)).map(str::trim)
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
    }
}
