//! Archives without a trace of the machine: members in order, no times, no owners.

use std::fs::File;
use std::io::{self, Write as _};
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;

use super::shown;

/// One file in an archive.
#[derive(Clone)]
pub(super) struct Member {
    pub(super) name: String,
    pub(super) bytes: Vec<u8>,
    pub(super) is_program: bool,
}

impl Member {
    pub(super) fn text(name: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        Self { name: name.into(), bytes: bytes.into(), is_program: false }
    }

    pub(super) fn program(name: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        Self { name: name.into(), bytes: bytes.into(), is_program: true }
    }

    /// The permissions that it has when it is unpacked.
    pub(super) fn mode(&self) -> u32 {
        if self.is_program { 0o755 } else { 0o644 }
    }
}

/// Writes the members beneath one folder.
pub(super) fn tar_gz(
    file: &Path,
    folder: &str,
    mut members: Vec<Member>,
    compression: Compression,
) -> Result<(), String> {
    members.sort_by(|one, other| one.name.cmp(&other.name));
    written(file, folder, &members, compression).map_err(|error| shown(file, &error))
}

fn written(file: &Path, folder: &str, members: &[Member], compression: Compression) -> io::Result<()> {
    let mut archive = tar::Builder::new(GzEncoder::new(File::create(file)?, compression));
    for member in members {
        let mut header = tar::Header::new_gnu();
        header.set_mode(member.mode());
        header.set_size(member.bytes.len() as u64);
        header.set_mtime(0);
        archive.append_data(&mut header, format!("{folder}/{}", member.name), member.bytes.as_slice())?;
    }
    archive.into_inner()?.finish()?.flush()
}
