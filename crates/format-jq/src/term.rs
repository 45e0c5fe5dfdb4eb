//! The program as a tree, every name resolved to how far back it was bound.

use crate::native::{Control, Plain};
use crate::value::Value;

/// How many bindings back a name was bound; the latest is 0.
pub(crate) type Place = usize;

/// One node of a program.
#[derive(Debug)]
pub(crate) enum Term {
    /// `.`.
    Identity,
    /// `..`.
    Recurse,
    Literal(Value),
    /// A string with interpolated parts.
    Text(Style, Vec<Part>),
    /// `@csv` and its like, applied to the input.
    Format(Style),
    /// `target[key]`.
    Index(Box<Term>, Box<Term>),
    /// `target[from:to]`.
    Slice(Box<Term>, Option<Box<Term>>, Option<Box<Term>>),
    /// `target[]`.
    Iterate(Box<Term>),
    /// `[all outputs]`.
    Collect(Option<Box<Term>>),
    Object(Vec<(Term, Term)>),
    Negate(Box<Term>),
    Pipe(Box<Term>, Box<Term>),
    Comma(Box<Term>, Box<Term>),
    Arithmetic(Operator, Box<Term>, Box<Term>),
    Compare(Comparison, Box<Term>, Box<Term>),
    And(Box<Term>, Box<Term>),
    Or(Box<Term>, Box<Term>),
    /// `left // right`.
    Alternative(Box<Term>, Box<Term>),
    /// `paths = value`.
    Assign(Box<Term>, Box<Term>),
    /// `paths |= change`.
    Modify(Box<Term>, Box<Term>),
    /// `paths op= value`.
    Update(Operator, Box<Term>, Box<Term>),
    /// `paths //= value`.
    UpdateAlternative(Box<Term>, Box<Term>),
    If(Box<Term>, Box<Term>, Option<Box<Term>>),
    Try(Box<Term>, Option<Box<Term>>),
    Reduce(Box<Fold>),
    Foreach(Box<Fold>),
    /// `source as pattern | body`.
    Bind(Box<Term>, Pattern, Box<Term>),
    /// `label $name | body`.
    Label(Box<Term>),
    Break(Place),
    Variable(Place),
    /// A parameter that is a filter.
    Closure(Place),
    /// `def …; body`.
    Define(Box<Definition>, Box<Term>),
    /// A call of a definition of the program.
    Call(Place, Vec<Term>),
    /// A call of a definition of the library.
    Library(usize, Vec<Term>),
    /// A function of evaluated arguments.
    Plain(Plain, Vec<Term>),
    /// A function that runs its arguments itself.
    Control(Control, Vec<Term>),
}

/// One part of a string.
#[derive(Debug)]
pub(crate) enum Part {
    Text(String),
    Term(Term),
}

/// How `@name` writes a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    Text,
    Json,
    Csv,
    Tsv,
    Html,
    Uri,
    Sh,
    Base32,
    Base32d,
    Base64,
    Base64d,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operator {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Comparison {
    Equal,
    Unequal,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

/// `reduce source as pattern (start; update)`, and `foreach` with what it shows.
#[derive(Debug)]
pub(crate) struct Fold {
    pub(crate) source: Term,
    pub(crate) pattern: Pattern,
    pub(crate) start: Term,
    pub(crate) update: Term,
    pub(crate) extract: Option<Term>,
}

/// Where `as` puts the parts of a value.
#[derive(Debug)]
pub(crate) enum Pattern {
    Variable,
    Array(Vec<Pattern>),
    Object(Vec<Member>),
}

/// One member of an object pattern.
#[derive(Debug)]
pub(crate) struct Member {
    pub(crate) key: Term,
    /// The whole member is bound too: `{$name: pattern}`.
    pub(crate) bound: bool,
    pub(crate) pattern: Option<Pattern>,
}

/// `def name(parameters): body;`.
#[derive(Debug)]
pub(crate) struct Definition {
    /// For each parameter, whether it is a value (`$name`); those are bound again after all filters.
    pub(crate) parameters: Vec<bool>,
    pub(crate) body: Term,
}
