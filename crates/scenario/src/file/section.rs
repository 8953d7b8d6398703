//! Tables of a file: their fields, in one place for the parser, the documents and the schema.

use super::declaration::Section;
use super::fault::Faults;
use super::location::Location;
use super::node::{Node, TomlTable, TomlValue};
use super::value_reader::ValueReader;
use crate::error::{BadInput, quoted, some_of};
use crate::nearest::nearest;

/// A value as it was said, and where. The same value is equal, wherever it stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Located<T> {
    pub(super) value: T,
    pub(super) place: Location,
}

impl<T: PartialEq> PartialEq for Located<T> {
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}

/// Takes the fields out of a table, one after the other.
pub(super) struct TableReader<'a> {
    section: &'static Section,
    table: &'a TomlTable,
    place: Location,
    faults: &'a mut Faults,
}

impl<'a> TableReader<'a> {
    /// A reader of this table. Fields that the section does not have are noted at once.
    pub(super) fn new(
        node: &'a Node,
        section: &'static Section,
        faults: &'a mut Faults,
    ) -> Option<Self> {
        let TomlValue::Table(table) = &node.value else {
            let what = BadInput::new(format!("{} stands where a table is due", node.value.kind()));
            faults.add(node.place, what.hint(format!("write {}", section.title)));
            return None;
        };
        for entry in &table.entries {
            if !section.fields.iter().any(|field| field.name == entry.key) {
                let place = faults.place_of_field(&entry.key);
                faults.add(entry.place, unknown_field(section, &entry.key, place));
            }
        }
        Some(Self { section, table, place: node.place, faults })
    }

    /// A field that must be given.
    pub(super) fn required<T>(&mut self, name: &str, sort: &ValueReader<T>) -> Option<Located<T>> {
        if self.table.get(name).is_none() {
            let what = BadInput::new(format!("{} lacks '{name}'", self.section.title));
            let hint = format!("write {name} = {}", sort.shape.example());
            self.faults.add(self.place, what.hint(hint));
        }
        self.optional(name, sort, "")
    }

    /// A field with a default.
    pub(super) fn default<T>(
        &mut self,
        name: &str,
        sort: &ValueReader<T>,
        default: &str,
    ) -> Option<Located<T>> {
        if self.table.get(name).is_some() {
            return self.optional(name, sort, "");
        }
        sort.read_default(default).map(|value| Located { value, place: self.place })
    }

    /// A field that may be absent. If it is wrong, that is noted, and it counts as absent.
    pub(super) fn optional<T>(
        &mut self,
        name: &str,
        sort: &ValueReader<T>,
        _absent: &str,
    ) -> Option<Located<T>> {
        let entry = self.table.get(name)?;
        let value = sort.read(&entry.node, self.faults)?;
        Some(Located { value, place: entry.node.place })
    }

    /// A table that stands for its defaults if it is absent.
    pub(super) fn table<T>(
        &mut self,
        name: &str,
        sort: &ValueReader<T>,
        _absent: &str,
    ) -> Option<Located<T>> {
        if self.table.get(name).is_some() {
            return self.optional(name, sort, "");
        }
        let empty = Node { value: TomlValue::Table(TomlTable::default()), place: self.place };
        let value = sort.read(&empty, self.faults)?;
        Some(Located { value, place: self.place })
    }

    /// A field whose default is filled in later, from another table.
    pub(super) fn layered<T>(
        &mut self,
        name: &str,
        sort: &ValueReader<T>,
        _default: &str,
    ) -> Option<Located<T>> {
        self.optional(name, sort, "")
    }
}

/// The error for a key that the section does not have; `place` says which tables have it.
fn unknown_field(section: &Section, key: &str, place: Option<String>) -> BadInput {
    let names = || section.fields.iter().map(|field| field.name);
    let error = BadInput::new(format!("{} has no field {}", section.title, quoted(key)));
    match (nearest(key, names()), place) {
        (Some(near), Some(place)) => error.hint(format!("did you mean '{near}'? {place}")),
        (Some(near), None) => error.hint(format!("did you mean '{near}'?")),
        (None, Some(place)) => error.hint(place),
        (None, None) => {
            error.hint(format!("it has {}", some_of(key, names(), "westwood schema --markdown")))
        }
    }
}

