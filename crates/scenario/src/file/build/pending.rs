//! Links whose buffer depends on flows that are not built yet.

use super::super::section::Said;
use super::super::tables::Link;
use crate::dumbbell::Speed;
use crate::units::Buffer;

/// A link whose queue is not configured yet.
pub(super) struct Pending<'a> {
    pub(super) id: usize,
    pub(super) speed: Speed,
    pub(super) buffer: Said<Option<Buffer>>,
    pub(super) link: &'a Link,
}
