//! Profiles of mobile networks, a row each, as ERRANT publishes them.
//!
//! "ERRANT: Realistic Emulation of Radio Access Networks" (M. Trevisan, D. Giordano and others, 2020) makes
//! 32 profiles of 100,000 speed tests in two countries; its file `profiles.csv` (repository
//! `marty90/errant`) has the columns `operator`, `country`, `rat`, `signal_quality`, `download_kbps`,
//! `upload_kbps`, `latency_ms_avg` and `latency_ms_stdev`. A profile holds averages, so that it becomes
//! a scenario with constant rates and no trace. The deviation of the latency is that between tests and
//! stays a comment. A column `loss_percent`, which ERRANT does not have, is read if it is there.

use super::TraceFault;
use super::csv::{CsvRow, column, rows};
use crate::error::BadInput;
use crate::units;

/// The columns that name a profile.
const KEYS: [&str; 4] = ["operator", "country", "rat", "signal_quality"];

/// A profile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ErrantProfile {
    name: String,
    rate: String,
    return_rate: String,
    rtt: String,
    deviation: String,
    loss: Option<String>,
}

impl ErrantProfile {
    /// The profile of this name in a table: `telia,sweden,4G,medium`.
    ///
    /// # Errors
    /// If a column is missing, the table has no such profile, or a number of it is wrong.
    pub fn read(text: &str, name: &str) -> Result<Self, TraceFault> {
        let rows = rows(text)?;
        let (head, profiles) = rows.split_first().unwrap_or((&rows[0], &[]));
        let mut keys = Vec::new();
        for key in KEYS {
            keys.push(column(head, key)?);
        }
        let mut names = Vec::new();
        for row in profiles {
            let parts: Result<Vec<&str>, _> = keys.iter().map(|key| row.text(*key)).collect();
            names.push(parts?.join(","));
        }
        let wanted: String = name.chars().filter(|c| !c.is_whitespace()).collect();
        let found = names.iter().position(|name| name.eq_ignore_ascii_case(&wanted));
        let Some(found) = found else {
            let names = names.iter().map(String::as_str);
            return Err(head.fault(0, BadInput::unknown("profile", name, names)));
        };
        Self::of(head, &profiles[found], names.swap_remove(found))
    }

    fn of(head: &CsvRow<'_>, row: &CsvRow<'_>, name: String) -> Result<Self, TraceFault> {
        let rate = |name: &str| -> Result<String, TraceFault> {
            let field = column(head, name)?;
            let rate = units::rate(&format!("{} kbit/s", row.text(field)?));
            rate.map(units::rate_text).map_err(|what| row.fault(field, what))
        };
        let time = |name: &str| -> Result<String, TraceFault> {
            let field = column(head, name)?;
            let time = units::duration(&format!("{} ms", row.text(field)?));
            time.map(units::duration_text).map_err(|what| row.fault(field, what))
        };
        let loss = match column(head, "loss_percent") {
            Ok(field) => {
                let loss = format!("{}%", row.text(field)?);
                units::share(&loss).map_err(|what| row.fault(field, what))?;
                Some(loss)
            }
            Err(_) => None,
        };
        Ok(Self {
            name,
            rate: rate("download_kbps")?,
            return_rate: rate("upload_kbps")?,
            rtt: time("latency_ms_avg")?,
            deviation: time("latency_ms_stdev")?,
            loss,
        })
    }

    /// A scenario with the path of the profile.
    pub fn scenario(&self) -> String {
        let Self { name, rate, return_rate, rtt, deviation, loss } = self;
        let loss = loss.as_ref().map_or(String::new(), |loss| format!("loss = \"{loss}\"\n"));
        format!(
            "# Profile {name} of a table of ERRANT's form: averages of many measurements.\n\
             # Between them the latency has a deviation of {deviation}.\n\
             cc = [\"cubic\", \"bbr\"]\n\n\
             [dumbbell]\nrate = \"{rate}\"\nreturn_rate = \"{return_rate}\"\nrtt = \"{rtt}\"\n{loss}"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file::Scenario;

    const TABLE: &str = "operator,country,rat,signal_quality,download_kbps,upload_kbps,latency_ms_avg,\
        latency_ms_stdev\n\
        telia,sweden,4G,medium,28648.29771023976,4224.282864079301,104.5041425140391,56.76313884877055\n\
        telia,sweden,3G,bad,fast,4224,104,56\n";

    #[test]
    fn a_profile_becomes_a_scenario_that_can_be_run() {
        let profile = ErrantProfile::read(TABLE, "Telia, Sweden, 4G, medium").unwrap();
        let text = profile.scenario();
        let scenario = Scenario::parse("f.toml", &text, &[], &|_| Err("no files".to_owned()));
        let path = scenario.unwrap_or_else(|faults| panic!("{faults}\n{text}")).path().unwrap();
        assert!((path.rate_bps - 28_648_297.7).abs() < 1.0, "{}", path.rate_bps);
        assert!((path.return_rate_bps - 4_224_282.9).abs() < 1.0, "{}", path.return_rate_bps);
        assert!((path.rtt_max_ms - 104.504_142).abs() < 1e-5, "{}", path.rtt_max_ms);
    }

    #[test]
    fn a_fault_is_told_with_line_and_column() {
        for (table, name, says) in [
            (TABLE, "telia,sweden,3G,bad", "t:3:21: 'fast"),
            (TABLE, "telia,sweden,5G,bad", "t:1:1: unknown profile 'telia,sweden,5G,bad'"),
            ("operator,country\na,b\n", "a,b", "t:1:1: unknown column 'rat'"),
        ] {
            let said = ErrantProfile::read(table, name).unwrap_err().within("t").to_string();
            assert!(said.starts_with(says), "{said}");
        }
    }
}