/// Declares tables: a type with a field for each line, its reader and its description. The comments
/// are the documents.
///
/// A field is `required`, has a `default` as a file would write it, is `optional` with words on what
/// holds without it, is a `table` that stands for its defaults if it is absent, or is `layered`: its
/// default is given, and a more general table may override it.
///
/// The fields of a table with `flags "HEADING"` are flags of the command as well, under that heading of
/// its help. `=> "HEADING"` behind a field makes it a flag under another one, `=> ""` none at all.
macro_rules! sections {
    ($(
        $(#[doc = $about:literal])+
        $name:ident as $title:literal $(, flags $heading:literal)? {
            $(
                $(#[doc = $doc:literal])+
                $field:ident: $kind:ident $ty:ty = $sort:expr $(, $absent:literal)?
                    $(=> $under:literal)?;
            )*
        }
    )+) => {$(
        $(#[doc = $about])+
        #[derive(Clone, Debug)]
        pub(super) struct $name {
            /// The place where the table begins.
            #[allow(dead_code, reason = "not every table is pointed at as a whole")]
            pub(super) place: Location,
            $( $(#[doc = $doc])+ pub(super) $field: sections!(@type $kind $ty), )*
        }

        /// The same values, wherever they stand.
        impl PartialEq for $name {
            fn eq(&self, other: &Self) -> bool {
                $( self.$field == other.$field )&&+
            }
        }

        impl $name {
            /// Its description.
            pub(super) const SECTION: Section = Section {
                title: $title,
                about: &[$($about),+],
                heading: sections!(@heading $($heading)?),
                fields: &[$( FieldDeclaration {
                    name: stringify!($field),
                    about: &[$($doc),+],
                    shape: $sort.shape,
                    presence: sections!(@presence $kind $($absent)?),
                    under: sections!(@heading $($under)?),
                } ),*],
            };

            /// A value of a field as it is read, the same for all of its spellings; none if it
            /// cannot be read.
            ///
            /// Apart from the description, which every program has: only some compare experiments.
            pub(super) fn meaning(field: &str, node: &Node) -> Option<String> {
                $( if field == stringify!($field) {
                    return $sort.read(node, &mut Faults::default()).map(|value| format!("{value:?}"));
                } )*
                None
            }

            /// Reads it. Faults are noted, and the readable part is answered.
            pub(super) fn read(node: &Node, faults: &mut Faults) -> Option<Self> {
                let mut reader = TableReader::new(node, &Self::SECTION, faults)?;
                $( let $field = reader.$kind(stringify!($field), &$sort $(, $absent)?); )*
                Some(Self { place: node.place, $( $field: sections!(@value $kind $field), )* })
            }
        }
    )+};
    (@heading) => { None };
    (@heading $heading:literal) => { Some($heading) };
    (@value required $field:ident) => { $field? };
    (@value default $field:ident) => { $field? };
    (@value table $field:ident) => { $field? };
    (@value $kind:ident $field:ident) => { $field };
    (@type required $ty:ty) => { Located<$ty> };
    (@type default $ty:ty) => { Located<$ty> };
    (@type table $ty:ty) => { Located<$ty> };
    (@type $kind:ident $ty:ty) => { Option<Located<$ty>> };
    (@presence required) => { Presence::Required };
    (@presence default $text:literal) => { Presence::Default($text) };
    (@presence layered $text:literal) => { Presence::Default($text) };
    (@presence table $text:literal) => { Presence::Optional($text) };
    (@presence optional $text:literal) => { Presence::Optional($text) };
}

pub(super) use sections;

/// Reads a list of tables.
pub(super) fn tables<T>(
    node: &Node,
    faults: &mut Faults,
    read: fn(&Node, &mut Faults) -> Option<T>,
) -> Option<Vec<T>> {
    let all: Vec<Option<T>> = node.each().iter().map(|node| read(node, faults)).collect();
    all.into_iter().collect()
}
