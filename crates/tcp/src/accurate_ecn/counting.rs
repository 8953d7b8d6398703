//! The receiver's counters, RFC 9768 sections 3.2.1 and 3.2.2.5.1.
//!
//! ```text
//! each packet in the window:  CE: cep += 1, ceb += payload
//!                             ECT(0): e0b += payload    ECT(1): e1b += payload
//! an ACK at once:             at a mark behind an unmarked packet, and at the second mark since the last ACK
//! ```
//!
//! The option goes with every ACK, with the fields that have changed since the start (section 3.2.3.3, the
//! recommended scheme). Where the 40 bytes of options have no room for it beside two SACK blocks, it is
//! left out; where they have room for it and two blocks, a third one gives way.

use westwood_cc::Ecn;

use super::{ACE, AccEcn, EcnBytes, FIELD, INITIAL_CEP, INITIAL_EB};
use crate::segment::{DataSegment, MAX_SACK_BLOCKS};

/// Marks that may arrive before an ACK must leave, n of the rule of increment-triggered ACKs.
const MARKS_PER_ACK: u64 = 2;

/// Room for TCP options, in bytes, and what they take (RFC 9293 section 3.1, RFC 7323, RFC 2018).
const OPTIONS: usize = 40;
const TIMESTAMPS: usize = 12;
const SACK: usize = 2;
const SACK_BLOCK: usize = 8;

/// The counters at work.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MarkCounter {
    cep: u64,
    ceb: u64,
    e0b: u64,
    e1b: u64,
    /// `cep` as the last ACK told it.
    told: u64,
    last_was_marked: bool,
    sends_option: bool,
}

impl MarkCounter {
    pub(crate) fn new(sends_option: bool) -> Self {
        Self {
            cep: INITIAL_CEP,
            ceb: 0,
            e0b: INITIAL_EB,
            e1b: INITIAL_EB,
            told: INITIAL_CEP,
            last_was_marked: false,
            sends_option,
        }
    }

    /// Counts a packet in the window. True if an ACK must leave at once.
    pub(crate) fn count(&mut self, segment: &DataSegment, ce: bool) -> bool {
        let payload = segment.payload.get();
        let begins = ce && !self.last_was_marked;
        self.last_was_marked = ce;
        match segment.ecn {
            _ if ce => {
                self.cep += 1;
                self.ceb += payload;
            }
            Ecn::Ect0 => self.e0b += payload,
            Ecn::Ect1 => self.e1b += payload,
            Ecn::NotEct | Ecn::Ce => {}
        }
        begins || self.cep - self.told >= MARKS_PER_ACK
    }

    /// How many SACK blocks fit into an ACK whose `wanted` blocks might leave no room for the option.
    pub(crate) fn room_for_blocks(&self, wanted: usize, timestamps: bool) -> usize {
        if self.fits_beside(2, timestamps) {
            (0..=wanted).rev().find(|&n| self.fits_beside(n, timestamps)).unwrap_or(0)
        } else {
            wanted
        }
    }

    /// The marks that an ACK with so many SACK blocks reports.
    pub(crate) fn tell(&mut self, blocks: u8, timestamps: bool) -> AccEcn {
        self.told = self.cep;
        let bytes = self.fits_beside(usize::from(blocks), timestamps).then(|| EcnBytes {
            ect0: field(self.e0b),
            ce: field(self.ceb),
            ect1: field(self.e1b),
        });
        AccEcn { ace: u8::try_from(self.cep % ACE).unwrap_or_default(), bytes }
    }

    /// True if the option fits beside so many SACK blocks.
    fn fits_beside(&self, blocks: usize, timestamps: bool) -> bool {
        let sack = if blocks > 0 { SACK + SACK_BLOCK * blocks.min(MAX_SACK_BLOCKS) } else { 0 };
        let others = sack + if timestamps { TIMESTAMPS } else { 0 };
        self.sends_option && others + self.option_len() <= OPTIONS
    }

    /// The option's length: ECEB is the middle field of either order, and the first one is that of the
    /// codepoint that arrives (section 3.2.3, table 5).
    fn option_len(&self) -> usize {
        let both = self.e0b > INITIAL_EB && self.e1b > INITIAL_EB;
        match (both, self.ceb > 0) {
            (true, _) => 11,
            (false, true) => 8,
            (false, false) => 5,
        }
    }
}

/// A counter as a field of the option.
fn field(counter: u64) -> u32 {
    u32::try_from(counter % FIELD).unwrap_or_default()
}
