//! `shims`: the other names of the program, as links in a folder of the user's choice.

use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use format::Format;
use model::{Object, Refusal, RefusalClass, Value};

use crate::refusals;

/// What stands at a name.
enum Standing {
    Nothing,
    /// A link to the program.
    Ours,
    /// A link to a program of the same name elsewhere: another version, or one that was moved.
    Former,
    Foreign,
}

/// Makes in `folder` a link to `program` for each other name that the formats give it.
///
/// A link to a program of the same file name elsewhere is renewed; anything else that stands there is
/// refused, and then nothing is changed.
///
/// **Shape**: `{folder, program, created: [name], kept: [name]}`.
/// **Errors**: `file_exists`, `write_failed`.
pub fn make_shims(formats: &[&'static dyn Format], program: &Path, folder: &Path) -> Result<Object, Refusal> {
    let program = program.canonicalize().map_err(|error| refusals::of_io(program, &error))?;
    let named: Vec<(&str, PathBuf)> = names(formats).map(|name| (name, folder.join(name))).collect();
    let standing = named.iter().map(|(_, at)| standing(at, &program)).collect::<Result<Vec<_>, Refusal>>()?;
    if let Some(place) = standing.iter().position(|found| matches!(found, Standing::Foreign)) {
        return Err(taken(&named[place].1));
    }
    fs::create_dir_all(folder).map_err(|error| refusals::of_io(folder, &error))?;
    let (mut created, mut kept) = (Vec::new(), Vec::new());
    for ((name, at), found) in named.iter().zip(standing) {
        match found {
            Standing::Ours => kept.push(Value::from(*name)),
            Standing::Former => {
                replace(&program, at).map_err(|error| refusals::of_io(at, &error))?;
                created.push(Value::from(*name));
            }
            Standing::Nothing | Standing::Foreign => {
                symlink(&program, at).map_err(|error| match error.kind() {
                    io::ErrorKind::AlreadyExists => taken(at),
                    _ => refusals::of_io(at, &error),
                })?;
                created.push(Value::from(*name));
            }
        }
    }
    Ok(Object::from_iter([
        ("folder".to_owned(), folder.display().to_string().into()),
        ("program".to_owned(), program.display().to_string().into()),
        ("created".to_owned(), created.into()),
        ("kept".to_owned(), kept.into()),
    ]))
}

/// Takes the links to `program` out of `folder` again; what is none of them stays.
///
/// **Shape**: `{folder, removed: [name]}`.
/// **Errors**: `write_failed`.
pub fn remove_shims(formats: &[&'static dyn Format], program: &Path, folder: &Path) -> Result<Object, Refusal> {
    let program = program.canonicalize().map_err(|error| refusals::of_io(program, &error))?;
    let mut removed = Vec::new();
    for name in names(formats) {
        let at = folder.join(name);
        if matches!(standing(&at, &program)?, Standing::Ours | Standing::Former) {
            fs::remove_file(&at).map_err(|error| refusals::of_io(&at, &error))?;
            removed.push(Value::from(name));
        }
    }
    Ok(Object::from_iter([
        ("folder".to_owned(), folder.display().to_string().into()),
        ("removed".to_owned(), removed.into()),
    ]))
}

fn names(formats: &[&'static dyn Format]) -> impl Iterator<Item = &'static str> {
    formats.iter().flat_map(|format| format.surface().binary_names).map(|own| own.name)
}

fn standing(at: &Path, program: &Path) -> Result<Standing, Refusal> {
    let metadata = match at.symlink_metadata() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Standing::Nothing),
        found => found.map_err(|error| refusals::of_io(at, &error))?,
    };
    if !metadata.is_symlink() {
        return Ok(Standing::Foreign);
    }
    let target = fs::read_link(at).map_err(|error| refusals::of_io(at, &error))?;
    Ok(if target == program {
        Standing::Ours
    } else if target.file_name() == program.file_name() {
        Standing::Former
    } else {
        Standing::Foreign
    })
}

// In one step: whoever starts the name meanwhile gets the one program or the other.
fn replace(program: &Path, at: &Path) -> io::Result<()> {
    let beside = at.with_extension(format!("{}.tmp", crate::clock::random()));
    symlink(program, &beside)?;
    fs::rename(&beside, at).inspect_err(|_| drop(fs::remove_file(&beside)))
}

fn taken(at: &Path) -> Refusal {
    Refusal::new(RefusalClass::Refused, "file_exists", format!("{} is no link to this program", at.display()))
        .with("path", at.display().to_string())
        .hint("move it away, or choose another folder; nothing was changed")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder() -> (tempfile::TempDir, PathBuf) {
        let root = tempfile::tempdir().unwrap();
        let program = root.path().join("mainstay");
        fs::write(&program, "").unwrap();
        (root, program)
    }

    fn texts(report: &Object, name: &str) -> Vec<String> {
        report[name].as_array().unwrap().iter().map(|text| text.as_str().unwrap().to_owned()).collect()
    }

    #[test]
    fn every_other_name_becomes_a_link_once() {
        let (root, program) = folder();
        let bin = root.path().join("bin");
        let first = make_shims(formats::ALL, &program, &bin).unwrap();
        assert!(texts(&first, "created").contains(&"msd-tools".to_owned()));
        assert_eq!(fs::read_link(bin.join("msd-tools")).unwrap(), program.canonicalize().unwrap());
        let second = make_shims(formats::ALL, &program, &bin).unwrap();
        assert_eq!((texts(&second, "created"), texts(&second, "kept")), (vec![], texts(&first, "created")));
        let removed = remove_shims(formats::ALL, &program, &bin).unwrap();
        assert_eq!(texts(&removed, "removed"), texts(&first, "created"));
        assert_eq!(fs::read_dir(bin).unwrap().count(), 0);
    }

    #[test]
    fn what_is_not_ours_is_left_alone_and_nothing_else_is_made() {
        let (root, program) = folder();
        let bin = root.path().join("bin");
        fs::create_dir(&bin).unwrap();
        fs::write(bin.join("msd-tools"), "somebody's script").unwrap();
        assert_eq!(make_shims(formats::ALL, &program, &bin).unwrap_err().code, "file_exists");
        remove_shims(formats::ALL, &program, &bin).unwrap();
        assert_eq!(fs::read_to_string(bin.join("msd-tools")).unwrap(), "somebody's script");
        assert_eq!(fs::read_dir(bin).unwrap().count(), 1);
    }

    #[test]
    fn a_link_to_a_former_place_of_the_program_is_renewed() {
        let (root, program) = folder();
        let bin = root.path().join("bin");
        fs::create_dir(&bin).unwrap();
        symlink("/gone/mainstay", bin.join("msd-tools")).unwrap();
        let report = make_shims(formats::ALL, &program, &bin).unwrap();
        assert!(texts(&report, "created").contains(&"msd-tools".to_owned()));
        assert!(bin.join("msd-tools").exists());
    }
}
