//! `westwood schema`.

use westwood_report::columns;
use westwood_scenario::file::{documents, schema};

use crate::args::SchemaArgs;
use crate::exit::Stop;
use crate::output::print;

pub(crate) fn run(args: &SchemaArgs) -> Result<(), Stop> {
    if args.markdown {
        print(&documents())
    } else if args.results {
        print(&columns::documents())
    } else {
        print(&format!("{:#}\n", schema()))
    }
}
