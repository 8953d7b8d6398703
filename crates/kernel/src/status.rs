//! The status of a loaded controller, as `bpf/status.h` lays it out.

/// The value of a controller's status map.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Status {
    pub(crate) maps: Maps,
    pub(crate) name: String,
    pub(crate) spec: String,
}

/// The kernel's numbers of a controller's maps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Maps {
    /// The one that registers it.
    pub(crate) struct_ops: u32,
    /// Its counts of connections and lost events.
    pub(crate) counts: u32,
    /// The recorder's ring.
    pub(crate) rings: u32,
    /// Until when a recorder listens.
    pub(crate) listen: u32,
    /// The defaults of network namespaces before ours.
    pub(crate) prior: u32,
}

impl Status {
    /// The map's name in the kernel.
    pub(crate) const MAP: &'static str = "westwood_status";
    const MAGIC: u64 = u64::from_le_bytes(*b"westwood");
    /// Of the layout.
    const VERSION: u32 = 2;
    const SIZE: usize = 560;
    const NAME: usize = 32;
    const SPEC: usize = 48;

    /// None if the bytes are not ours.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let ours = bytes.len() == Self::SIZE
            && bytes[..8] == Self::MAGIC.to_ne_bytes()
            && word(bytes, 8) == Some(Self::VERSION);
        ours.then_some(())?;
        Some(Self {
            maps: Maps {
                struct_ops: word(bytes, 12)?,
                counts: word(bytes, 16)?,
                rings: word(bytes, 20)?,
                listen: word(bytes, 24)?,
                prior: word(bytes, 28)?,
            },
            name: text(&bytes[Self::NAME..Self::SPEC]),
            spec: text(&bytes[Self::SPEC..]),
        })
    }

    pub(crate) fn to_bytes(&self) -> [u8; Self::SIZE] {
        let mut bytes = [0; Self::SIZE];
        bytes[..8].copy_from_slice(&Self::MAGIC.to_ne_bytes());
        let Maps { struct_ops, counts, rings, listen, prior } = self.maps;
        let words = [Self::VERSION, struct_ops, counts, rings, listen, prior];
        for (n, word) in words.iter().enumerate() {
            bytes[8 + 4 * n..12 + 4 * n].copy_from_slice(&word.to_ne_bytes());
        }
        put(&mut bytes[Self::NAME..Self::SPEC], &self.name);
        put(&mut bytes[Self::SPEC..], &self.spec);
        bytes
    }
}

/// The value of a controller's counts map.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    /// Connections so far.
    pub(crate) opened: u32,
    /// Connections at present; more if the kernel left out the call that tells of an end.
    pub(crate) users: u32,
    /// Events that found the ring full.
    pub(crate) lost: u64,
    /// Changes of a connection's state that the kernel did not tell, and that were made up for.
    pub(crate) made_up: u64,
}

impl Counts {
    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let long = |at| Some(u64::from_ne_bytes(bytes.get(at..)?.first_chunk().copied()?));
        Some(Self {
            opened: word(bytes, 0)?,
            users: word(bytes, 4)?,
            lost: long(8)?,
            made_up: long(16).unwrap_or(0), // programs of an earlier release do not count them
        })
    }
}

/// The holders of a controller, as the value of its struct_ops map begins (`bpf_struct_ops_common_value`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StructOpsUse {
    /// References: one of the registration, one of each socket that chose it, connected or not, and one
    /// of each network namespace whose default it is.
    references: u32,
    /// It can be chosen; else it is only kept.
    pub(crate) registered: bool,
}

impl StructOpsUse {
    /// The state of a map that is in use.
    const IN_USE: u32 = 1;

    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        Some(Self { references: word(bytes, 0)?, registered: word(bytes, 4)? == Self::IN_USE })
    }

    /// References beside the registration's own.
    pub(crate) fn by_users(self) -> u32 {
        self.references.saturating_sub(u32::from(self.registered))
    }
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_ne_bytes(bytes.get(at..)?.first_chunk().copied()?))
}

/// Up to the first zero.
pub(crate) fn text(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|b| *b == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(&bytes[..end]).into_owned()
}

/// Leaves a zero at the end.
pub(crate) fn put(room: &mut [u8], text: &str) {
    let length = text.len().min(room.len() - 1);
    room[..length].copy_from_slice(&text.as_bytes()[..length]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_registration_is_no_user_and_what_is_leaving_has_none() {
        let held = |references: u32, state: u32| {
            let words = [references, state];
            let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
            let held = StructOpsUse::from_bytes(&bytes).unwrap();
            (held.registered, held.by_users())
        };
        assert_eq!(held(1, 1), (true, 0));
        assert_eq!(held(4, 1), (true, 3));
        assert_eq!(held(3, 2), (false, 3));
        assert_eq!(StructOpsUse::from_bytes(&[1, 0, 0, 0]), None);
    }
}
