//! A shell's text cut into simple commands, with its quoting.
//!
//! Nothing is expanded: a word keeps its `$name` as it stands. What cannot be read is left out.

/// One simple command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Simple {
    /// The words, without their quotes.
    pub(super) words: Vec<String>,
    /// The files that output is redirected into.
    pub(super) targets: Vec<String>,
}

/// How deep commands may stand within commands.
const DEPTH: usize = 12;

/// Cuts a text into its simple commands, those within `$(…)` and backticks too.
pub(super) fn split(text: &str) -> Vec<Simple> {
    let mut found = Vec::new();
    read(text, 0, &mut found);
    found
}

fn read(text: &str, depth: usize, found: &mut Vec<Simple>) {
    if depth > DEPTH {
        return;
    }
    let letters: Vec<char> = text.chars().collect();
    let mut shell = Shell { letters: &letters, at: 0, depth, found, simple: Simple::default(), here: Vec::new() };
    shell.commands();
    shell.end();
}

struct Shell<'s> {
    letters: &'s [char],
    at: usize,
    depth: usize,
    found: &'s mut Vec<Simple>,
    simple: Simple,
    /// The ends of here-documents that begin with the next line.
    here: Vec<String>,
}

impl Shell<'_> {
    fn peek(&self, ahead: usize) -> Option<char> {
        self.letters.get(self.at + ahead).copied()
    }

    fn end(&mut self) {
        let simple = std::mem::take(&mut self.simple);
        if simple != Simple::default() {
            self.found.push(simple);
        }
    }

    fn commands(&mut self) {
        while let Some(letter) = self.peek(0) {
            match letter {
                ' ' | '\t' | '\r' => self.at += 1,
                '\n' => {
                    self.at += 1;
                    self.end();
                    self.skip_here_documents();
                }
                '#' => {
                    while self.peek(0).is_some_and(|letter| letter != '\n') {
                        self.at += 1;
                    }
                }
                '&' if self.peek(1) == Some('>') => {
                    self.at += 1;
                    self.redirect();
                }
                ';' | '&' | '|' | '(' | ')' => {
                    self.at += 1;
                    self.end();
                }
                '>' => self.redirect(),
                '<' => self.input(),
                _ => self.plain_word(),
            }
        }
    }

    fn plain_word(&mut self) {
        let start = self.at;
        let Some(word) = self.word() else {
            self.at = self.letters.len();
            return;
        };
        let is_number = self.letters[start..self.at].iter().all(char::is_ascii_digit);
        // `2>file`: the number belongs to the redirection.
        if !(is_number && matches!(self.peek(0), Some('>' | '<'))) {
            self.simple.words.push(word);
        }
    }

    // `>`, `>>`, `>|`, `>&`; a number or a dash behind `>&` names no file.
    fn redirect(&mut self) {
        self.at += 1;
        let mut copies = false;
        match self.peek(0) {
            Some('>' | '|') => self.at += 1,
            Some('&') => {
                self.at += 1;
                copies = true;
            }
            Some('(') => return,
            _ => {}
        }
        self.blanks();
        let Some(target) = self.word().filter(|target| !target.is_empty()) else { return };
        let is_descriptor = target == "-" || target.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
        if !(copies && is_descriptor) {
            self.simple.targets.push(target);
        }
    }

    // `<file`, `<<<word`, `<<END`, `<(command)`, `<>file`.
    fn input(&mut self) {
        self.at += 1;
        match (self.peek(0), self.peek(1)) {
            (Some('<'), Some('<')) => {
                self.at += 2;
                self.blanks();
                self.word();
            }
            (Some('<'), _) => {
                self.at += 1;
                if self.peek(0) == Some('-') {
                    self.at += 1;
                }
                self.blanks();
                if let Some(end) = self.word() {
                    self.here.push(end);
                }
            }
            (Some('>'), _) => self.redirect(),
            (Some('('), _) => {}
            _ => {
                self.blanks();
                self.word();
            }
        }
    }

    fn blanks(&mut self) {
        while matches!(self.peek(0), Some(' ' | '\t')) {
            self.at += 1;
        }
    }

    fn skip_here_documents(&mut self) {
        for end in std::mem::take(&mut self.here) {
            while self.at < self.letters.len() {
                let rest = &self.letters[self.at..];
                let length = rest.iter().position(|letter| *letter == '\n').unwrap_or(rest.len());
                let line: String = rest[..length].iter().collect();
                self.at = (self.at + length + 1).min(self.letters.len());
                if line.trim_start_matches('\t').trim_end_matches('\r') == end {
                    break;
                }
            }
        }
    }

    // One word; `None` where a quote is never closed.
    fn word(&mut self) -> Option<String> {
        let mut word = String::new();
        while let Some(letter) = self.peek(0) {
            match letter {
                ' ' | '\t' | '\r' | '\n' | ';' | '&' | '|' | '(' | ')' | '<' | '>' => break,
                '\\' => {
                    self.at += 1;
                    match self.peek(0) {
                        Some('\n') => {}
                        Some(next) => word.push(next),
                        None => break,
                    }
                    self.at += 1;
                }
                '\'' => {
                    self.at += 1;
                    let length = self.letters[self.at..].iter().position(|letter| *letter == '\'')?;
                    word.extend(&self.letters[self.at..self.at + length]);
                    self.at += length + 1;
                }
                '"' => {
                    self.at += 1;
                    self.double_quoted(&mut word)?;
                }
                '$' if self.peek(1) == Some('(') => self.substitution(&mut word)?,
                '`' => self.backticks(&mut word)?,
                other => {
                    word.push(other);
                    self.at += 1;
                }
            }
        }
        Some(word)
    }

    fn double_quoted(&mut self, word: &mut String) -> Option<()> {
        loop {
            match self.peek(0)? {
                '"' => {
                    self.at += 1;
                    return Some(());
                }
                '\\' => {
                    let next = self.peek(1)?;
                    if !matches!(next, '"' | '\\' | '$' | '`' | '\n') {
                        word.push('\\');
                    }
                    if next != '\n' {
                        word.push(next);
                    }
                    self.at += 2;
                }
                '$' if self.peek(1) == Some('(') => self.substitution(word)?,
                '`' => self.backticks(word)?,
                other => {
                    word.push(other);
                    self.at += 1;
                }
            }
        }
    }

    // `$(…)`: what stands inside is read as commands of its own.
    fn substitution(&mut self, word: &mut String) -> Option<()> {
        let start = self.at + 2;
        let mut depth = 1usize;
        let mut at = start;
        let mut quote: Option<char> = None;
        while depth > 0 {
            let letter = *self.letters.get(at)?;
            match (quote, letter) {
                (_, '\\') if quote != Some('\'') => at += 1,
                (Some(open), letter) if open == letter => quote = None,
                (None, '\'' | '"') => quote = Some(letter),
                (None, '(') => depth += 1,
                (None, ')') => depth -= 1,
                _ => {}
            }
            at += 1;
        }
        let inner: String = self.letters[start..at - 1].iter().collect();
        read(&inner, self.depth + 1, self.found);
        word.push_str("$()");
        self.at = at;
        Some(())
    }

    fn backticks(&mut self, word: &mut String) -> Option<()> {
        let start = self.at + 1;
        let length = self.letters[start..].iter().position(|letter| *letter == '`')?;
        let inner: String = self.letters[start..start + length].iter().collect();
        read(&inner, self.depth + 1, self.found);
        word.push_str("$()");
        self.at = start + length + 1;
        Some(())
    }
}
