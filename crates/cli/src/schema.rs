//! `westwood schema`.

use westwood_report::{columns, schema};
use westwood_scenario::file::{self, documents};
use westwood_scorecard::{rfc9743, text};

use crate::args::{FileFormat, SchemaArgs};
use crate::exit::Stop;
use crate::output::print;

pub(crate) fn run(args: &SchemaArgs) -> Result<(), Stop> {
    if args.markdown {
        print(&documents())
    } else if args.results {
        print(&columns::documents())
    } else if args.criteria {
        print(&text::reference(&rfc9743().map_err(Stop::bad_input)?))
    } else {
        let schema = match args.format {
            FileFormat::Scenario => file::schema(),
            FileFormat::Run => schema::run(),
            FileFormat::Compare => schema::compare(),
        };
        print(&format!("{schema:#}\n"))
    }
}
