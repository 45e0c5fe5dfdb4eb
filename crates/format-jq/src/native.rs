//! The functions that are built in, by name and number of arguments.

use crate::halt::{Caught, Halt};
use crate::run::Run;
use crate::value::Value;
use crate::{arrays, dates, math, objects, regexes, strings};

/// A function of its input and its evaluated arguments.
pub(crate) type Plain = fn(&Run<'_>, Value, &[Value]) -> Caught<Value>;

/// A function that runs its arguments itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Control {
    Empty,
    Select,
    Recurse,
    RecurseWhile,
    Path,
    Pick,
    GetPath,
    First,
    Last,
    IsEmpty,
    Limit,
    Until,
    While,
    Repeat,
    Range,
    SortBy,
    GroupBy,
    UniqueBy,
    MinBy,
    MaxBy,
    Substitute,
    SubstituteAll,
    Debug,
}

/// Names that would let a program see or touch the world outside.
pub(crate) const FORBIDDEN: &[&str] = &[
    "input",
    "inputs",
    "env",
    "halt",
    "halt_error",
    "input_filename",
    "input_line_number",
    "get_search_list",
    "modulemeta",
];

/// The function of that name that runs its arguments.
pub(crate) fn control(name: &str, count: usize) -> Option<Control> {
    Some(match (name, count) {
        ("empty", 0) => Control::Empty,
        ("select", 1) => Control::Select,
        ("recurse", 1) => Control::Recurse,
        ("recurse", 2) => Control::RecurseWhile,
        ("path", 1) => Control::Path,
        ("pick", 1) => Control::Pick,
        ("getpath", 1) => Control::GetPath,
        ("first", 1) => Control::First,
        ("last", 1) => Control::Last,
        ("isempty", 1) => Control::IsEmpty,
        ("limit", 2) => Control::Limit,
        ("until", 2) => Control::Until,
        ("while", 2) => Control::While,
        ("repeat", 1) => Control::Repeat,
        ("range", 1..=3) => Control::Range,
        ("sort_by", 1) => Control::SortBy,
        ("group_by", 1) => Control::GroupBy,
        ("unique_by", 1) => Control::UniqueBy,
        ("min_by", 1) => Control::MinBy,
        ("max_by", 1) => Control::MaxBy,
        ("sub", 2 | 3) => Control::Substitute,
        ("gsub", 2 | 3) => Control::SubstituteAll,
        ("debug" | "stderr", 0 | 1) => Control::Debug,
        _ => return None,
    })
}

/// The plain function of that name.
pub(crate) fn plain(name: &str, count: usize) -> Option<Plain> {
    match count {
        0 => plain_0(name).or_else(|| math::of_one(name)),
        1 => plain_1(name),
        2 => plain_2(name),
        _ => (name == "fma" && count == 3).then_some(math::fma as Plain),
    }
}

fn plain_0(name: &str) -> Option<Plain> {
    Some(match name {
        "error" => |_, input, _| Err(Halt::Error(input)),
        "not" => |_, input, _| Ok(Value::Bool(!input.is_true())),
        "type" => |_, input, _| Ok(Value::text(input.kind())),
        "length" => objects::length,
        "utf8bytelength" => strings::utf8bytelength,
        "keys" => objects::keys,
        "keys_unsorted" => objects::keys_unsorted,
        "to_entries" => objects::to_entries,
        "from_entries" => objects::from_entries,
        "add" => arrays::add,
        "reverse" => arrays::reverse,
        "sort" => arrays::sort,
        "unique" => arrays::unique,
        "min" => arrays::min,
        "max" => arrays::max,
        "flatten" => arrays::flatten,
        "transpose" => arrays::transpose,
        "tostring" => strings::tostring,
        "tonumber" => strings::tonumber,
        "tojson" => strings::tojson,
        "fromjson" => strings::fromjson,
        "explode" => strings::explode,
        "implode" => strings::implode,
        "ascii_downcase" => strings::ascii_downcase,
        "ascii_upcase" => strings::ascii_upcase,
        "trim" => strings::trim,
        "ltrim" => strings::ltrim,
        "rtrim" => strings::rtrim,
        "now" => dates::now,
        "gmtime" | "localtime" => dates::gmtime,
        "mktime" => dates::mktime,
        "infinite" => |_, _, _| Ok(Value::number(f64::INFINITY)),
        "nan" => |_, _, _| Ok(Value::number(f64::NAN)),
        "toarray" => |_, input, _| if input.as_items().is_some() { Ok(input) } else { Value::array(vec![input]) },
        "have_literal_numbers" => |_, _, _| Ok(Value::Bool(true)),
        "have_decnum" => |_, _, _| Ok(Value::Bool(false)),
        _ => return None,
    })
}

fn plain_1(name: &str) -> Option<Plain> {
    Some(match name {
        "error" => |_, _, arguments| Err(Halt::Error(arguments[0].clone())),
        "bsearch" => arrays::bsearch,
        "has" => objects::has,
        "contains" => objects::contains,
        "delpaths" => objects::delpaths,
        "flatten" => arrays::flatten,
        "join" => strings::join,
        "split" => strings::split,
        "startswith" => strings::startswith,
        "endswith" => strings::endswith,
        "ltrimstr" => strings::ltrimstr,
        "rtrimstr" => strings::rtrimstr,
        "index" => strings::index,
        "rindex" => strings::rindex,
        "indices" | "_indices" => strings::indices,
        "test" => regexes::test,
        "_matches" => regexes::matches,
        "strftime" | "strflocaltime" => dates::strftime,
        "strptime" => dates::strptime,
        _ => return None,
    })
}

fn plain_2(name: &str) -> Option<Plain> {
    Some(match name {
        "setpath" => objects::setpath,
        "split" => regexes::split,
        "test" => regexes::test,
        "_matches" => regexes::matches,
        _ => return math::of_two(name),
    })
}
