//! The command `westwood` with a controller of one's own:
//!
//! ```text
//! cargo run --release -- compare --cc patient,cubic
//! cargo run --release -- evaluate rfc9743 --cc patient --html card.html
//! ```

mod own;

use std::process::ExitCode;

use own::Patient;
use westwood_cc::own::entry;
use westwood_scenario::spec::register;

fn main() -> ExitCode {
    if let Err(error) = register(entry::<Patient>(), include_str!("own.rs")) {
        eprintln!("error: {error}");
        return ExitCode::from(2);
    }
    westwood_cli::main()
}
