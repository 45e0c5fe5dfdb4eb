//! Faults that tests plant to see that they would be caught. A release build cannot have them.
//!
//! A line that a test must defend asks here whether its fault is planted. Without the feature `planted` the answer
//! is a constant, and the compiler leaves nothing of the question.

#[cfg(all(feature = "planted", not(debug_assertions)))]
compile_error!("planted faults are for test builds alone");

/// Whether a fault is planted: never, without the feature.
#[cfg(not(feature = "planted"))]
pub const fn planted(_name: &str) -> bool {
    false
}

/// Whether `MAINSTAY_MUTANT` names this fault.
#[cfg(feature = "planted")]
pub fn planted(name: &str) -> bool {
    // A program like any other reads its environment in one place; a fault is nobody's feature.
    std::env::var("MAINSTAY_MUTANT").is_ok_and(|planted| planted == name)
}
