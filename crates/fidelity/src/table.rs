//! The numbers of others, as files of this crate.

use std::collections::BTreeMap;

use crate::params::Unreadable;

const NS2: &str = include_str!("../reference/ns2.csv");
const NS2_SEEDS: &str = include_str!("../reference/ns2-seeds.csv");
const NS2_OTHER: &str = include_str!("../reference/ns2-other.csv");
const LINUX: &str = include_str!("../reference/linux.csv");
const NS3: &str = include_str!("../reference/ns3.csv");

/// A quantity that ns-2 measured, once for each seed, or the mean of several.
#[derive(Clone, Debug, PartialEq)]
pub struct ReferenceRow {
    /// S1 to S10, or D.
    pub scenario: String,
    /// The agent.
    pub who: String,
    /// Parameters of the scenario.
    pub params: String,
    /// The quantity.
    pub metric: String,
    /// Its values.
    pub values: Vec<f64>,
}

/// ns-2 on the paths of the reference: where there are values of single seeds, those.
pub fn ns2() -> Result<Vec<ReferenceRow>, Unreadable> {
    let key = |row: &ReferenceRow| {
        (row.scenario.clone(), row.who.clone(), row.params.clone(), row.metric.clone())
    };
    let mut seeds: BTreeMap<_, ReferenceRow> = BTreeMap::new();
    for row in seed_rows(NS2_SEEDS)? {
        seeds.insert(key(&row), row);
    }
    let mut rows = Vec::new();
    for line in NS2.lines().skip(1) {
        let row = summary_row(line)?;
        rows.push(seeds.remove(&key(&row)).unwrap_or(row));
    }
    rows.extend(seeds.into_values());
    Ok(rows)
}

/// ns-2 on other paths.
pub fn ns2_other() -> Result<Vec<ReferenceRow>, Unreadable> {
    seed_rows(NS2_OTHER)
}

/// A line `scenario,cc,params,metric,seeds,mean,min,max`.
fn summary_row(line: &str) -> Result<ReferenceRow, Unreadable> {
    let cells = cells::<8>(line)?;
    Ok(row(&cells[..4], vec![number(cells[5])?]))
}

/// Lines `scenario,cc,params,metric,values`, the values with spaces between.
fn seed_rows(text: &str) -> Result<Vec<ReferenceRow>, Unreadable> {
    let line = |line: &str| {
        let cells = cells::<5>(line)?;
        let values = cells[4].split(' ').map(number).collect::<Result<_, _>>()?;
        Ok(row(&cells[..4], values))
    };
    text.lines().skip(1).map(line).collect()
}

fn row(names: &[&str], values: Vec<f64>) -> ReferenceRow {
    let name = |i: usize| names[i].to_owned();
    ReferenceRow { scenario: name(0), who: name(1), params: name(2), metric: name(3), values }
}

/// One flow of one run of the Linux stack.
#[derive(Clone, Debug, PartialEq)]
pub struct LinuxRow {
    /// L1 to L13.
    pub group: String,
    /// The parameter that the group varies.
    pub scenario: String,
    /// The kernel's module.
    pub cc: String,
    /// The varied quantity.
    pub x: String,
    /// The number of the repeat.
    pub seed: u64,
    /// The flow, from 0.
    pub flow: usize,
    /// From when it was measured, in seconds.
    pub from: f64,
    /// Until when.
    pub to: f64,
    /// Bytes that the receiver read, in Mbit/s.
    pub goodput_mbps: f64,
    /// Retransmissions in that time; NaN if they were not recorded, as below.
    pub retransmitted: f64,
    /// Timeouts of the whole run.
    pub timeouts: f64,
    /// Drops at the bottleneck over the whole run.
    pub drops: f64,
    /// `fq`: the sender was paced.
    pub variant: String,
}

/// A number, or NaN for an empty cell.
fn recorded(cell: &str) -> Result<f64, Unreadable> {
    if cell.is_empty() { Ok(f64::NAN) } else { number(cell) }
}

