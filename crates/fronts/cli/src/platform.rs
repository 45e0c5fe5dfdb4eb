//! What differs between operating systems: detached processes and signals.

use std::io;
use std::process::Command;

/// Lets a child live on when its parent's terminal goes away or is interrupted.
#[cfg(unix)]
pub(crate) fn detach(command: &mut Command) {
    use std::os::unix::process::CommandExt;
    command.process_group(0);
}

/// Lets a child live on when its parent's console goes away or is interrupted.
#[cfg(windows)]
pub(crate) fn detach(command: &mut Command) {
    use std::os::windows::process::CommandExt;
    const DETACHED_PROCESS: u32 = 0x0000_0008;
    const CREATE_NEW_PROCESS_GROUP: u32 = 0x0000_0200;
    command.creation_flags(DETACHED_PROCESS | CREATE_NEW_PROCESS_GROUP);
}

/// Asks a process to end.
#[cfg(unix)]
pub(crate) fn terminate(pid: u32) -> io::Result<()> {
    use rustix::process::{Pid, Signal, kill_process};
    let pid = i32::try_from(pid).ok().and_then(Pid::from_raw).ok_or(io::ErrorKind::InvalidInput)?;
    Ok(kill_process(pid, Signal::TERM)?)
}

/// Ends a process; there is no gentler way for one without a window.
#[cfg(windows)]
pub(crate) fn terminate(pid: u32) -> io::Result<()> {
    let status = Command::new("taskkill").args(["/F", "/PID", &pid.to_string()]).output()?.status;
    if status.success() { Ok(()) } else { Err(io::ErrorKind::NotFound.into()) }
}
