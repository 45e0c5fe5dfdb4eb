//! What others call: compile, run, compare.

use model::{Timestamp, Value as Json};

use crate::compare::are_equal;
use crate::halt::{Failure, Halt, Limit};
use crate::library::Library;
use crate::limits::Limits;
use crate::parser;
use crate::run::Run;
use crate::term::Term;
use crate::text::beginning;
use crate::value::Value;

/// The longest program. **Units**: bytes.
pub(crate) const LENGTH: usize = 64 * 1024;

/// What all outputs may weigh together. **Units**: bytes.
pub(crate) const OUTPUT: u64 = 64 * 1024 * 1024;

/// A compiled program.
#[derive(Debug)]
pub struct Program {
    term: Term,
    library: Library,
    values: Vec<Value>,
}

/// What a program put out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outputs {
    /// The outputs in their order; `None` for one that holds a number beyond the range of doubles.
    pub values: Vec<Option<Json>>,
    /// Why there are no more of them.
    pub failure: Option<Failure>,
}

impl Program {
    /// Compiles a program in which names are bound to values; of a name that comes twice the last wins.
    ///
    /// **Errors**: [`Failure::Compile`], [`Failure::Limit`].
    pub fn compile(text: &str, variables: &[(&str, &Json)]) -> Result<Self, Failure> {
        if text.len() > LENGTH {
            return Err(Failure::Limit(Limit::Length));
        }
        let names: Vec<&str> = variables.iter().map(|(name, _)| *name).collect();
        let (term, library) = parser::parse(text, &names)?;
        let values = variables.iter().map(|(_, value)| Value::from_json(value).or(Err(Failure::Limit(Limit::Depth))));
        Ok(Self { term, library, values: values.collect::<Result<_, _>>()? })
    }

    /// Runs it over a document until it ends, until it has put out `most` values, or up to the limits.
    pub fn run(&self, input: &Json, now: Timestamp, most: usize, limits: Limits<'_>) -> Outputs {
        #[allow(clippy::cast_precision_loss, reason = "milliseconds of four-digit years")]
        let run = Run::new(&self.library, now.as_millis() as f64 / 1000.0, limits);
        let mut outputs = Outputs::default();
        let input = match Value::from_json(input) {
            Ok(input) => input,
            Err(halt) => return Outputs { failure: Some(halt.into()), ..outputs },
        };
        let mut scope = None;
        for value in &self.values {
            scope = crate::run::bind(&scope, value.clone());
        }
        let mut weight = 0;
        let answer = run.values(&self.term, &scope, input, &mut |value| {
            weight += value.weight();
            if weight > OUTPUT {
                return Err(Halt::Limit(Limit::Output));
            }
            outputs.values.push(value.to_json());
            if outputs.values.len() < most { Ok(()) } else { Err(Halt::Stop) }
        });
        outputs.failure = match answer {
            Ok(()) | Err(Halt::Stop) => None,
            Err(halt) => Some(halt.into()),
        };
        outputs
    }
}

impl From<Halt> for Failure {
    fn from(halt: Halt) -> Self {
        match halt {
            Halt::Error(error) => Self::Raised(shorten(&message(&error)).to_owned()),
            Halt::Limit(what) => Self::Limit(what),
            Halt::Break(_) | Halt::Stop => Self::Raised("a label was left behind".to_owned()),
        }
    }
}

/// How much of a message is told. **Units**: bytes.
const MESSAGE: usize = 1_000;

fn message(error: &Value) -> String {
    error.as_text().map_or_else(|| beginning(error, MESSAGE), |text| shorten(text).to_owned())
}

// A message of the program's own making may be long.
fn shorten(message: &str) -> &str {
    let end = (0..=message.len().min(MESSAGE)).rev().find(|end| message.is_char_boundary(*end)).unwrap_or_default();
    &message[..end]
}

/// Whether two values are equal as the language sees it: `1.0` and `1` are, whatever the order of keys.
pub fn equal(own: &Json, others: &Json) -> bool {
    match (Value::from_json(own), Value::from_json(others)) {
        (Ok(own), Ok(others)) => are_equal(&own, &others),
        _ => own == others,
    }
}
