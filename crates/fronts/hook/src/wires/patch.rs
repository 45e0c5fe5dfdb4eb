//! The files that a patch in the form of Codex's `apply_patch` touches.

use std::collections::HashSet;

/// The paths, each once, in their order.
pub(super) fn paths(patch: &str) -> Vec<String> {
    let mut paths: Vec<String> = Vec::new();
    let mut known = HashSet::new();
    for line in patch.lines() {
        let words = ["*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: "];
        let named = words.iter().find_map(|word| line.trim_start().strip_prefix(word)).map(str::trim);
        if let Some(named) = named.filter(|named| !named.is_empty())
            && known.insert(named)
        {
            paths.push(named.to_owned());
        }
    }
    paths
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_file_of_a_patch_is_found() {
        let patch = "*** Begin Patch\n*** Update File: a.rs\n*** Move to: b.rs\n@@\n-x\n+y\n*** Add File: c d.rs\n+z\n\
                     *** Delete File: a.rs\n*** End Patch";
        assert_eq!(super::paths(patch), ["a.rs", "b.rs", "c d.rs"]);
        assert!(super::paths("+*** Add File: x\nno patch").is_empty());
    }
}
