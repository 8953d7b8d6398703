//! One call of a controller, as `bpf/event.h` lays it out.

/// The hook that the kernel called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallKind {
    /// A connection begins: smss, family, local port, remote port, remote address in four words.
    Init,
    /// An ACK: newly covered segments, RTT in µs or 0, smoothed RTT in µs, smss, `snd_una`,
    /// `snd_nxt` (sequence numbers in bytes, which wrap).
    Measure,
    /// The window may grow: segments acknowledged, `snd_cwnd_clamp`.
    Grow,
    /// Asked for the window at which recovery ends.
    Ssthresh,
    /// The kernel's congestion state changes: the new state.
    State,
    /// The last reduction was spurious: the window before it.
    Undo,
    /// Recovery ends.
    Complete,
    /// The controller leaves the connection.
    Release,
    /// The recording ends: the events that found no room. Written by the recorder.
    End,
}

impl CallKind {
    const ALL: [(u32, Self); 9] = [
        (1, Self::Init),
        (2, Self::Measure),
        (3, Self::Grow),
        (4, Self::Ssthresh),
        (5, Self::State),
        (6, Self::Undo),
        (7, Self::Complete),
        (8, Self::Release),
        (255, Self::End),
    ];

    fn of(code: u32) -> Option<Self> {
        Self::ALL.into_iter().find(|(c, _)| *c == code).map(|(_, kind)| kind)
    }

    fn code(self) -> u32 {
        Self::ALL.into_iter().find(|(_, kind)| *kind == self).map_or(0, |(code, _)| code)
    }
}

/// The window in the kernel's own fields.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KernelWindow {
    /// `snd_cwnd`, whole segments.
    pub cwnd: u32,
    /// `snd_cwnd_cnt`: the window's fraction, in 2^-32 segments.
    pub cwnd_cnt: u32,
    /// `snd_ssthresh`, whole segments.
    pub ssthresh: u32,
}

/// One call: the window before, the inputs, the answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// The kernel's clock of this connection, µs.
    pub now_us: u64,
    /// The bandwidth estimate after the call, byte/s with 16 fractional bits.
    pub bwe: u64,
    /// The connection's number since the controller was loaded.
    pub id: u32,
    /// The number among this connection's events, from 0 without a gap.
    pub sequence: u32,
    /// The hook that was called.
    pub kind: CallKind,
    /// The window before the call, whoever wrote it.
    pub before: KernelWindow,
    /// The controller's answer, or the value it wrote; equal to `before` where it did neither.
    pub after: KernelWindow,
    /// The smallest round-trip time after the call, µs; 0 before the first.
    pub min_rtt_us: u32,
    /// The inputs, in the order that [`CallKind`] names.
    pub input: [u32; 8],
}

impl Event {
    /// The bytes of an event in a recording.
    pub const SIZE: usize = 88;

    /// Reads an event; none if the kind is unknown.
    pub fn from_bytes(bytes: &[u8; Self::SIZE]) -> Option<Self> {
        let word = |at: usize| {
            let mut raw = [0; 4];
            raw.copy_from_slice(&bytes[at..at + 4]);
            u32::from_ne_bytes(raw)
        };
        let long = |at: usize| {
            let mut raw = [0; 8];
            raw.copy_from_slice(&bytes[at..at + 8]);
            u64::from_ne_bytes(raw)
        };
        let window =
            |at| KernelWindow { cwnd: word(at), cwnd_cnt: word(at + 4), ssthresh: word(at + 8) };
        Some(Self {
            now_us: long(0),
            bwe: long(8),
            id: word(16),
            sequence: word(20),
            kind: CallKind::of(word(24))?,
            before: window(28),
            after: window(40),
            min_rtt_us: word(52),
            input: std::array::from_fn(|n| word(56 + 4 * n)),
        })
    }

    /// The event as it stands in a recording.
    pub fn to_bytes(&self) -> [u8; Self::SIZE] {
        let mut bytes = [0; Self::SIZE];
        bytes[..8].copy_from_slice(&self.now_us.to_ne_bytes());
        bytes[8..16].copy_from_slice(&self.bwe.to_ne_bytes());
        let (before, after) = (self.before, self.after);
        let head = [
            self.id,
            self.sequence,
            self.kind.code(),
            before.cwnd,
            before.cwnd_cnt,
            before.ssthresh,
            after.cwnd,
            after.cwnd_cnt,
            after.ssthresh,
            self.min_rtt_us,
        ];
        for (n, word) in head.iter().chain(&self.input).enumerate() {
            bytes[16 + 4 * n..20 + 4 * n].copy_from_slice(&word.to_ne_bytes());
        }
        bytes
    }
}
