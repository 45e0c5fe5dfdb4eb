//! What a test does to a project while a request is in the middle of its thinking.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{LazyLock, Mutex};

type Act = Box<dyn FnOnce() + Send>;

static ACTS: LazyLock<Mutex<HashMap<String, Act>>> = LazyLock::new(Mutex::default);

/// The next `meddle` in the project runs `act` once.
pub(crate) fn meanwhile(root: &Path, act: impl FnOnce() + Send + 'static) {
    let root = root.canonicalize().unwrap().to_string_lossy().into_owned();
    ACTS.lock().unwrap().insert(root, Box::new(act));
}

pub(super) fn run(root: &str) {
    let act = ACTS.lock().unwrap().remove(root);
    if let Some(act) = act {
        act();
    }
}
