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

    /// The same document with another content in one of its lines.
    pub(super) fn with_line(&self, at: usize, content: &str) -> Self {
        let outline = self.outline();
        let line = outline.lines()[at];
        let mut text = String::with_capacity(self.text.len() - (line.end - line.start) + content.len());
        text.extend([&self.text[..line.start], content, &self.text[line.end..]]);
        let (located, front) = (self.located.clone(), self.front.clone());
        let mut made = Self { text, located, front, lines: OnceCell::new() };
        made.edit_body();
        if let Some(lines) = outline.shared().with_content(at, content) {
            let _ = made.lines.set(Rc::new(lines));
        }
        made
    }

    fn forget_front(&mut self) {
        self.located.take();
        self.front.take();
    }
}
