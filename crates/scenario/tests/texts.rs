//! No text panics, and a printed value reads the same.

use proptest::prelude::*;
use westwood_cc::{Duration, Rate};
use westwood_scenario::Decimal;
use westwood_scenario::spec::{Aqm, controllers, losses, losses_text};
use westwood_scenario::units::{
    buffer, duration, duration_text, rate, rate_text, share, share_text, size,
};

proptest! {
    #[test]
    fn no_text_panics(text in any::<String>()) {
        let _ = (rate(&text), duration(&text), size(&text), buffer(&text), share(&text));
        let _ = (controllers(&text), losses(&text), Aqm::parse(&text));
    }

    #[test]
    fn every_rate_is_printed_so_that_it_reads_the_same(raw in any::<u64>()) {
        let r = Rate::from_raw(raw);
        prop_assert_eq!(rate(&rate_text(r)), Ok(r));
    }

    #[test]
    fn every_duration_is_printed_so_that_it_reads_the_same(ns in any::<u64>()) {
        let d = Duration::from_nanos(ns);
        prop_assert_eq!(duration(&duration_text(d)), Ok(d));
    }

    #[test]
    fn every_share_is_printed_so_that_it_reads_the_same(p in 0.0..=1.0_f64) {
        prop_assert_eq!(share(&share_text(p)), Ok(p));
    }

    #[test]
    fn every_decimal_is_printed_so_that_it_reads_the_same(
        digits in 0..1_000_000_000_000_u64,
        exponent in -15..5_i32,
    ) {
        let d = Decimal::new(u128::from(digits), exponent);
        prop_assert_eq!(Decimal::parse(&d.to_string()), Ok(d));
    }

    #[test]
    fn every_loss_is_printed_so_that_it_reads_the_same(
        p in 1e-9..=1.0_f64,
        good_us in 1..10_000_000_000_u64,
        bad_us in 1..10_000_000_000_u64,
    ) {
        let text = format!("{p:e},ber({p:e}),gilbert(good={good_us}us,bad={bad_us}us,p={p:e})");
        let read = losses(&text).unwrap();
        prop_assert_eq!(losses(&losses_text(&read)), Ok(read));
    }
}
