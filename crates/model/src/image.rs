//! Images: what the outside sees of the records. They are derived and can be made again.

use crate::ProjectPath;

/// A file that shows records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// Where the file stands.
    pub path: ProjectPath,
    /// What stands in it.
    pub content: ImageContent,
}

/// What an image file holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ImageContent {
    /// These bytes.
    Bytes(Vec<u8>),
    /// The file does not exist.
    Absent,
    /// A folder stands there, whatever it holds.
    Folder,
    /// No empty folder stands there; one that holds anything stays.
    NoFolder,
}

impl ImageContent {
    /// Whether it is about a folder, not a file.
    pub fn is_of_folder(&self) -> bool {
        matches!(self, Self::Folder | Self::NoFolder)
    }
}

/// A file without a record: a log line, a copy, a file that is written once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExtraFile {
    /// Writes the file unless something stands there already. It stands before the request is done.
    Create {
        /// Where.
        path: ProjectPath,
        /// What.
        bytes: Vec<u8>,
    },
    /// Adds a line to a log and keeps its last `keep` lines. A crash after the commit may lose the line.
    AppendLine {
        /// Where.
        path: ProjectPath,
        /// The line, without its newline.
        line: String,
        /// How many lines the log may have.
        keep: usize,
    },
}

/// One value in a row of a table image, typed as the table stores it.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// NULL.
    Null,
    /// An integer.
    Integer(i64),
    /// A floating point number.
    Real(f64),
    /// Text.
    Text(String),
    /// Bytes, or text that is not UTF-8.
    Blob(Vec<u8>),
}

impl Cell {
    /// The text of a text cell.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }
}

/// One row that a table image should hold, or should no longer hold.
#[derive(Clone, Debug, PartialEq)]
pub struct RowImage {
    /// The table's name.
    pub table: &'static str,
    /// The primary key of the row.
    pub key: Cell,
    /// The cells after the primary key, in the declared order; `None` deletes the row.
    pub cells: Option<Vec<Cell>>,
}

/// What an entry does to the tables of a space.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TableRows {
    /// Rows to upsert or delete.
    pub rows: Vec<RowImage>,
    /// Outside changes that stay in the inbox as refused: their number there and the reason code.
    pub refused: Vec<(i64, String)>,
    /// Refused outside changes that are settled now.
    pub closed: Vec<i64>,
}
