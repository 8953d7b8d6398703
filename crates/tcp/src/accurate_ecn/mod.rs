//! Accurate ECN: the receiver counts marks, and every ACK carries the counts.
//!
//! B. Briscoe, M. Kühlewind, R. Scheffenegger, "More Accurate Explicit Congestion Notification (AccECN)
//! Feedback in TCP", RFC 9768, 2025. Classic ECN tells of one mark a round-trip time; a scalable controller
//! must know how many there were. A lost or filtered ACK takes nothing away, since the next one repeats
//! the counts.
//!
//! | RFC 9768 | here | unit |
//! |---|---|---|
//! | r.cep, s.cep | `cep` | packets |
//! | r.ceb, r.e0b, r.e1b | [`EcnBytes`] | bytes of payload |
//! | ACE field, section 3.2.2 | [`AccEcn::ace`] | packets, modulo 8 |
//! | AccECN option, section 3.2.3 | [`AccEcn::bytes`] | bytes, modulo 2^24 |
//!
//! * [`counting`]: the receiver's counters, and when it sends an ACK (section 3.2.2.5.1).
//! * [`decoding`]: how many marks an ACK tells the sender of, though the field has three bits only
//!   (section 3.2.2.5.2, appendix A.2).
//!
//! Deviations:
//! * The handshake negotiates nothing: both ends begin with the counters of section 3.2.1, and the tests of
//!   sections 3.2.2.3, 3.2.2.4 and 3.2.3.2 for fields that the path mangles are left out.
//! * Pure ACKs and copies are not ECN-capable (RFC 3168 sections 6.1.4 and 6.1.5), so that no ACK of an
//!   ACK is needed.
//! * The option's bytes add nothing to the size of an ACK. They do take the place of SACK blocks.
//! * The sender reads ECEB and leaves EE0B and EE1B aside.

pub(crate) mod counting;
pub(crate) mod decoding;

/// The values with which both ends begin (section 3.2.1): a field that the path zeroes is told from them.
const INITIAL_CEP: u64 = 5;
const INITIAL_EB: u64 = 1;

/// The ACE field counts modulo this.
const ACE: u64 = 8;

/// The fields of the option count modulo this.
const FIELD: u64 = 1 << 24;

/// The marks that an ACK reports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AccEcn {
    /// Marked packets that have arrived since the start, and five, modulo 8.
    pub ace: u8,
    /// The AccECN option, if the ACK carries one.
    pub bytes: Option<EcnBytes>,
}

/// The fields of the AccECN option: payload by the codepoint with which it arrived, modulo 2^24.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EcnBytes {
    /// EE0B: bytes with ECT(0), and one.
    pub ect0: u32,
    /// ECEB: bytes that were marked.
    pub ce: u32,
    /// EE1B: bytes with ECT(1), and one.
    pub ect1: u32,
}
