//! The results of our runs, as a file that is kept.
//!
//! A line for each metric: source, scenario, sender, parameters, metric, and a value for each seed with
//! spaces between.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::params::Unreadable;

/// Our runs of one metric.
#[derive(Clone, Debug, PartialEq)]
pub struct MeasuredRuns {
    /// The case's name.
    pub case: String,
    /// The metric's name.
    pub metric: String,
    /// A value for each seed.
    pub ours: Vec<f64>,
}

/// Results by case and metric.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Results(BTreeMap<(String, String), Vec<f64>>);

const HEAD: &str = "source,scenario,sender,params,metric,ours";

impl Results {
    /// Reads a file.
    pub fn parse(text: &str) -> Result<Self, Unreadable> {
        let mut results = Self::default();
        for line in text.lines().skip(1) {
            let unreadable = || Unreadable(format!("'{line}' is no result"));
            let (head, values) = line.rsplit_once(',').ok_or_else(unreadable)?;
            let (case, metric) = head.rsplit_once(',').ok_or_else(unreadable)?;
            let ours = values.split(' ').map(str::parse).collect::<Result<_, _>>();
            let ours = ours.map_err(|_| unreadable())?;
            results.0.insert((case.to_owned(), metric.to_owned()), ours);
        }
        Ok(results)
    }

    /// Takes new runs in, in place of old ones of the same metric.
    pub fn insert(&mut self, measured: Vec<MeasuredRuns>) {
        for m in measured {
            self.0.insert((m.case, m.metric), m.ours.iter().map(|&x| rounded(x)).collect());
        }
    }

    /// Our runs of a metric.
    pub fn of(&self, case: &str, metric: &str) -> Option<&[f64]> {
        self.0.get(&(case.to_owned(), metric.to_owned())).map(Vec::as_slice)
    }

    /// Forgets metrics that `known` does not know.
    pub fn retain(&mut self, known: impl Fn(&str, &str) -> bool) {
        self.0.retain(|(case, metric), _| known(case, metric));
    }

    /// The file.
    pub fn render(&self) -> String {
        let mut text = format!("{HEAD}\n");
        for ((case, metric), ours) in &self.0 {
            let values: Vec<String> = ours.iter().map(ToString::to_string).collect();
            let _ = writeln!(text, "{case},{metric},{}", values.join(" "));
        }
        text
    }
}

/// To eight digits: more than anything here means.
pub fn rounded(x: f64) -> f64 {
    format!("{x:.7e}").parse().unwrap_or(x)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_as_it_was_written() {
        let mut results = Results::default();
        let measured = |metric: &str, ours: &[f64]| MeasuredRuns {
            case: "ns-2,S4,newreno,bw=1e6;per=0.004".to_owned(),
            metric: metric.to_owned(),
            ours: ours.to_vec(),
        };
        results.insert(vec![measured("goodput", &[1.0 / 3.0, 5e8]), measured("jain", &[0.5])]);
        assert_eq!(Results::parse(&results.render()), Ok(results));
    }

    #[test]
    fn what_is_no_result_is_refused() {
        assert!(Results::parse("head\nns-2,S4,newreno,,goodput,x").is_err());
    }
}
