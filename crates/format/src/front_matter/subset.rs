//! Front matter as small tools read it: line by line, without YAML.
//!
//! **Source**: seed `004_b9ee7d4eaf0c3f31.txt`, Frontmatter parsing constraints; `spec/msd.md`, section 3.

/// The front matter of a text that begins with it at byte 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subset<'t> {
    lines: Vec<&'t str>,
}

impl<'t> Subset<'t> {
    /// Reads the front matter of a text.
    ///
    /// `None` where the text does not begin with `---` and a line ending, or where no line starting
    /// `---` closes it behind one line at least.
    pub fn read(text: &'t str) -> Option<Self> {
        let rest = text.strip_prefix("---")?;
        let rest = rest.strip_prefix('\n').or_else(|| rest.strip_prefix("\r\n"))?;
        let mut lines = Vec::new();
        for line in rest.split('\n') {
            if !lines.is_empty() && line.starts_with("---") {
                return Some(Self { lines });
            }
            lines.push(line.strip_suffix('\r').unwrap_or(line));
        }
        None
    }

    /// The value of a key at column 0, one quote taken off each end; `null` and empty are absent.
    ///
    /// The last of several lines counts.
    pub fn get(&self, key: &str) -> Option<&'t str> {
        let value = self.lines.iter().rev().find_map(|line| value_of(line, key))?;
        Some(unquoted(value)).filter(|value| !matches!(*value, "" | "null"))
    }

    /// The leading digits of a value in a block of indented lines right behind a key that stands alone.
    pub fn count(&self, block: &str, key: &str) -> Option<&'t str> {
        let at = self.lines.iter().rposition(|line| value_of(line, block) == Some(""))?;
        let inside = |line: &&&str| nested(line).is_some();
        let members = self.lines[at + 1..].iter().take_while(inside).filter_map(|line| nested(line));
        let value = members.filter(|(name, _)| *name == key).map(|(_, value)| value).last()?;
        let digits = value.bytes().take_while(u8::is_ascii_digit).count();
        (digits > 0).then(|| &value[..digits])
    }

    /// The items of a flow list, which may span lines, else of `- item` lines; `None` without an item.
    pub fn list(&self, key: &str) -> Option<Vec<String>> {
        let at = self.lines.iter().rposition(|line| value_of(line, key).is_some())?;
        let value = value_of(self.lines[at], key)?;
        let items: Vec<String> = match value.strip_prefix('[') {
            Some(first) => {
                let text = std::iter::once(first).chain(self.lines[at + 1..].iter().copied()).collect::<Vec<_>>();
                let text = text.join("\n");
                let (inner, _) = text.split_once(']')?;
                inner.split(',').map(item).collect()
            }
            None if value.is_empty() => {
                let dashed = |line: &&str| line.trim_start().strip_prefix("- ").map(item);
                self.lines[at + 1..].iter().map_while(dashed).collect()
            }
            None => return None,
        };
        let items: Vec<String> = items.into_iter().filter(|item| !item.is_empty()).collect();
        (!items.is_empty()).then_some(items)
    }
}

fn is_word(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

fn value_of<'t>(line: &'t str, key: &str) -> Option<&'t str> {
    Some(line.strip_prefix(key)?.strip_prefix(':')?.trim())
}

fn nested(line: &str) -> Option<(&str, &str)> {
    let inner = line.trim_start_matches([' ', '\t']);
    let (name, value) = inner.split_once(':')?;
    (inner.len() < line.len() && is_word(name)).then(|| (name, value.trim()))
}

fn item(text: &str) -> String {
    unquoted(text.trim()).to_owned()
}

fn unquoted(value: &str) -> &str {
    let value = value.strip_prefix(['"', '\'']).unwrap_or(value);
    value.strip_suffix(['"', '\'']).unwrap_or(value)
}
