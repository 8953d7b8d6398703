//! The flight: segments sent and not yet cumulatively acknowledged, and how many were delivered.
//!
//! Most segments are sent and acknowledged in order, so no record of a segment exists until a recovery
//! marks it.

use std::collections::VecDeque;

use westwood_cc::controller::LostSegment;
use westwood_cc::{DeliverySample, Duration, Instant};

use super::departures::Departures;
use crate::ranges::SeqRange;

/// A recovery's marks on a segment in flight. They are read as a copy; the verbs of [`Flight`] change them.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Marks {
    /// A copy of it has been sent.
    pub(crate) retransmitted: bool,
    /// It has been selectively acknowledged.
    pub(crate) sacked: bool,
    /// It is judged lost.
    pub(crate) lost: bool,
    /// A copy of it counts as in flight: sent, and not judged lost since.
    pub(crate) retrans_out: bool,
    /// RACK has judged it lost since it last left.
    pub(crate) judged: bool,
}

/// The segments from `snd_una` up to `snd_max`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Flight {
    /// The oldest segment not acknowledged.
    snd_una: u64,
    /// The next segment to be sent for the first time.
    snd_max: u64,
    /// Segments delivered since the start, each counted once.
    delivered: u64,
    /// Segments delivered by the ACK at hand.
    acked_sacked: u64,
    /// Marks from `snd_una` on. Beyond its end nothing is marked.
    marks: VecDeque<Marks>,
    /// Selectively acknowledged segments that follow another one.
    merged: u64,
    /// When each segment left, for RACK and for controllers that want delivery-rate samples.
    departures: Option<Box<Departures>>,
}

impl Flight {
    /// Nothing in flight. `timed`: departures are kept.
    pub(crate) fn new(timed: bool) -> Self {
        Self { departures: timed.then(Box::default), ..Self::default() }
    }

    /// Selectively acknowledged segments that follow another one.
    pub(crate) fn merged(&self) -> u64 {
        self.merged
    }

    /// The oldest segment not acknowledged.
    #[inline]
    pub(crate) fn snd_una(&self) -> u64 {
        self.snd_una
    }

    /// The next segment to be sent for the first time.
    #[inline]
    pub(crate) fn snd_max(&self) -> u64 {
        self.snd_max
    }

    /// Segments sent for the first time that are not acknowledged.
    #[inline]
    pub(crate) fn outstanding(&self) -> u64 {
        self.snd_max - self.snd_una
    }

    /// Segments delivered since the start, each counted once.
    #[inline]
    pub(crate) fn delivered(&self) -> u64 {
        self.delivered
    }

    /// Segments delivered by the ACK at hand.
    pub(crate) fn acked_sacked(&self) -> u64 {
        self.acked_sacked
    }

    // --- Marks.

    /// The index of a segment in flight, counted from `snd_una`.
    fn index(&self, seq: u64) -> Option<usize> {
        if seq >= self.snd_max {
            return None;
        }
        usize::try_from(seq.checked_sub(self.snd_una)?).ok()
    }

    /// The marks of a segment in flight.
    pub(crate) fn get(&self, seq: u64) -> Option<Marks> {
        let index = self.index(seq)?;
        Some(self.marks.get(index).copied().unwrap_or_default())
    }

    /// The marks of a segment in flight, to change.
    fn get_mut(&mut self, seq: u64) -> Option<&mut Marks> {
        #[cfg(test)]
        touched::count();
        let index = self.index(seq)?;
        while self.marks.len() <= index {
            self.marks.push_back(Marks::default());
        }
        self.marks.get_mut(index)
    }

    /// A segment in flight is selectively acknowledged. Answers its marks, to change the others.
    fn set_sacked(&mut self, seq: u64) -> Option<&mut Marks> {
        let index = self.index(seq)?;
        if self.get_mut(seq).is_some_and(|marks| !marks.sacked) {
            let sacked = |index: usize| self.marks.get(index).is_some_and(|marks| marks.sacked);
            let before = index.checked_sub(1).is_some_and(sacked);
            self.merged += u64::from(before) + u64::from(sacked(index + 1));
        }
        let marks = self.marks.get_mut(index)?;
        marks.sacked = true;
        Some(marks)
    }

