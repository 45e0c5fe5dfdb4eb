//! Digests of image bytes.

pub(crate) use format::digest;
use format::{FileState, Irregular};
use store::Mark;

/// What a folder is marked with, in the place of a digest.
const FOLDER: &str = "folder";

/// What an image is meant to be that is rendered again whatever it is, in the place of a digest.
const OWED: &str = "owed";

/// The intended mark of an image that is to be published as the records say.
pub(crate) fn owed_mark() -> Mark {
    Mark::Digest(OWED.to_owned())
}

/// Whether an intended mark is [`owed_mark`].
pub(crate) fn is_owed(intended: Option<&Mark>) -> bool {
    matches!(intended, Some(Mark::Digest(word)) if word == OWED)
}

/// The mark of a folder that stands.
pub(crate) fn folder_mark() -> Mark {
    Mark::Digest(FOLDER.to_owned())
}

/// The mark of what stands where a folder belongs; nothing for what is no folder.
pub(crate) fn mark_of_folder(state: &FileState) -> Option<Mark> {
    match state {
        FileState::Absent => Some(Mark::Absent),
        FileState::Irregular(Irregular::Folder) => Some(folder_mark()),
        FileState::Bytes(_) | FileState::Irregular(_) => None,
    }
}

/// The mark of what stands at a path; nothing for what cannot be read as a file.
pub(crate) fn mark_of(state: &FileState) -> Option<Mark> {
    match state {
        FileState::Absent => Some(Mark::Absent),
        FileState::Bytes(bytes) => Some(Mark::Digest(digest(bytes))),
        FileState::Irregular(_) => None,
    }
}
