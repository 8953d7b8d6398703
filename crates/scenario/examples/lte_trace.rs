//! Writes the capacity traces of the scenario `lte-walk` into the folder that is named.
//!
//! ```text
//! cargo run -p westwood-scenario --example lte_trace -- scenarios
//! ```

use std::path::PathBuf;

use westwood_scenario::library::traces;

fn main() -> std::io::Result<()> {
    let folder = PathBuf::from(std::env::args().nth(1).unwrap_or_else(|| "scenarios".to_owned()));
    for (file, text) in traces() {
        std::fs::write(folder.join(file), text)?;
    }
    Ok(())
}
