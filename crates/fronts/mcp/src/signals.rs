//! Being asked to stop. The only module of this crate that differs between platforms.

use std::io;

use tokio_util::sync::CancellationToken;

/// A token that is cancelled when the process is asked to stop.
///
/// Listens from the moment it returns, so that no signal is lost between start and serving.
#[cfg(unix)]
pub(crate) fn stop() -> io::Result<CancellationToken> {
    use tokio::signal::unix::{SignalKind, signal};

    let (mut interrupt, mut terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    let token = CancellationToken::new();
    let asked = token.clone();
    tokio::spawn(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
        asked.cancel();
    });
    Ok(token)
}

/// A token that is cancelled when the process is asked to stop.
#[cfg(not(unix))]
pub(crate) fn stop() -> io::Result<CancellationToken> {
    let token = CancellationToken::new();
    let asked = token.clone();
    tokio::spawn(async move {
        if tokio::signal::ctrl_c().await.is_ok() {
            asked.cancel();
        }
    });
    Ok(token)
}
