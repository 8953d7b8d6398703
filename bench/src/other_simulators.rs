//! The other simulators, where they are installed.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::error::BenchError;
use crate::meter::MeterSample;
use crate::rows::Contender;

/// The libraries of ns-3's program, the most dependent first.
const NS3_LIBRARIES: [&str; 7] = [
    "-lns3-applications",
    "-lns3-nix-vector-routing",
    "-lns3-point-to-point",
    "-lns3-internet",
    "-lns3-traffic-control",
    "-lns3-network",
    "-lns3-core",
];

/// The other simulators.
#[derive(Debug, Default)]
pub(crate) struct OtherSimulators {
    /// ns-2's script, if there is an interpreter for it.
    ns2: Option<PathBuf>,
    /// ns-3's program, if it could be built.
    ns3: Option<PathBuf>,
    /// The missing program, and how to get it.
    pub(crate) missing: Vec<String>,
}

impl OtherSimulators {
    /// Looks for ns-2, and builds the program for ns-3.
    pub(crate) fn find() -> Result<Self, BenchError> {
        let home = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut rivals = Self::default();
        if succeeds(Command::new("sh").args(["-c", "command -v ns"])) {
            rivals.ns2 = Some(home.join("ns-2/dumbbell.tcl"));
        } else {
            rivals.missing.push("ns-2 is not installed (Debian: apt-get install ns2)".into());
        }
        if succeeds(Command::new("pkg-config").args(["--exists", "ns3-internet"])) {
            rivals.ns3 = Some(build(&home.join("ns-3/dumbbell.cc"))?);
        } else {
            rivals
                .missing
                .push("ns-3 is not installed (Debian: apt-get install libns3-dev)".into());
        }
        Ok(rivals)
    }

    pub(crate) fn ns2(
        &self,
        label: &str,
        row: &'static str,
        controller: &'static str,
        long_ms: u64,
        short_ms: u64,
    ) -> Option<Contender> {
        let script = self.ns2.clone()?;
        Some(Contender::new(label, long_ms, short_ms, move |seconds| {
            let mut command = Command::new("ns");
            command.arg(&script).args([row, seconds, controller]);
            command
        }))
    }

    pub(crate) fn ns3(
        &self,
        label: &str,
        row: &'static str,
        controller: &'static str,
        long_ms: u64,
        short_ms: u64,
    ) -> Option<Contender> {
        let program = self.ns3.clone()?;
        Some(Contender::new(label, long_ms, short_ms, move |seconds| {
            let mut command = Command::new(&program);
            command.args([row, seconds, controller]);
            command
        }))
    }
}

fn succeeds(command: &mut Command) -> bool {
    command.output().is_ok_and(|o| o.status.success())
}

/// Compiles the program for ns-3, beside this one.
fn build(source: &Path) -> Result<PathBuf, BenchError> {
    let me = std::env::current_exe();
    let program = me.unwrap_or_default().with_file_name("westwood-bench-ns-3");
    let mut compiler = Command::new("c++");
    compiler.args(["-O2", "-std=c++17"]).arg(source).arg("-o").arg(&program).args(NS3_LIBRARIES);
    MeterSample::of(&mut compiler)?;
    Ok(program)
}
