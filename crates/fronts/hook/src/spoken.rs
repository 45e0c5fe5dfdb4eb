//! One answer out of what all formats say, before a host's wire form gives it a shape.

use engine::Hearing;
use format::{Injected, fence, text_table};

/// How long a message to the person may be. **Units**: characters.
const MESSAGE: usize = 1000;

/// What all formats say at an event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Spoken {
    /// Lines for standard error.
    pub(crate) notes: Vec<String>,
    /// What the model should read.
    pub(crate) texts: Vec<Injected>,
    /// What the person should read.
    pub(crate) messages: Vec<String>,
    /// Why the act is not allowed; nothing where it is.
    pub(crate) denied: Option<Vec<String>>,
    /// A fresh tag for fences.
    pub(crate) tag: String,
}

impl Spoken {
    /// Adds what was heard at an event, or at one of several that a host tells as one.
    pub(crate) fn add(&mut self, hearing: Hearing) {
        self.tag = hearing.tag;
        for glance in hearing.heard.into_iter().map(|heard| heard.glance) {
            self.notes.extend(glance.notes);
            self.texts.extend(glance.text);
            self.messages.extend(glance.message.map(|message| bounded(&message)));
            if let Some(lines) = glance.denied {
                self.denied.get_or_insert_default().extend(lines);
            }
        }
    }

    /// The text for the model: all blocks, bare lines within a fence, an empty line between them.
    pub(crate) fn context(&self) -> Option<String> {
        let blocks = self.texts.iter().map(|text| match text {
            Injected::Block(block) => block.clone(),
            Injected::Plain(line) => fence::block(&self.tag, &fence::line(line)),
        });
        (!self.texts.is_empty()).then(|| blocks.collect::<Vec<_>>().join("\n\n"))
    }

    /// The text for the person.
    pub(crate) fn message(&self) -> Option<String> {
        (!self.messages.is_empty()).then(|| self.messages.join("\n"))
    }

    /// Why the act is not allowed, as one text.
    pub(crate) fn reason(&self) -> Option<String> {
        self.denied.as_ref().map(|lines| lines.join("\n"))
    }
}

// What a model wrote may stand in it.
fn bounded(message: &str) -> String {
    let shown = text_table::printable(message);
    match shown.char_indices().nth(MESSAGE) {
        Some((end, _)) => format!("{}…", &shown[..end]),
        None => shown,
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::Spoken;
    use engine::{Heard, Hearing};
    use format::{Glance, Injected};
    use formats::ALL;

    /// What formats say that glance so.
    pub(crate) fn spoken(glances: Vec<Glance>) -> Spoken {
        let heard = glances.into_iter().map(|glance| Heard { format: ALL[0], glance }).collect();
        let mut spoken = Spoken::default();
        spoken.add(Hearing { heard, tag: "t0t0".to_owned() });
        spoken
    }

    /// A glance of one bare line.
    pub(crate) fn plain(line: &str) -> Glance {
        Glance { text: Some(Injected::Plain(line.to_owned())), ..Glance::default() }
    }

    /// A glance of one block.
    pub(crate) fn block(text: &str) -> Glance {
        Glance { text: Some(Injected::Block(text.to_owned())), ..Glance::default() }
    }

    /// A glance with a message to the person.
    pub(crate) fn message(text: &str) -> Glance {
        Glance { message: Some(text.to_owned()), ..Glance::default() }
    }

    /// A gate's no, after a note.
    pub(crate) fn denied() -> Vec<Glance> {
        let denied = Glance { denied: Some(vec!["no".into(), "rule".into()]), ..Glance::default() };
        vec![Glance { notes: vec!["first".into()], ..block("B") }, denied]
    }
}
