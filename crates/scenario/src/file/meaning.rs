//! The meaning of a value: two spellings of one value have the same.
//!
//! It is apart from the declaration, which every program carries, since only some programs compare
//! experiments: in others this file's readers of single fields are left out.

use super::controllers::OwnController;
use super::declaration::Section;
use super::node::Node;
use super::settings::{Limits, Measure, Record, Tcp};
use super::tables::{Change, Dumbbell, Group, Link, Media, OnOff, ProxySite, ShortFlows, Top, Udp};

/// The meaning of a value of a field of one table.
type FieldMeaning = fn(&str, &Node) -> Option<String>;

/// The tables by their titles.
const TABLES: [(&str, FieldMeaning); 15] = [
    (Top::SECTION.title, Top::meaning),
    (Dumbbell::SECTION.title, Dumbbell::meaning),
    (Link::SECTION.title, Link::meaning),
    (Group::SECTION.title, Group::meaning),
    (ProxySite::SECTION.title, ProxySite::meaning),
    (OnOff::SECTION.title, OnOff::meaning),
    (ShortFlows::SECTION.title, ShortFlows::meaning),
    (Udp::SECTION.title, Udp::meaning),
    (Media::SECTION.title, Media::meaning),
    (Change::SECTION.title, Change::meaning),
    (Tcp::SECTION.title, Tcp::meaning),
    (Measure::SECTION.title, Measure::meaning),
    (Record::SECTION.title, Record::meaning),
    (Limits::SECTION.title, Limits::meaning),
    (OwnController::SECTION.title, OwnController::meaning),
];

/// A value of a field as it is read, the same for all of its spellings; none if it cannot be read.
pub(super) fn meaning(section: &Section, field: &str, node: &Node) -> Option<String> {
    let (_, read) = TABLES.iter().find(|(title, _)| *title == section.title)?;
    read(field, node)
}
