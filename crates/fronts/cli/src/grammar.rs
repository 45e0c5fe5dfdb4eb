//! The one grammar of all format commands, driven by the commands' own data.
//!
//! The longest words that match name the command. What follows is options in any order (one dash or
//! two, any case, `--flag VALUE` or `--flag=VALUE`) and positionals in the order of the data; those
//! that a flag filled are skipped. `--` ends options. A token is an option only if some command of the
//! format knows its name, so `-5` is text; where text with two dashes needs `=`, every such token is one.
//! Behind the first word of the positional that takes the rest every token is text; where text with two
//! dashes needs `=`, the command's own options are known among it, and so are those of `mainstay`. Of the
//! latter only `--json` and `--help` are understood here; the others stand before the format's name and
//! are refused behind it, because taking `--actor` for a value would store it.

use format::{Command, Format, Opt, Surface, Takes};
use model::{Object, Refusal, Value};

use crate::help;

/// Options of `mainstay` itself that stand before the format's name.
const LEADING: &[&str] = &["project", "actor", "session", "request-id"];

/// What was typed after the format's name.
pub(crate) struct Typed<'a> {
    /// Whether `--json` was among it, even where the rest is wrong.
    pub(crate) json: bool,
    /// What is asked for.
    pub(crate) asked: Result<Asked<'a>, Refusal>,
}

/// What is asked for.
#[derive(Debug)]
pub(crate) enum Asked<'a> {
    /// Help about the format, or about one command.
    Help(Option<&'a Command>),
    /// A command, with what was typed by option name: text, or `true` for a switch.
    Run(&'a Command, Object),
}

/// Reads the tokens after the format's name.
pub(crate) fn read<'a>(format: &dyn Format, commands: &[&'a Command], tokens: &[String]) -> Typed<'a> {
    let mut json = false;
    let asked = read_words(format, commands, tokens, &mut json);
    Typed { json, asked }
}

fn read_words<'a>(
    format: &dyn Format,
    commands: &[&'a Command],
    tokens: &[String],
    json: &mut bool,
) -> Result<Asked<'a>, Refusal> {
    let mut tokens = tokens;
    while tokens.first().is_some_and(|token| token == "--json") {
        *json = true;
        tokens = &tokens[1..];
    }
    let named = |command: &&&Command| {
        command.words.len() <= tokens.len() && command.words.iter().zip(tokens).all(|(word, token)| word == token)
    };
    if let Some(command) = commands.iter().filter(named).max_by_key(|command| command.words.len()) {
        let (surface, format) = (format.surface(), format.name());
        return Reader { format, surface, commands, command, json }.read(&tokens[command.words.len()..]);
    }
    *json |= tokens.iter().take_while(|token| *token != "--").any(|token| token == "--json");
    if tokens.iter().any(|token| matches!(token.as_str(), "--help" | "-h" | "-help")) {
        return Ok(Asked::Help(None));
    }
    Err(unknown_command(format.name(), commands, tokens))
}

fn unknown_command(format: &str, commands: &[&Command], tokens: &[String]) -> Refusal {
    let words: Vec<&str> = tokens.iter().map(String::as_str).take_while(|token| !token.starts_with('-')).collect();
    // What begins with the longest run of the typed words, so that `tasks` offers the task commands.
    let shared = |command: &&Command| command.words.iter().zip(&words).take_while(|(a, b)| a == b).count();
    let depth = commands.iter().map(shared).max().unwrap_or(0);
    let offered: Vec<Value> = commands
        .iter()
        .filter(|command| shared(command) == depth)
        .map(|command| command.words.join(" ").into())
        .collect();
    let message = match words.as_slice() {
        [] => format!("{format} needs a command"),
        words if depth == words.len() => format!("{format} {} needs one more word", words.join(" ")),
        words => format!("{format} has no command {:?}", words[..=depth].join(" ")),
    };
    Refusal::invalid("command", message).allowed(offered).hint(format!("mainstay {format} --help lists the commands"))
}

