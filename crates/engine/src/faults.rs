//! What some planted faults do beyond leaving something out. A release build cannot have them.

#[cfg(feature = "mutants")]
use mutants::planted;

/// Tells the caller of success before the commit, where `reply_before_commit` is planted.
#[cfg(not(feature = "mutants"))]
pub(crate) const fn reply_early(_answers: &[crate::batch::Answer]) {}

/// Tells the caller of success before the commit, and nothing later on.
#[cfg(feature = "mutants")]
pub(crate) fn reply_early(answers: &[crate::batch::Answer]) {
    use std::io::Write as _;
    if !planted("reply_before_commit") {
        return;
    }
    for reply in answers.iter().flatten() {
        let text = model::Value::Object(reply.to_object()).to_string();
        let told = writeln!(std::io::stdout(), "{text}");
        told.expect("a planted fault has an output to speak to");
    }
    let nowhere = std::fs::OpenOptions::new().write(true).open("/dev/null").expect("there is /dev/null");
    rustix::stdio::dup2_stdout(&nowhere).expect("the output can be replaced");
}

/// Gives other processes a chance to come in between, where a lock was let go too early.
#[cfg(not(feature = "mutants"))]
pub(crate) const fn linger() {}

/// Waits for a while that differs from process to process, so that their order gets mixed up.
#[cfg(feature = "mutants")]
pub(crate) fn linger() {
    std::thread::sleep(std::time::Duration::from_millis(u64::from(std::process::id() % 8) * 10));
}

/// Takes a lock's file away from a holder that has had it for long, where `lock_stolen_by_age` is planted.
#[cfg(not(feature = "mutants"))]
pub(crate) const fn steal(_path: &std::path::Path) {}

/// Removes the file of a lock that nobody wrote to for a moment.
#[cfg(feature = "mutants")]
pub(crate) fn steal(path: &std::path::Path) {
    let age = path.metadata().and_then(|metadata| metadata.modified()).ok().and_then(|at| at.elapsed().ok());
    if planted("lock_stolen_by_age") && age.is_some_and(|age| age.as_millis() > 5) {
        drop(std::fs::remove_file(path));
    }
}

/// Renames a file of another file system over a target.
#[cfg(not(feature = "mutants"))]
pub(crate) fn rename_from_elsewhere(_bytes: &[u8], _folder: &cap_std::fs::Dir, _name: &str) -> std::io::Result<bool> {
    unreachable!("no fault is planted")
}

/// Writes the bytes where another file system is mounted and renames the file over a target, which cannot be done.
#[cfg(feature = "mutants")]
pub(crate) fn rename_from_elsewhere(bytes: &[u8], folder: &cap_std::fs::Dir, name: &str) -> std::io::Result<bool> {
    let elsewhere = std::path::Path::new("/dev/shm").join(format!("mainstay-{}.tmp", std::process::id()));
    std::fs::write(&elsewhere, bytes)?;
    let renamed = rustix::fs::renameat(rustix::fs::CWD, &elsewhere, folder, name);
    if renamed.is_err() {
        std::fs::remove_file(&elsewhere)?;
    }
    Ok(renamed.map(|()| true)?)
}
