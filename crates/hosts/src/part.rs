//! What a host needs in one of its files.

use model::Value;

/// Where the settings of a host are meant to count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// In one project.
    Project,
    /// For everything that this person does.
    Global,
}

/// A folder that files of hosts are found in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Base {
    /// The project's root.
    Project,
    /// The person's home.
    Home,
    /// The folder that a variable names.
    Variable(&'static str),
}

/// A folder of a host that a variable may name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moved {
    /// The variable.
    pub variable: &'static str,
    /// The file's path in that folder.
    pub path: &'static str,
}

/// Something of a host's that stands in one file.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// [`Base::Project`] or [`Base::Home`].
    pub base: Base,
    /// The file beneath it.
    pub path: &'static str,
    /// Where the file is instead when a variable says so.
    pub moved: Option<Moved>,
    /// Another name for the file, which counts where it exists.
    pub other: Option<&'static str>,
    /// What it is for, in a word or two.
    pub what: &'static str,
    /// What is put in.
    pub piece: Piece,
}

/// What is put into a file.
#[derive(Clone, Debug, PartialEq)]
pub enum Piece {
    /// Entries among others, in JSON that may have comments.
    Json {
        /// The entries.
        entries: Vec<Entry>,
        /// What a file needs besides, where nobody says it yet.
        companion: Option<Companion>,
    },
    /// A table at the end of a TOML file, between markers.
    Toml {
        /// Its lines.
        body: String,
        /// The names that lead to the table.
        table: [&'static str; 2],
        /// What a person should know of other settings there.
        remarks: &'static [Remark],
    },
    /// A section at the end of a text, between markers.
    Section {
        /// How the markers are written.
        comment: Comment,
        /// Its lines.
        body: String,
    },
}

/// Something that a setting means for what is put in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Remark {
    /// The names that lead to the setting.
    pub place: &'static [&'static str],
    /// When it counts.
    pub when: When,
    /// A code.
    pub code: &'static str,
    /// What is told.
    pub said: &'static str,
}

/// When a setting is worth a remark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// It is `false`.
    Off,
    /// It holds other names than this one.
    HoldsMoreThan(&'static str),
}

/// One entry of a JSON file.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The names that lead to its container.
    pub path: Vec<&'static str>,
    /// What stands there.
    pub put: Put,
    /// What happens when another's stands in its place.
    pub taken: IfTaken,
    /// The names that lead to a second container in which hosts look for it; none where there is none.
    pub elsewhere: &'static [&'static str],
}

/// An entry as a member or as an item.
#[derive(Clone, Debug, PartialEq)]
pub enum Put {
    /// A name and a value in an object.
    Member(&'static str, Value),
    /// A value in a list.
    Item {
        /// The value.
        value: Value,
        /// The command by which it is known, whatever stands around it.
        command: String,
    },
}

/// What happens when something of another's stands where an entry belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IfTaken {
    /// Nothing is put in anywhere.
    Refuse,
    /// The other's stays, and the person is told.
    Leave,
}

/// A member of a file's root that comes and goes with the container it stands behind.
#[derive(Clone, Debug, PartialEq)]
pub struct Companion {
    /// Its name.
    pub name: &'static str,
    /// Its value.
    pub value: Value,
}

/// How a language writes a line that says nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comment {
    /// `<!-- … -->`.
    Markdown,
    /// `# …`.
    Hash,
    /// `// …`.
    Slashes,
}
