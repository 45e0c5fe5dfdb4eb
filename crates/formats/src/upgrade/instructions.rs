//! scenario-instructions.md: preferences, and what is to be heeded for single tasks.

use format::spans::span_lines;
use model::{Object, ProjectPath, Value, Warning};

use super::ids::{TaskId, number};
use super::limits::{MOST_SHOWN, SHOWN};

/// What the file says.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Instructions {
    /// By name; the last of several counts.
    preferences: Object,
    /// The id as written, and the instruction.
    custom: Vec<(String, String)>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Elsewhere,
    Preferences,
    Custom,
}

impl Instructions {
    /// Reads a file; whatever it holds, something is read.
    pub(super) fn read(text: &str) -> Self {
        let mut read = Self::default();
        let (mut place, mut level) = (Place::Elsewhere, 0);
        // The task that a heading beneath Custom Instructions names.
        let mut task: Option<String> = None;
        for line in span_lines(text).iter().filter(|line| !line.is_code) {
            if let Some(heading) = line.heading() {
                let name = &line.text[heading.start..heading.end];
                task = None;
                match name.to_lowercase().as_str() {
                    "preferences" | "user preferences" => (place, level) = (Place::Preferences, heading.level),
                    "custom instructions" => (place, level) = (Place::Custom, heading.level),
                    _ if heading.level <= level => place = Place::Elsewhere,
                    _ => task = Some(plain(name).to_owned()),
                }
                continue;
            }
            match place {
                Place::Elsewhere => {}
                Place::Preferences => {
                    if let Some((key, value)) = preference(line.text) {
                        read.preferences.insert(key.to_owned(), Value::from(value));
                    }
                }
                Place::Custom => {
                    let bullet = without_bullet(line.text);
                    if let Some((id, text)) = for_task(bullet.unwrap_or(line.text.trim())) {
                        read.custom.push((id.to_owned(), text.to_owned()));
                    } else if let (Some(task), Some(text)) = (&task, bullet.filter(|text| !text.is_empty())) {
                        read.custom.push((task.clone(), text.to_owned()));
                    }
                }
            }
        }
        read
    }

    /// The preferences that a reply shows, and how many more there are.
    pub(super) fn shown_preferences(mut self) -> (Object, usize) {
        let length = |(key, value): (&String, &Value)| key.len() + value.as_str().map_or(0, str::len);
        let most = fitting(self.preferences.iter().map(length));
        let more = self.preferences.len() - most;
        if more > 0 {
            self.preferences = self.preferences.into_iter().take(most).collect();
        }
        (self.preferences, more)
    }

    /// What is to be heeded for a task, as much of it as a reply shows, and how much more there is.
    pub(super) fn shown_of_task(&self, id: &str) -> (Vec<&str>, usize) {
        let mut all = self.of_task(id);
        let most = fitting(all.iter().map(|text| text.len()));
        let more = all.len() - most;
        all.truncate(most);
        (all, more)
    }

    // In the order of the file.
    fn of_task(&self, id: &str) -> Vec<&str> {
        let own = TaskId::parse(id).map(|id| id.number).unwrap_or_default();
        let means = |written: &str| {
            written.eq_ignore_ascii_case(id) || !own.is_empty() && number(written).is_some_and(|number| number == own)
        };
        self.custom.iter().filter(|(written, _)| means(written)).map(|(_, text)| text.as_str()).collect()
    }
}

/// Tells of what a reply does not show, and where it stands.
pub(super) fn cut(path: &ProjectPath, field: &'static str, more: usize) -> Option<Warning> {
    let message = || format!("{field} shows the first of {path}; {more} more stand there");
    let warning = || Warning::new("too_large", message()).with("path", path.as_str()).with("field", field);
    (more > 0).then(|| warning().with("allowed", MOST_SHOWN).with("more", more))
}

// How many of the first are shown together.
fn fitting(lengths: impl Iterator<Item = usize>) -> usize {
    let sums = lengths.scan(0_usize, |sum, length| {
        *sum += length;
        Some(*sum)
    });
    sums.take(MOST_SHOWN).take_while(|sum| *sum <= SHOWN).count()
}

// `- **Key**: value`, or with the colon within the signs.
fn preference(line: &str) -> Option<(&str, &str)> {
    let (key, value) = without_bullet(line)?.strip_prefix("**")?.split_once("**")?;
    let (key, value) = match key.strip_suffix(':') {
        Some(key) => (key, value),
        None => (key, value.trim_start().strip_prefix(':')?),
    };
    let key = key.trim();
    (!key.is_empty()).then_some((key, value.trim()))
}

// `For ID: text`.
fn for_task(text: &str) -> Option<(&str, &str)> {
    let start = text.get(..4).filter(|start| start.eq_ignore_ascii_case("for "))?;
    let (id, instruction) = text[start.len()..].split_once(':')?;
    let (id, instruction) = (plain(id), instruction.trim().trim_start_matches("**").trim());
    (!id.is_empty() && !id.contains(char::is_whitespace) && !instruction.is_empty()).then_some((id, instruction))
}

fn plain(id: &str) -> &str {
    id.trim_matches(['*', '`', ' ', '\t', ':'])
}

fn without_bullet(line: &str) -> Option<&str> {
    let text = line.trim();
    ["- ", "* ", "+ "].iter().find_map(|bullet| text.strip_prefix(bullet)).map(str::trim)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn preferences_and_instructions_stand_under_their_headings() {
        let text = "# N\n- **Not**: this\n## User Preferences\n- **Pace**: Fast\n* **Tone:** calm\n- **Pace**: Slow\n\
                    ### Detail\n- **Deep**: yes\n## Custom Instructions\nFor 01-a: keep it\n- For `02`: number\n\
                    #### 03-c\n- one\n- two\n```\nFor 01-a: never\n```\n## Other\nFor 01-a: not this\n";
        let read = Instructions::read(text);
        let expected = "{\"Pace\":\"Slow\",\"Tone\":\"calm\",\"Deep\":\"yes\"}";
        assert_eq!(Value::Object(read.preferences.clone()).to_string(), expected);
        assert_eq!(read.of_task("01-a"), ["keep it"]);
        assert_eq!(read.of_task("02-b"), ["number"]);
        assert_eq!(read.of_task("03-C"), ["one", "two"]);
        assert_eq!(read.of_task("04-d"), [""; 0]);
    }

    #[test]
    fn replies_show_the_first_of_them_and_count_the_rest() {
        let all: Vec<String> = (0..1_000).map(|number| format!("- **Key {number}**: value\n")).collect();
        let all = all.concat();
        let own = format!("For 01-a: {}\n", "x".repeat(1_000)).repeat(30);
        let read = Instructions::read(&format!("## Preferences\n{all}## Custom Instructions\n{own}For 02-b: short\n"));
        let (shown, more) = read.shown_of_task("01-a");
        assert_eq!((shown.len(), more), (16, 14));
        assert_eq!(read.shown_of_task("02-b"), (vec!["short"], 0));
        let (shown, more) = read.shown_preferences();
        assert_eq!((shown.len(), more, shown.keys().next().unwrap().as_str()), (MOST_SHOWN, 800, "Key 0"));
        let path = ProjectPath::known("a.md");
        let told = cut(&path, "preferences", more).unwrap();
        assert_eq!(told.message, "preferences shows the first of a.md; 800 more stand there");
        assert_eq!(cut(&path, "preferences", 0), None);
    }
}
