//! The playground, which the command carries: a page and the engine in it.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use westwood_experiment::link;

use crate::exit::Stop;
use crate::output::Output;

/// The page without its data. `make page` builds it, and the engine.
const PAGE: &str = include_str!("../../../../web/dist/playground.html");

/// The simulator as a WebAssembly module, compressed by gzip.
const ENGINE: &[u8] = include_bytes!("../../../../web/dist/engine.wasm.gz");

/// The place of the data in the page.
const DATA: &str = "<!--data-->";

/// Writes the page with a scenario inside, and says so and what its address would be if asked to.
pub(super) fn write(output: Output, toml: &str, say: bool) -> Result<(), Stop> {
    let link = link::of_text(toml);
    let data = |id, content: &str| {
        format!("<script type=\"application/octet-stream\" id=\"{id}\">{content}</script>")
    };
    let engine = data("engine", &STANDARD.encode(ENGINE));
    let experiment = data("experiment", &link[1..]);
    output.write(&PAGE.replacen(DATA, &(engine + &experiment), 1), say)?;
    if say {
        eprintln!("its experiment as a link: playground.html{link}");
    }
    Ok(())
}
