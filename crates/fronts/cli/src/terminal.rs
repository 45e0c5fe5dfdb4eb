//! The two streams a command speaks on, and how it was asked to speak.

use std::io::{self, ErrorKind, IsTerminal, Write};

use model::{Environment, Object, Reply, Value};
use mutants::planted;

use crate::{platform, printable};

/// How results and errors are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Text for people; errors on standard error only.
    Text,
    /// One line of JSON on standard output.
    Json,
    /// JSON on several lines, for people at a terminal.
    IndentedJson,
}

/// Standard output and standard error.
///
/// A reader that closes its end is no failure: the rest goes nowhere, quietly, and the command
/// ends with the code that it would have had. Any other error on standard output is remembered.
pub(crate) struct Terminal {
    /// How results and errors are written.
    pub(crate) mode: Mode,
    /// Whether an error is one line of JSON on standard error too.
    pub(crate) faults_in_json: bool,
    out: Stream,
    err: Stream,
    failure: Option<io::Error>,
}

struct Stream {
    sink: Box<dyn Write>,
    terminal: bool,
    palette: Palette,
    closed: bool,
}

impl Terminal {
    /// The process's own streams.
    pub(crate) fn standard(env: &Environment) -> Self {
        let (out, err) = (io::stdout(), io::stderr());
        let (out_is, err_is) = (out.is_terminal(), err.is_terminal());
        Self {
            mode: Mode::Text,
            faults_in_json: false,
            out: Stream::new(Box::new(out), out_is, env),
            err: Stream::new(Box::new(err), err_is, env),
            failure: None,
        }
    }

    /// Whether a person probably looks at standard output.
    pub(crate) fn is_watched(&self) -> bool {
        self.out.terminal
    }

    /// The colours of standard output.
    pub(crate) fn palette(&self) -> Palette {
        self.out.palette
    }

    /// The colours of standard error.
    pub(crate) fn error_palette(&self) -> Palette {
        self.err.palette
    }

    /// Writes text and a newline on standard output; nothing for empty text.
    pub(crate) fn print(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        let mut text = text.to_owned();
        if text != "\n" {
            text.push('\n');
        }
        if planted("println_on_closed_stdout") {
            // The planted fault is this very macro.
            #[allow(clippy::print_stdout)]
            return print!("{text}");
        }
        if let Err(error) = self.out.write(&text) {
            self.failure.get_or_insert(error);
        }
    }

    /// Writes text for a host on standard output; a host that does not read is not told.
    pub(crate) fn print_raw(&mut self, text: &str) {
        let _ = self.out.write(text);
    }

    /// Writes an object as the mode asks; as indented JSON under [`Mode::Text`].
    pub(crate) fn print_object(&mut self, object: &Object) {
        let written = match self.mode {
            Mode::Json => serde_json::to_string(object),
            Mode::Text | Mode::IndentedJson => serde_json::to_string_pretty(object),
        };
        let written = written.expect("a JSON object can be written");
        if self.out.terminal {
            self.print(&printable::json(&written));
        } else {
            self.print(&written);
        }
    }

    /// Writes an object as one line of JSON, whoever looks on.
    pub(crate) fn print_line(&mut self, object: &Object) {
        self.print(&serde_json::to_string(object).expect("a JSON object can be written"));
    }

    /// Writes bytes as they are, for what is read by programs alone.
    pub(crate) fn write_raw(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.out.closed {
            return Ok(());
        }
        let written = self.out.sink.write_all(bytes);
        self.out.end(written)
    }

    /// Whether nobody reads standard output any more.
    pub(crate) fn is_deserted(&self) -> bool {
        self.out.closed || platform::is_reader_gone()
    }

    /// Writes a line on standard error; nothing is done about failures there.
    pub(crate) fn note(&mut self, line: &str) {
        let _ = self.err.write(&format!("{line}\n"));
    }

    /// Writes `warning: MESSAGE` on standard error for each warning of a reply.
    pub(crate) fn warn_of(&mut self, reply: &Reply) {
        for warning in &reply.warnings {
            // Formats spell it in their own way.
            let copy = ["kept_as", "keptAs"].iter().find_map(|name| warning.details.get(*name)?.as_str());
            match copy {
                Some(copy) => self.warn(&format!("{}: {copy}", warning.message)),
                None => self.warn(&warning.message),
            }
        }
    }

    /// Writes `warning: MESSAGE` on standard error for each member of a list of warning objects.
    pub(crate) fn warn_listed(&mut self, warnings: Option<&Value>) {
        let list = warnings.and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        for message in list.iter().filter_map(|warning| warning.get("message")?.as_str()) {
            self.warn(message);
        }
    }

    /// Writes `warning: MESSAGE` on standard error.
    pub(crate) fn warn(&mut self, message: &str) {
        let word = self.err.palette.yellow("warning:");
        self.note(&format!("{word} {}", printable::line(message)));
    }

