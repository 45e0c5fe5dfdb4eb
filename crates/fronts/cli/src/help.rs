//! Help about format commands, rendered from their data for 80 columns.

use std::fmt::Write as _;

use format::{Command, Opt, Takes};

use crate::printable::wrap;

const WIDTH: usize = 80;

/// The word that stands for an option's value in usage lines.
pub(crate) fn placeholder(opt: &Opt) -> String {
    let is_camel = opt.name.contains(|letter: char| letter.is_ascii_uppercase());
    match opt.flags.first() {
        _ if shape(opt).is_some() => shape(opt).unwrap_or_default().to_owned(),
        _ if opt.takes == Takes::Path => "PATH".to_owned(),
        // The flag says it shorter than a name such as `confirmRemovals`, and means one of them.
        Some(flag) if is_camel && opt.positional => flag.to_uppercase(),
        Some(flag) if is_camel => flag.rsplit('-').next().unwrap_or(flag).to_uppercase(),
        // What is left may be several words of one kind or of two in turn.
        _ => opt.name.to_uppercase().replace('_', if opt.takes == Takes::Rest { " " } else { "-" }),
    }
}

/// The shape of a value, where the explanation begins with one: `OLD=NEW: …`.
fn shape(opt: &Opt) -> Option<&'static str> {
    let is_shape =
        |text: &str| text.contains('=') && text.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'=');
    opt.about.split_once(": ").map(|(shape, _)| shape).filter(|shape| is_shape(shape))
}

/// An option's explanation, without the shape that stands left of it.
fn about(opt: &Opt) -> &'static str {
    shape(opt).map_or(opt.about, |shape| &opt.about[shape.len() + 2..])
}

/// The first spelling of an option, with its dashes.
pub(crate) fn flag(opt: &Opt) -> Option<String> {
    opt.flags.first().map(|flag| format!("--{flag}"))
}

/// One line of usage.
///
/// **Shape**: `mainstay hseos tasks update ID --status STATUS [--note NOTE]`.
pub(crate) fn usage(format: &str, command: &Command) -> String {
    let mut line = format!("mainstay {format} {}", command.words.join(" "));
    let (positional, named): (Vec<&Opt>, Vec<&Opt>) = command.options.iter().partition(|opt| opt.positional);
    for opt in positional.into_iter().chain(named) {
        let word = if opt.positional { placeholder(opt) } else { spelled(opt) };
        let dots = if opt.repeats() { "…" } else { "" };
        let _ = if opt.required { write!(line, " {word}{dots}") } else { write!(line, " [{word}]{dots}") };
    }
    line
}

/// Help about all commands of a format.
pub(crate) fn of_format(format: &str, commands: &[&Command]) -> String {
    let mut text = format!("Usage: mainstay {format} COMMAND [ARGUMENTS]\n\nCommands:\n");
    let rows: Vec<(String, &str)> = commands.iter().map(|command| (command.words.join(" "), command.about)).collect();
    columns(&mut text, &rows);
    let _ = write!(
        text,
        "\n`mainstay {format} COMMAND --help` tells more of one. Options take one dash or\n\
         two, in any case; `--` ends them; `--json` prints the result as JSON."
    );
    text
}

/// Help about one command, and which of the others begin with its words.
pub(crate) fn of_command(format: &str, command: &Command, all: &[&Command]) -> String {
    let mut text = String::new();
    for line in wrap(command.about, WIDTH) {
        let _ = writeln!(text, "{line}");
    }
    let _ = writeln!(text, "\nUsage:");
    for (index, line) in wrap(&usage(format, command), WIDTH - 6).iter().enumerate() {
        let _ = writeln!(text, "{}{line}", if index == 0 { "  " } else { "      " });
    }
    let (positional, named): (Vec<&Opt>, Vec<&Opt>) = command.options.iter().partition(|opt| opt.positional);
    for (title, options) in [("Arguments", positional), ("Options", named)] {
        if options.is_empty() {
            continue;
        }
        let _ = writeln!(text, "\n{title}:");
        let rows: Vec<(String, &str)> = options.iter().map(|opt| (left(opt), about(opt))).collect();
        columns(&mut text, &rows);
    }
    let longer = |other: &&&Command| other.words.len() > command.words.len() && other.words.starts_with(command.words);
    let longer: Vec<(String, &str)> =
        all.iter().filter(longer).map(|other| (other.words.join(" "), other.about)).collect();
    if !longer.is_empty() {
        let _ = writeln!(text, "\nCommands:");
        columns(&mut text, &longer);
    }
    if !command.examples.is_empty() {
        let _ = writeln!(text, "\nExamples:");
        for example in command.examples {
            let _ = writeln!(text, "  mainstay {example}");
        }
    }
    text.truncate(text.trim_end().len());
    text
}

