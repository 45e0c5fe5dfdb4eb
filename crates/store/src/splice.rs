//! To be written: change of a value's text as one splice.