    /// What went wrong on standard output, if anything did.
    pub(crate) fn failure(&self) -> Option<&io::Error> {
        self.failure.as_ref()
    }
}

impl Stream {
    fn new(sink: Box<dyn Write>, terminal: bool, env: &Environment) -> Self {
        Self { sink, terminal, palette: Palette::chosen(terminal, env), closed: false }
    }

    fn write(&mut self, text: &str) -> io::Result<()> {
        if self.closed {
            return Ok(());
        }
        let written = self.sink.write_all(text.as_bytes()).and_then(|()| self.sink.flush());
        self.end(written)
    }

    // After a failure nothing is written any more; a reader that is gone is none.
    fn end(&mut self, written: io::Result<()>) -> io::Result<()> {
        match written {
            Err(error) => {
                self.closed = true;
                if error.kind() == ErrorKind::BrokenPipe { Ok(()) } else { Err(error) }
            }
            Ok(()) => Ok(()),
        }
    }
}

/// The few colours in use, or none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Palette {
    on: bool,
}

impl Palette {
    /// No colours, for expected texts.
    #[cfg(test)]
    pub(crate) const PLAIN: Self = Self { on: false };

    /// Colours on a terminal; a non-empty `NO_COLOR` forbids them, a non-empty `CLICOLOR_FORCE` other than `0` asks.
    fn chosen(terminal: bool, env: &Environment) -> Self {
        let set = |name: &str| env.get(name).is_some_and(|value| !value.is_empty());
        let forced = set("CLICOLOR_FORCE") && env["CLICOLOR_FORCE"] != "0";
        Self { on: !set("NO_COLOR") && (terminal || forced) }
    }

    /// Bold text.
    pub(crate) fn bold(self, text: &str) -> String {
        self.paint("1", text)
    }

    /// Faint text.
    pub(crate) fn dim(self, text: &str) -> String {
        self.paint("2", text)
    }

    /// Red text, for errors.
    pub(crate) fn red(self, text: &str) -> String {
        self.paint("31", text)
    }

    /// Yellow text, for warnings.
    pub(crate) fn yellow(self, text: &str) -> String {
        self.paint("33", text)
    }

    fn paint(self, code: &str, text: &str) -> String {
        if self.on { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.to_owned() }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;

    /// What was written to a stream.
    #[derive(Clone, Default)]
    pub(crate) struct Caught(Arc<Mutex<Vec<u8>>>);

    impl Caught {
        pub(crate) fn text(&self) -> String {
            String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
        }
    }

    impl Write for Caught {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    struct Failing(ErrorKind);

    impl Write for Failing {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(self.0.into())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// A terminal whose streams are caught: standard output, standard error.
    pub(crate) fn caught(mode: Mode) -> (Terminal, Caught, Caught) {
        let (out, err) = (Caught::default(), Caught::default());
        let env = Environment::new();
        let terminal = Terminal {
            mode,
            faults_in_json: false,
            out: Stream::new(Box::new(out.clone()), false, &env),
            err: Stream::new(Box::new(err.clone()), false, &env),
            failure: None,
        };
        (terminal, out, err)
    }

    #[test]
    fn a_closed_reader_is_quiet_and_a_full_disk_is_not() {
        for (kind, remembered) in [(ErrorKind::BrokenPipe, false), (ErrorKind::StorageFull, true)] {
            let (mut terminal, _, _) = caught(Mode::Text);
            terminal.out = Stream::new(Box::new(Failing(kind)), false, &Environment::new());
            terminal.print("one");
            terminal.print("two");
            assert_eq!(terminal.failure().is_some(), remembered, "{kind}");
        }
    }

    #[test]
    fn colours_follow_the_terminal_and_the_environment() {
        let cases = [
            (true, None, true),
            (false, None, false),
            (true, Some(("NO_COLOR", "1")), false),
            (true, Some(("NO_COLOR", "")), true),
            (false, Some(("CLICOLOR_FORCE", "1")), true),
            (false, Some(("CLICOLOR_FORCE", "0")), false),
        ];
        for (terminal, variable, on) in cases {
            let variable = variable.map(|(name, value)| (name.to_owned(), value.to_owned()));
            assert_eq!(Palette::chosen(terminal, &variable.into_iter().collect()), Palette { on });
        }
    }

    #[test]
    fn objects_are_one_line_or_indented() {
        let object = Object::from_iter([("a".to_owned(), Value::from(1))]);
        for (mode, expected) in [(Mode::Json, "{\"a\":1}\n"), (Mode::IndentedJson, "{\n  \"a\": 1\n}\n")] {
            let (mut terminal, out, _) = caught(mode);
            terminal.print_object(&object);
            assert_eq!(out.text(), expected);
        }
    }
}
