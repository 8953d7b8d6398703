//! Everything that is compared.

use crate::case::Case;
use crate::params::Unreadable;
use crate::{linux, ns2};

/// Every case, in the order of the document.
pub fn all() -> Result<Vec<Case>, Unreadable> {
    let mut cases = ns2::cases()?;
    cases.extend(ns2::other_cases()?);
    cases.extend(linux::cases()?);
    Ok(cases)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_row_of_the_tables_is_understood_and_named_once() {
        let cases = all().unwrap();
        let mut names = BTreeSet::new();
        for case in &cases {
            assert!(names.insert(case.name()), "{} twice", case.name());
            let metrics: BTreeSet<&str> = case.metrics.iter().map(|m| m.name.as_str()).collect();
            assert_eq!(metrics.len(), case.metrics.len(), "{}", case.name());
            assert!(case.metrics.iter().all(|m| !m.theirs.is_empty()));
        }
        assert!(cases.len() > 100, "{}", cases.len());
    }
}
