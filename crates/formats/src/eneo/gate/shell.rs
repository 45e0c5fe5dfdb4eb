//! A shell's text cut into simple commands: one recursive reader of lists, redirections and here-documents.
//!
//! Nothing is expanded: a word keeps its `$name` as it stands. What is never closed hides nothing: the rest is read once
//! more from behind the opening. **Source**: POSIX.1-2017, "Shell Command Language"; bash(1), "Shell grammar".

use std::collections::HashMap;

use super::writes::is_setting;

/// One simple command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Simple {
    /// The words, without their quotes.
    pub(super) words: Vec<String>,
    /// The files that output is redirected into.
    pub(super) targets: Vec<String>,
    /// What stands in here-documents and here-strings for its input.
    pub(super) inputs: Vec<String>,
}

/// What a text was cut into.
#[derive(Debug)]
pub(super) struct Script {
    /// The commands, those within `$(…)` and backticks before the command that they stand in.
    pub(super) simples: Vec<Simple>,
    /// Whether all of it could be read: it may be nested too deeply.
    pub(super) is_whole: bool,
    /// How often a rest may still be read again.
    readings: u8,
}

/// Words that stand before a command and are none.
pub(super) const KEYWORDS: &[&str] =
    &["if", "then", "else", "elif", "do", "while", "until", "{", "}", "!", "coproc", "time"];

/// How deep commands may stand within commands.
const DEPTH: usize = 32;

/// How often texts may have something that is never closed.
const READINGS: u8 = 8;

/// Cuts a text into its simple commands.
pub(super) fn split(text: &str) -> Script {
    let mut script = Script { simples: Vec::new(), is_whole: true, readings: READINGS };
    script.read(text, 0);
    script
}

impl Script {
    /// Reads a text that stands `depth` levels deep.
    pub(super) fn read(&mut self, text: &str, depth: usize) {
        let mut rest = text;
        loop {
            let mut shell = Shell::new(rest, depth, self);
            shell.commands(Until::End);
            let Some(open) = shell.open else { return };
            let Some(left) = self.readings.checked_sub(1) else {
                self.is_whole = false;
                return;
            };
            self.readings = left;
            rest = &rest[open + 1..];
        }
    }
}

/// Where a list of commands ends.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Until {
    End,
    Parenthesis,
}

/// A here-document that begins with the next line.
struct Here {
    end: String,
    is_quoted: bool,
    /// Whether tabs before its lines do not count.
    is_indented: bool,
    /// The command whose input it is.
    owner: Option<usize>,
}

/// What is known of the list that is being read.
#[allow(clippy::struct_excessive_bools, reason = "each is a question of its own")]
struct Level {
    simple: Simple,
    here: Vec<Here>,
    /// How many of those have an owner.
    owned: usize,
    /// No word of the command but keywords was read.
    is_start: bool,
    /// Within `[[ … ]]`, where `>` and `<` compare.
    in_test: bool,
    /// Within `((…))`, where `<<` shifts.
    in_sum: bool,
    /// No word of the command but keywords and variables that are set was read.
    may_set: bool,
    /// How many `case` are open, whose patterns end with a parenthesis.
    cases: usize,
}

/// The reader of one text.
pub(super) struct Shell<'s, 'f> {
    pub(super) text: &'s str,
    pub(super) at: usize,
    pub(super) depth: usize,
    pub(super) script: &'f mut Script,
    /// Where the first thing opens that is never closed.
    pub(super) open: Option<usize>,
    level: Level,
    /// Where lines begin, by what they hold; made when the first here-document is met.
    lines: Option<Lines<'s>>,
}

/// Where lines begin, by what they hold, with and without the tabs before it.
type Lines<'s> = HashMap<(bool, &'s str), Vec<usize>>;

impl Level {
    fn new(in_sum: bool) -> Self {
        let simple = Simple::default();
        Self { simple, here: Vec::new(), owned: 0, is_start: true, in_test: false, in_sum, may_set: true, cases: 0 }
    }
}

