//! File systems of other machines: what the store needs of shared memory and locks is not to be had there.
//!
//! **Source**: `statfs(2)`; the numbers are those of Linux.

use std::path::Path;

use model::Warning;

const REMOTE: &[(u32, &str)] = &[
    (0x0000_6969, "NFS"),
    (0x0000_517b, "SMB"),
    (0xff53_4d42, "SMB"),
    (0xfe53_4d42, "SMB"),
    (0x0102_1997, "9p"),
    (0x5346_414f, "AFS"),
    (0x00c3_6400, "Ceph"),
];

/// What is to be said of a project whose folder lies on one; of what cannot be asked nothing is.
pub(crate) fn warning(root: &Path) -> Option<Warning> {
    warning_of(kind(root)?)
}

fn warning_of(kind: u32) -> Option<Warning> {
    let (_, name) = REMOTE.iter().find(|(number, _)| *number == kind)?;
    let message = format!(
        "the project lies on a network file system ({name}); the store is safe only on a local disk: do not let two \
         machines write, and keep a backup elsewhere"
    );
    Some(Warning::new("network_file_system", message).with("file_system", *name))
}

#[cfg(target_os = "linux")]
fn kind(folder: &Path) -> Option<u32> {
    // The numbers have 32 bits; the word that holds them is as wide as the machine's.
    let stat = rustix::fs::statfs(folder).ok()?;
    u32::try_from(stat.f_type & 0xffff_ffff).ok()
}

#[cfg(not(target_os = "linux"))]
fn kind(_: &Path) -> Option<u32> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn network_file_systems_are_told_and_local_ones_are_not() {
        for (kind, name) in [(0x6969, Some("NFS")), (0xff53_4d42, Some("SMB")), (0x0102_1997, Some("9p"))]
            .into_iter()
            .chain([0xef53, 0x9123_683e, 0x5846_5342, 0x0102_1994, 0x794c_7630].map(|kind| (kind, None)))
        {
            let told = warning_of(kind).map(|warning| warning.details["file_system"].as_str().unwrap().to_owned());
            assert_eq!(told.as_deref(), name, "{kind:x}");
        }
        assert_eq!(warning(Path::new("/nowhere/at/all")), None);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn the_kind_is_asked_of_the_folder() {
        // The kernel's own tables lie on a file system of one known kind.
        assert_eq!(kind(Path::new("/proc")), Some(0x9fa0));
    }
}
