//! The lines in which two texts differ.

/// How many lines around a difference are shown.
const CONTEXT: usize = 2;

/// The most pairs of lines that are compared; beyond, all lines between the first and the last difference count.
const PAIRS: usize = 4_000_000;

/// A line and where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Line<'a> {
    Both(&'a str),
    Old(&'a str),
    New(&'a str),
}

/// The differences as `diff -u` shows them, with a head for both sides; empty where there are none.
pub fn unified(path: &str, before: Option<&str>, after: Option<&str>) -> String {
    if before == after {
        return String::new();
    }
    let name = |side: &str, text: Option<&str>| text.map_or("/dev/null".to_owned(), |_| format!("{side}/{path}"));
    let head = format!("--- {}\n+++ {}\n", name("a", before), name("b", after));
    head + &hunks(before.unwrap_or_default(), after.unwrap_or_default())
}

/// The differences without a head: for each place `@@ -LINE,COUNT +LINE,COUNT @@` and its lines.
pub fn hunks(before: &str, after: &str) -> String {
    let mut shown = String::new();
    let lines = aligned(&broken(before), &broken(after));
    let differs = |line: &Line<'_>| !matches!(line, Line::Both(_));
    let mut at = 0;
    while let Some(first) = (at..lines.len()).find(|number| differs(&lines[*number])) {
        let mut last = first;
        while let Some(next) = (last + 1..lines.len().min(last + 2 + 2 * CONTEXT)).find(|next| differs(&lines[*next])) {
            last = next;
        }
        let (from, to) = (first.saturating_sub(CONTEXT).max(at), lines.len().min(last + 1 + CONTEXT));
        shown.push_str(&hunk(&lines, from, to));
        at = to;
    }
    shown
}

fn broken(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

fn hunk(lines: &[Line<'_>], from: usize, to: usize) -> String {
    let count = |lines: &[Line<'_>], without: fn(&Line<'_>) -> bool| lines.iter().filter(|line| !without(line)).count();
    let is_new: fn(&Line<'_>) -> bool = |line| matches!(line, Line::New(_));
    let is_old: fn(&Line<'_>) -> bool = |line| matches!(line, Line::Old(_));
    let range = |without: fn(&Line<'_>) -> bool| {
        let (start, length) = (count(&lines[..from], without), count(&lines[from..to], without));
        format!("{},{length}", if length == 0 { start } else { start + 1 })
    };
    let mut shown = format!("@@ -{} +{} @@\n", range(is_new), range(is_old));
    for line in &lines[from..to] {
        let (sign, text) = match line {
            Line::Both(text) => (' ', text),
            Line::Old(text) => ('-', text),
            Line::New(text) => ('+', text),
        };
        shown.push(sign);
        shown.push_str(text.trim_end_matches('\n'));
        shown.push_str(if text.ends_with('\n') { "\n" } else { "\n\\ No newline at end of file\n" });
    }
    shown
}

fn aligned<'a>(old: &[&'a str], new: &[&'a str]) -> Vec<Line<'a>> {
    let head = old.iter().zip(new).take_while(|(old, new)| old == new).count();
    let tail = old[head..].iter().rev().zip(new[head..].iter().rev()).take_while(|(old, new)| old == new).count();
    let (old_middle, new_middle) = (&old[head..old.len() - tail], &new[head..new.len() - tail]);
    let mut lines: Vec<_> = old[..head].iter().copied().map(Line::Both).collect();
    if old_middle.len().saturating_mul(new_middle.len()) > PAIRS {
        lines.extend(old_middle.iter().copied().map(Line::Old));
        lines.extend(new_middle.iter().copied().map(Line::New));
    } else {
        middle(old_middle, new_middle, &mut lines);
    }
    lines.extend(old[old.len() - tail..].iter().copied().map(Line::Both));
    lines
}

// The longest run of lines that both have, by a table of its lengths.
fn middle<'a>(old: &[&'a str], new: &[&'a str], lines: &mut Vec<Line<'a>>) {
    let width = new.len() + 1;
    let mut longest = vec![0_u32; (old.len() + 1) * width];
    for i in (0..old.len()).rev() {
        for j in (0..new.len()).rev() {
            let (here, below, right) = (i * width + j, (i + 1) * width + j, i * width + j + 1);
            longest[here] = if old[i] == new[j] { longest[below + 1] + 1 } else { longest[below].max(longest[right]) };
        }
    }
    let (mut i, mut j) = (0, 0);
    while i < old.len() || j < new.len() {
        let both = i < old.len() && j < new.len();
        if both && old[i] == new[j] {
            lines.push(Line::Both(old[i]));
            (i, j) = (i + 1, j + 1);
        } else if j == new.len() || (i < old.len() && longest[(i + 1) * width + j] >= longest[i * width + j + 1]) {
            lines.push(Line::Old(old[i]));
            i += 1;
        } else {
            lines.push(Line::New(new[j]));
            j += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::unified;

    #[test]
    fn differences_are_shown_as_people_know_them() {
        let cases = [
            (Some("a\n"), Some("a\n"), ""),
            (None, Some("a\nb\n"), "--- /dev/null\n+++ b/f\n@@ -0,0 +1,2 @@\n+a\n+b\n"),
            (Some("a\n"), None, "--- a/f\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-a\n"),
            (
                Some("1\n2\n3\n4\n5\n"),
                Some("1\n2\n3\nx\n4\n5\n"),
                "--- a/f\n+++ b/f\n@@ -2,4 +2,5 @@\n 2\n 3\n+x\n 4\n 5\n",
            ),
            (Some("a\r\n"), Some("a\n"), "--- a/f\n+++ b/f\n@@ -1,1 +1,1 @@\n-a\r\n+a\n"),
            (
                Some("a"),
                Some("a\nb"),
                "--- a/f\n+++ b/f\n@@ -1,1 +1,2 @@\n-a\n\\ No newline at end of file\n+a\n+b\n\\ No newline at end of file\n",
            ),
            (
                Some("a\n1\n2\n3\n4\n5\n6\nb\n"),
                Some("A\n1\n2\n3\n4\n5\n6\nB\n"),
                "--- a/f\n+++ b/f\n@@ -1,3 +1,3 @@\n-a\n+A\n 1\n 2\n@@ -6,3 +6,3 @@\n 5\n 6\n-b\n+B\n",
            ),
        ];
        for (before, after, expected) in cases {
            assert_eq!(unified("f", before, after), expected);
        }
    }
}
