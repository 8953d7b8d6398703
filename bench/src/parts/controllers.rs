//! One ACK in congestion avoidance: measure, then grow.

use westwood_cc::ack_stream::AckStream;
use westwood_cc::controllers::Choice;

use super::{ITEMS, Part};

pub(super) fn all() -> Vec<Part> {
    let part = |choice: Choice| {
        Part::new(format!("controller/{}", choice.info().name), ITEMS, move || {
            let mut stream = AckStream::new(&choice);
            Box::new(move || stream.run(ITEMS))
        })
    };
    Choice::all().map(part).collect()
}
