//! Secrets in stored text: found to refuse them, masked before anything is shown.
//!
//! The rules are matchers written by hand: hooks have no time to compile expressions, and an engine
//! for them that stays linear looks at 5 MB in a second where these look at hundreds. The tests hold
//! them against the expressions. One look over a text tells which rules can match at all; for ordinary
//! text none is run.
//!
//! **Source**: `spec/skillstate.md`, section 5.

mod matchers;

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use model::{Object, Refusal, Value};

use matchers::{
    auth_header, aws_key, env_secret, github, gitlab, google, jwt, llm_key, package, private_key, slack, stripe,
    url_password,
};

/// What text begins with that stands for something masked.
const MARKER: &str = "[redacted:";

struct Rule {
    kind: &'static str,
    /// Whether patches that hold it are refused; the others are only masked.
    refuses: bool,
    /// Text without any of these holds no match.
    clues: &'static [&'static str],
    matcher: Matcher,
}

/// The bytes to be masked of the match that a clue at this place belongs to.
type Matcher = fn(&str, usize) -> Option<Range<usize>>;

/// The rules, in the order in which they are applied.
static RULES: [Rule; 13] = [
    refusing("aws-key", &["AKIA", "ASIA"], aws_key),
    refusing("github", &["ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"], github),
    refusing("gitlab", &["glpat-"], gitlab),
    refusing("slack", &["xox"], slack),
    refusing("stripe", &["sk_live_", "sk_test_", "rk_live_", "rk_test_"], stripe),
    refusing("google", &["AIza"], google),
    refusing("llm-key", &["sk-"], llm_key),
    refusing("package", &["npm_", "pypi-", "hf_"], package),
    refusing("jwt", &["eyJ"], jwt),
    refusing("private-key", &["-----BEGIN "], private_key),
    masking("auth-header", &[":"], auth_header),
    masking("url-password", &["://"], url_password),
    masking("env-secret", &["="], env_secret),
];

const fn refusing(kind: &'static str, clues: &'static [&'static str], matcher: Matcher) -> Rule {
    Rule { kind, refuses: true, clues, matcher }
}

const fn masking(kind: &'static str, clues: &'static [&'static str], matcher: Matcher) -> Rule {
    Rule { kind, refuses: false, clues, matcher }
}

/// For every byte the rules that have a clue beginning with it, as bits.
static FIRST: [u16; 256] = first_bytes();

const fn first_bytes() -> [u16; 256] {
    let mut table = [0; 256];
    let mut rule = 0;
    while rule < RULES.len() {
        let clues = RULES[rule].clues;
        let mut clue = 0;
        while clue < clues.len() {
            table[clues[clue].as_bytes()[0] as usize] |= 1 << rule;
            clue += 1;
        }
        rule += 1;
    }
    table
}

/// The text with every secret replaced by `[redacted:KIND]`.
pub fn masked(text: &str) -> Cow<'_, str> {
    let suspects = suspects(text);
    let mut masked = Cow::Borrowed(text);
    for rule in suspected(suspects) {
        if let Some(replaced) = rule.replace(&masked) {
            masked = Cow::Owned(replaced);
        }
    }
    masked
}

/// Masks every text within a value, names of members too.
pub fn mask(value: &mut Value) {
    match value {
        Value::String(text) => {
            if let Cow::Owned(masked) = masked(text) {
                *text = masked;
            }
        }
        Value::Array(items) => items.iter_mut().for_each(mask),
        Value::Object(members) => mask_members(members),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Masks every text within an object, names of members too.
///
/// Where two names become the same, the later ones are numbered: no member gets lost.
pub fn mask_members(members: &mut Object) {
    members.values_mut().for_each(mask);
    if members.keys().all(|name| matches!(masked(name), Cow::Borrowed(_))) {
        return;
    }
    // How far the numbers behind each name have gone.
    let mut numbers: HashMap<String, usize> = HashMap::new();
    for (name, value) in std::mem::take(members) {
        let mut name = masked(&name).into_owned();
        if members.contains_key(&name) {
            let last = numbers.entry(name.clone()).or_insert(1);
            let numbered = (*last + 1..).map(|number| (number, format!("{name} {number}")));
            let free = numbered.into_iter().find(|(_, name)| !members.contains_key(name));
            (*last, name) = free.expect("the numbers do not end");
        }
        members.insert(name, value);
    }
}

/// Masks everything that a refusal says.
#[must_use]
pub fn masked_refusal(mut refusal: Refusal) -> Refusal {
    let mut texts: Vec<&mut String> = vec![&mut refusal.message];
    texts.extend(refusal.field.as_mut());
    texts.extend(refusal.hint.as_mut());
    for text in texts {
        if let Cow::Owned(masked) = masked(text) {
            *text = masked;
        }
    }
    refusal.allowed.iter_mut().for_each(mask);
    mask_members(&mut refusal.details);
    refusal
}

/// The kind of the first secret in the text that must not be stored.
pub fn refused_secret(text: &str) -> Option<&'static str> {
    let holds = |rule: &&Rule| rule.refuses && rule.find(text, 0).is_some();
    suspected(suspects(text)).find(holds).map(|rule| rule.kind)
}

/// Whether the text holds a marker that stands for a masked secret.
pub fn holds_marker(text: &str) -> bool {
    text.match_indices(MARKER).any(|(at, _)| {
        let rest = &text[at + MARKER.len()..];
        RULES.iter().any(|rule| rest.strip_prefix(rule.kind).is_some_and(|rest| rest.starts_with(']')))
    })
}

fn suspected(suspects: u16) -> impl Iterator<Item = &'static Rule> {
    RULES.iter().enumerate().filter(move |(index, _)| suspects & (1 << index) != 0).map(|(_, rule)| rule)
}

/// The rules that have a clue in the text, as bits.
fn suspects(text: &str) -> u16 {
    let bytes = text.as_bytes();
    let mut found = 0;
    for (at, byte) in bytes.iter().enumerate() {
        let mut possible = FIRST[usize::from(*byte)] & !found;
        while possible != 0 {
            let index = possible.trailing_zeros() as usize;
            possible &= possible - 1;
            if RULES[index].clues.iter().any(|clue| bytes[at..].starts_with(clue.as_bytes())) {
                found |= 1 << index;
            }
        }
    }
    found
}

impl Rule {
    /// The bytes to be masked of the first match at or behind `from`.
    fn find(&self, text: &str, from: usize) -> Option<Range<usize>> {
        let bytes = text.as_bytes();
        (from..bytes.len())
            .filter(|at| self.clues.iter().any(|clue| bytes[*at..].starts_with(clue.as_bytes())))
            .find_map(|at| (self.matcher)(text, at))
    }

    /// The text with every match masked; nothing where there is none.
    fn replace(&self, text: &str) -> Option<String> {
        let mut found = self.find(text, 0)?;
        let mut replaced = String::with_capacity(text.len());
        let mut done = 0;
        loop {
            replaced.push_str(&text[done..found.start]);
            replaced.push_str(MARKER);
            replaced.push_str(self.kind);
            replaced.push(']');
            done = found.end;
            match self.find(text, done) {
                Some(next) => found = next,
                None => break,
            }
        }
        replaced.push_str(&text[done..]);
        Some(replaced)
    }
}

#[cfg(test)]
mod tests;