/// The Linux stack.
pub fn linux() -> Result<Vec<LinuxRow>, Unreadable> {
    linux_rows(LINUX)
}

fn linux_rows(text: &str) -> Result<Vec<LinuxRow>, Unreadable> {
    let line = |line: &str| {
        let cells = cells::<15>(line)?;
        let whole = |i: usize| {
            cells[i].parse::<u64>().map_err(|_| Unreadable(format!("'{}' in '{line}'", cells[i])))
        };
        Ok(LinuxRow {
            group: cells[0].to_owned(),
            scenario: cells[1].to_owned(),
            cc: cells[2].to_owned(),
            x: cells[3].to_owned(),
            seed: whole(4)?,
            flow: usize::try_from(whole(5)?).unwrap_or(usize::MAX),
            from: number(cells[6])?,
            to: number(cells[7])?,
            goodput_mbps: number(cells[8])?,
            retransmitted: recorded(cells[9])?,
            timeouts: recorded(cells[10])?,
            drops: recorded(cells[11])?,
            variant: cells[14].to_owned(),
        })
    };
    text.lines().skip(1).map(line).collect()
}

/// A run of ns-3, for information.
#[derive(Clone, Debug, PartialEq)]
pub struct Ns3Row {
    /// The path: s2 or s3.
    pub scenario: String,
    /// The class of the controller.
    pub cc: String,
    /// Packets that wait.
    pub buffer: u64,
    /// Loss of data.
    pub loss: f64,
    /// Over the whole run, in Mbit/s.
    pub goodput_mbps: f64,
    /// After 50 s, in Mbit/s.
    pub late_mbps: f64,
}

impl Ns3Row {
    /// The run in one line.
    pub fn line(&self) -> String {
        let Self { scenario, cc, buffer, loss, goodput_mbps, late_mbps } = self;
        format!(
            "ns-3,{scenario},{cc},buffer={buffer};loss={loss}: {goodput_mbps:.2} Mbit/s, from 50 s {late_mbps:.2}"
        )
    }
}

/// ns-3's runs.
pub fn ns3() -> Result<Vec<Ns3Row>, Unreadable> {
    let line = |line: &str| {
        let cells = cells::<11>(line)?;
        let buffer =
            cells[4].parse().map_err(|_| Unreadable(format!("'{}' in '{line}'", cells[4])))?;
        Ok(Ns3Row {
            scenario: cells[0].to_owned(),
            cc: cells[1].to_owned(),
            buffer,
            loss: number(cells[5])?,
            goodput_mbps: number(cells[9])?,
            late_mbps: number(cells[10])?,
        })
    };
    NS3.lines().skip(1).map(line).collect()
}

fn cells<const N: usize>(line: &str) -> Result<[&str; N], Unreadable> {
    let cells: Vec<&str> = line.split(',').collect();
    cells.try_into().map_err(|_| Unreadable(format!("'{line}' has not {N} columns")))
}

fn number(text: &str) -> Result<f64, Unreadable> {
    match text.parse::<f64>() {
        Ok(n) if n.is_finite() => Ok(n),
        _ => Err(Unreadable(format!("'{text}' is no number"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_single_seeds_take_the_place_of_means() {
        let rows = ns2().unwrap();
        let of = |metric: &str| {
            let found = rows.iter().filter(|r| {
                (r.scenario.as_str(), r.who.as_str()) == ("S4", "newreno")
                    && r.params == "bw=1e6;per=0.004"
                    && r.metric == metric
            });
            found.map(|r| r.values.len()).collect::<Vec<_>>()
        };
        let [seeds] = of("goodput")[..] else { panic!("one row") };
        assert!(seeds >= 20, "{seeds}");
    }

    #[test]
    fn a_line_with_a_column_too_many_or_without_a_number_is_refused() {
        assert!(summary_row("S1,newreno,,goodput,3,1,1,1,1").is_err());
        assert!(summary_row("S1,newreno,,goodput,3,x,1,1").is_err());
        assert!(seed_rows("head\nS1,newreno,,goodput,1 2 x").is_err());
    }
}
