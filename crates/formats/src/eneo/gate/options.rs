//! The words of a command apart: options with their values, and operands.

/// How a command reads its options.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Grammar {
    /// Letters whose value is joined to them, or the next word.
    pub(super) valued: &'static str,
    /// Letters whose value is joined to them or missing.
    pub(super) joined: &'static str,
    /// Letters whose value is the digits behind them; other letters may follow.
    pub(super) digits: &'static str,
    /// Letters whose value is the next word, wherever they stand among others.
    pub(super) apart: &'static str,
    /// Long options whose value may be the next word.
    pub(super) long: &'static [&'static str],
    /// Whether options end with the first operand.
    pub(super) stops: bool,
}

/// The words behind a command.
#[derive(Debug, Default)]
pub(super) struct Parsed<'w> {
    options: Vec<(&'w str, Option<&'w str>)>,
    /// What is no option.
    pub(super) operands: &'w [String],
    /// The operands among options, before [`Parsed::operands`].
    early: Vec<&'w String>,
}

impl<'w> Parsed<'w> {
    /// Takes the words apart.
    pub(super) fn of(words: &'w [String], grammar: Grammar) -> Self {
        let mut parsed = Self::default();
        let mut at = 0;
        while let Some(word) = words.get(at) {
            if word == "--" {
                at += 1;
                break;
            }
            let Some(rest) = word.strip_prefix('-').filter(|rest| !rest.is_empty()) else {
                if grammar.stops {
                    break;
                }
                parsed.early.push(word);
                at += 1;
                continue;
            };
            at += 1;
            let next = words.get(at).map(String::as_str);
            let takes_next = match rest.strip_prefix('-') {
                Some(long) => parsed.long(long, next, grammar),
                None => parsed.cluster(rest, next, grammar),
            };
            at += usize::from(takes_next);
        }
        parsed.operands = words.get(at..).unwrap_or_default();
        parsed
    }

    fn long(&mut self, long: &'w str, next: Option<&'w str>, grammar: Grammar) -> bool {
        let takes_next = grammar.long.contains(&long);
        match long.split_once('=') {
            Some((name, value)) => self.options.push((name, Some(value))),
            None => self.options.push((long, next.filter(|_| takes_next))),
        }
        takes_next
    }

    fn cluster(&mut self, cluster: &'w str, next: Option<&'w str>, grammar: Grammar) -> bool {
        let mut takes_next = false;
        for (at, letter) in cluster.char_indices() {
            let (name, rest) = cluster[at..].split_at(letter.len_utf8());
            if letter.is_ascii_digit() && digits_of(&cluster[..at], grammar) {
                continue;
            }
            if grammar.apart.contains(letter) {
                self.options.push((name, next));
                takes_next = true;
                continue;
            }
            if grammar.valued.contains(letter) {
                self.options.push((name, if rest.is_empty() { next } else { Some(rest) }));
                return rest.is_empty();
            }
            if grammar.joined.contains(letter) {
                self.options.push((name, Some(rest)));
                return false;
            }
            self.options.push((name, None));
        }
        takes_next
    }

    /// Whether one of these options stands there.
    pub(super) fn has(&self, names: &[&str]) -> bool {
        self.options.iter().any(|(name, _)| names.contains(name))
    }

    /// The values of these options.
    pub(super) fn values(&self, names: &'static [&'static str]) -> impl Iterator<Item = &'w str> {
        self.options.iter().filter(move |(name, _)| names.contains(name)).filter_map(|(_, value)| *value)
    }

    /// Everything that is no option, in its order.
    pub(super) fn files(&self) -> impl DoubleEndedIterator<Item = &'w String> {
        self.early.iter().copied().chain(self.operands)
    }
}

// Whether digits here belong to the option before them.
fn digits_of(before: &str, grammar: Grammar) -> bool {
    let option = before.trim_end_matches(|letter: char| letter.is_ascii_digit() && !grammar.digits.contains(letter));
    option.ends_with(|letter| grammar.digits.contains(letter))
}

#[cfg(test)]
mod tests {
    use super::{Grammar, Parsed};

    #[test]
    fn values_stand_where_they_may() {
        let grammar = Grammar { valued: "ef", joined: "i", digits: "l", apart: "o", long: &["file"], stops: false };
        for (line, options, files) in [
            ("-n -e s a b", "n,e=s", "a b"),
            ("-nes -i.bak a", "n,e=s,i=.bak", "a"),
            ("a --file b --file=c --in-place d", "file=b,file=c,in-place", "a d"),
            ("-- -e a -", "", "-e a -"),
            ("- -e", "e", "-"),
            ("-l7pi.bak a", "l,p,i=.bak", "a"),
            ("-on x a", "o=x,n", "a"),
        ] {
            let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
            let parsed = Parsed::of(&words, grammar);
            let shown = parsed.options.iter().map(|(name, value)| match value {
                Some(value) => format!("{name}={value}"),
                None => (*name).to_owned(),
            });
            assert_eq!(shown.collect::<Vec<_>>().join(","), options, "{line}");
            assert_eq!(parsed.files().map(String::as_str).collect::<Vec<_>>().join(" "), files, "{line}");
        }
    }
}
