//! The wheel: a zip archive whose scripts pip puts on the path. **Source**: the binary distribution format of the Python Packaging Authority.

use std::fs::File;
use std::io::{self, Write as _};
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use flate2::Compression;
use sha2::{Digest, Sha256};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::archive::Member;
use super::{Release, shown};

/// The wheel's name, which tells pip what it runs on.
pub(super) fn file_name(version: &str, host: &str) -> Result<String, String> {
    Ok(format!("mainstay-{version}-py3-none-{}.whl", platform(host)?))
}

/// Writes what `pip install FILE` reads.
pub(super) fn pack(file: &Path, release: &Release, program: &[u8], papers: &[Member]) -> Result<(), String> {
    let Release { version, host, compression, .. } = release;
    let info = format!("mainstay-{version}.dist-info");
    let metadata = format!(
        "Metadata-Version: 2.4\nName: mainstay\nVersion: {version}\n\
         Summary: Keeps the working state of a coding-agent project\nLicense-Expression: MIT OR Apache-2.0\n"
    );
    // The name's compressed set of tags, one a line.
    let tags = platform(host)?
        .split('.')
        .fold("Wheel-Version: 1.0\nGenerator: xtask\nRoot-Is-Purelib: false\n".to_owned(), |file, tag| {
            file + "Tag: py3-none-" + tag + "\n"
        });
    let mut members = vec![Member::program(format!("mainstay-{version}.data/scripts/mainstay"), program.to_vec())];
    let licences = papers.iter().filter(|paper| paper.name != "README.md" && paper.name != "CHANGELOG.md");
    members.extend(licences.map(|paper| Member::text(format!("{info}/licenses/{}", paper.name), paper.bytes.clone())));
    members.push(Member::text(format!("{info}/METADATA"), metadata));
    members.push(Member::text(format!("{info}/WHEEL"), tags));
    members.sort_by(|one, other| one.name.cmp(&other.name));
    let record = record(&members, &info);
    members.push(Member::text(format!("{info}/RECORD"), record));
    written(file, &members, *compression).map_err(|error| shown(file, &error))
}

// Every file with its digest; the record itself without.
fn record(members: &[Member], info: &str) -> String {
    let line = |member: &Member| {
        let digest = URL_SAFE_NO_PAD.encode(Sha256::digest(&member.bytes));
        format!("{},sha256={digest},{}\n", member.name, member.bytes.len())
    };
    members.iter().map(line).chain([format!("{info}/RECORD,,\n")]).collect()
}

fn written(file: &Path, members: &[Member], compression: Compression) -> io::Result<()> {
    let mut archive = ZipWriter::new(File::create(file)?);
    for member in members {
        // The time of a member is the oldest that the format knows, unless it is set.
        let options = SimpleFileOptions::default()
            .unix_permissions(member.mode())
            .compression_level(Some(i64::from(compression.level())));
        archive.start_file(&member.name, options)?;
        archive.write_all(&member.bytes)?;
    }
    archive.finish()?.flush()
}

// A static program asks nothing of the C library that the tag is about.
fn platform(host: &str) -> Result<String, String> {
    let (cpu, system) = host.split_once('-').unwrap_or((host, ""));
    if system.contains("linux") {
        Ok(format!("manylinux2014_{cpu}.manylinux_2_17_{cpu}.musllinux_1_1_{cpu}"))
    } else {
        Err(format!("there is no tag for {host} yet"))
    }
}
