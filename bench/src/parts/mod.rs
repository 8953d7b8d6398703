//! The parts of the engine, each alone.
//!
//! A part does a batch of the same thing: a packet crosses a link, an ACK reaches a sender. Its
//! input costs nothing to speak of.

mod controllers;
mod links;
mod sources;
mod transport;

use std::fmt;
use std::hint::black_box;

use westwood_cc::Duration;
use westwood_sim::Histogram;

/// Does a batch.
pub type Batch = Box<dyn FnMut()>;

/// A part to be measured.
pub struct Part {
    /// Its name, from the general to the special: `link/red`.
    pub name: String,
    /// How many items a batch has: packets, segments, ACKs or samples.
    pub items: u64,
    build: Box<dyn Fn() -> Batch + Send + Sync>,
}

impl Part {
    fn new(
        name: impl Into<String>,
        items: u64,
        build: impl Fn() -> Batch + Send + Sync + 'static,
    ) -> Self {
        Self { name: name.into(), items, build: Box::new(build) }
    }

    /// The part, ready to work.
    pub fn build(&self) -> Batch {
        (self.build)()
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

impl fmt::Debug for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

/// So many items are long enough for a clock: a microsecond a batch is a nanosecond an item.
const ITEMS: u64 = 1000;

/// Every part.
pub fn all() -> Vec<Part> {
    let mut parts = links::all();
    parts.extend(sources::all());
    parts.extend(transport::all());
    parts.extend(controllers::all());
    parts.push(Part::new("histogram", ITEMS, histogram));
    parts
}

/// Round-trip times between 180 and 220 ms are counted.
fn histogram() -> Batch {
    let mut histogram = Histogram::default();
    let mut n = 0_u64;
    Box::new(move || {
        for _ in 0..ITEMS {
            n += 1;
            histogram.add(Duration::from_micros(180_000 + n * 7919 % 40_000));
        }
        black_box(&histogram);
    })
}
