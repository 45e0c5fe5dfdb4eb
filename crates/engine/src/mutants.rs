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
