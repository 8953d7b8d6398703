//! No text panics.

use proptest::prelude::*;
use westwood_experiment::Condition;

proptest! {
    #[test]
    fn no_condition_panics(text in any::<String>()) {
        let _ = Condition::parse(&text);
    }
}
