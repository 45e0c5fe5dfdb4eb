//! The system calls of a run, read from what strace wrote.
//!
//! **Shape**: `-xx` writes every string in hexadecimal, so no string holds a quote, a comma or a bracket:
//! `7 openat(AT_FDCWD</tmp as hex>, "\x61", O_RDONLY) = 3<…>`.

use std::collections::BTreeMap;
use std::path::PathBuf;

/// Every call by which a file, a name or a position in a file may change.
///
/// A question mark lets strace pass over one that this kind of machine does not have.
const CALLS: &str = "trace=?open,?openat,?openat2,?creat,?write,?pwrite64,?writev,?pwritev,?pwritev2,?ftruncate,\
?truncate,?fallocate,?lseek,?rename,?renameat,?renameat2,?unlink,?unlinkat,?rmdir,?mkdir,?mkdirat,?link,?linkat,\
?symlink,?symlinkat,?fsync,?fdatasync,?sync,?syncfs,?sync_file_range,?copy_file_range,?sendfile,?dup,?dup2,?dup3";

/// The words that put strace before a program, so that it writes what [`parse`] reads.
pub(super) fn recording(log: &str) -> Vec<String> {
    // Without `-a 1` short lines, and the ends of interrupted calls are short, have blanks before their result.
    let words = ["strace", "-f", "-a", "1", "-y", "-xx", "-s", "4194304", "--abbrev=none", "-o", log, "-e", CALLS];
    words.map(String::from).to_vec()
}

/// A system call that succeeded.
#[derive(Debug)]
pub(super) struct SystemCall {
    pub(super) name: String,
    arguments: Vec<String>,
    /// What it returned.
    pub(super) result: i64,
}

/// Reads a log. Calls of a second thread stand where they ended.
pub(super) fn parse(log: &str) -> Vec<SystemCall> {
    let mut calls = Vec::new();
    let mut begun: BTreeMap<&str, &str> = BTreeMap::new();
    for line in log.lines() {
        let Some((thread, rest)) = line.split_once(' ') else { continue };
        if let Some((beginning, _)) = rest.split_once(" <unfinished ...>") {
            begun.insert(thread, beginning);
            continue;
        }
        // A call that another thread's calls interrupted happened where it ended.
        let whole = match rest.split_once(" resumed>") {
            Some((_, end)) => format!("{}{end}", begun.remove(thread).unwrap_or_default()),
            None => rest.to_owned(),
        };
        let rest = whole.as_str();
        let Some((name, rest)) = rest.trim_start().split_once('(') else { continue };
        let Some((arguments, result)) = rest.rsplit_once(") = ") else { continue };
        let digits = result.split(['<', ' ']).next().unwrap_or_default();
        match digits.parse() {
            Ok(result) if result >= 0 => {
                calls.push(SystemCall { name: name.to_owned(), arguments: split(arguments), result });
            }
            _ => {}
        }
    }
    calls
}

impl SystemCall {
    /// The argument as it was written.
    pub(super) fn word(&self, place: usize) -> &str {
        self.arguments.get(place).map_or("", String::as_str)
    }

    /// The number of an argument, be it a descriptor or a length.
    pub(super) fn number(&self, place: usize) -> Result<i64, String> {
        let digits = self.word(place).split('<').next().unwrap_or_default();
        digits.parse().map_err(|_| format!("{} has no number in place {place}: {:?}", self.name, self.word(place)))
    }

    /// Where a descriptor leads, as strace saw it right before the call.
    pub(super) fn place_of(&self, place: usize) -> Option<PathBuf> {
        let (_, rest) = self.word(place).split_once('<')?;
        Some(PathBuf::from(String::from_utf8(bytes(rest.strip_suffix('>')?)).ok()?))
    }

    /// The bytes of a string, or of all strings of a vector of them.
    pub(super) fn text(&self, place: usize) -> Vec<u8> {
        let quoted = self.word(place).split('"').skip(1).step_by(2);
        quoted.flat_map(bytes).collect()
    }

    /// Whether the call names this flag, in whatever argument.
    pub(super) fn has(&self, flag: &str) -> bool {
        let words = self.arguments.iter().flat_map(|word| word.split(['|', '=', ',', '{', '}', ' ']));
        words.into_iter().any(|word| word == flag)
    }

    /// A word for a report.
    pub(super) fn shown(&self) -> String {
        let path = |place| self.place_of(place).map(|path| path.display().to_string());
        let named = (0..self.arguments.len()).filter(|place| self.word(*place).starts_with('"'));
        let texts = named.map(|place| String::from_utf8_lossy(&self.text(place)).chars().take(40).collect::<String>());
        let all: Vec<String> = path(0).into_iter().chain(texts).collect();
        format!("{}({})", self.name, all.join(", "))
    }
}

/// The arguments of a call; braces and brackets hold some together.
fn split(arguments: &str) -> Vec<String> {
    let mut found = vec![String::new()];
    let mut depth = 0;
    for letter in arguments.chars() {
        match letter {
            '{' | '[' => depth += 1,
            '}' | ']' => depth -= 1,
            ',' if depth == 0 => {
                found.push(String::new());
                continue;
            }
            ' ' if depth == 0 => continue,
            _ => {}
        }
        found.last_mut().expect("there is one from the start").push(letter);
    }
    found
}

/// What `\x61\x62` stands for; other text stands for itself.
fn bytes(text: &str) -> Vec<u8> {
    if !text.starts_with("\\x") {
        return text.as_bytes().to_vec();
    }
    text.split("\\x").skip(1).filter_map(|digits| u8::from_str_radix(digits, 16).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn calls_are_read_with_their_places_and_bytes() {
        let log = r#"
7 openat(AT_FDCWD<\x2f\x74>, "\x61\x2e\x62", O_WRONLY|O_CREAT, 0600) = 5<\x2f\x74\x2f\x61\x2e\x62>
7 openat2(3<\x2f\x74>, "\x61", {flags=O_RDONLY|O_NOFOLLOW, resolve=RESOLVE_BENEATH}, 24) = 6<\x2f\x74\x2f\x61>
7 writev(5<\x2f\x74\x2f\x61>, [{iov_base="\x41\x42", iov_len=2}, {iov_base="\x43", iov_len=1}], 2) = 3
7 fsync(5<\x2f\x74>) = -1 EIO (Input/output error)
7 +++ exited with 0 +++
"#;
        let calls = parse(log);
        assert_eq!(calls.len(), 3);
        assert_eq!((calls[0].text(1), calls[0].result), (b"a.b".to_vec(), 5));
        assert_eq!(calls[0].place_of(0).unwrap().to_str(), Some("/t"));
        assert!(calls[0].has("O_CREAT") && !calls[0].has("O_TRUNC") && calls[1].has("O_RDONLY"));
        assert_eq!((calls[2].text(1), calls[2].number(0)), (b"ABC".to_vec(), Ok(5)));
        let cut = "7 fsync(5</t> <unfinished ...>\n8 +++ exited with 0 +++\n7 <... fsync resumed>) = 0\n";
        assert_eq!(parse(cut).iter().map(|call| (call.name.as_str(), call.result)).collect::<Vec<_>>(), [("fsync", 0)]);
    }
}