impl<'s, 'f> Shell<'s, 'f> {
    pub(super) fn new(text: &'s str, depth: usize, script: &'f mut Script) -> Self {
        Self { text, at: 0, depth, script, open: None, level: Level::new(false), lines: None }
    }

    /// Whether a bracket here may be the index of a variable that is set.
    pub(super) fn may_set(&self) -> bool {
        self.level.may_set
    }

    pub(super) fn peek(&self, ahead: usize) -> Option<u8> {
        self.text.as_bytes().get(self.at + ahead).copied()
    }

    /// Notes down that what opens at a place is never closed.
    pub(super) fn leave_open(&mut self, at: usize) {
        self.open = Some(self.open.map_or(at, |open| open.min(at)));
        self.at = self.text.len();
    }

    /// One level deeper; answers whether that may be.
    pub(super) fn deeper(&mut self) -> bool {
        let may = self.depth < DEPTH;
        self.script.is_whole &= may;
        self.depth += usize::from(may);
        may
    }

    /// Commands up to their closing parenthesis, behind the opening one.
    pub(super) fn nested(&mut self, in_sum: bool) {
        if self.deeper() {
            let outer = std::mem::replace(&mut self.level, Level::new(in_sum));
            self.commands(Until::Parenthesis);
            let inner = std::mem::replace(&mut self.level, outer);
            // One that has no line of its own yet begins with the next of the outer list.
            self.level.here.extend(inner.here);
            self.depth -= 1;
        }
    }

    fn commands(&mut self, until: Until) {
        while let Some(byte) = self.peek(0) {
            match byte {
                b' ' | b'\t' | b'\r' => self.at += 1,
                b'\\' if self.peek(1) == Some(b'\n') => self.at += 2,
                b'\n' => {
                    self.at += 1;
                    self.end();
                    self.here_documents();
                }
                b'#' => self.at += self.text[self.at..].find('\n').unwrap_or(self.text.len() - self.at),
                b'(' | b')' | b'<' | b'>' | b'&' | b'|' if self.level.in_test => self.at += 1,
                b'>' if self.level.in_sum => self.at += 1,
                b'&' if self.peek(1) == Some(b'>') => {
                    self.at += 1;
                    self.redirect();
                }
                b'(' => {
                    self.end();
                    self.at += 1;
                    self.nested(self.level.in_sum || self.peek(0) == Some(b'('));
                }
                b')' => {
                    self.at += 1;
                    self.end();
                    if until == Until::Parenthesis && self.level.cases == 0 {
                        return;
                    }
                }
                b';' | b'&' | b'|' => {
                    self.at += 1;
                    self.end();
                }
                b'>' => self.redirect(),
                b'<' => self.input(),
                _ => self.plain_word(),
            }
        }
        self.end();
    }

    fn end(&mut self) {
        let simple = std::mem::take(&mut self.level.simple);
        (self.level.is_start, self.level.may_set, self.level.in_test) = (true, true, false);
        if simple != Simple::default() {
            let owner = self.script.simples.len();
            for here in &mut self.level.here[self.level.owned..] {
                here.owner.get_or_insert(owner);
            }
            self.level.owned = self.level.here.len();
            self.script.simples.push(simple);
        }
    }

    fn plain_word(&mut self) {
        let start = self.at;
        let word = self.word();
        let is_number = self.text.as_bytes()[start..self.at].iter().all(u8::is_ascii_digit);
        // `2>file`: the number belongs to the redirection.
        if is_number && matches!(self.peek(0), Some(b'>' | b'<')) {
            return;
        }
        // A quoted word is no word of the grammar.
        let is_bare = self.text[start..self.at] == word;
        let level = &mut self.level;
        match word.as_str() {
            "[[" if level.is_start && is_bare => level.in_test = true,
            "]]" => level.in_test = false,
            "case" if level.is_start && is_bare => level.cases += 1,
            "esac" if level.is_start && is_bare => level.cases = level.cases.saturating_sub(1),
            _ => {}
        }
        // `case x in esac` has no pattern.
        let begins_patterns = word == "in" && level.simple.words.iter().any(|word| word == "case");
        let is_keyword = KEYWORDS.contains(&word.as_str());
        level.is_start = begins_patterns || level.is_start && is_keyword;
        level.may_set &= is_keyword || is_setting(&word);
        level.simple.words.push(word);
    }

