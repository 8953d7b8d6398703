//! `westwood schema`.

use westwood_report::columns;
use westwood_scenario::file::{documents, schema};
use westwood_scorecard::{rfc9743, text};

use crate::args::SchemaArgs;
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
        print(&format!("{:#}\n", schema()))
    }
}
