//! Serves what the public conformance suite asks for, on a free port of this machine.
//!
//! `cargo run -p mainstay-front-mcp --features conformance --example suite_server`; prints its address on one line.

#![allow(clippy::print_stdout, reason = "whoever starts it reads the address")]

use mainstay_front_mcp::{HttpOptions, ServeError, serve_suite};

fn main() -> Result<(), ServeError> {
    let address = ([127, 0, 0, 1], 0).into();
    let options = HttpOptions { address, token: None, allow_origins: Vec::new(), nonce: None };
    serve_suite(options, |bound| println!("http://{bound}/mcp"))
}
