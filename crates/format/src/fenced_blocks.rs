//! The fenced code blocks of a Markdown text.
//!
//! **Source**: `CommonMark` 0.31, section 4.5, for blocks that stand in no list or quotation.

/// One fenced block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FencedBlock<'a> {
    /// The info string, without blanks around it.
    pub info: &'a str,
    /// What stands between the fences.
    pub content: &'a str,
}

impl FencedBlock<'_> {
    /// Whether the first word of the info string is `language`, in any case.
    pub fn is_in(&self, language: &str) -> bool {
        self.info.split_ascii_whitespace().next().is_some_and(|word| word.eq_ignore_ascii_case(language))
    }
}

/// Every fenced block, in order. A fence that nothing closes reaches to the end of the text.
pub fn fenced_blocks(text: &str) -> Vec<FencedBlock<'_>> {
    let mut blocks = Vec::new();
    let mut open: Option<(Fence<'_>, usize)> = None;
    let mut end = 0;
    for line in text.split_inclusive('\n') {
        let start = end;
        end += line.len();
        match open {
            None => open = Fence::opening(line).map(|fence| (fence, end)),
            Some((fence, content)) if fence.is_closed_by(line) => {
                blocks.push(FencedBlock { info: fence.info, content: &text[content..start] });
                open = None;
            }
            Some(_) => {}
        }
    }
    blocks.extend(open.map(|(fence, content)| FencedBlock { info: fence.info, content: &text[content..] }));
    blocks
}

/// An opening fence.
#[derive(Clone, Copy)]
struct Fence<'a> {
    mark: char,
    length: usize,
    info: &'a str,
}

impl<'a> Fence<'a> {
    fn opening(line: &'a str) -> Option<Self> {
        let (mark, length, rest) = marks(line)?;
        let info = rest.trim();
        (mark == '~' || !info.contains('`')).then_some(Self { mark, length, info })
    }

    fn is_closed_by(&self, line: &str) -> bool {
        marks(line).is_some_and(|(mark, length, rest)| {
            mark == self.mark && length >= self.length && rest.trim_end_matches(['\r', '\n', ' ', '\t']).is_empty()
        })
    }
}

// The mark, how often it stands there, and what follows.
fn marks(line: &str) -> Option<(char, usize, &str)> {
    let bare = line.trim_start_matches(' ');
    let mark = bare.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
    let rest = bare.trim_start_matches(mark);
    let length = bare.len() - rest.len();
    (length >= 3 && line.len() - bare.len() <= 3).then_some((mark, length, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[(&str, &str)]) {
        let found: Vec<(&str, &str)> =
            fenced_blocks(text).into_iter().map(|block| (block.info, block.content)).collect();
        assert_eq!(found, expected, "{text:?}");
    }

    #[test]
    fn fences_open_and_close() {
        check("a\n```json\n{}\n```\nb\n~~~ x y \n1\n~~~", &[("json", "{}\n"), ("x y", "1\n")]);
        check("```json\r\n{}\r\n```\r\n", &[("json", "{}\r\n")]);
        check("   ````\n```\n   ````` \t\n    ```\n", &[("", "```\n")]);
        check("```\na\n~~~\n``\n", &[("", "a\n~~~\n``\n")]);
        check("```a`b\n```c\nd", &[("c", "d")]);
        check("~~~a`b\n~~~\n\t```\n", &[("a`b", "")]);
        check("```\nx\n``` y\n```", &[("", "x\n``` y\n")]);
        check("text ``` no\n``\n", &[]);
        check("```", &[("", "")]);
    }

    #[test]
    fn the_first_word_names_the_language() {
        let block = |info| FencedBlock { info, content: "" };
        assert!(block("JSON title=x").is_in("json"));
        assert!(!block("jsonc").is_in("json") && !block("").is_in("json") && !block("x json").is_in("json"));
    }
}
