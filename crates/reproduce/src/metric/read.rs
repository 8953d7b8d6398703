//! A metric's arguments, from texts and numbers to a query.

use westwood_scenario::BadInput;
use westwood_scenario::file::reading::Location;

use super::{
    FlowStatistic, Flows, MetricCall, PaperMetric, Query, ReductionSide, Select, Stat, names,
};
use crate::expr::ExprError;

/// A named argument of a metric.
#[derive(Clone, Debug)]
pub struct Argument {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: Literal,
    /// The place of its name.
    pub place: Location,
}

/// A value that is written as it is.
#[derive(Clone, Debug, PartialEq)]
pub enum Literal {
    /// A number.
    Number(f64),
    /// A text.
    Text(String),
}

impl Argument {
    fn text(&self) -> String {
        match &self.value {
            Literal::Text(text) => text.clone(),
            Literal::Number(x) => x.to_string(),
        }
    }

    fn number(&self) -> Result<f64, ExprError> {
        match self.value {
            Literal::Number(x) if x.is_finite() => Ok(x),
            _ => Err(ExprError::new(self.place, format!("'{}' takes a number", self.name))),
        }
    }

    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 1 to 10^4")]
    fn count(&self) -> Result<usize, ExprError> {
        match self.number()? {
            x if x.fract() == 0.0 && (1.0..=1e4).contains(&x) => Ok(x as usize),
            _ => {
                let what = format!("'{}' takes a whole number from 1 to 10000", self.name);
                Err(ExprError::new(self.place, what))
            }
        }
    }

    /// One of several words.
    fn word<T: Copy>(&self, words: &[(&str, T)]) -> Result<T, ExprError> {
        let given = self.text();
        let found = words.iter().find(|(word, _)| *word == given);
        found.map(|(_, value)| *value).ok_or_else(|| {
            let all: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
            ExprError { place: self.place, error: BadInput::unknown(&self.name, &given, all) }
        })
    }
}

impl MetricCall {
    /// True if a metric has this name.
    pub fn is_metric(name: &str) -> bool {
        names().any(|n| n == name)
    }

    /// Reads a call. `place` is where its name stands, `whole` the whole of it.
    pub fn read(
        name: &str,
        place: Location,
        whole: Location,
        arguments: &[Argument],
    ) -> Result<Self, ExprError> {
        let found = PaperMetric::ALL.iter().find(|(n, _)| *n == name).map(|(_, metric)| *metric);
        let metric = found.ok_or_else(|| ExprError {
            place,
            error: BadInput::unknown("metric", name, names().collect::<Vec<_>>()),
        })?;
        let mut select = Select::default();
        let mut query = Query::new(metric);
        let mut truth = None;
        let mut given: Vec<&str> = Vec::new();
        for argument in arguments {
            if given.contains(&argument.name.as_str()) {
                let what = format!("'{}' is given twice", argument.name);
                return Err(ExprError::new(argument.place, what));
            }
            given.push(&argument.name);
            match argument.name.as_str() {
                "truth" => truth = Some(argument.number()?),
                "cc" => select.cc = Some((argument.text(), argument.place)),
                "variant" => select.variant = Some((argument.text(), argument.place)),
                "in" => select.experiment = Some((argument.text(), argument.place)),
                "over" => select.over = Some((argument.text(), argument.place)),
                _ if query.take(argument)? => {}
                path => {
                    let value = argument.text();
                    select.axes.push((path.to_owned(), value, argument.place));
                }
            }
        }
        query.check(truth, place)?;
        query.key = query.words(name, arguments);
        Ok(Self { select, query, place: whole })
    }
}

impl Query {
    fn new(metric: PaperMetric) -> Self {
        Self {
            metric,
            group: None,
            flows: Flows::Usual,
            of_means: false,
            link: None,
            from: None,
            to: None,
            stat: None,
            when: None,
            nth: None,
            interval: None,
            level: None,
            low: None,
            high: None,
            cause: None,
            estimator: None,
            key: String::new(),
        }
    }

