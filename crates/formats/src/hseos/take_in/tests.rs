//! Properties and cases of taking in.
