//! Reads what an edit made: it means what was meant, and nobody's comment is gone.

use model::{Object, Refusal, Value};

use super::edit::{self, Left};
use super::read::{self, Kind, Node};
use super::{holds, malformed, root_of};
use crate::part::{Companion, Entry, Put};

/// The numbers that lead from a root to something in it.
type Way<'a> = [(&'a Node, usize)];

/// Proves that a text grew by an entry, and by its companion where that was missing, and by nothing else.
///
/// **Errors**: `config_invalid`.
pub(super) fn of_growth(
    text: &str,
    root: &Node,
    grown: &str,
    entry: &Entry,
    companion: Option<&Companion>,
) -> Result<(), Refusal> {
    let mut expected = root.value();
    lay(&mut expected, &entry.path, &entry.put);
    if let Some(companion) = companion.filter(|companion| !holds(root, companion.name))
        && let Some((object, first)) = expected.as_object_mut().zip(entry.path.first())
        && !holds(root, first)
    {
        object.insert(companion.name.to_owned(), companion.value.clone());
    }
    let is_right = root_of(grown).is_ok_and(|root| root.value() == expected);
    if is_right && read::comments(grown) == read::comments(text) {
        return Ok(());
    }
    Err(malformed(format!("{} cannot be put in without a change to the rest", entry.path.join("."))))
}

fn lay(value: &mut Value, path: &[&str], put: &Put) {
    if let Some((first, rest)) = path.split_first() {
        if let Value::Object(object) = value {
            let empty = || {
                if rest.is_empty() && matches!(put, Put::Item { .. }) {
                    Vec::<Value>::new().into()
                } else {
                    Object::new().into()
                }
            };
            lay(object.entry(*first).or_insert_with(empty), rest, put);
        }
        return;
    }
    match (put, value) {
        (Put::Member(name, inner), Value::Object(object)) => drop(object.insert((*name).to_owned(), inner.clone())),
        (Put::Item { value: item, .. }, Value::Array(items)) => items.push(item.clone()),
        _ => {}
    }
}

/// Takes something out; nothing where what is left would not be the whole less that, and less what it leaves empty.
pub(super) fn taken(text: &str, root: &Node, way: &Way<'_>) -> Option<Left> {
    let outer = (&text[..root.span.start], &text[root.span.end..]);
    let left = match edit::take(text, way) {
        // A file with comments is a person's, too.
        Left::Nothing if edit::is_commented(outer.0) || edit::is_commented(outer.1) => {
            Left::Text(format!("{}{{}}{}", outer.0, outer.1))
        }
        left => left,
    };
    let found = match &left {
        Left::Text(text) => root_of(text).ok()?.value(),
        Left::Nothing => Object::new().into(),
    };
    let comments = if let Left::Text(text) = &left { read::comments(text) } else { Vec::new() };
    let is_right = without(found, way, false) == without(root.value(), way, true);
    (is_right && comments == read::comments(text)).then_some(left)
}

/// A value without what stands at the end of a way, where that is still there, and without what is empty on the way.
fn without(mut value: Value, way: &Way<'_>, is_there: bool) -> Value {
    let Some(((node, number), rest)) = way.split_first() else { return value };
    let is_last = rest.is_empty();
    match (&node.kind, &mut value) {
        (Kind::Object(members), Value::Object(object)) => {
            let name = &members[*number].name;
            let inner = if is_last && !is_there { None } else { object.get_mut(name).map(Value::take) };
            let kept =
                inner.filter(|_| !is_last).map(|inner| without(inner, rest, is_there)).filter(|kept| !is_empty(kept));
            match kept {
                Some(kept) => object[name] = kept,
                None if is_last && !is_there => {}
                None => drop(object.shift_remove(name)),
            }
        }
        (Kind::Array(_), Value::Array(items)) if is_last && is_there => drop(items.remove(*number)),
        _ => {}
    }
    value
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Object(object) => object.is_empty(),
        Value::Array(items) => items.is_empty(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::{Left, root_of, taken};
    use crate::json::{edit, value_of};

    #[test]
    fn an_edit_that_would_lose_something_is_none() {
        for (text, expected) in [
            ("{\"a\": {\"b\": 1}}", true),
            ("{\"a\": {\"b\": 1, \"c\": 2}}", true),
            ("{\"a\": {\"b\": // mine\n 1, \"c\": 2}}", false),
            ("{\"a\": {\"b\": 1, \"b\": 2, \"c\": 2}}", false),
        ] {
            let root = root_of(text).unwrap();
            let way = [(&root, 0), (value_of(&root, 0), 0)];
            assert_eq!(taken(text, &root, &way).is_some(), expected, "{text}");
            assert_ne!(edit::take(text, &way), Left::Text(text.to_owned()));
        }
    }
}