    /// Takes an argument of the query itself; false if it is none of these.
    fn take(&mut self, a: &Argument) -> Result<bool, ExprError> {
        match a.name.as_str() {
            "group" => self.group = Some(a.text()),
            "flow" => self.flows = Flows::One(a.count()?),
            "flows" => self.flows = Flows::Over(a.word(&ACROSS)?),
            "of" => self.of_means = a.word(&[("means", true)])?,
            "link" => self.link = Some(a.text()),
            "from" => self.from = Some(a.number()?),
            "to" => self.to = Some(a.number()?),
            "stat" => self.stat = Some(stat(a)?),
            "when" => {
                self.when =
                    Some(a.word(&[
                        ("before", ReductionSide::Before),
                        ("after", ReductionSide::After),
                    ])?);
            }
            "nth" => self.nth = Some(a.count()?),
            "interval" => self.interval = Some(a.number()?),
            "level" => self.level = Some(a.number()?),
            "low" => self.low = Some(a.number()?),
            "high" => self.high = Some(a.number()?),
            "cause" => {
                let causes = [("overflow", ()), ("random", ()), ("aqm", ())];
                a.word(&causes)?;
                self.cause = Some(a.text());
            }
            "estimator" => self.estimator = Some(a.text()),
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Arguments that must be given together.
    fn check(&mut self, truth: Option<f64>, place: Location) -> Result<(), ExprError> {
        let lacks = |what: &str, hint: &str| Err(ExprError::new(place, what).hint(hint));
        match (&mut self.stat, truth) {
            (Some(Stat::Error(of)), Some(truth)) => *of = truth,
            (Some(Stat::Error(_)), None) => {
                return lacks("an error needs a true value", "write stat=\"error\", truth=5e5");
            }
            (_, Some(_)) => return lacks("'truth' belongs to an error", "write stat=\"error\""),
            _ => {}
        }
        if self.interval.is_some_and(|i| i <= 0.0) {
            return lacks("an interval of no length", "write interval=1");
        }
        let over_time = self.from.is_some()
            || self.to.is_some()
            || self.stat.is_some()
            || self.interval.is_some()
            || self.when.is_some();
        if self.of_means && (self.metric != PaperMetric::Jain || over_time) {
            return lacks("'of' belongs to 'jain' over the measuring interval", "leave it out");
        }
        match self.metric {
            PaperMetric::Throughput
            | PaperMetric::Retransmissions
            | PaperMetric::Recoveries
            | PaperMetric::Timeouts
            | PaperMetric::Utilization
            | PaperMetric::Drops
                if over_time =>
            {
                lacks("this counts over the measuring interval", "set warmup and time instead")
            }
            PaperMetric::Recovery if self.level.is_none() => {
                lacks("'recovery' needs a window", "write level=1800")
            }
            PaperMetric::Climb if self.low.is_none() || self.high.is_none() => {
                lacks("'climb' needs two windows", "write low=100, high=1000")
            }
            _ => Ok(()),
        }
    }

    /// The name with the arguments of the query itself, in order.
    fn words(&self, name: &str, arguments: &[Argument]) -> String {
        let mut probe = Self::new(self.metric);
        let own = |a: &&Argument| a.name == "truth" || probe.take(a).is_ok_and(|took| took);
        let mut words: Vec<String> = arguments
            .iter()
            .filter(own)
            .map(|a| match &a.value {
                Literal::Number(x) => format!("{}={x}", a.name),
                Literal::Text(text) => format!("{}={text}", a.name),
            })
            .collect();
        words.sort();
        format!("{name}({})", words.join(", "))
    }
}

const ACROSS: [(&str, FlowStatistic); 7] = [
    ("sum", FlowStatistic::Sum),
    ("mean", FlowStatistic::Mean),
    ("min", FlowStatistic::Min),
    ("max", FlowStatistic::Max),
    ("std", FlowStatistic::Std),
    ("spread", FlowStatistic::Spread),
    ("cv", FlowStatistic::Cv),
];

fn stat(a: &Argument) -> Result<Stat, ExprError> {
    const STATS: [(&str, Stat); 11] = [
        ("mean", Stat::Mean),
        ("min", Stat::Min),
        ("max", Stat::Max),
        ("std", Stat::Std),
        ("cv", Stat::Cv),
        ("first", Stat::First),
        ("last", Stat::Last),
        ("slope", Stat::Slope),
        ("growth", Stat::Growth),
        ("error", Stat::Error(0.0)),
        ("series", Stat::Series),
    ];
    let given = a.text();
    let percent = given.strip_prefix('p').and_then(|n| n.parse::<f64>().ok());
    if let Some(percent) = percent.filter(|p| (0.0..=100.0).contains(p)) {
        return Ok(Stat::Percentile(percent));
    }
    a.word(&STATS)
}
