//! Descriptions that many have alike.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;

/// A description that is read and written like a plain value, and whose copies are one in memory until
/// one of them is written.
///
/// Ten thousand flows are described by a few kinds of links and one kind of connection.
///
/// ```
/// # use westwood_sim::Shared;
/// let access = Shared::from(vec![1, 2, 3]);
/// let mut other = access.clone();
/// other.push(4);
/// assert_eq!((access.len(), other.len()), (3, 4));
/// ```
#[derive(Debug, Default, PartialEq)]
pub struct Shared<T>(Arc<T>);

impl<T: PartialEq> Shared<T> {
    /// This description: in the memory of that one, if they are equal.
    pub fn like(value: T, other: Option<&Self>) -> Self {
        match other {
            Some(other) if **other == value => other.clone(),
            _ => value.into(),
        }
    }
}

impl<T> From<T> for Shared<T> {
    fn from(value: T) -> Self {
        Self(Arc::new(value))
    }
}

impl<T> Clone for Shared<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T> Deref for Shared<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: Clone> DerefMut for Shared<T> {
    fn deref_mut(&mut self) -> &mut T {
        Arc::make_mut(&mut self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_descriptions_take_memory_once_and_different_ones_each_their_own() {
        let first = Shared::from(String::from("a"));
        let [same, other] = ["a", "b"].map(|s| Shared::like(s.to_string(), Some(&first)));
        assert!(Arc::ptr_eq(&first.0, &same.0));
        assert_eq!((first.as_str(), other.as_str()), ("a", "b"));
        assert_eq!(Shared::like(7, None), 7.into());
    }
}