    /// A segment in flight is selectively acknowledged, and so it is not lost. As in Linux a copy of it
    /// stays in flight, unless it was lost (`tcp_sacktag_one`). Answers its marks before.
    pub(crate) fn mark_sacked(&mut self, seq: u64) -> Option<Marks> {
        let before = self.get(seq)?;
        let marks = self.set_sacked(seq)?;
        marks.lost = false;
        marks.retrans_out = before.retrans_out && !before.lost;
        Some(before)
    }

    /// A segment is lost. False if it is not in flight.
    #[inline]
    pub(crate) fn mark_lost(&mut self, seq: u64) -> bool {
        self.get_mut(seq).is_some_and(|marks| {
            marks.lost = true;
            true
        })
    }

    /// Every segment in flight is lost and no copy is in flight; with `sacked_too` also those that are
    /// selectively acknowledged. Answers how many are lost.
    pub(crate) fn mark_all_lost(&mut self, sacked_too: bool) -> u64 {
        let len = usize::try_from(self.outstanding()).unwrap_or(usize::MAX);
        self.marks.resize(len, Marks::default());
        let mut lost = 0;
        for marks in &mut self.marks {
            marks.retrans_out = false;
            marks.lost = sacked_too || !marks.sacked;
            lost += u64::from(marks.lost);
        }
        lost
    }

    /// A segment is not lost after all. Answers its marks, if it is in flight.
    pub(crate) fn unmark_lost(&mut self, seq: u64) -> Option<Marks> {
        let marks = self.get_mut(seq)?;
        marks.lost = false;
        Some(*marks)
    }

    /// A copy of a segment counts as in flight. False if one did before, or if the segment is not in flight.
    #[inline]
    pub(crate) fn mark_retrans_out(&mut self, seq: u64) -> bool {
        self.get_mut(seq).is_some_and(|marks| !core::mem::replace(&mut marks.retrans_out, true))
    }

    /// No copy of a segment is in flight any more.
    pub(crate) fn unmark_retrans_out(&mut self, seq: u64) {
        if let Some(marks) = self.get_mut(seq) {
            marks.retrans_out = false;
        }
    }

    /// RACK has judged a segment.
    pub(crate) fn mark_judged(&mut self, seq: u64) {
        if let Some(marks) = self.get_mut(seq) {
            marks.judged = true;
        }
    }

    /// True if no segment in flight has a mark.
    #[inline]
    pub(crate) fn is_unmarked(&self) -> bool {
        self.marks.is_empty()
    }

    /// True if there is no record of any segment in flight.
    #[inline]
    pub(crate) fn is_unrecorded(&self) -> bool {
        self.is_unmarked() && self.departures.is_none()
    }

    // --- Sending.

    /// The next `n` segments leave, when `in_flight` others are in flight.
    #[inline]
    pub(crate) fn record(&mut self, n: u64, now: Instant, in_flight: u64) {
        if let Some(departures) = &mut self.departures {
            let alone = self.snd_max == self.snd_una;
            departures.record(n, now, (self.delivered, in_flight), alone);
        }
        self.snd_max += n;
    }

    /// A copy of a segment in flight leaves, when `in_flight` others are in flight.
    pub(crate) fn record_retransmission(&mut self, seq: u64, now: Instant, in_flight: u64) {
        let index = self.index(seq);
        debug_assert!(index.is_some(), "a copy is of a segment in flight");
        if let (Some(departures), Some(index)) = (&mut self.departures, index) {
            departures.record_copy(index, now, (self.delivered, in_flight));
        }
        if let Some(marks) = self.get_mut(seq) {
            marks.retransmitted = true;
            marks.judged = false;
        }
    }

    /// When a segment in flight was last sent, where that is kept.
    pub(crate) fn sent_at(&self, seq: u64) -> Option<Instant> {
        self.departures.as_ref()?.at(self.index(seq)?)
    }

    // --- Losses.

    /// A segment in flight is judged lost, or its copy.
    #[inline]
    pub(crate) fn lose(&mut self, seq: u64) {
        let index = self.index(seq);
        if let (Some(departures), Some(index)) = (&mut self.departures, index) {
            departures.lose(index, seq);
        }
    }

    /// The segments judged lost since this was last asked, where departures are kept.
    pub(crate) fn take_losses(&mut self, now: Instant) -> impl Iterator<Item = LostSegment> {
        self.departures.iter_mut().flat_map(move |departures| departures.take_losses(now))
    }

    // --- Delivery.

