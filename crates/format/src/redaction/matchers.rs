//! What each rule of redaction matches; every matcher starts at a clue and looks both ways.
//!
//! Hostile text is full of clues, so a matcher that fails must not have looked far: the stretches that
//! the matchers of one rule look at hardly overlap, and a text costs a bounded number of looks per byte.

use std::ops::Range;

/// `\b(?:AKIA|ASIA)[0-9A-Z]{16}\b`.
pub(super) fn aws_key(text: &str, at: usize) -> Option<Range<usize>> {
    if !starts_word(text, at) {
        return None;
    }
    let end = run(text, at + 4, |byte| byte.is_ascii_uppercase() || byte.is_ascii_digit());
    (end - at == 20 && ends_word(text, end)).then_some(at..end)
}

/// `\bgh[pousr]_[A-Za-z0-9]{36,255}\b` or `\bgithub_pat_[A-Za-z0-9_]{30,255}\b`.
pub(super) fn github(text: &str, at: usize) -> Option<Range<usize>> {
    if !starts_word(text, at) {
        return None;
    }
    let (body, least, end) = match text[at..].strip_prefix("github_pat_") {
        Some(_) => (at + 11, 30, run(text, at + 11, is_word)),
        None => (at + 4, 36, run(text, at + 4, |byte| byte.is_ascii_alphanumeric())),
    };
    let fits = (least..=255).contains(&(end - body));
    (fits && ends_word(text, end)).then_some(at..end)
}

/// `\bglpat-[A-Za-z0-9_-]{20,}`.
pub(super) fn gitlab(text: &str, at: usize) -> Option<Range<usize>> {
    long(text, at, 6, 20, is_dashed_word)
}

/// `\bxox[abeoprs]-[A-Za-z0-9-]{10,}`.
pub(super) fn slack(text: &str, at: usize) -> Option<Range<usize>> {
    let head = text.as_bytes().get(at + 3..at + 5)?;
    let is_token = b"abeoprs".contains(&head[0]) && head[1] == b'-';
    let is_body = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    is_token.then(|| long(text, at, 5, 10, is_body)).flatten()
}

/// `\b[rs]k_(?:live|test)_[A-Za-z0-9]{16,}\b`.
pub(super) fn stripe(text: &str, at: usize) -> Option<Range<usize>> {
    let found = long(text, at, 8, 16, |byte| byte.is_ascii_alphanumeric())?;
    ends_word(text, found.end).then_some(found)
}

/// `\bAIza[0-9A-Za-z_-]{35}`.
pub(super) fn google(text: &str, at: usize) -> Option<Range<usize>> {
    let key = text.get(at..at + 39)?;
    (starts_word(text, at) && run(key, 4, is_dashed_word) == key.len()).then_some(at..at + 39)
}

/// `^sk-(?:(?:proj|svcacct|ant-api03|ant-admin01|or-v1)-[A-Za-z0-9_-]{20,}|[A-Za-z0-9]{32,})`.
pub(super) fn llm_key(text: &str, at: usize) -> Option<Range<usize>> {
    if at.checked_sub(1).is_some_and(|before| is_dashed_word(text.as_bytes()[before])) {
        return None;
    }
    let body = &text[at + 3..];
    let makers = ["proj-", "svcacct-", "ant-api03-", "ant-admin01-", "or-v1-"];
    if let Some(maker) = makers.into_iter().find(|maker| body.starts_with(maker)) {
        let start = at + 3 + maker.len();
        let end = run(text, start, is_dashed_word);
        if end - start >= 20 {
            return Some(at..end);
        }
    }
    let end = run(text, at + 3, |byte| byte.is_ascii_alphanumeric());
    (end - at >= 35).then_some(at..end)
}

/// `\bnpm_[A-Za-z0-9]{36}\b`, `\bpypi-[A-Za-z0-9_-]{50,}` or `\bhf_[A-Za-z0-9]{30,}\b`.
pub(super) fn package(text: &str, at: usize) -> Option<Range<usize>> {
    let is_body = |byte: u8| byte.is_ascii_alphanumeric();
    let found = match text.as_bytes()[at] {
        b'n' => return long(text, at, 4, 36, is_body).filter(|it| it.len() == 40 && ends_word(text, it.end)),
        b'p' => return long(text, at, 5, 50, is_dashed_word),
        _ => long(text, at, 3, 30, is_body)?,
    };
    ends_word(text, found.end).then_some(found)
}

/// `\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}`.
pub(super) fn jwt(text: &str, at: usize) -> Option<Range<usize>> {
    if !starts_word(text, at) || follows_header(text, at) {
        return None;
    }
    let header = long(text, at, 3, 10, is_dashed_word)?;
    let payload = header.end + 1;
    let has_payload = text[header.end..].starts_with(".eyJ");
    let end = has_payload.then(|| run(text, payload + 3, is_dashed_word)).filter(|end| end - payload >= 13)?;
    let signature = text[end..].starts_with('.').then(|| run(text, end + 1, is_dashed_word))?;
    (signature - end > 10).then_some(at..signature)
}

// Whether an earlier header begins in the same run of bytes: it ends at the same place and came to nothing.
fn follows_header(text: &str, at: usize) -> bool {
    let start = run_back(at, |place| {
        is_dashed_word(text.as_bytes()[place]) && !(text[place..].starts_with("eyJ") && starts_word(text, place))
    });
    start.checked_sub(1).is_some_and(|before| is_dashed_word(text.as_bytes()[before]))
}

/// `-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY-----`, all up to the matching END line or the end of the text.
pub(super) fn private_key(text: &str, at: usize) -> Option<Range<usize>> {
    let body = key_line(text, at, "-----BEGIN ")?;
    let ends = text[body..].match_indices("-----END ").find_map(|(end, line)| key_line(text, body + end, line));
    Some(at..ends.unwrap_or(text.len()))
}