/// Reads what follows the words of one command.
struct Reader<'a, 'b> {
    format: &'b str,
    surface: &'b Surface,
    commands: &'b [&'a Command],
    command: &'a Command,
    json: &'b mut bool,
}

impl<'a> Reader<'a, '_> {
    fn read(self, tokens: &[String]) -> Result<Asked<'a>, Refusal> {
        let mut filled: Vec<Option<Value>> = vec![None; self.command.options.len()];
        let mut positionals: Vec<&String> = Vec::new();
        // The first fault waits until all is read, so that `--json` counts wherever it stands.
        let mut fault = None;
        let mut rest = tokens.iter();
        while let Some(token) = rest.next() {
            match self.classify(token) {
                Token::Text | Token::Foreign if self.mixes_the_rest(&filled) => {
                    positionals.push(token);
                    // What stands behind a name is its value, whatever option it looks like.
                    if token.starts_with("--") && !token.contains('=') {
                        positionals.extend(self.undashed(&mut rest));
                    }
                }
                Token::Text | Token::Foreign | Token::Leading if self.begins_the_rest(&filled, positionals.len()) => {
                    positionals.push(token);
                    positionals.extend(rest.by_ref());
                }
                Token::End => {
                    positionals.extend(rest.by_ref());
                }
                Token::Json => *self.json = true,
                Token::Help => return Ok(Asked::Help(Some(self.command))),
                Token::Text => positionals.push(token),
                Token::Option(index, joined) => {
                    let opt = &self.command.options[index];
                    let value = match (opt.takes_value(), joined) {
                        (true, Some(joined)) => Ok(joined),
                        (true, None) => self.value(&mut rest).ok_or("needs a value"),
                        (false, None) => Ok(""),
                        (false, Some(_)) => Err("takes no value"),
                    };
                    if let Err(wrong) = value.and_then(|value| fill(&mut filled[index], opt, value)) {
                        fault.get_or_insert(self.fault(opt.name, format!("{token} {wrong}")));
                    }
                }
                Token::Foreign => {
                    let message = format!("{} has no option {token}", self.name());
                    let flags: Vec<Value> =
                        self.command.options.iter().filter_map(help::flag).map(Value::from).collect();
                    fault.get_or_insert(self.fault(token.trim_start_matches('-'), message).allowed(flags));
                }
                Token::Leading => {
                    let message = format!("{token} stands before {}", self.format);
                    let hint = format!("mainstay {token} … {} …; behind -- it is text", self.name());
                    fault.get_or_insert(self.fault(token.trim_start_matches('-'), message).hint(hint));
                }
            }
        }
        if let Some(fault) = fault {
            return Err(fault);
        }
        self.place(filled, &positionals)
    }

    /// Gives the positionals their places and says what is missing.
    fn place(self, mut filled: Vec<Option<Value>>, positionals: &[&String]) -> Result<Asked<'a>, Refusal> {
        let options = self.command.options;
        let mut waiting = positionals.iter();
        for (slot, opt) in filled.iter_mut().zip(options).filter(|(_, opt)| opt.positional) {
            if opt.takes == Takes::Rest {
                let rest: Vec<Value> = waiting.by_ref().map(|text| Value::from(text.as_str())).collect();
                *slot = (!rest.is_empty()).then_some(Value::Array(rest));
            } else if slot.is_none() {
                *slot = waiting.next().map(|text| Value::from(text.as_str()));
            }
        }
        if let Some(surplus) = waiting.next() {
            return Err(self.fault("arguments", format!("{} does not take {surplus:?} as well", self.name())));
        }
        for (opt, value) in options.iter().zip(&filled) {
            if opt.required && value.is_none() {
                let mut missing = self.fault(opt.name, format!("{} needs {}", self.name(), help::placeholder(opt)));
                missing.code = self.surface.missing_argument.into();
                return Err(missing);
            }
        }
        let typed = options.iter().zip(filled).filter_map(|(opt, value)| Some((opt.name.to_owned(), value?))).collect();
        Ok(Asked::Run(self.command, typed))
    }

    // What stands behind an option without `=`.
    fn value<'t>(&self, rest: &mut std::slice::Iter<'t, String>) -> Option<&'t str> {
        self.undashed(rest).map(String::as_str)
    }

    // The next token, unless it can be no value.
    fn undashed<'t>(&self, rest: &mut std::slice::Iter<'t, String>) -> Option<&'t String> {
        let dashed = |token: &&String| token.len() > 2 && token.starts_with("--");
        let next =
            rest.as_slice().first().filter(|token| !(self.surface.dashed_values_need_equals && dashed(token)))?;
        rest.next();
        Some(next)
    }

    // Whether the next positional is the one that takes all that is left.
    fn begins_the_rest(&self, filled: &[Option<Value>], placed: usize) -> bool {
        let open = |(slot, opt): &(&Option<Value>, &Opt)| opt.positional && slot.is_none();
        let next = filled.iter().zip(self.command.options).filter(open).nth(placed);
        next.is_some_and(|(_, opt)| opt.takes == Takes::Rest)
    }

    // Whether options are told from what the only positional, which takes all, is made of.
    fn mixes_the_rest(&self, filled: &[Option<Value>]) -> bool {
        self.surface.dashed_values_need_equals && self.begins_the_rest(filled, 0)
    }

    fn classify<'t>(&self, token: &'t str) -> Token<'t> {
        let Some(name) = token.strip_prefix("--").or_else(|| token.strip_prefix('-')) else {
            return Token::Text;
        };
        if name.is_empty() {
            return if token == "--" { Token::End } else { Token::Text };
        }
        let (name, joined) = name.split_once('=').map_or((name, None), |(name, value)| (name, Some(value)));
        if let Some(index) = self.command.options.iter().position(|opt| knows(opt, name)) {
            return Token::Option(index, joined);
        }
        match token {
            "--json" => Token::Json,
            "--help" => Token::Help,
            _ if self.commands.iter().any(|command| command.options.iter().any(|opt| knows(opt, name))) => {
                Token::Foreign
            }
            _ if token.starts_with("--") && LEADING.contains(&name) => Token::Leading,
            _ if token.starts_with("--") && self.surface.dashed_values_need_equals => Token::Foreign,
            _ => Token::Text,
        }
    }

    fn name(&self) -> String {
        format!("{} {}", self.format, self.command.words.join(" "))
    }

    fn fault(&self, field: &str, message: String) -> Refusal {
        Refusal::invalid(field, message).hint(format!("usage: {}", help::usage(self.format, self.command)))
    }
}

/// What one token is.
enum Token<'t> {
    /// A positional.
    Text,
    /// `--`.
    End,
    /// `--json`.
    Json,
    /// `--help`.
    Help,
    /// An option of the command, by its place in the list, with the text after `=`.
    Option(usize, Option<&'t str>),
    /// An option of another command of the format.
    Foreign,
    /// An option of `mainstay` that stands before the format's name.
    Leading,
}

/// Hands the text behind an option on; says what is wrong with it.
fn fill(slot: &mut Option<Value>, opt: &Opt, value: &str) -> Result<(), &'static str> {
    match (opt.takes, slot) {
        (Takes::Values, Some(Value::Array(values))) => values.push(value.into()),
        (_, Some(_)) => return Err("is given twice"),
        (Takes::Nothing, slot) => *slot = Some(Value::Bool(true)),
        (Takes::Values, slot) => *slot = Some(Value::Array(vec![value.into()])),
        (_, slot) => *slot = Some(value.into()),
    }
    Ok(())
}

fn knows(opt: &Opt, name: &str) -> bool {
    opt.flags.iter().any(|flag| flag.eq_ignore_ascii_case(name))
}

#[cfg(test)]
mod tests;
