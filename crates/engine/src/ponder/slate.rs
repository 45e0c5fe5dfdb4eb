//! The slate of a request: the question that keeps it from going on, and the last answer.

use std::sync::{Arc, Mutex, PoisonError};

use format::Sheet;
use model::Value;

/// What a request has to work out first; its copies share it.
#[derive(Clone, Default)]
pub(crate) struct Slate(Arc<Mutex<Written>>);

#[derive(Default)]
struct Written {
    open: Option<Sheet>,
    answered: Option<(String, Answer)>,
}

/// What came of a question; nothing where it took too much.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Answer(pub(crate) Option<Sheet>);

impl Slate {
    fn with<T>(&self, act: impl FnOnce(&mut Written) -> T) -> T {
        act(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Leaves a question to be worked out.
    pub(crate) fn note(&self, question: &[Value]) {
        self.with(|written| written.open = Some(question.to_vec()));
    }

    /// Takes the question that was left.
    pub(crate) fn open(&self) -> Option<Sheet> {
        self.with(|written| written.open.take())
    }

    /// Keeps an answer, in the place of the last one.
    pub(crate) fn keep(&self, question: &[Value], answer: Answer) {
        self.with(|written| written.answered = Some((text(question), answer)));
    }

    /// The answer to this very question, if it has been worked out.
    pub(crate) fn answer_to(&self, question: &[Value]) -> Option<Answer> {
        self.with(|written| {
            let (known, answer) = written.answered.as_ref()?;
            (*known == text(question)).then(|| answer.clone())
        })
    }
}

// Two questions are the same to the last byte or not at all: the order of keys counts, and the text of numbers.
fn text(question: &[Value]) -> String {
    question.iter().flat_map(|value| [value.to_string(), "\n".to_owned()]).collect()
}

#[cfg(test)]
mod tests {
    use super::{Answer, Slate};
    use serde_json::json;

    #[test]
    fn an_answer_is_that_of_its_question_alone() {
        let slate = Slate::default();
        let value = |text: &str| vec![serde_json::from_str(text).unwrap()];
        slate.note(&value("1"));
        assert_eq!(slate.clone().open(), Some(value("1")));
        assert_eq!(slate.open(), None);
        slate.keep(&value(r#"{"a":1.0,"b":2}"#), Answer(Some(vec![json!("done")])));
        assert_eq!(slate.answer_to(&value(r#"{"a":1.0,"b":2}"#)), Some(Answer(Some(vec![json!("done")]))));
        for other in [r#"{"b":2,"a":1.0}"#, r#"{"a":1,"b":2}"#, r#"{"a":1.0}"#] {
            assert_eq!(slate.answer_to(&value(other)), None, "{other}");
        }
        slate.keep(&value("2"), Answer(None));
        assert_eq!(slate.answer_to(&value("2")), Some(Answer(None)));
        assert_eq!(slate.answer_to(&value(r#"{"a":1.0,"b":2}"#)), None);
    }
}
