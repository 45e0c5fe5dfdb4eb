//! The lines of tasks.md, in which no code that someone forgot to close swallows a section of ours.

use std::collections::HashSet;

use format::spans::{SpanLine, heading, span_lines};

/// A section that we write ourselves; every file of ours has each of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Own {
    Hierarchy,
    Focus,
    Activity,
    Statistics,
}

/// Splits the file into lines.
///
/// A section of ours that stands in code and nowhere else was not quoted: the fence before it was never
/// closed, and counts for nothing up to there.
pub(super) fn lines(text: &str) -> Vec<SpanLine<'_>> {
    let mut lines = span_lines(text);
    // Each round finds one section more, of four.
    while let Some(at) = swallowed(&lines) {
        let fence = lines[..at].iter().rposition(|line| !line.is_code).map_or(0, |before| before + 1);
        lines[fence..at].iter_mut().for_each(|line| line.is_code = false);
        let start = lines[at].start;
        lines.truncate(at);
        let rest = span_lines(&text[start..]).into_iter();
        lines.extend(rest.map(|line| SpanLine { start: line.start + start, next: line.next + start, ..line }));
    }
    lines
}

// The first section of ours that stands in code alone.
fn swallowed(lines: &[SpanLine<'_>]) -> Option<usize> {
    let outside: HashSet<Own> = lines.iter().filter(|line| !line.is_code).filter_map(|line| own(line.text)).collect();
    lines.iter().position(|line| line.is_code && own(line.text).is_some_and(|own| !outside.contains(&own)))
}

fn own(line: &str) -> Option<Own> {
    let heading = heading(line).filter(|heading| heading.level == 2)?;
    match line[heading.start..heading.end].to_lowercase().as_str() {
        "task hierarchy" | "tasks" => Some(Own::Hierarchy),
        "current focus" => Some(Own::Focus),
        "recent activity" => Some(Own::Activity),
        "statistics" => Some(Own::Statistics),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::lines;

    fn check(text: &str, expected: &str) {
        let shown: String = lines(text).iter().map(|line| if line.is_code { 'c' } else { '.' }).collect();
        assert_eq!(shown, expected, "{text:?}");
        let joined: Vec<&str> = lines(text).iter().map(|line| &text[line.start..line.end()]).collect();
        assert_eq!(joined, text.lines().collect::<Vec<_>>());
    }

    #[test]
    fn code_ends_where_a_section_of_ours_would_be_lost_in_it() {
        check("## Tasks\n```\n- x\n## Statistics\n- y\n", ".....");
        check("a\n```\n## Tasks\n- x\n```\n## Statistics\n## Recent Activity\n", ".......");
        check("## Tasks\n```\n## Other\n```\n## Statistics\n", ".ccc.");
        // Quoted beside the section itself.
        check("## Tasks\n```\n## Statistics\n```\n## Statistics\n", ".ccc.");
        // Open, but nothing of ours behind it.
        check("## Statistics\n```\n## Notes\n", ".cc");
    }
}
