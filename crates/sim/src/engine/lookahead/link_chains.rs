//! Chains: private lanes that follow the slowest of their row ([`PredictedLink::lead`]).
//!
//! Which lane leads depends on sizes, so it is chosen anew from time to time: an ACK with SACK blocks parts
//! the lanes. Results do not depend on when.
//!
//! [`PredictedLink::lead`]: westwood_net::PredictedLink::lead

use std::ops::Range;

use westwood_net::Interval;

use super::lane::Lane;

/// So many rows of lanes are looked at in one pause.
const AT_A_TIME: usize = 8;

/// Rows of private lanes side by side, in the order of lanes.
#[derive(Debug, Default)]
pub(super) struct LinkChains {
    rows: Vec<Range<u32>>,
    /// The row that is looked at next.
    next_row: usize,
}

impl LinkChains {
    /// None of these leads another yet.
    pub(super) fn over(rows: Vec<Range<u32>>) -> Self {
        debug_assert!(rows.is_sorted_by_key(|row| row.start), "lanes are in the order of ways");
        Self { rows, next_row: 0 }
    }

    /// Lets the slowest of each row lead those behind it, if they may follow.
    pub(super) fn link_to_leader(&mut self, lanes: &mut [Lane]) {
        for _ in 0..self.rows.len().min(AT_A_TIME) {
            self.next_row = (self.next_row + 1) % self.rows.len();
            let Range { start, end } = self.rows[self.next_row].clone();
            for leader in start..end - 1 {
                let Some((head, others)) = split(lanes, leader..end) else { continue };
                if head.link.lead(others.iter().map(|lane| &lane.link)) {
                    break;
                }
            }
        }
    }

    /// The lane at this place leads others: it shall no longer.
    #[cold]
    #[inline(never)]
    pub(super) fn unlink(&self, interval: &Interval, lanes: &mut [Lane], place: usize) {
        let row = self.rows.partition_point(|row| row.end as usize <= place);
        let Some(end) = self.rows.get(row).map(|row| row.end) else { return };
        let Ok(leader) = u32::try_from(place) else { return };
        if let Some((head, others)) = split(lanes, leader..end) {
            head.link.part(interval, others.iter_mut().map(|lane| &mut lane.link));
        }
    }

    /// No lane leads any other.
    pub(super) fn unlink_all(&self, interval: &Interval, lanes: &mut [Lane]) {
        for place in self.rows.iter().cloned().flatten() {
            if lanes[place as usize].link.leads() {
                self.unlink(interval, lanes, place as usize);
            }
        }
    }
}

/// The first of these lanes, and the others.
fn split(lanes: &mut [Lane], places: Range<u32>) -> Option<(&mut Lane, &mut [Lane])> {
    lanes.get_mut(places.start as usize..places.end as usize)?.split_first_mut()
}
