//! The helper's own side: takes its limits upon itself, reads a question, writes the answer, ends.

use std::io::{self, Read as _, Write as _};

use format::{Format, Sheet};
use model::Value;

/// The command under which our program is a helper; no help names it.
pub(crate) const COMMAND: &str = "ponder";

/// Largest question. **Units**: bytes.
const QUESTION_LIMIT: u64 = 16 * 1024 * 1024;

/// Largest answer. **Units**: bytes.
pub(crate) const ANSWER_LIMIT: u64 = 64 * 1024 * 1024;

/// Works out the question on standard input and writes the answer to standard output.
///
/// **Errors**: the exit code is 1 for what is no question of one of the formats, and for pipes that break.
pub fn answer(formats: &[&'static dyn Format]) -> u8 {
    limits::take();
    let mut bytes = Vec::new();
    if io::stdin().lock().take(QUESTION_LIMIT).read_to_end(&mut bytes).is_err() {
        return 1;
    }
    let Some((name, question)) = read_sheet(&bytes) else { return 1 };
    let Some(format) = formats.iter().find(|format| format.name() == name) else { return 1 };
    let Some(answer) = super::work_out(*format, &question, false) else { return 1 };
    let mut out = io::stdout().lock();
    let written = out.write_all(&write_sheet(&name, &answer)).and_then(|()| out.flush());
    u8::from(written.is_err())
}

/// **Shape**: the format's name, then each value, a line each.
pub(super) fn write_sheet(name: &str, values: &[Value]) -> Vec<u8> {
    let mut lines = format!("{name}\n");
    for value in values {
        lines.push_str(&value.to_string());
        lines.push('\n');
    }
    lines.into_bytes()
}

/// The name and the values; `None` for what was not written by [`write_sheet`], or not to its end.
pub(super) fn read_sheet(bytes: &[u8]) -> Option<(String, Sheet)> {
    let mut lines = std::str::from_utf8(bytes).ok()?.strip_suffix('\n')?.split('\n');
    let name = lines.next()?.to_owned();
    let values = lines.map(|line| serde_json::from_str(line).ok()).collect::<Option<_>>()?;
    Some((name, values))
}

/// What the operating system keeps a helper to, should its own counting fail.
#[cfg(unix)]
mod limits {
    use rustix::process::{Resource, Rlimit, setrlimit};

    /// Time on a processor. **Units**: seconds.
    const TIME: u64 = 3;

    /// Addresses, those of the program itself with them. **Units**: bytes.
    const MEMORY: u64 = 512 * 1024 * 1024;

    pub(super) fn take() {
        for (resource, most) in
            [(Resource::Cpu, TIME), (Resource::As, MEMORY), (Resource::Core, 0), (Resource::Fsize, 0)]
        {
            // Where a system knows no such limit, the counting and the parent's clock are left.
            let _ = setrlimit(resource, Rlimit { current: Some(most), maximum: Some(most) });
        }
    }
}

/// Where there are no such limits, the counting and the parent's clock are left.
#[cfg(not(unix))]
mod limits {
    pub(super) fn take() {}
}

#[cfg(test)]
mod tests {
    use super::{read_sheet, write_sheet};
    use model::Value;
    use serde_json::json;

    #[test]
    fn sheets_come_through_a_pipe_as_they_are() {
        let deep = format!("{}1.0{}", "[".repeat(126), "]".repeat(126));
        let values: Vec<Value> = vec![json!("a\nb"), Value::Null, serde_json::from_str(&deep).unwrap()];
        let bytes = write_sheet("probe", &values);
        assert_eq!(read_sheet(&bytes), Some(("probe".to_owned(), values)));
        for broken in [&bytes[..bytes.len() - 1], &bytes[..9], b"", b"probe\n{\n", b"\xff\n"] {
            assert_eq!(read_sheet(broken), None, "{}", String::from_utf8_lossy(broken));
        }
    }
}
