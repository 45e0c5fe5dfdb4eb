//! Cases of the format.
