//! No value panics, and what is printed of it reads the same.
//!
//! `cargo +nightly fuzz run values`
#![no_main]

use libfuzzer_sys::fuzz_target;
use westwood_experiment::Condition;
use westwood_scenario::spec::{Aqm, controllers, losses, losses_text};
use westwood_scenario::units::{
    buffer, duration, duration_text, rate, rate_text, share, size, size_with_unit,
};

fuzz_target!(|text: &str| {
    if let Ok(r) = rate(text) {
        assert_eq!(rate(&rate_text(r)), Ok(r));
    }
    if let Ok(d) = duration(text) {
        assert_eq!(duration(&duration_text(d)), Ok(d));
    }
    if let Ok(b) = buffer(text) {
        assert!(buffer(&b.to_string()).is_ok());
    }
    if let Ok(specs) = controllers(text) {
        let texts: Vec<String> = specs.iter().map(ToString::to_string).collect();
        assert_eq!(controllers(&texts.join(",")), Ok(specs));
    }
    if let Ok(l) = losses(text) {
        assert_eq!(losses(&losses_text(&l)), Ok(l));
    }
    if let Ok(aqm) = Aqm::parse(text) {
        assert!(Aqm::parse(&aqm.to_string()).is_ok());
    }
    let _ = (share(text), size(text), size_with_unit(text), Condition::parse(text));
});
