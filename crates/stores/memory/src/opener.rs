//! The opener: one state for each folder, shared by all that opened it.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use store::{Opener, Store, StoreError};

use crate::MemoryStore;

/// Finds or makes memory stores by folder; its clones find the same ones.
#[derive(Clone, Debug, Default)]
pub struct MemoryOpener {
    stores: Arc<Mutex<HashMap<PathBuf, MemoryStore>>>,
}

impl MemoryOpener {
    /// Drops the state of a folder, as if its files were removed.
    pub fn forget(&self, folder: &Path) {
        let mut stores = self.stores.lock().expect("no test panics while it holds the list of stores");
        if let Some(store) = stores.remove(folder) {
            store.forget();
        }
    }
}

impl Opener for MemoryOpener {
    fn open(&self, folder: &Path) -> Result<Option<Box<dyn Store>>, StoreError> {
        let stores = self.stores.lock().expect("no test panics while it holds the list of stores");
        Ok(stores.get(folder).map(|store| Box::new(store.clone()) as Box<dyn Store>))
    }

    fn replace(&self, folder: &Path, with: &Path) -> Result<(), StoreError> {
        let mut stores = self.stores.lock().expect("no test panics while it holds the list of stores");
        let Some(new) = stores.remove(with) else {
            return Err(StoreError::Io("there is no store to put there".into()));
        };
        if let Some(old) = stores.insert(folder.to_owned(), new) {
            old.forget();
        }
        Ok(())
    }

    fn copy_files(&self, folder: &Path, copy: &Path) -> Result<(), StoreError> {
        let mut stores = self.stores.lock().expect("no test panics while it holds the list of stores");
        if let Some(store) = stores.get(folder).map(MemoryStore::copy) {
            stores.insert(copy.to_owned(), store);
        }
        Ok(())
    }

    fn open_copy(&self, folder: &Path) -> Result<Option<Box<dyn Store>>, StoreError> {
        self.open(folder)
    }

    fn create(&self, folder: &Path) -> Result<Box<dyn Store>, StoreError> {
        let mut stores = self.stores.lock().expect("no test panics while it holds the list of stores");
        Ok(Box::new(stores.entry(folder.to_owned()).or_default().clone()))
    }
}
