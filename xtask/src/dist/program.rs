//! What the program of a release must be: small, of one piece, without a trace of who built it.

use std::fs;
use std::process::Command;

use crate::product::{output, target_folder};

use super::{Release, shown};

/// The most that it may have, its symbols taken out. **Units**: bytes.
const LARGEST: usize = 15_000_000;

/// What a program header is about that names a dynamic linker. **Source**: ELF, `PT_INTERP`.
const INTERPRETER: [u8; 4] = 3_u32.to_le_bytes();

pub(super) fn check(release: &Release) -> Result<(), String> {
    let program = fs::read(&release.binary).map_err(|error| shown(&release.binary, &error))?;
    let bytes = program.len();
    if bytes >= LARGEST {
        return Err(format!("the program has {bytes} bytes; a release has less than {LARGEST}"));
    }
    if release.host.contains("linux") && has_interpreter(&program).ok_or("the program is no ELF file of 64 bits")? {
        return Err("the program asks for a dynamic linker; a release is one static file".into());
    }
    let home = std::env::var("HOME").unwrap_or_default();
    let checkout = testkit::repository().display().to_string();
    let target = target_folder()?.display().to_string();
    let says = |text: &str| program.windows(text.len()).any(|part| part == text.as_bytes());
    if let Some(path) = [home, checkout, target].iter().find(|path| path.len() > 1 && says(&format!("{path}/"))) {
        return Err(format!("the program holds the path {path} of the machine that built it"));
    }
    let version = output(Command::new(&release.binary).arg("--version"))?;
    if version.trim_end() != format!("mainstay {}", release.version) {
        return Err(format!("the program says that it is {version}"));
    }
    Ok(())
}

// Whether a program header of a little-endian ELF file of 64 bits names a dynamic linker.
fn has_interpreter(program: &[u8]) -> Option<bool> {
    let number = |at: usize, bytes: usize| {
        let field = program.get(at..at + bytes)?;
        usize::try_from(field.iter().rev().fold(0_u64, |number, byte| (number << 8) | u64::from(*byte))).ok()
    };
    if program.get(..6)? != b"\x7fELF\x02\x01" {
        return None;
    }
    let (start, size, count) = (number(32, 8)?, number(54, 2)?, number(56, 2)?);
    let kinds = (0..count).map(|header| program.get(start + header * size..)?.get(..4));
    kinds.map(|kind| Some(kind? == INTERPRETER)).try_fold(false, |found, is_it| Some(found | is_it?))
}

#[cfg(test)]
mod tests {
    use super::has_interpreter;

    #[test]
    fn a_dynamic_program_is_told_from_a_static_one() {
        let own = std::fs::read(std::env::current_exe().unwrap()).unwrap();
        assert_eq!(has_interpreter(&own), Some(true), "tests are linked dynamically");
        // The same with every header of another kind.
        let mut changed = own.clone();
        let start = usize::try_from(u64::from_le_bytes(own[32..40].try_into().unwrap())).unwrap();
        let size = usize::from(u16::from_le_bytes(own[54..56].try_into().unwrap()));
        for header in 0..usize::from(u16::from_le_bytes(own[56..58].try_into().unwrap())) {
            changed[start + header * size..][..4].copy_from_slice(&1_u32.to_le_bytes());
        }
        assert_eq!(has_interpreter(&changed), Some(false));
        assert_eq!(has_interpreter(&own[..1000]).is_some(), has_interpreter(&own).is_some());
        for text in [&b""[..], b"#!/bin/sh\n", b"\x7fELF\x02\x01"] {
            assert_eq!(has_interpreter(text), None);
        }
    }
}
