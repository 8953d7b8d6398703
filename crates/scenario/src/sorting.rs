//! Sorts and maps whose code exists once.
//!
//! The standard library's sorts are compiled anew for every type and every comparison, five kilobytes each,
//! and a map that is collected is sorted first. Where few values are put in order, as in reports, one sort
//! for all of them finds the order of their places.

use std::borrow::Borrow;
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

/// These values in order, each once.
pub fn distinct<T: Ord>(values: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut values: Vec<T> = values.into_iter().collect();
    sort_by(&mut values, Ord::cmp);
    values.dedup();
    values
}

/// A map of these entries, the last of each key.
pub fn map_of<K: Ord, V>(entries: impl IntoIterator<Item = (K, V)>) -> BTreeMap<K, V> {
    let mut map = BTreeMap::new();
    for (key, value) in entries {
        map.insert(key, value);
    }
    map
}

/// A map as a list in the order of its keys.
///
/// A key that comes in their order is appended; another one moves all behind it. So it is for few keys, for
/// those of a grid in its order, and for entries that are collected, which are sorted once.
///
/// ```
/// use westwood_scenario::sorting::SortedMap;
///
/// let mut seeds: SortedMap<&str, Vec<u64>> = SortedMap::default();
/// for (cc, seed) in [("reno", 1), ("cubic", 1), ("reno", 2)] {
///     seeds.or_insert_with(cc, Vec::new).push(seed);
/// }
/// assert_eq!(seeds.get("reno"), Some(&vec![1, 2]));
/// assert_eq!(seeds.iter().map(|(cc, _)| *cc).collect::<Vec<_>>(), ["cubic", "reno"]);
/// ```
#[derive(Clone, Debug)]
pub struct SortedMap<K, V>(Vec<(K, V)>);

impl<K, V> Default for SortedMap<K, V> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<K: Ord, V> SortedMap<K, V> {
    fn place<Q: Ord + ?Sized>(&self, key: &Q) -> Result<usize, usize>
    where
        K: Borrow<Q>,
    {
        search(self.0.len(), &mut |place| self.0[place].0.borrow().cmp(key))
    }

    /// The value of a key.
    pub fn get<Q: Ord + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        self.place(key).ok().map(|place| &self.0[place].1)
    }

    /// The value of a key, which is this one if there is none before.
    pub fn or_insert_with(&mut self, key: K, value: impl FnOnce() -> V) -> &mut V {
        let place = self.place(&key).unwrap_or_else(|place| {
            self.0.insert(place, (key, value()));
            place
        });
        &mut self.0[place].1
    }

    /// Gives a key this value.
    pub fn insert(&mut self, key: K, value: V) {
        match self.place(&key) {
            Ok(place) => self.0[place].1 = value,
            Err(place) => self.0.insert(place, (key, value)),
        }
    }
}

impl<K, V> SortedMap<K, V> {
    /// The number of keys.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// True if there is no key.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Keys and values, in the order of the keys.
    pub fn iter(&self) -> std::slice::Iter<'_, (K, V)> {
        self.0.iter()
    }

    /// The values, in the order of the keys.
    pub fn values(&self) -> impl Iterator<Item = &V> {
        self.0.iter().map(|(_, value)| value)
    }
}

impl<K, V> IntoIterator for SortedMap<K, V> {
    type Item = (K, V);
    type IntoIter = std::vec::IntoIter<(K, V)>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'a, K, V> IntoIterator for &'a SortedMap<K, V> {
    type Item = &'a (K, V);
    type IntoIter = std::slice::Iter<'a, (K, V)>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

/// The last value of each key.
impl<K: Ord, V> FromIterator<(K, V)> for SortedMap<K, V> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> Self {
        let mut entries: Vec<(K, V)> = entries.into_iter().collect();
        sort_by(&mut entries, |(a, _), (b, _)| a.cmp(b));
        entries.dedup_by(|later, kept| {
            let same = later.0 == kept.0;
            if same {
                std::mem::swap(later, kept);
            }
            same
        });
        Self(entries)
    }
}

/// The place among so many, in order, that is equal, or before which one that is should stand.
fn search(count: usize, compare: &mut dyn FnMut(usize) -> Ordering) -> Result<usize, usize> {
    let (mut low, mut high) = (0, count);
    while low < high {
        let middle = low + (high - low) / 2;
        match compare(middle) {
            Ordering::Less => low = middle + 1,
            Ordering::Equal => return Ok(middle),
            Ordering::Greater => high = middle,
        }
    }
    Err(low)
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    fn listed<V: Copy>(map: &SortedMap<u8, V>) -> Vec<(u8, V)> {
        map.iter().copied().collect()
    }

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
            prop_assert_eq!(map_of(entries.clone()), right.clone());
            let right: Vec<(u8, usize)> = right.into_iter().collect();
            prop_assert_eq!(listed(&entries.iter().copied().collect()), right.clone());
            let mut map = SortedMap::default();
            for &(key, value) in &entries {
                map.insert(key, value);
            }
            prop_assert_eq!(listed(&map), right);
        }

        #[test]
        fn a_sorted_map_keeps_the_first_value_and_finds_every_key(keys in vec(0_u8..8, 0..30)) {
            let (mut map, mut right) = (SortedMap::default(), BTreeMap::new());
            for (value, key) in keys.into_iter().enumerate() {
                let kept = *map.or_insert_with(key, || value);
                prop_assert_eq!(kept, *right.entry(key).or_insert(value));
            }
            for key in 0..8 {
                prop_assert_eq!(map.get(&key), right.get(&key));
            }
            prop_assert_eq!(map.len(), right.len());
            prop_assert!(map.values().eq(right.values()));
        }
    }
}
