//! Where the demo plays: a folder, this program as other processes, and a person who reads along.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use std::{env, fs, process, thread};

use model::{Object, Refusal, RefusalClass};

use crate::printable::wrap;
use crate::terminal::Terminal;

/// How long one character is given to be read.
const READING: Duration = Duration::from_millis(22);

/// How much of a command's answer is shown. **Units**: lines.
const MOST_LINES: usize = 12;

/// How long lines are. **Units**: characters.
const WIDTH: usize = 78;

/// Who runs a command.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Player {
    /// The agent that goes on.
    Ghost,
    /// The agent whose process is killed.
    Razor,
    /// Whoever looks afterwards.
    Reader,
}

impl Player {
    fn options(self) -> &'static [&'static str] {
        match self {
            Self::Ghost => &["--actor", "GHOST", "--session", "morning"],
            Self::Razor => &["--actor", "RAZOR", "--session", "crashed"],
            Self::Reader => &[],
        }
    }
}

/// The reader, and those who play.
pub(super) struct Stage<'a> {
    pub(super) cast: Cast,
    terminal: &'a mut Terminal,
    is_fast: bool,
    /// The last that was printed is what happens, not a command.
    has_spoken: bool,
}

/// This program as other processes on one project.
pub(super) struct Cast {
    program: PathBuf,
    folder: PathBuf,
}

impl<'a> Stage<'a> {
    /// Makes a folder that nobody else has.
    pub(super) fn set(terminal: &'a mut Terminal, is_fast: bool) -> Result<Self, Refusal> {
        let program = env::current_exe().map_err(|error| failed(&format!("this program is not found: {error}")))?;
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let folder = env::temp_dir().join(format!("mainstay-demo-{}-{}", process::id(), since.as_nanos()));
        fs::create_dir(&folder).map_err(|error| {
            Refusal::new(
                RefusalClass::Unavailable,
                "write_failed",
                format!("cannot make {}: {error}", folder.display()),
            )
            .hint("TMPDIR names another folder")
        })?;
        let is_fast = is_fast || !terminal.is_watched();
        Ok(Self { cast: Cast { program, folder }, terminal, is_fast, has_spoken: false })
    }

    /// Takes the folder away, or says where it is.
    pub(super) fn strike(self, kept: bool) {
        if kept {
            self.terminal.note(&format!("The project is in {}", self.cast.folder.display()));
        } else if let Err(error) = fs::remove_dir_all(&self.cast.folder) {
            self.terminal.note(&format!("{} was not removed: {error}", self.cast.folder.display()));
        }
    }

    /// Tells what happens.
    pub(super) fn say(&mut self, text: &str) {
        let lines = wrap(text, WIDTH).join("\n");
        self.terminal.print(&format!("\n{lines}"));
        self.has_spoken = true;
        self.pause(text.len());
    }

    /// Shows a command and what it prints.
    pub(super) fn show(&mut self, player: Player, words: &[&str]) -> Result<(), Refusal> {
        let quoted =
            words.iter().map(|word| if word.contains(' ') { format!("\"{word}\"") } else { (*word).to_owned() });
        let line = format!("$ mainstay {}", quoted.collect::<Vec<_>>().join(" "));
        let bold = self.terminal.palette().bold(&line);
        let gap = if std::mem::take(&mut self.has_spoken) { "\n" } else { "" };
        self.terminal.print(&format!("{gap}{bold}"));
        let printed = self.cast.printed(player, words)?;
        let lines: Vec<&str> = printed.trim_end().lines().collect();
        let (shown, rest) = lines.split_at(lines.len().min(MOST_LINES));
        self.terminal.print(&shown.join("\n"));
        if !rest.is_empty() {
            self.terminal.print(&format!("… {} more lines", rest.len()));
        }
        self.pause(printed.len());
        Ok(())
    }

    fn pause(&self, length: usize) {
        if !self.is_fast {
            thread::sleep(READING * u32::try_from(length.min(300)).unwrap_or(300));
        }
    }
}

impl Cast {
    /// Where it plays.
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// The reply to a command that answers in JSON.
    pub(super) fn ask(&self, words: &[&str]) -> Result<Object, Refusal> {
        let printed = self.printed(Player::Reader, words)?;
        serde_json::from_str(&printed)
            .map_err(|error| failed(&format!("`{}` answered no JSON: {error}", words.join(" "))))
    }

    /// Runs a command that must end well.
    pub(super) fn done(&self, player: Player, words: &[&str]) -> Result<(), Refusal> {
        self.printed(player, words).map(drop)
    }

    /// This program on the folder, with nothing of this environment.
    pub(super) fn command(&self, player: Player, words: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        command
            .env_clear()
            .current_dir(&self.folder)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command.arg("--project").arg(&self.folder).args(player.options()).args(words);
        command
    }

    fn printed(&self, player: Player, words: &[&str]) -> Result<String, Refusal> {
        let output = self.command(player, words).output();
        let output = output.map_err(|error| failed(&format!("this program cannot be started: {error}")))?;
        if !output.status.success() {
            let why = String::from_utf8_lossy(&output.stderr);
            return Err(failed(&format!("`{}` failed: {}", words.join(" "), why.trim_end())));
        }
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }
}

/// The demo cannot go on.
pub(super) fn failed(why: &str) -> Refusal {
    Refusal::new(RefusalClass::Unavailable, "demo_failed", why)
}
