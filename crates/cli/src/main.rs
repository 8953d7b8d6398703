//! The command `westwood`.

use std::process::ExitCode;

fn main() -> ExitCode {
    westwood_cli::main()
}
