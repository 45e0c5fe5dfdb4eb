//! Faults that tests plant to see that they would be caught. A release build cannot have them.

#[cfg(all(feature = "mutants", not(debug_assertions)))]
compile_error!("the feature `mutants` is for test builds alone");

/// Whether a fault is planted: never, without the feature.
#[cfg(not(feature = "mutants"))]
pub(crate) const fn planted(_name: &str) -> bool {
    false
}

/// Whether `MAINSTAY_MUTANT` names this fault.
#[cfg(feature = "mutants")]
pub(crate) fn planted(name: &str) -> bool {
    std::env::var("MAINSTAY_MUTANT").is_ok_and(|planted| planted == name)
}

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
