//! How headings and rows name a task: an id, bold or quoted or bare, then a title behind a sign.

use super::ids::{TaskId, is_slug_char};

/// An id at the start of a text, and what follows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Label<'a> {
    /// The id.
    pub(super) id: TaskId<'a>,
    /// What follows the id and the signs around it.
    pub(super) rest: &'a str,
    /// Whether a colon stood within the signs, as in `**01-a:** Title`.
    has_colon: bool,
}

impl<'a> Label<'a> {
    /// Reads the id that a text begins with.
    pub(super) fn read(text: &'a str) -> Option<Self> {
        let mut inner = text;
        let mut closing = Vec::new();
        for sign in ["**", "`"] {
            if let Some(rest) = inner.strip_prefix(sign) {
                closing.push(sign);
                inner = rest;
            }
        }
        let length = inner.find(|character| !is_slug_char(character)).unwrap_or(inner.len());
        let id = TaskId::parse(&inner[..length]).ok()?;
        let mut rest = &inner[length..];
        let mut has_colon = false;
        for sign in closing.into_iter().rev() {
            if let Some(after) = rest.strip_prefix(':').filter(|after| after.starts_with(sign)) {
                (rest, has_colon) = (after, true);
            }
            rest = rest.strip_prefix(sign)?;
        }
        Some(Self { id, rest, has_colon })
    }

    /// The title behind a colon or a dash; empty where nothing follows the id.
    ///
    /// `None` where something else follows: then the text names no task.
    pub(super) fn title(&self) -> Option<&'a str> {
        if self.has_colon || self.rest.trim().is_empty() {
            return Some(self.rest.trim());
        }
        if let Some(title) = self.rest.strip_prefix(':') {
            return Some(title.trim());
        }
        let behind = self.rest.trim_start();
        let parted = behind.len() < self.rest.len();
        let dashed =
            behind.strip_prefix('-').filter(|rest| parted && (rest.is_empty() || rest.starts_with([' ', '\t'])));
        dashed.or_else(|| behind.strip_prefix(['–', '—'])).map(str::trim)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Option<(&str, Option<&str>)>) {
        let label = Label::read(text);
        assert_eq!(label.as_ref().map(|label| (label.id.text, label.title())), expected, "{text:?}");
    }

    #[test]
    fn ids_are_bare_bold_or_quoted() {
        check("01-a: Title", Some(("01-a", Some("Title"))));
        check("01-a", Some(("01-a", Some(""))));
        check("**01-a**: Title", Some(("01-a", Some("Title"))));
        check("**01-a:** Title", Some(("01-a", Some("Title"))));
        check("**`01-a`** - Title", Some(("01-a", Some("Title"))));
        check("`01-a` — Title", Some(("01-a", Some("Title"))));
        check("01-a–Title", Some(("01-a", Some("Title"))));
        check("01-a -Title", Some(("01-a", None)));
        check("01-a needs work", Some(("01-a", None)));
        check("**01-a: Title**", None);
        check("2020 review", None);
        check("Execution Order", None);
    }
}
