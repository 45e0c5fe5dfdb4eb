//! Files without a record that are written once, where nothing stands: they stand before the commit.
//!
//! A retry of a request that was committed is answered from its receipt and writes no file again. So
//! what the reply calls created must be safe on disk by then; killed before the commit, the request
//! is thought again and passes by what stands already. No record speaks of these files, so nothing
//! claims too much while they stand alone.

use model::{ExtraFile, ProjectPath, Refusal};

use crate::images::{self, FileStamp, ProjectFiles};
use crate::plan::Plan;
use crate::refusals::{self, OUTCOME_UNKNOWN};
use crate::turn::Extra;

/// What was written before the commit.
#[derive(Default)]
pub(crate) struct Once(Vec<(ProjectPath, Option<FileStamp>)>);

impl Once {
    /// Writes those files of a batch whose folders stay where they are; the others wait for the moves.
    ///
    /// **Errors**: `write_failed`, and then none of them was written.
    pub(crate) fn write(files: &ProjectFiles, extra: &mut Extra, plan: &Plan) -> Result<Self, Refusal> {
        let mut once = Self::default();
        for file in std::mem::take(&mut extra.files) {
            let (path, bytes) = match file {
                ExtraFile::Create { path, bytes } if !plan.moves(&path) => (path, bytes),
                later => {
                    extra.files.push(later);
                    continue;
                }
            };
            match images::create(files, &path, &bytes) {
                Ok(false) => {}
                Ok(true) => {
                    let stamp = files.stamp(&path);
                    once.0.push((path, stamp));
                }
                Err(error) => {
                    let refusal = refusals::of_io(path.as_str(), &error);
                    once.withdraw(files, &refusal);
                    return Err(refusal);
                }
            }
        }
        Ok(once)
    }

    /// Takes them away again after a commit that failed; after one that may have happened they stay.
    pub(crate) fn withdraw(self, files: &ProjectFiles, why: &Refusal) {
        if why.code == OUTCOME_UNKNOWN {
            return;
        }
        for (path, stamp) in self.0 {
            // One that cannot be removed is a file that no record speaks of.
            drop(images::remove(files, &path, stamp));
        }
    }
}
