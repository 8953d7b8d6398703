//! The goodputs of docs/evidence/kernel.md are those of the kernel's runs and of the simulator.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

/// The number of seeds under each loss.
const SEEDS: f64 = 20.0;
/// Student's t of 95 % with a degree of freedom less.
const T: f64 = 2.093;

const LOSSES: [&str; 5] = ["0.1%", "0.5%", "1%", "2%", "5%"];
const BUFFERS: [&str; 4] = ["0.1", "0.5", "1", "2"];

fn read(name: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(name)).unwrap()
}

/// The goodputs of a comparison in Mbit/s: of each run the controller and its value.
fn simulated(arguments: &str) -> Vec<(String, f64)> {
    let output = Command::new(env!("CARGO_BIN_EXE_westwood"))
        .args(["compare", "--like", "linux", "--rate", "10Mbit/s", "--quiet", "--json", "-"])
        .args(arguments.split(' '))
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    let document: Value =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {said}"));
    let runs = document["runs"].as_array().unwrap().iter();
    runs.map(|run| {
        (run["cc"].as_str().unwrap().to_owned(), run["goodput_bps"].as_f64().unwrap() / 1e6)
    })
    .collect()
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / SEEDS
}

/// Both means, and the mean of the seeds' ratios with its 95 % interval.
fn compared(stock: &[f64], ours: &[f64]) -> String {
    assert!([stock, ours].iter().all(|seeds| seeds.len() == 20));
    let ratios: Vec<f64> = ours.iter().zip(stock).map(|(ours, stock)| ours / stock).collect();
    let ratio = mean(&ratios);
    let squares: f64 = ratios.iter().map(|one| (one - ratio).powi(2)).sum();
    let error = T * (squares / (SEEDS - 1.0) / SEEDS).sqrt();
    format!("{:.3} | {:.3} | {ratio:.2} ± {error:.2}", mean(stock), mean(ours))
}

#[track_caller]
fn assert_shows(rows: &[String]) {
    let rows = rows.join("\n");
    assert!(read("docs/evidence/kernel.md").contains(&rows), "the page should have\n{rows}");
}

#[test]
fn goodputs_under_random_loss_are_those_of_the_kernel_and_of_the_simulator() {
    let kept = read("results/kernel-loss.csv");
    let rows = LOSSES.map(|loss| {
        let of_kernel = |cc: &str| -> Vec<f64> {
            let begin = format!("{loss},{cc}@linux,");
            let rows = kept.lines().filter_map(|line| line.strip_prefix(begin.as_str()));
            let goodputs = rows.filter_map(|row| row.split_once(',')?.1.parse::<f64>().ok());
            goodputs.map(|goodput| goodput / 1e6).collect()
        };
        let runs = simulated(&format!(
            "--cc westwood-linux,westwood+(start=settled,pacing=on) --rtt 100ms --buffer 83pkt \
             --loss {loss} --seeds 20 --time 20s --warmup 5s"
        ));
        let of_simulator = |stock: bool| -> Vec<f64> {
            let runs = runs.iter().filter(|(cc, _)| (cc == "westwood-linux") == stock);
            runs.map(|(_, goodput)| *goodput).collect()
        };
        let kernel = compared(&of_kernel("westwood-linux"), &of_kernel("westwood+"));
        let simulator = compared(&of_simulator(true), &of_simulator(false));
        format!("| {} | {kernel} | {simulator} |", loss.replace('%', " %"))
    });
    assert_shows(&rows);
}

#[test]
fn goodputs_over_short_buffers_are_the_simulator_s() {
    let rows = BUFFERS.map(|buffer| {
        let [later, whole] = ["50s", "0s"].map(|warmup| {
            simulated(&format!(
                "--cc westwood-linux,reno-linux,westwood+,westwood+(start=settled),\
                 westwood+(start=settled,pacing=on),log-westwood+(start=settled,pacing=on) \
                 --rtt 250ms --loss none --time 200s --seeds 1 --warmup {warmup} --buffer {buffer}bdp"
            ))
        });
        let cells: Vec<String> = later
            .iter()
            .zip(&whole)
            .map(|((_, later), (_, whole))| format!("{later:.2} ({whole:.2})"))
            .collect();
        format!("| {buffer} | {} |", cells.join(" | "))
    });
    assert_shows(&rows);
}
