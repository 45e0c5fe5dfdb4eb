//! What git leaves in a text where a merge found no answer.

/// Whether a text holds all three marks of a conflict, each at the start of a line, as git writes them.
pub fn has_conflict_markers(bytes: &[u8]) -> bool {
    let mut lines = bytes.split(|byte| *byte == b'\n');
    lines.any(|line| line.starts_with(b"<<<<<<< "))
        && lines.any(|line| line.starts_with(b"======="))
        && lines.any(|line| line.starts_with(b">>>>>>> "))
}

#[cfg(test)]
mod tests {
    use super::has_conflict_markers;

    #[test]
    fn markers_are_three_in_order_at_the_start_of_lines() {
        for (text, expected) in [
            ("<<<<<<< a\n=======\n>>>>>>> b\n", true),
            ("x\n<<<<<<< a\n1\n=======\r\n2\n>>>>>>> b", true),
            ("<<<<<<< a\n=======\n", false),
            (">>>>>>> b\n=======\n<<<<<<< a\n", false),
            (" <<<<<<< a\n=======\n>>>>>>> b\n", false),
            ("<<<<<<<\n=======\n>>>>>>>\n", false),
            ("", false),
        ] {
            assert_eq!(has_conflict_markers(text.as_bytes()), expected, "{text:?}");
        }
    }
}
