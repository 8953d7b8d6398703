//! Pending events of few sources: a list of times.

use westwood_cc::Instant;

use super::Rank;

/// When each source is due; [`Instant::FAR_FUTURE`] if it is not.
#[derive(Debug)]
pub(crate) struct Few {
    due: Vec<Instant>,
}

impl Few {
    pub(crate) fn new(sources: usize) -> Self {
        Self {
            due: vec![Instant::FAR_FUTURE; sources],
        }
    }

    #[inline]
    pub(crate) fn wake(&mut self, rank: Rank, at: Instant) {
        if let Some(due) = self.due.get_mut(rank as usize) {
            *due = at.min(*due);
        }
    }

    #[inline]
    pub(crate) fn next(&mut self) -> Option<(Instant, Rank)> {
        let mut first = (Instant::FAR_FUTURE, 0);
        for (rank, &at) in (0..).zip(&self.due) {
            // The lowest rank comes first, so that it wins a tie.
            if at < first.0 {
                first = (at, rank);
            }
        }
        let due = self.due.get_mut(first.1 as usize)?;
        if *due == Instant::FAR_FUTURE {
            return None;
        }
        *due = Instant::FAR_FUTURE;
        Some(first)
    }
}
