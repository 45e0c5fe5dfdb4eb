//! Entries in JSON files of hosts: put in, recognised, taken out.

mod edit;
mod proof;
mod read;

use model::{Object, Refusal, Value};

use crate::part::{Companion, Entry, IfTaken, Put};
use edit::{Fresh, Left, is_commented};
use read::{Kind, Node};

/// What an edit makes of a file, and what a person should know of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Edited {
    /// The file's text; nothing where there is no file.
    pub(crate) text: Option<String>,
    /// A code and a sentence each.
    pub(crate) notes: Vec<(&'static str, String)>,
}

/// Puts the entries in; those that stand already are left as they are.
///
/// **Errors**: `config_invalid` for a text that is no JSON of the right shape, `host_entry_taken`,
/// `host_block_doubled`.
pub(crate) fn put(text: Option<&str>, entries: &[Entry], companion: Option<&Companion>) -> Result<Edited, Refusal> {
    let mut edited = Edited { text: text.map(str::to_owned), notes: Vec::new() };
    for entry in entries {
        put_one(&mut edited, entry, companion)?;
    }
    Ok(edited)
}

/// Takes out the entries that are exactly as they were put in.
///
/// **Errors**: `config_invalid`.
pub(crate) fn take(text: &str, entries: &[Entry], companion: Option<&Companion>) -> Result<Edited, Refusal> {
    let mut edited = Edited { text: Some(text.to_owned()), notes: Vec::new() };
    for entry in entries.iter().rev() {
        let Some(text) = edited.text.take() else { break };
        edited.text = match take_one(&text, entry, companion, &mut edited.notes)? {
            Left::Text(text) => Some(text),
            Left::Nothing => None,
        };
    }
    Ok(edited)
}

// What a text is without its byte order mark, and the mark.
fn unmarked(text: &str) -> (&str, &str) {
    match text.strip_prefix('\u{feff}') {
        Some(rest) => (&text[..text.len() - rest.len()], rest),
        None => ("", text),
    }
}

fn root_of(text: &str) -> Result<Node, Refusal> {
    let root = read::read(text).map_err(|fault| malformed(format!("line {}: {}", fault.line, fault.what)))?;
    if matches!(root.kind, Kind::Object(_)) { Ok(root) } else { Err(malformed("it is no JSON object".to_owned())) }
}

fn malformed(why: String) -> Refusal {
    Refusal::config("path", why).hint("mend the file or move it away; nothing was changed")
}

fn put_one(edited: &mut Edited, entry: &Entry, companion: Option<&Companion>) -> Result<(), Refusal> {
    let Some(whole) = edited.text.clone() else {
        edited.text = Some(edit::create(&whole_of(entry, companion)));
        return Ok(());
    };
    let (mark, text) = unmarked(&whole);
    if text.trim().is_empty() {
        // A file without a value: what stood in it follows the space that marks it as not ours.
        let created = edit::create(&whole_of(entry, companion));
        edited.text = Some(format!("{mark}{} {text}", created.trim_end()));
        return Ok(());
    }
    let root = root_of(text)?;
    if let Put::Member(name, value) = &entry.put
        && let Some((first, rest)) = entry.elsewhere.split_first()
    {
        let other = rest
            .iter()
            .chain([name])
            .try_fold(root.value().get(*first).cloned(), |outer, name| Some(outer?.get(*name).cloned()));
        if let Some(Some(found)) = other {
            let there = Entry { path: entry.elsewhere.to_vec(), ..entry.clone() };
            return stands(edited, &there, name, value, &found);
        }
    }
    let mut node = &root;
    for (depth, name) in entry.path.iter().enumerate() {
        let Some(number) = child(node, name, &entry.path[..=depth])? else {
            let value = nested(&entry.path[depth + 1..], &entry.put);
            let mut grown = edit::put(text, &root, node, Fresh { name: Some(name), value: &value });
            if let Some(companion) = companion.filter(|companion| depth == 0 && !holds(&root, companion.name)) {
                let root = root_of(&grown)?;
                let fresh = Fresh { name: Some(companion.name), value: &companion.value };
                grown = edit::put(&grown, &root, &root, fresh);
            }
            proof::of_growth(text, &root, &grown, entry, companion)?;
            edited.text = Some(format!("{mark}{grown}"));
            return Ok(());
        };
        node = value_of(node, number);
    }
    let fresh = match &entry.put {
        Put::Member(name, value) => {
            if let Some(number) = child(node, name, &[&entry.path[..], &[*name]].concat())? {
                return stands(edited, entry, name, value, &value_of(node, number).value());
            }
            Fresh { name: Some(name), value }
        }
        Put::Item { value, command } => {
            let Kind::Array(_) = &node.kind else {
                return Err(malformed(format!("{} is no list", entry.path.join("."))));
            };
            let place = entry.path.join(".");
            match commands(&node.value(), command) {
                0 => Fresh { name: None, value },
                1 => {
                    if !node.value().as_array().is_some_and(|items| items.contains(value)) {
                        let said = format!("{place} runs {command:?} already, in another form, and stays as it is");
                        edited.notes.push(("kept", said));
                    }
                    return Ok(());
                }
                count => {
                    return Err(Refusal::refused(
                        "host_block_doubled",
                        format!("{place} runs {command:?} {count} times"),
                    )
                    .field(place)
                    .hint("leave one of them; nothing was changed"));
                }
            }
        }
    };
    let grown = edit::put(text, &root, node, fresh);
    proof::of_growth(text, &root, &grown, entry, None)?;
    edited.text = Some(format!("{mark}{grown}"));
    Ok(())
}

