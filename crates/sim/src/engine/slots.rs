//! Which of a flow's slots are free.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

/// The slots of one flow. A long flow has one, short flows as many as may be open at a time, and a flow
/// behind a proxy as many as the flow that feeds it.
///
/// The lowest free one is taken first. Finding it costs no more with ten thousand open than with
/// ten, and slots that are never used cost nothing.
#[derive(Debug)]
pub(super) struct Slots {
    first: usize,
    count: usize,
    /// The free slots of a flow that opens and closes connections.
    free: Option<Box<Free>>,
}

#[derive(Debug)]
struct Free {
    /// The slots that were never used. All slots that were given back lie below.
    unused: Range<usize>,
    released: BinaryHeap<Reverse<usize>>,
}

impl Slots {
    /// The only slot of a flow: it is never free.
    pub(super) const fn one(slot: usize) -> Self {
        Self { first: slot, count: 1, free: None }
    }

    /// The slots of a flow that a proxy feeds: each goes with one of the other flow's, and none is free.
    pub(super) fn paired(slots: Range<usize>) -> Self {
        Self { first: slots.start, count: slots.len(), free: None }
    }

    /// The slots of short flows.
    pub(super) fn several(slots: Range<usize>) -> Self {
        let free = Free { unused: slots.clone(), released: BinaryHeap::new() };
        Self { first: slots.start, count: slots.len(), free: Some(Box::new(free)) }
    }

    /// The first one: the only slot of a flow that has one.
    pub(super) fn first(&self) -> usize {
        self.first
    }

    /// How many there are.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// Takes the lowest free one; none if all are taken.
    pub(super) fn take(&mut self) -> Option<usize> {
        let free = self.free.as_mut()?;
        match free.released.pop() {
            Some(Reverse(slot)) => Some(slot),
            None => free.unused.next(),
        }
    }

    /// Gives back what was taken.
    pub(super) fn release(&mut self, slot: usize) {
        if let Some(free) = &mut self.free {
            free.released.push(Reverse(slot));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lowest_free_slot_is_taken_and_no_more_than_there_are() {
        let mut slots = Slots::several(5..8);
        let taken: Vec<_> = std::iter::from_fn(|| slots.take()).collect();
        assert_eq!(taken, [5, 6, 7]);
        slots.release(7);
        slots.release(5);
        assert_eq!((slots.take(), slots.take(), slots.take()), (Some(5), Some(7), None));
    }
}
