//! The declaration of the format: tables, their fields, and the shapes of values.
//!
//! The parser, the documents, the schema and the flags are made from it.

/// A table that a file may have.
#[derive(Clone, Copy, Debug)]
pub(super) struct Section {
    /// Its heading: `[dumbbell]`.
    pub(super) title: &'static str,
    /// Its purpose; one string a line.
    pub(super) about: &'static [&'static str],
    /// Its fields, in the order of the documents.
    pub(super) fields: &'static [FieldDeclaration],
    /// Under which heading of the command's help its fields are flags; none if they are not.
    pub(super) heading: Option<&'static str>,
}

/// A field of a table.
#[derive(Clone, Copy, Debug)]
pub(super) struct FieldDeclaration {
    pub(super) name: &'static str,
    /// Its meaning; one string a line.
    pub(super) about: &'static [&'static str],
    pub(super) shape: ValueShape,
    pub(super) presence: Presence,
    /// The heading of its flag, where it is not its table's; empty for a field without a flag.
    pub(super) under: Option<&'static str>,
}

/// The value of a field that is not given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Presence {
    /// The file is refused.
    Required,
    /// It has this value.
    Default(&'static str),
    /// The value that these words describe.
    Optional(&'static str),
}

impl Section {
    /// Under which heading a field of this table is a flag; none if it is not.
    pub(super) fn heading_of(&self, field: &FieldDeclaration) -> Option<&'static str> {
        field.under.or(self.heading).filter(|heading| !heading.is_empty())
    }
}

/// The form of a value.
#[derive(Clone, Copy, Debug)]
pub(super) enum ValueShape {
    /// A quantity or specification: its name, and an example.
    Text(&'static str, &'static str),
    /// One of these words.
    Words(&'static [&'static str]),
    /// A whole number from the first to the second.
    Count(u64, u64),
    /// `true` or `false`, also `"on"` or `"off"`.
    Switch,
    /// One value, or a list of them.
    Some(&'static str, &'static str),
    /// A list of texts.
    Texts(&'static str, &'static str),
    /// A table with these fields.
    Table(&'static Section),
    /// A list of tables with these fields.
    Tables(&'static Section),
    /// A table with these fields, or a list of them.
    OneOrMore(&'static Section),
    /// Tables with these fields, by their names.
    Named(&'static Section),
    /// Names, each with a number.
    Numbers(&'static str),
    /// Paths of fields, each with the value or values that it takes.
    Settings(&'static str),
    /// Named tables of such paths.
    NamedSettings(&'static str),
}

impl ValueShape {
    /// An example, as a file would have it.
    pub(super) const fn example(&self) -> &'static str {
        match self {
            Self::Text(_, example)
            | Self::Some(_, example)
            | Self::Texts(_, example)
            | Self::Numbers(example)
            | Self::Settings(example)
            | Self::NamedSettings(example) => example,
            Self::Words(words) => words[0],
            Self::Count(..) => "1",
            Self::Switch => "true",
            Self::Table(section)
            | Self::Tables(section)
            | Self::OneOrMore(section)
            | Self::Named(section) => section.title,
        }
    }
}
