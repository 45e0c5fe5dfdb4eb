//! The words after a command.

use std::path::PathBuf;

/// What is left of the words; each question takes its answer out.
pub(crate) struct Arguments {
    words: Vec<String>,
}

impl Arguments {
    pub(crate) fn new(words: impl Iterator<Item = String>) -> Self {
        Self { words: words.collect() }
    }

    /// Whether the flag was given.
    pub(crate) fn flag(&mut self, name: &str) -> bool {
        let before = self.words.len();
        self.words.retain(|word| word != name);
        self.words.len() != before
    }

    /// Every value of an option that may be repeated.
    pub(crate) fn values(&mut self, name: &str) -> Result<Vec<String>, String> {
        let mut values = Vec::new();
        while let Some(at) = self.words.iter().position(|word| word == name) {
            if at + 1 == self.words.len() {
                return Err(format!("{name} needs a value"));
            }
            values.push(self.words.remove(at + 1));
            self.words.remove(at);
        }
        Ok(values)
    }

    /// The last value of an option.
    pub(crate) fn value(&mut self, name: &str) -> Result<Option<String>, String> {
        Ok(self.values(name)?.pop())
    }

    /// What `--seed N` says.
    pub(crate) fn seed(&mut self) -> Result<u64, String> {
        match self.value("--seed")? {
            None => Ok(testkit::random::SEED),
            Some(text) => text.parse().map_err(|error| format!("--seed {text}: {error}")),
        }
    }

    /// The program under test, where it is not to be built.
    pub(crate) fn binary(&mut self) -> Result<Option<PathBuf>, String> {
        self.value("--bin")?.map(|path| std::path::absolute(path).map_err(|error| error.to_string())).transpose()
    }

    /// Everything that nothing asked for by name; an option among it is refused by its reader.
    pub(crate) fn rest(&mut self) -> Vec<String> {
        std::mem::take(&mut self.words)
    }

    /// Refuses what nothing asked for.
    pub(crate) fn end(&self) -> Result<(), String> {
        match self.words.first() {
            Some(word) => Err(format!("what is `{word}`? `cargo xtask help` lists the options")),
            None => Ok(()),
        }
    }
}
