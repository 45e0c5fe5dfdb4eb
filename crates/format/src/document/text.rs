//! A document while it is edited: what was read of it is kept until it changes.

use std::cell::OnceCell;
use std::rc::Rc;

use super::outline::{Lines, Outline};
use crate::front_matter::{self, FrontMatter, Located};

/// A text with its front matter and its lines, each read once after a change.
#[derive(Clone, Debug)]
pub struct Document {
    text: String,
    located: OnceCell<Located>,
    front: OnceCell<Option<Rc<FrontMatter>>>,
    lines: OnceCell<Rc<Lines>>,
}

impl Document {
    /// A document of that text.
    pub fn new(text: String) -> Self {
        Self { text, located: OnceCell::new(), front: OnceCell::new(), lines: OnceCell::new() }
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text, for good.
    pub fn into_text(self) -> String {
        self.text
    }

    /// Where the front matter stands.
    pub fn located(&self) -> &Located {
        self.located.get_or_init(|| front_matter::locate(&self.text))
    }

    /// The front matter; `None` where there is none or it never closes.
    pub fn front(&self) -> Option<&FrontMatter> {
        let read = || FrontMatter::at(&self.text, self.located()).map(Rc::new);
        self.front.get_or_init(read).as_deref()
    }

    /// Where the document behind the front matter begins.
    pub fn body_start(&self) -> usize {
        front_matter::start_behind(&self.text, self.located())
    }

    /// The text behind the front matter.
    pub fn body(&self) -> &str {
        &self.text[self.body_start()..]
    }

    /// The lines behind the front matter.
    pub fn outline(&self) -> Outline<'_> {
        let read = || Outline::read(&self.text, self.body_start()).shared();
        Outline::of(&self.text, Rc::clone(self.lines.get_or_init(read)))
    }

    /// The text, to be changed behind its front matter.
    pub fn edit_body(&mut self) -> &mut String {
        self.lines.take();
        // Where there is none, what comes to stand at the start may be some.
        if !matches!(self.located.get(), Some(Located::Found(_))) {
            self.forget_front();
        }
        &mut self.text
    }

    /// The text, to be changed anywhere.
    pub fn edit(&mut self) -> &mut String {
        self.lines.take();
        self.forget_front();
        &mut self.text
    }

    /// Gives one of its lines another content; what was read of the others is kept where it still holds.
    pub(super) fn set_line(&mut self, at: usize, content: &str) {
        let line = self.outline().lines()[at];
        let lines = self.lines.take();
        self.edit_body().replace_range(line.start..line.end, content);
        if let Some(mut lines) = lines.filter(|_| self.located.get().is_some())
            && Rc::make_mut(&mut lines).set_content(at, content)
        {
            let _ = self.lines.set(lines);
        }
    }

    fn forget_front(&mut self) {
        self.located.take();
        self.front.take();
    }
}
