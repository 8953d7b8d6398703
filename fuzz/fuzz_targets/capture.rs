//! No file panics on its way through the capture reader and the estimators.
//!
//! `cargo +nightly fuzz run capture`
#![no_main]

use libfuzzer_sys::fuzz_target;
use westwood_capture::read::{EstimatorReplay, accuracy, contents};
use westwood_cc::Duration;

fuzz_target!(|bytes: &[u8]| {
    let Ok(contents) = contents(bytes) else { return };
    for transfer in &contents.transfers {
        let replay = EstimatorReplay::of(transfer, transfer.smss(), Duration::ZERO);
        assert!(replay.samples.windows(2).all(|pair| pair[0].at <= pair[1].at));
        accuracy(&replay, Duration::from_secs(1));
        assert!(transfer.doubts(replay.min_rtt).iter().all(|doubt| !doubt.to_string().is_empty()));
    }
});
