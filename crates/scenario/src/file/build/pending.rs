//! Links whose buffer depends on flows that are not built yet.

use super::super::section::Located;
use super::super::tables::Link;
use crate::dumbbell::LinkCapacity;
use crate::units::Buffer;

/// A link whose queue is not configured yet.
pub(super) struct Pending<'a> {
    pub(super) id: usize,
    pub(super) speed: LinkCapacity,
    pub(super) buffer: Located<Option<Buffer>>,
    pub(super) link: &'a Link,
}