    /// An ACK begins: `in_flight` is counted before it.
    #[inline]
    pub(crate) fn begin_sample(&mut self, in_flight: u64) {
        self.acked_sacked = 0;
        if let Some(departures) = &mut self.departures {
            departures.begin_sample(in_flight);
        }
    }

    /// A segment in flight was delivered: acknowledged, or selectively acknowledged, for the first
    /// time.
    pub(crate) fn deliver(&mut self, seq: u64, now: Instant) {
        self.delivered += 1;
        self.acked_sacked += 1;
        let index = self.index(seq);
        if let (Some(departures), Some(index)) = (&mut self.departures, index) {
            departures.deliver(index, now);
        }
    }

    /// A segment in flight was delivered that does not count. Those sent from now on measure their rate from
    /// its departure, all the same.
    pub(crate) fn deliver_uncounted(&mut self, seq: u64) {
        let index = self.index(seq);
        if let (Some(departures), Some(index)) = (&mut self.departures, index) {
            departures.deliver_uncounted(index);
        }
    }

    /// The `n` oldest segments were delivered, all for the first time.
    #[inline]
    pub(crate) fn deliver_oldest(&mut self, n: u64, now: Instant) {
        self.delivered += n;
        self.acked_sacked += n;
        let in_order = self.is_unmarked();
        if let Some(departures) = &mut self.departures {
            departures.deliver_oldest(n, now, in_order);
        }
    }

    /// Segments in flight are selectively acknowledged, each for the first time. Answers how many of
    /// them were judged lost, and of how many a copy counted as in flight.
    #[inline]
    pub(crate) fn sack(&mut self, range: SeqRange, now: Instant) -> (u64, u64) {
        let (mut lost, mut retrans_out) = (0, 0);
        for seq in range.start..range.end {
            let Some(marks) = self.set_sacked(seq) else { continue };
            lost += u64::from(marks.lost);
            retrans_out += u64::from(marks.retrans_out);
            (marks.lost, marks.retrans_out) = (false, false);
            self.deliver(seq, now);
        }
        (lost, retrans_out)
    }

    /// A duplicate ACK, without SACK, says that some segment was delivered.
    pub(crate) fn deliver_unknown(&mut self, now: Instant) {
        self.delivered += 1;
        self.acked_sacked += 1;
        if let Some(departures) = &mut self.departures {
            departures.deliver_unknown(now);
        }
    }

    /// The cumulative acknowledgment covers the `n` oldest segments: their records go.
    pub(crate) fn advance(&mut self, n: u64) {
        self.snd_una += n;
        if let Some(departures) = &mut self.departures {
            departures.pop(n);
        }
        // A mark lies behind those acknowledged, or among them.
        for _ in 0..n.min(self.marks.len() as u64) {
            #[cfg(test)]
            touched::count();
            let acknowledged = self.marks.pop_front();
            let sacked = |marks: Option<&Marks>| marks.is_some_and(|marks| marks.sacked);
            self.merged -= u64::from(sacked(acknowledged.as_ref()) && sacked(self.marks.front()));
        }
    }

    /// Without records, an ACK delivers and covers the `n` oldest segments, and no others:
    /// [`begin_sample`](Self::begin_sample), [`deliver_oldest`](Self::deliver_oldest) and
    /// [`advance`](Self::advance) in one.
    #[inline]
    pub(crate) fn acknowledge_unmarked(&mut self, n: u64) {
        debug_assert!(self.is_unrecorded());
        self.snd_una += n;
        self.delivered += n;
        self.acked_sacked = n;
    }

    /// [`acknowledge_unmarked`](Self::acknowledge_unmarked) where departures are kept, of one segment at
    /// least. Answers when the first and the last of these segments left.
    #[inline]
    pub(crate) fn acknowledge_in_order(
        &mut self,
        n: u64,
        now: Instant,
    ) -> Option<(Instant, Instant)> {
        debug_assert!(self.is_unmarked() && n <= self.outstanding());
        self.snd_una += n;
        self.delivered += n;
        self.acked_sacked += n;
        self.departures.as_mut()?.acknowledge_in_order(n, now)
    }

    // --- Delivery-rate samples.

    /// True if departures are kept, and so delivery-rate samples can be taken.
    #[inline]
    pub(crate) fn is_timed(&self) -> bool {
        self.departures.is_some()
    }

    /// `delivered` when the newest segment of the ACK at hand left.
    pub(crate) fn prior_delivered(&self) -> u64 {
        self.departures.as_ref().map_or(0, |d| d.prior_delivered())
    }