// The end of a line of dashes about a private key.
fn key_line(text: &str, at: usize, head: &str) -> Option<usize> {
    let start = at + head.len();
    let end = run(text, start, |byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b' ');
    let words = text[start..end].strip_suffix("PRIVATE KEY")?;
    let are_words =
        words.is_empty() || words.strip_suffix(' ').is_some_and(|words| words.split(' ').all(|word| !word.is_empty()));
    (are_words && text[end..].starts_with("-----")).then_some(end + 5)
}

/// Group 2 of `(?i)\b(authorization\s*:\s*(?:bearer|basic|token)\s+)([A-Za-z0-9._~+/=-]{8,})`; the clue is the colon.
pub(super) fn auth_header(text: &str, at: usize) -> Option<Range<usize>> {
    const NAME: &str = "authorization";
    let before = text[..at].trim_end();
    look(at - before.len());
    let start = before.len().checked_sub(NAME.len())?;
    let is_named = before.get(start..).is_some_and(|name| name.eq_ignore_ascii_case(NAME));
    if !is_named || !starts_word(text, start) {
        return None;
    }
    let scheme = text[at + 1..].trim_start();
    look(text.len() - at - scheme.len());
    let rest = ["bearer", "basic", "token"]
        .into_iter()
        .find_map(|word| scheme.get(..word.len()).filter(|it| it.eq_ignore_ascii_case(word)).map(str::len))
        .map(|length| &scheme[length..])?;
    let value = rest.trim_start();
    let start = text.len() - value.len();
    look(rest.len() - value.len());
    let end = run(text, start, |byte| byte.is_ascii_alphanumeric() || b"._~+/=-".contains(&byte));
    (value.len() < rest.len() && end - start >= 8).then_some(start..end)
}

/// Group 2 of `\b([a-z][a-z0-9+.-]*://[^\s/:@]+:)([^\s/@]+)@`; the clue is `://`.
pub(super) fn url_password(text: &str, at: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let is_scheme = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"+.-".contains(&byte);
    let scheme = run_back(at, |place| is_scheme(bytes[place]));
    (scheme..at).find(|place| bytes[*place].is_ascii_lowercase() && starts_word(text, *place))?;
    let rest = &text[at + 3..];
    let user = until(rest, |c| c.is_whitespace() || matches!(c, '/' | ':' | '@'));
    let password = rest[user..].strip_prefix(':').filter(|_| user > 0)?;
    let length = until(password, |c| c.is_whitespace() || matches!(c, '/' | '@'));
    let start = text.len() - password.len();
    (length > 0 && password[length..].starts_with('@')).then_some(start..start + length)
}

/// Group 2 of `\b([A-Z0-9_]*(?:PASSWORD|SECRET|TOKEN|API_?KEY)=["']?)([^\s"'&$<{][^\s"'&]{7,})`; the clue is `=`.
pub(super) fn env_secret(text: &str, at: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let is_name = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
    let start = run_back(at, |place| is_name(bytes[place]));
    let name = &text[start..at];
    let is_secret = ["PASSWORD", "SECRET", "TOKEN", "APIKEY", "API_KEY"].into_iter().any(|word| name.ends_with(word));
    if !is_secret || !starts_word(text, start) {
        return None;
    }
    let value = &text[at + 1..];
    let value = value.strip_prefix(['"', '\'']).unwrap_or(value);
    if value.starts_with(['$', '<', '{']) {
        return None;
    }
    let start = text.len() - value.len();
    let length = until(value, |c| c.is_whitespace() || matches!(c, '"' | '\'' | '&'));
    value[..length].chars().nth(7).is_some().then_some(start..start + length)
}

// A word that begins at `at`: `head` bytes, then at least `least` of the body.
fn long(text: &str, at: usize, head: usize, least: usize, is_body: impl Fn(u8) -> bool) -> Option<Range<usize>> {
    if !starts_word(text, at) {
        return None;
    }
    let end = run(text, at + head, is_body);
    (end - at >= head + least).then_some(at..end)
}

// The end of the run of bytes that begins at `start`; all of them are ASCII.
fn run(text: &str, start: usize, belongs: impl Fn(u8) -> bool) -> usize {
    let length = text.as_bytes()[start..].iter().take_while(|byte| belongs(**byte)).count();
    look(length);
    start + length
}

// The start of the run of places that ends before `end`.
fn run_back(end: usize, belongs: impl Fn(usize) -> bool) -> usize {
    let length = (0..end).rev().take_while(|place| belongs(*place)).count();
    look(length);
    end - length
}

// How many bytes stand before the first character that ends them.
fn until(text: &str, ends: impl Fn(char) -> bool) -> usize {
    let length = text.find(ends).unwrap_or(text.len());
    look(length);
    length
}

// Counts in tests how many bytes were looked at.
#[cfg(test)]
fn look(bytes: usize) {
    super::tests::LOOKED.with(|looked| looked.set(looked.get() + bytes));
}

#[cfg(not(test))]
fn look(_bytes: usize) {}

// A `\b` of ASCII before a word byte; text before `from` counts as what it is.
fn starts_word(text: &str, at: usize) -> bool {
    at.checked_sub(1).is_none_or(|before| !is_word(text.as_bytes()[before]))
}

// A `\b` of ASCII behind a word byte.
fn ends_word(text: &str, end: usize) -> bool {
    text.as_bytes().get(end).is_none_or(|next| !is_word(*next))
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

fn is_dashed_word(byte: u8) -> bool {
    is_word(byte) || byte == b'-'
}
