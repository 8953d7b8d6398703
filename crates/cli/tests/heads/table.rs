//! The tables that a run prints, and when a number of a text is one of them.

use crate::support::numbers::{UNITS, is_rounded, numbers};

/// A number and its unit, which may be empty.
pub(crate) type Quantity = (String, &'static str);

/// The means of a run.
pub(crate) struct PrintedTable {
    /// The names and units of the columns behind the first.
    columns: Vec<(String, &'static str)>,
    rows: Vec<PrintedRow>,
}

/// A row: a controller at a point, which may be empty, and its means.
struct PrintedRow {
    controller: String,
    point: String,
    means: Vec<String>,
}

/// The cells of a table's line: two spaces separate them.
fn cells(line: &str) -> Vec<&str> {
    line.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).collect()
}

/// The mean of a cell, with its sign.
fn mean(cell: &str) -> String {
    let number = numbers(cell).into_iter().next().map_or(String::new(), |(number, _)| number);
    if cell.starts_with('-') { format!("-{number}") } else { number }
}

impl PrintedTable {
    /// Reads the table of a run, whose first line says how many points it has.
    pub(crate) fn read(printed: &str) -> Self {
        let lines: Vec<&str> = printed.lines().collect();
        let is_head = |line: &&str| line.starts_with("point  ") || line.starts_with("controller  ");
        let head = lines.iter().position(is_head).expect("a table");
        let (names, units) = (cells(lines[head]), cells(lines[head + 1]));
        assert_eq!(names.len(), units.len() + 1, "{printed}");
        let known = |unit: &str| UNITS.into_iter().find(|known| *known == unit).unwrap_or("");
        let columns = names[1..].iter().zip(units).map(|(n, u)| ((*n).to_owned(), known(u)));
        let rows = lines[head + 2..].iter().map(|line| cells(line));
        let rows = rows.take_while(|row| row.len() == names.len()).map(|row| {
            let (controller, point) = row[0].split_once(", ").unwrap_or((row[0], ""));
            let means = row[1..].iter().map(|cell| mean(cell)).collect();
            PrintedRow { controller: controller.to_owned(), point: point.to_owned(), means }
        });
        let table = Self { columns: columns.collect(), rows: rows.collect() };
        let (title, points) = (lines[0], table.rows.len());
        assert!(title.contains(&format!("({points} point")), "{points} rows: {title}");
        table
    }

    /// Each value of the first column once, in the table's order.
    fn each_once(&self, value: impl Fn(&PrintedRow) -> &str) -> Vec<String> {
        let mut found: Vec<String> = Vec::new();
        for row in &self.rows {
            if !found.iter().any(|one| one == value(row)) {
                found.push(value(row).to_owned());
            }
        }
        found
    }

    pub(crate) fn controllers(&self) -> Vec<String> {
        self.each_once(|row| &row.controller)
    }

    pub(crate) fn points(&self) -> Vec<String> {
        self.each_once(|row| &row.point)
    }

    /// The unit of a column; none if the table lacks it.
    pub(crate) fn unit(&self, column: &str) -> Option<&'static str> {
        self.columns.iter().find(|(name, _)| name == column).map(|(_, unit)| *unit)
    }

    /// The means of a column in the rows of these controllers at these points, the least first.
    pub(crate) fn means(
        &self,
        column: &str,
        controllers: &[String],
        points: &[String],
    ) -> Vec<Quantity> {
        let Some(at) = self.columns.iter().position(|(name, _)| name == column) else {
            return Vec::new();
        };
        let is_meant = |row: &&PrintedRow| {
            controllers.contains(&row.controller) && points.contains(&row.point)
        };
        let mut found: Vec<&str> =
            self.rows.iter().filter(is_meant).map(|row| row.means[at].as_str()).collect();
        found.sort_by(|a, b| {
            let value = |text: &str| text.parse::<f64>().expect("a mean");
            value(a).total_cmp(&value(b))
        });
        found.into_iter().map(|mean| (mean.to_owned(), self.columns[at].1)).collect()
    }
}

/// A unit's kind, and its power of ten.
pub(crate) fn prefix(unit: &str) -> (&str, i32) {
    match unit {
        "ns" => ("s", -9),
        "us" => ("s", -6),
        "ms" => ("s", -3),
        "seconds" => ("s", 0),
        "kbit/s" => ("bit/s", 3),
        "Mbit/s" => ("bit/s", 6),
        "Gbit/s" => ("bit/s", 9),
        "kB" => ("bytes", 3),
        "MB" => ("bytes", 6),
        "segments" => ("packets", 0),
        _ => (unit, 0),
    }
}

/// True if a quantity is another one, or that one rounded, but not to nothing.
pub(crate) fn says(said: &Quantity, known: &Quantity) -> bool {
    let ((kind, power), (known_kind, known_power)) = (prefix(said.1), prefix(known.1));
    let moved = known_power - power;
    let decimals = known.0.split_once('.').map_or(0, |(_, behind)| behind.len());
    let places = usize::try_from(i32::try_from(decimals).unwrap() - moved).unwrap_or(0);
    // A section such as 4.4.6 is none.
    let Ok(value) = known.0.parse::<f64>() else { return false };
    let is_nothing = said.0.parse() == Ok(0.0) && value != 0.0;
    kind == known_kind
        && !is_nothing
        && is_rounded(&said.0, &format!("{:.places$}", value * 10_f64.powi(moved)))
}
