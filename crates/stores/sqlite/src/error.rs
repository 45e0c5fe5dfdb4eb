//! How errors of `SQLite` become errors of a store.

use rusqlite::{Error, ErrorCode};
use store::{SpliceError, StoreError};

use crate::log::Damage;

/// An error on its way out of this crate; everything that can fail here converts into it.
#[derive(Debug)]
pub(crate) struct Fault(StoreError);

/// What the functions of this crate answer.
pub(crate) type Outcome<T> = Result<T, Fault>;

impl Fault {
    /// The stored bytes make no sense.
    pub(crate) fn corrupt(what: impl Into<String>) -> Self {
        Self(StoreError::Corrupt(what.into()))
    }

    /// A write would destroy what the damage has left.
    pub(crate) fn frozen(damage: Damage) -> Self {
        Self(StoreError::Frozen(damage.to_string()))
    }

    /// The operating system refused.
    pub(crate) fn io(what: impl Into<String>) -> Self {
        Self(StoreError::Io(what.into()))
    }

    /// Whether the operating system refused.
    pub(crate) fn is_io(&self) -> bool {
        matches!(self.0, StoreError::Io(_))
    }

    /// Whether the stored bytes make no sense.
    pub(crate) fn is_damage(&self) -> bool {
        matches!(self.0, StoreError::Corrupt(_) | StoreError::Frozen(_))
    }

    /// Whether another process stood in the way.
    pub(crate) fn is_busy(&self) -> bool {
        matches!(self.0, StoreError::Busy)
    }
}

impl From<Fault> for StoreError {
    fn from(fault: Fault) -> Self {
        fault.0
    }
}

impl From<StoreError> for Fault {
    fn from(error: StoreError) -> Self {
        Self(error)
    }
}

impl From<SpliceError> for Fault {
    fn from(error: SpliceError) -> Self {
        Self(error.into())
    }
}

impl From<serde_json::Error> for Fault {
    fn from(error: serde_json::Error) -> Self {
        Self::corrupt(error.to_string())
    }
}

impl From<std::io::Error> for Fault {
    fn from(error: std::io::Error) -> Self {
        Self::io(error.to_string())
    }
}

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        let text = error.to_string();
        Self(match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => StoreError::Busy,
            // All statements are constants that fit our schema: one that cannot be prepared, or a
            // constraint that does not hold, means that the schema or a row is not ours.
            Some(
                ErrorCode::DatabaseCorrupt
                | ErrorCode::NotADatabase
                | ErrorCode::ConstraintViolation
                | ErrorCode::TypeMismatch
                | ErrorCode::AuthorizationForStatementDenied
                | ErrorCode::Unknown,
            ) => StoreError::Corrupt(text),
            Some(_) => StoreError::Io(text),
            None => match error {
                Error::InvalidPath(_) | Error::NulError(_) => StoreError::Io(text),
                _ => StoreError::Corrupt(text),
            },
        })
    }
}