// Something has the name already: ours as it should be, ours in another form, or another's.
fn stands(edited: &mut Edited, entry: &Entry, name: &str, wanted: &Value, found: &Value) -> Result<(), Refusal> {
    let place = [&entry.path[..], &[name]].concat().join(".");
    if found == wanted {
        return Ok(());
    }
    if runs_mainstay(found) {
        edited.notes.push(("kept", format!("{place} runs mainstay already and stays as it is")));
        return Ok(());
    }
    match entry.taken {
        IfTaken::Leave => {
            edited.notes.push(("taken", format!("{place} is somebody else's and stays as it is")));
            Ok(())
        }
        IfTaken::Refuse => Err(Refusal::refused("host_entry_taken", format!("{place} runs something else"))
            .field(place)
            .hint("give that entry another name; nothing was changed")),
    }
}

fn take_one(
    whole: &str,
    entry: &Entry,
    companion: Option<&Companion>,
    notes: &mut Vec<(&'static str, String)>,
) -> Result<Left, Refusal> {
    let (mark, text) = unmarked(whole);
    let unchanged = || Left::Text(whole.to_owned());
    if text.trim().is_empty() {
        return Ok(unchanged());
    }
    let root = root_of(text)?;
    let mut way: Vec<(&Node, usize)> = Vec::new();
    let mut node = &root;
    for (depth, name) in entry.path.iter().enumerate() {
        let Some(number) = child(node, name, &entry.path[..=depth])? else { return Ok(unchanged()) };
        way.push((node, number));
        node = value_of(node, number);
    }
    let place = || entry.path.join(".");
    let number = match (&entry.put, &node.kind) {
        (Put::Member(name, value), Kind::Object(members)) => {
            let Some(number) = child(node, name, &[&entry.path[..], &[*name]].concat())? else {
                return Ok(unchanged());
            };
            let found = members[number].value.value();
            if found != *value {
                if runs_mainstay(&found) {
                    notes.push(("left", format!("{}.{name} is not as it was put in and stays", place())));
                }
                return Ok(unchanged());
            }
            if is_commented(&text[members[number].start..members[number].value.span.end]) {
                notes.push(("left", format!("{}.{name} holds a comment and stays", place())));
                return Ok(unchanged());
            }
            number
        }
        (Put::Item { value, command }, Kind::Array(items)) => {
            let values: Vec<Value> = items.iter().map(Node::value).collect();
            let mut equal = (0..values.len()).filter(|number| values[*number] == *value);
            let Some(number) = equal.next() else {
                if values.iter().any(|found| commands(found, command) > 0) {
                    notes.push(("left", format!("{} is not as it was put in and stays", place())));
                }
                return Ok(unchanged());
            };
            if is_commented(&text[items[number].span.clone()]) {
                notes.push(("left", format!("{} holds an entry with a comment, which stays", place())));
                return Ok(unchanged());
            }
            // Another of ours goes too, and what is only like ours is told of.
            if values.iter().enumerate().any(|(at, found)| at != number && commands(found, command) > 0)
                && let Some(Left::Text(text)) = proof::taken(text, &root, &[&way[..], &[(node, number)]].concat())
            {
                return take_one(&format!("{mark}{text}"), entry, companion, notes);
            }
            number
        }
        _ => return Ok(unchanged()),
    };
    way.push((node, number));
    let Some(taken) = proof::taken(text, &root, &way) else {
        notes.push(("left", format!("{} cannot be taken out without the rest and stays", place())));
        return Ok(unchanged());
    };
    // What came with a container goes with it, and before it.
    if let Some((companion, first)) = companion.zip(entry.path.first())
        && let Some(left) = follower(text, &root, first, companion)
        && !matches!(&taken, Left::Text(left) if root_of(left).is_ok_and(|root| holds(&root, first)))
        && let Some(Left::Text(text)) = proof::taken(text, &root, &[(&root, left)])
    {
        return take_one(&format!("{mark}{text}"), entry, None, notes);
    }
    Ok(match taken {
        Left::Text(left) => Left::Text(format!("{mark}{left}")),
        // The space tells that the file stood there before.
        Left::Nothing => match text[root.span.end..].strip_prefix(' ') {
            Some(rest) => Left::Text(format!("{mark}{rest}")),
            None => Left::Nothing,
        },
    })
}

// The companion's number, where it stands right behind the container that it came with, and no comment in it.
fn follower(text: &str, root: &Node, first: &str, companion: &Companion) -> Option<usize> {
    let number = edit::members(root, first)?.first()? + 1;
    let Kind::Object(members) = &root.kind else { return None };
    let is_it = |member: &&read::Member| {
        let is_plain = !is_commented(&text[member.start..member.value.span.end]);
        member.name == companion.name && member.value.value() == companion.value && is_plain
    };
    members.get(number).filter(is_it).map(|_| number)
}

fn holds(node: &Node, name: &str) -> bool {
    edit::members(node, name).is_some_and(|found| !found.is_empty())
}

// **Errors**: `config_invalid` where the node is no object or the name stands twice.
fn child(node: &Node, name: &str, place: &[&str]) -> Result<Option<usize>, Refusal> {
    let Some(found) = edit::members(node, name) else {
        return Err(malformed(format!("what should hold {} is no object", place.join("."))));
    };
    match found[..] {
        [] => Ok(None),
        [number] => Ok(Some(number)),
        _ => Err(malformed(format!("{} stands there twice", place.join(".")))),
    }
}

fn value_of(node: &Node, number: usize) -> &Node {
    match &node.kind {
        Kind::Object(members) => &members[number].value,
        Kind::Array(items) => &items[number],
        Kind::Scalar(_) => node,
    }
}

fn whole_of(entry: &Entry, companion: Option<&Companion>) -> Value {
    let mut object = nested(&entry.path, &entry.put);
    if let Some(companion) = companion {
        object[companion.name] = companion.value.clone();
    }
    object
}

fn nested(path: &[&str], put: &Put) -> Value {
    let inner = match put {
        Put::Member(name, value) => Value::Object(Object::from_iter([((*name).to_owned(), value.clone())])),
        Put::Item { value, .. } => Value::Array(vec![value.clone()]),
    };
    path.iter().rev().fold(inner, |inner, name| Value::Object(Object::from_iter([((*name).to_owned(), inner)])))
}

/// How many objects in a value run a command of ours.
fn commands(value: &Value, command: &str) -> usize {
    let runs = |text: &str| text.split(['\n', ';', '|', '&', '{', '(']).any(|part| is_command(part, command));
    match value {
        Value::Object(object) => {
            let own = object.values().any(|value| value.as_str().is_some_and(runs));
            usize::from(own) + object.values().map(|value| commands(value, command)).sum::<usize>()
        }
        Value::Array(items) => items.iter().map(|item| commands(item, command)).sum(),
        _ => 0,
    }
}

// Whether a simple command of a shell is ours: its program by any path, then our words, then any others.
fn is_command(part: &str, command: &str) -> bool {
    let mut words = part.split_whitespace().map(|word| word.trim_matches(['"', '\'']));
    let mut wanted = command.split(' ').skip(1);
    // Variables may be set before it.
    let program = words.by_ref().find(|word| !word.contains('=')).unwrap_or_default();
    is_mainstay(program) && wanted.all(|wanted| words.next() == Some(wanted))
}

fn is_mainstay(program: &str) -> bool {
    let name = program.rsplit(['/', '\\']).next().unwrap_or_default();
    name.trim_end_matches(".exe") == "mainstay"
}

/// Whether an entry runs Mainstay, in any spelling that hosts have for it.
pub(crate) fn runs_mainstay(value: &Value) -> bool {
    let is_ours = |text: &str| is_mainstay(text.split_whitespace().next().unwrap_or_default());
    match value.get("command") {
        Some(Value::String(text)) => is_ours(text),
        Some(Value::Array(words)) => words.first().and_then(Value::as_str).is_some_and(is_ours),
        _ => false,
    }
}

#[cfg(test)]
mod tests;
