//! `cargo bench -p westwood-bench`: the time of each part.

use divan::Bencher;
use divan::counter::ItemsCount;
use westwood_bench::parts::{self, Part};

fn main() {
    divan::main();
}

/// A batch of the part's items; the column "items/s" has the speed.
#[divan::bench(args = parts::all())]
fn part(bencher: Bencher, part: &Part) {
    let batch = part.build();
    bencher.counter(ItemsCount::new(part.items)).bench_local(batch);
}
