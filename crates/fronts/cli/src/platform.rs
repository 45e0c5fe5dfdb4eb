//! What differs between operating systems: detached processes, signals, readers that are gone.

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

/// Whether the process that read our standard output is gone.
#[cfg(unix)]
pub(crate) fn is_reader_gone() -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let out = io::stdout();
    let mut waited = [PollFd::new(&out, PollFlags::empty())];
    let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
    poll(&mut waited, Some(&at_once)).is_ok_and(|ready| ready > 0)
        && waited[0].revents().intersects(PollFlags::ERR | PollFlags::NVAL)
}

/// Whether the process that read our standard output is gone; the next line will tell.
#[cfg(windows)]
pub(crate) fn is_reader_gone() -> bool {
    false
}
