//! The playground, which the command carries: a page and the engine in it.

use std::fmt::Write as _;
use std::path::{Component, Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use westwood_experiment::link;
use westwood_experiment::plan::ExperimentPlan;

use crate::exit::Stop;
use crate::output::{Output, tell};

/// The page without its data. `make page` builds it, and the engine.
const PAGE: &str = include_str!("../../../web/dist/playground.html");

/// The simulator as a WebAssembly module, compressed by gzip.
const ENGINE: &[u8] = include_bytes!("../../../web/dist/engine.wasm.gz");

/// The place of the experiment in the page: before the script, which draws its path at once.
const EXPERIMENT_PLACE: &str = "<!--experiment-->";

/// The place of the engine in the page: behind the script, which does not wait for it.
const ENGINE_PLACE: &str = "<!--engine-->";

/// The page with this experiment inside, as a link has it, or for those that links bring.
pub(crate) fn page(experiment: Option<&str>) -> String {
    let data = |id, content: &str| {
        format!("<script type=\"application/octet-stream\" id=\"{id}\">{content}</script>")
    };
    let engine = data("engine", &STANDARD.encode(ENGINE));
    let experiment = experiment.map(|link| data("experiment", link.trim_start_matches('#')));
    PAGE.replacen(EXPERIMENT_PLACE, &experiment.unwrap_or_default(), 1).replacen(
        ENGINE_PLACE,
        &engine,
        1,
    )
}

/// The page that is to be written, and its experiment.
pub(crate) struct PlaygroundOutput {
    output: Output,
    link: String,
    /// Its address as seen from the report that is written beside it, if there is one.
    address: Option<String>,
}

impl PlaygroundOutput {
    /// Checks that the page can be written and can hold the experiment; `report` is the file of the report.
    pub(crate) fn prepare(
        path: &Path,
        plan: &ExperimentPlan,
        report: Option<&Path>,
    ) -> Result<Self, Stop> {
        let text = plan.one_text().map_err(|file| {
            Stop::bad_input(format!(
                "--play: the experiment reads '{file}', which the page cannot\n\
                 hint: leave --play out, or take a trace of westwood list scenarios"
            ))
        })?;
        let output = Output::prepare("--play", path)?;
        let address = report.and_then(|report| address(report, path));
        Ok(Self { output, link: link::of_text(&text), address })
    }

    /// Its address as seen from the report.
    pub(crate) fn address(&self) -> Option<String> {
        self.address.clone()
    }

    /// Writes the page, and says so and what its address would be if asked to.
    pub(crate) fn write(self, say: bool) -> Result<(), Stop> {
        self.output.write(&page(Some(&self.link)), say)?;
        if say {
            tell(format_args!("its experiment as a link: playground.html{}", self.link));
        }
        Ok(())
    }
}

/// The way from one file to another as a relative address; none if a folder cannot be found.
pub(crate) fn address(from: &Path, to: &Path) -> Option<String> {
    let folder = |path: &Path| -> Option<PathBuf> {
        let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
        parent.unwrap_or(Path::new(".")).canonicalize().ok()
    };
    let (from, name, to) = (folder(from)?, to.file_name()?, folder(to)?);
    let common = from.components().zip(to.components()).take_while(|(a, b)| a == b).count();
    let up = from.components().skip(common).map(|_| "..".to_owned());
    let down = to.components().skip(common).filter_map(|part| match part {
        Component::Normal(part) => Some(part),
        _ => None,
    });
    let down = down.chain([name]).map(|part| percent_encoded(&part.to_string_lossy()));
    Some(up.chain(down).collect::<Vec<_>>().join("/"))
}

/// A part of an address (RFC 3986, section 2): everything but unreserved characters by its bytes.
fn percent_encoded(part: &str) -> String {
    let mut encoded = String::new();
    for byte in part.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            let _ = write!(encoded, "%{byte:02X}");
        }
    }
    encoded
}