    // `>`, `>>`, `>|`, `>&`, `>(command)`; a number or a dash behind `>&` names no file.
    fn redirect(&mut self) {
        self.at += 1;
        let mut copies = false;
        match self.peek(0) {
            Some(b'>' | b'|') => self.at += 1,
            Some(b'&') => {
                self.at += 1;
                copies = true;
            }
            Some(b'(') => return self.of_process(),
            _ => {}
        }
        self.blanks();
        let target = self.word();
        let is_descriptor = target == "-" || target.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
        if !(target.is_empty() || copies && is_descriptor) {
            self.level.simple.targets.push(target);
        }
    }

    // `<file`, `<<<word`, `<<END`, `<(command)`, `<>file`.
    fn input(&mut self) {
        self.at += 1;
        match (self.peek(0), self.peek(1)) {
            (Some(b'<'), Some(b'<')) => {
                self.at += 2;
                self.blanks();
                let word = self.word();
                self.level.simple.inputs.push(word);
            }
            (Some(b'<'), _) if self.level.in_sum => self.at += 1,
            (Some(b'<'), _) => {
                let is_indented = self.peek(1) == Some(b'-');
                self.at += 1 + usize::from(is_indented);
                self.blanks();
                let start = self.at;
                let end = self.word();
                let is_quoted = self.text[start..self.at].contains(['\'', '"', '\\']);
                self.level.here.push(Here { end, is_quoted, is_indented, owner: None });
            }
            (Some(b'>'), _) => self.redirect(),
            (Some(b'('), _) => self.of_process(),
            _ => {
                self.at += usize::from(self.peek(0) == Some(b'&'));
                self.blanks();
                self.word();
            }
        }
    }

    // `<(command)` is a word as its command sees it.
    fn of_process(&mut self) {
        self.at += 1;
        self.nested(false);
        self.level.simple.words.push("$()".to_owned());
    }

    fn blanks(&mut self) {
        while matches!(self.peek(0), Some(b' ' | b'\t')) {
            self.at += 1;
        }
    }

    // One whose end never comes hides nothing: its lines are read as commands.
    fn here_documents(&mut self) {
        self.level.owned = 0;
        for Here { end, is_quoted, is_indented, owner } in std::mem::take(&mut self.level.here) {
            let Some(last) = self.line(&end, is_indented) else { continue };
            let body = &self.text[self.at..last];
            let length = self.text[last..].find('\n').map_or(self.text.len() - last, |length| length + 1);
            self.at = last + length;
            if !is_quoted && self.deeper() {
                Shell::new(body, self.depth, self.script).embedded();
                self.depth -= 1;
            }
            if let Some(owner) = owner {
                self.script.simples[owner].inputs.push(body.to_owned());
            }
        }
    }

    // Where the next line begins that holds nothing else.
    fn line(&mut self, wanted: &str, is_indented: bool) -> Option<usize> {
        let text = self.text;
        let lines = self.lines.get_or_insert_with(|| {
            let mut lines = Lines::new();
            let mut at = 0;
            for line in text.split('\n') {
                let whole = line.trim_end_matches('\r');
                lines.entry((false, whole)).or_default().push(at);
                lines.entry((true, whole.trim_start_matches('\t'))).or_default().push(at);
                at += line.len() + 1;
            }
            lines
        });
        let places = lines.get(&(is_indented, wanted))?;
        places.get(places.partition_point(|place| *place < self.at)).copied()
    }
}
