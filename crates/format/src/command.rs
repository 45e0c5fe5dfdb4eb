//! Commands as data: words after `mainstay FORMAT` that become calls of tools.

use model::{Call, Object, Refusal};

/// One command: words after `mainstay FORMAT` that become a call of a tool.
pub struct Command {
    /// The words, as `["tasks", "add"]`.
    pub words: &'static [&'static str],
    /// One line of help.
    pub about: &'static str,
    /// The tool that it calls.
    pub tool: &'static str,
    /// The tool that is called instead when people read the answer.
    ///
    /// Same arguments, same effect, with what only its text shows. `--json` calls [`Command::tool`]
    /// all the same.
    pub text_tool: Option<&'static str>,
    /// What it takes, positionals in their order.
    pub options: &'static [Opt],
    /// Arguments that stand in every call of it, as `("status", "done")`.
    pub fixed: &'static [(&'static str, &'static str)],
    /// Turns what was typed, by option name, into the tool's arguments.
    pub arguments: fn(Object) -> Result<Object, Refusal>,
    /// The text for people, without a final newline; empty prints nothing, a lone newline one empty line.
    ///
    /// A format that speaks JSON ([`Speech::Json`]) prints this whatever the caller asks for.
    pub print: fn(&Printed<'_>) -> String,
    /// What of the printing was asked for and cannot be, if anything.
    ///
    /// A read is refused for it; of a write that was carried out a warning tells.
    pub misprint: fn(&Printed<'_>) -> Option<Refusal>,
    /// The exit code of a reply.
    pub exit: fn(&Object) -> u8,
    /// Examples, as they are typed.
    pub examples: &'static [&'static str],
}

/// What a command's text is made from.
#[derive(Clone, Copy, Debug)]
pub struct Printed<'a> {
    /// The call.
    pub call: &'a Call,
    /// What was typed, by option name.
    pub typed: &'a Object,
    /// The reply, its warnings among it.
    pub reply: &'a Object,
}

/// Something that a command takes: positional, named, or either.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Opt {
    /// The key under which the typed text is handed on.
    pub name: &'static str,
    /// The spellings after dashes, without them; any case, one dash or two.
    pub flags: &'static [&'static str],
    /// Whether it may stand without its flag, in the order of the list.
    pub positional: bool,
    /// Whether it must be given.
    pub required: bool,
    /// What stands behind it.
    pub takes: Takes,
    /// What it means.
    pub about: &'static str,
}

/// What an option takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    /// Nothing: a switch, handed on as `true`.
    Nothing,
    /// One text.
    Value,
    /// One text that is the path of a file.
    Path,
    /// One text each time it is given; handed on as a list.
    Values,
    /// One text; `-` stands for what comes on standard input.
    ValueOrStdin,
    /// Every token that is left, options too, unread; handed on as a list. The last of the positionals.
    Rest,
}

/// Another name of the binary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BinaryName {
    /// The file name; endings `.sh` and `.exe` do not count.
    pub name: &'static str,
    /// The words of the command that it stands for; none for all commands of the format.
    pub words: &'static [&'static str],
}

/// How the commands of a format answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Speech {
    /// In text, and in JSON where `--json` asks for it.
    Text,
    /// In JSON, replies and errors alike, whatever is asked for.
    Json,
}

impl Command {
    /// A command that takes and prints nothing: what a command does not say stands as it does here.
    pub const BARE: Self = Self {
        words: &[],
        about: "",
        tool: "",
        text_tool: None,
        options: &[],
        fixed: &[],
        arguments: Ok,
        print: |_| String::new(),
        misprint: |_| None,
        exit: |_| 0,
        examples: &[],
    };
}

impl std::fmt::Debug for Command {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Command").field("words", &self.words).field("tool", &self.tool).finish_non_exhaustive()
    }
}

impl Opt {
    /// Whether text stands behind its flag.
    pub fn takes_value(&self) -> bool {
        self.takes != Takes::Nothing
    }

    /// Whether it may be given more than once.
    pub fn repeats(&self) -> bool {
        matches!(self.takes, Takes::Values | Takes::Rest)
    }
}