/// What stands left of an option's explanation.
fn left(opt: &Opt) -> String {
    match (opt.positional, flag(opt)) {
        (true, Some(flag)) => format!("{}, {flag}", placeholder(opt)),
        (true, None) => placeholder(opt),
        (false, _) => spelled(opt),
    }
}

/// `--flag VALUE`, or `--flag` for a switch.
fn spelled(opt: &Opt) -> String {
    let flag = flag(opt).unwrap_or_default();
    if opt.takes_value() { format!("{flag} {}", placeholder(opt)) } else { flag }
}

/// Two columns, the right one wrapped.
fn columns(text: &mut String, rows: &[(String, &str)]) {
    let width = rows.iter().map(|(left, _)| left.chars().count()).max().unwrap_or(0).min(32);
    for (left, right) in rows {
        let mut lines = wrap(right, WIDTH - width - 4).into_iter();
        let first = lines.next().unwrap_or_default();
        let row = format!("  {left:width$}  {first}");
        let _ = writeln!(text, "{}", row.trim_end());
        for line in lines {
            let _ = writeln!(text, "  {:width$}  {line}", "");
        }
    }
}

#[cfg(test)]
mod tests {
    use format::Takes;

    use super::*;

    static ADD: Command = Command {
        words: &["tasks", "add"],
        about: "Adds a task; repeating the same is fine.",
        tool: "tasks_add",
        options: &[
            Opt {
                name: "id",
                flags: &["id"],
                positional: true,
                required: true,
                takes: Takes::Value,
                about: "the task's id; digits become T…",
            },
            Opt {
                name: "depends",
                flags: &["depends"],
                positional: true,
                required: false,
                takes: Takes::Value,
                about: "ids that must be done first, as a list with commas or as a JSON array of texts",
            },
            Opt {
                name: "note_text",
                flags: &["note"],
                positional: false,
                required: true,
                takes: Takes::Value,
                about: "a note",
            },
            Opt {
                name: "force",
                flags: &["force"],
                positional: false,
                required: false,
                takes: Takes::Nothing,
                about: "even so",
            },
        ],
        examples: &["hseos tasks add T5 --note x"],
        ..Command::BARE
    };

    #[test]
    fn a_command_is_explained() {
        let expected = "\
Adds a task; repeating the same is fine.

Usage:
  mainstay hseos tasks add ID [DEPENDS] --note NOTE-TEXT [--force]

Arguments:
  ID, --id            the task's id; digits become T…
  DEPENDS, --depends  ids that must be done first, as a list with commas or as a
                      JSON array of texts

Options:
  --note NOTE-TEXT  a note
  --force           even so

Examples:
  mainstay hseos tasks add T5 --note x";
        assert_eq!(of_command("hseos", &ADD, &[&ADD]), expected);
        let tasks = Command { words: &["tasks"], about: "Lists tasks.", ..Command::BARE };
        let expected = "\
Lists tasks.

Usage:
  mainstay hseos tasks

Commands:
  tasks add  Adds a task; repeating the same is fine.";
        assert_eq!(of_command("hseos", &tasks, &[&tasks, &ADD]), expected);
    }

    #[test]
    fn a_format_is_listed() {
        let expected = "\
Usage: mainstay hseos COMMAND [ARGUMENTS]

Commands:
  tasks add  Adds a task; repeating the same is fine.

`mainstay hseos COMMAND --help` tells more of one. Options take one dash or
two, in any case; `--` ends them; `--json` prints the result as JSON.";
        let text = of_format("hseos", &[&ADD]);
        assert_eq!(text, expected);
        assert!(text.lines().all(|line| line.chars().count() <= WIDTH));
    }
}
