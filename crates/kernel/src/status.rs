//! What a loaded controller says of itself, as `bpf/status.h` lays it out.

/// The value of a controller's status map.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Status {
    pub(crate) struct_ops_map: u32,
    pub(crate) name: String,
    /// What was the default before this controller was; empty if it never was made so.
    pub(crate) previous_default: String,
    /// Connections so far.
    pub(crate) opened: u32,
    /// Connections at present.
    pub(crate) users: u32,
    pub(crate) spec: String,
}

impl Status {
    /// The map's name in the kernel.
    pub(crate) const MAP: &'static str = "westwood_status";
    const MAGIC: u64 = u64::from_le_bytes(*b"westwood");
    /// Of the layout.
    const VERSION: u32 = 1;
    const SIZE: usize = 568;
    const SPEC: usize = 512;

    /// None if the bytes are not ours.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let word = |at: usize| {
            let raw = bytes.get(at..at + 4)?;
            Some(u32::from_ne_bytes([raw[0], raw[1], raw[2], raw[3]]))
        };
        let ours = bytes.len() == Self::SIZE
            && bytes[..8] == Self::MAGIC.to_ne_bytes()
            && word(8)? == Self::VERSION;
        ours.then_some(())?;
        Some(Self {
            struct_ops_map: word(12)?,
            name: text(&bytes[16..32]),
            previous_default: text(&bytes[32..48]),
            opened: word(48)?,
            users: word(52)?,
            spec: text(&bytes[56..]),
        })
    }

    pub(crate) fn to_bytes(&self) -> [u8; Self::SIZE] {
        let mut bytes = [0; Self::SIZE];
        bytes[..8].copy_from_slice(&Self::MAGIC.to_ne_bytes());
        bytes[8..12].copy_from_slice(&Self::VERSION.to_ne_bytes());
        bytes[12..16].copy_from_slice(&self.struct_ops_map.to_ne_bytes());
        put(&mut bytes[16..32], &self.name);
        put(&mut bytes[32..48], &self.previous_default);
        bytes[48..52].copy_from_slice(&self.opened.to_ne_bytes());
        bytes[52..56].copy_from_slice(&self.users.to_ne_bytes());
        put(&mut bytes[56..56 + Self::SPEC], &self.spec);
        bytes
    }
}

/// Up to the first zero.
pub(crate) fn text(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|b| *b == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(&bytes[..end]).into_owned()
}

/// Leaves a zero at the end.
fn put(room: &mut [u8], text: &str) {
    let length = text.len().min(room.len() - 1);
    room[..length].copy_from_slice(&text.as_bytes()[..length]);
}
