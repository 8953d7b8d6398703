//! Losses of packets by their number.

/// The numbers of the packets that are lost, counted after those offered before it began.
#[derive(Clone, Debug)]
pub(crate) struct Listed {
    offered_before: u64,
    /// In order.
    numbers: Vec<u64>,
}

impl Listed {
    pub(crate) fn new(mut numbers: Vec<u64>) -> Self {
        numbers.sort_unstable();
        Self { offered_before: 0, numbers }
    }

    /// Counts packets from the one after `offered` on.
    pub(crate) fn count_after(&mut self, offered: u64) {
        self.offered_before = offered;
    }

    /// True if the packet with this number among those offered to the link is lost.
    pub(crate) fn loses(&self, number: u64) -> bool {
        let number = number.saturating_sub(self.offered_before);
        self.numbers.binary_search(&number).is_ok()
    }

    /// Packets that are spared after so many have been offered, before one is lost; `u64::MAX` if none is.
    pub(crate) fn spared_after(&self, offered: u64) -> u64 {
        let offered = offered.saturating_sub(self.offered_before);
        let next = self.numbers.partition_point(|&number| number <= offered);
        self.numbers.get(next).map_or(u64::MAX, |&number| number - offered - 1)
    }
}
