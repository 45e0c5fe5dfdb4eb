//! The links that stand behind a title.

/// How many opening brackets are tried, from the last one on; a title with more has no links.
const TRIES: usize = 16;

/// Takes trailing `([Content](a), [Progress](b))` off a title; other brackets are the title's own.
pub(super) fn without_links(title: &str) -> &str {
    let title = title.trim();
    if !title.ends_with(')') {
        return title;
    }
    let starts = title.rmatch_indices("([").map(|(at, _)| at).take(TRIES);
    starts.filter(|at| are_links(&title[*at..])).last().map_or(title, |at| title[..at].trim_end())
}

// Every member between the outer brackets is a Markdown link.
fn are_links(text: &str) -> bool {
    let Some(inner) = text.strip_prefix('(').and_then(|text| text.strip_suffix(')')) else { return false };
    let mut rest = inner;
    loop {
        let Some(after) = link(rest) else { return false };
        match after.trim_start().strip_prefix(',') {
            Some(next) => rest = next.trim_start(),
            None => return after.trim().is_empty(),
        }
    }
}

fn link(text: &str) -> Option<&str> {
    let (label, rest) = text.strip_prefix('[')?.split_once("](")?;
    let (target, rest) = rest.split_once(')')?;
    let plain = !label.contains(['[', ']']) && !target.contains(['(', ')']);
    plain.then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::without_links;

    #[test]
    fn only_links_are_taken_off() {
        for (title, expected) in [
            ("Client (console excluded) ([Content](tasks/a/task.md))", "Client (console excluded)"),
            ("A ([C](x), [P](y))", "A"),
            ("([C](x))", ""),
            ("A (see [C](x))", "A (see [C](x))"),
            ("A ([C](x), and more)", "A ([C](x), and more)"),
            ("A (b)", "A (b)"),
            ("A [C](x)", "A [C](x)"),
        ] {
            assert_eq!(without_links(title), expected);
        }
        assert_eq!(without_links(&"([".repeat(100_000)).len(), 200_000);
    }
}
