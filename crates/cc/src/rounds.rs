//! Rounds, counted in deliveries: a round-trip time without a clock.
//!
//! A round ends when a segment is acknowledged that was sent after the round began. BBR of Linux counts
//! its rounds so (`bbr_update_bw`).

/// The rounds of a connection.
///
/// ```
/// use westwood_cc::rounds::Rounds;
/// let mut rounds = Rounds::default();
/// // The first segment: nothing had been delivered when it was sent, and one is now.
/// rounds.update(0, 1);
/// assert!(rounds.begins() && rounds.count() == 1);
/// // The second was sent before that delivery, the third after it.
/// rounds.update(0, 2);
/// assert!(!rounds.begins());
/// rounds.update(1, 3);
/// assert!(rounds.begins() && rounds.count() == 2);
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Rounds {
    count: u64,
    begins: bool,
    next_delivered: u64,
}

impl Rounds {
    /// Rounds begun so far.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// True if the ACK taken in last begins a round.
    pub fn begins(&self) -> bool {
        self.begins
    }

    /// Takes in an ACK: segments delivered when its newest segment was sent, and by now.
    pub fn update(&mut self, prior_delivered: u64, delivered: u64) {
        self.begins = prior_delivered >= self.next_delivered;
        if self.begins {
            self.next_delivered = delivered;
            self.count += 1;
        }
    }

    /// Says that the ACK in work begins a round, or that it does not, whatever it delivers.
    pub fn set_begins(&mut self, begins: bool) {
        self.begins = begins;
    }

    /// The round in progress ends with what is sent from now on.
    pub fn restart(&mut self, delivered: u64) {
        self.next_delivered = delivered;
    }
}
