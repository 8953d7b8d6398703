//! Candidates for the last word of a command line.

/// A way to go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Candidate {
    /// The whole word, without quotes.
    pub(crate) word: String,
    /// Its meaning, in a line.
    pub(crate) about: String,
    /// Nothing is to be added to it: a space may follow.
    pub(crate) whole: bool,
}

impl Candidate {
    pub(crate) fn new(word: impl Into<String>, about: impl Into<String>) -> Self {
        Self { word: word.into(), about: about.into(), whole: true }
    }

    /// Something is to follow in the same word.
    pub(crate) fn open(self) -> Self {
        Self { whole: false, ..self }
    }
}

/// The candidates for a place: words, and whether the shell adds names of files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Candidates {
    pub(crate) candidates: Vec<Candidate>,
    /// Names of files or folders too.
    pub(crate) files: bool,
}

/// A line that tells a shell's function to offer names of files as well.
pub(super) const FILES: &str = "\u{1}files";
