//! The loop: an input is written down, tried, and forgotten.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Resource, Rlimit, setrlimit};

use crate::inputs;
use crate::mutate::Mutator;
use crate::targets::Target;
use testkit::random::Random;

/// So long one input may take. **Units**: seconds.
const LONGEST: u64 = 10;

/// Every so many inputs the report is written anew.
const REPORT: u64 = 64;

/// Throws inputs at a target until the time is over; dies where the target does.
pub(crate) fn run(target: &Target, folder: &Path, time: Duration, seed: u64) -> Result<(), String> {
    let kept = [inputs::of_folder("seeds", target.name)?, inputs::of_folder("crashes", target.name)?].concat();
    let words = inputs::dictionary(target.dictionary)?;
    let limit = Rlimit { current: Some(target.memory), maximum: Some(target.memory) };
    setrlimit(Resource::As, limit).map_err(|error| format!("limiting memory: {error}"))?;
    let tried = Arc::new(AtomicU64::new(0));
    watch(Arc::clone(&tried));
    let (current, report) = (folder.join("current"), folder.join("report"));
    let problem = |error: std::io::Error| format!("{}: {error}", folder.display());
    let begun = Instant::now();
    let mut mutator = Mutator { seeds: kept.clone(), words, random: Random::new(seed) };
    let mut waiting = kept.into_iter();
    while begun.elapsed() < time {
        let bytes = waiting.next().unwrap_or_else(|| mutator.next());
        fs::write(&current, &bytes).map_err(problem)?;
        (target.run)(&bytes);
        let count = tried.fetch_add(1, Ordering::Relaxed) + 1;
        if count.is_multiple_of(REPORT) {
            fs::write(&report, format!("{count} {}", peak())).map_err(problem)?;
        }
    }
    fs::write(&report, format!("{} {}", tried.load(Ordering::Relaxed), peak())).map_err(problem)
}

/// Ends the process when one input takes too long.
fn watch(tried: Arc<AtomicU64>) {
    thread::spawn(move || {
        let mut last = (u64::MAX, Instant::now());
        loop {
            thread::sleep(Duration::from_millis(200));
            let now = tried.load(Ordering::Relaxed);
            if now != last.0 {
                last = (now, Instant::now());
            } else if last.1.elapsed().as_secs() >= LONGEST {
                // A hang is as bad as a crash, and shows as one.
                std::process::abort();
            }
        }
    });
}

/// The most memory that the process ever held. **Units**: KiB.
fn peak() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|rest| rest.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}
