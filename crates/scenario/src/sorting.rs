//! Sorts and maps whose code exists once.
//!
//! The standard library's sorts are compiled anew for every type and every comparison, five kilobytes each,
//! and a map that is collected is sorted first. Where few values are put in order, as in reports, one sort
//! for all of them finds the order of their places.

use std::cmp::Ordering;
use std::collections::BTreeMap;

/// Sorts places by a comparison; equal ones keep their order.
pub fn sort_places(places: &mut [usize], compare: &mut dyn FnMut(usize, usize) -> Ordering) {
    places.sort_by(|&a, &b| compare(a, b));
}

/// Sorts by a comparison; equal values keep their order.
///
/// ```
/// use westwood_scenario::sorting::sort_by;
///
/// let mut flows = [("b", 2), ("a", 1), ("c", 2), ("d", 0)];
/// sort_by(&mut flows, |(_, x), (_, y)| x.cmp(y));
/// assert_eq!(flows.map(|(name, _)| name), ["d", "a", "b", "c"]);
/// ```
pub fn sort_by<T>(values: &mut [T], mut compare: impl FnMut(&T, &T) -> Ordering) {
    let mut from: Vec<usize> = (0..values.len()).collect();
    sort_places(&mut from, &mut |a, b| compare(&values[a], &values[b]));
    for first in 0..values.len() {
        // A cycle of places, each of which gets the value of the next one.
        let mut place = first;
        loop {
            let next = std::mem::replace(&mut from[place], place);
            if next == first {
                break;
            }
            values.swap(place, next);
            place = next;
        }
    }
}

/// A map of these entries, the last of each key.
pub fn map_of<K: Ord, V>(entries: impl IntoIterator<Item = (K, V)>) -> BTreeMap<K, V> {
    let mut map = BTreeMap::new();
    for (key, value) in entries {
        map.insert(key, value);
    }
    map
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn values_are_sorted_as_by_the_standard_library(keys in vec(0_u8..8, 0..100)) {
            let mut values: Vec<(u8, usize)> = keys.into_iter().zip(0..).collect();
            let mut right = values.clone();
            right.sort_by_key(|(key, _)| *key);
            sort_by(&mut values, |(a, _), (b, _)| a.cmp(b));
            prop_assert_eq!(values, right);
        }

        #[test]
        fn a_map_has_the_last_value_of_each_key(keys in vec(0_u8..8, 0..30)) {
            let entries: Vec<(u8, usize)> = keys.into_iter().zip(0..).collect();
            let right: BTreeMap<u8, usize> = entries.iter().copied().collect();
            prop_assert_eq!(map_of(entries), right);
        }
    }
}
