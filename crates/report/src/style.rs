//! Colours and weights that carry no meaning of their own.

/// The style of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// Columns to fill.
    pub width: usize,
    /// Whether escape sequences may be used.
    pub colour: bool,
}

impl Style {
    /// Text for a file or a pipe.
    pub const PLAIN: Self = Self { width: 80, colour: false };

    /// The columns that are filled at most: eyes lose the line in wider prose.
    pub const WIDEST: usize = 200;

    pub(crate) fn bold(self, text: &str) -> String {
        self.wrap("1", text)
    }

    pub(crate) fn dim(self, text: &str) -> String {
        self.wrap("2", text)
    }

    pub(crate) fn good(self, text: &str) -> String {
        self.wrap("1;32", text)
    }

    fn wrap(self, code: &str, text: &str) -> String {
        if self.colour && !text.is_empty() {
            format!("\u{1b}[{code}m{text}\u{1b}[0m")
        } else {
            text.to_owned()
        }
    }
}