    /// The application, and not the window, limits what is in flight: at least the next segment.
    pub(crate) fn mark_app_limited(&mut self, in_flight: u64) {
        if let Some(departures) = &mut self.departures {
            departures.mark_app_limited((self.delivered + in_flight).max(1));
        }
    }

    /// The application writes while nothing is unsent. Linux counts the handshake's SYN as delivered, so that
    /// before the first data the first segment ends the limit.
    pub(crate) fn mark_written_late(&mut self, in_flight: u64) {
        if let Some(departures) = &mut self.departures {
            departures.mark_app_limited(self.delivered + in_flight);
        }
    }

    /// True if the application, and not the window, limits what is in flight, where departures are kept.
    pub(crate) fn is_app_limited(&self) -> bool {
        self.departures.as_ref().is_some_and(|d| d.is_app_limited())
    }

    /// The delivery-rate sample of the ACK at hand, where samples are taken.
    #[inline]
    pub(crate) fn sample(&mut self, min_rtt: Option<Duration>) -> Option<DeliverySample> {
        self.departures.as_mut()?.sample(self.delivered, self.acked_sacked, min_rtt)
    }
}

/// How many records were looked at, for tests of cost.
#[cfg(test)]
pub(crate) mod touched {
    use std::cell::Cell;

    thread_local!(static TOUCHED: Cell<u64> = const { Cell::new(0) });

    pub(super) fn count() {
        TOUCHED.with(|t| t.set(t.get() + 1));
    }

    /// Records touched since this was last asked.
    pub(crate) fn take() -> u64 {
        TOUCHED.with(Cell::take)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Instant = Instant::ZERO;

    /// Ten segments in flight.
    fn ten() -> Flight {
        let mut flight = Flight::new(false);
        (0..10).for_each(|_| flight.record(1, NOW, 0));
        flight
    }

    fn acknowledge(flight: &mut Flight, n: u64) {
        flight.deliver_oldest(n, NOW);
        flight.advance(n);
    }

    #[test]
    fn a_segment_never_marked_has_no_marks_and_one_not_in_flight_has_no_record() {
        let mut flight = ten();
        acknowledge(&mut flight, 3);
        assert!(flight.is_unmarked());
        assert!((3..10).all(|seq| flight.get(seq).is_some_and(|m| !m.sacked && !m.lost)));
        assert!(flight.get(2).is_none() && flight.get(10).is_none());
        assert!(flight.get_mut(10).is_none());
        assert_eq!((flight.mark_all_lost(false), flight.delivered), (7, 3));
    }

    #[test]
    fn a_mark_stays_with_its_segment_until_that_is_acknowledged() {
        let mut flight = ten();
        assert!(flight.mark_lost(5));
        acknowledge(&mut flight, 2);
        let lost: Vec<u64> = (2..10).filter(|&seq| flight.get(seq).unwrap().lost).collect();
        assert_eq!(lost, [5]);
        acknowledge(&mut flight, 4);
        assert!(flight.is_unmarked());
    }

    #[test]
    fn merged_segments_are_those_sacked_behind_another_one_in_whichever_order_reports_come() {
        let mut flight = ten();
        let mut merged = |reported: u64| {
            flight.mark_sacked(reported).expect("in flight");
            let pairs = (1..10).map(|seq| [seq - 1, seq].map(|s| flight.get(s).unwrap().sacked));
            assert_eq!(flight.merged(), pairs.filter(|pair| *pair == [true; 2]).count() as u64);
            flight.merged()
        };
        let counts = [3, 5, 4, 4, 9, 8].map(&mut merged);
        assert_eq!(counts, [0, 0, 2, 2, 2, 3]);
        acknowledge(&mut flight, 4);
        assert_eq!(flight.merged(), 2, "4 and 5, 8 and 9");
        acknowledge(&mut flight, 2);
        assert_eq!(flight.merged(), 1);
        acknowledge(&mut flight, 4);
        assert_eq!(flight.merged(), 0);
    }

    #[test]
    fn a_copy_is_marked_as_one_and_does_not_lengthen_the_flight() {
        let mut flight = ten();
        flight.record_retransmission(4, NOW, 0);
        assert!(flight.get(4).is_some_and(|m| m.retransmitted));
        assert!(flight.get(10).is_none());
    }
}
