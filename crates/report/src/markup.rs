//! Markup whose text cannot become markup.
//!
//! Names of elements and attributes are literals of this crate. All other text passes through
//! [`escaped`], the one place where text meets markup; only the literals of [`Markup::literal`] go
//! around it. The result is well-formed for HTML and for SVG alike.

use std::borrow::Cow;
use std::fmt::{Display, Write as _};

/// A piece of HTML or SVG.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Markup(String);

impl Markup {
    /// Nothing yet.
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Begins an element; nothing is complete before one of [`Tag`]'s closing verbs.
    pub(crate) fn tag(&mut self, name: &'static str) -> Tag<'_> {
        self.0.push('<');
        self.0.push_str(name);
        Tag { out: self, name }
    }

    /// Text between elements.
    pub(crate) fn text(&mut self, text: &str) -> &mut Self {
        self.0.push_str(&escaped(text));
        self
    }

    /// Markup that stands in this program's source.
    pub(crate) fn literal(&mut self, markup: &'static str) -> &mut Self {
        self.0.push_str(markup);
        self
    }

    /// Markup made elsewhere.
    pub(crate) fn add(&mut self, other: &Self) -> &mut Self {
        self.0.push_str(&other.0);
        self
    }

    /// The text of all of it.
    pub(crate) fn into_text(self) -> String {
        self.0
    }
}

/// An element that is being written.
pub(crate) struct Tag<'a> {
    out: &'a mut Markup,
    name: &'static str,
}

impl Tag<'_> {
    /// An attribute.
    pub(crate) fn attr(self, name: &'static str, value: impl Display) -> Self {
        let value = value.to_string();
        let _ = write!(self.out.0, " {name}=\"{}\"", escaped(&value));
        self
    }

    /// An attribute without a value.
    pub(crate) fn flag(self, name: &'static str, set: bool) -> Self {
        if set { self.attr(name, "") } else { self }
    }

    /// A coordinate, to the hundredth of a unit.
    pub(crate) fn num(self, name: &'static str, value: f64) -> Self {
        self.attr(name, coordinate(value))
    }

    /// Closes an element without content: of SVG, or one that HTML calls void.
    pub(crate) fn empty(self) {
        self.out.0.push_str("/>");
    }

    /// The element's content is text.
    pub(crate) fn text(self, text: &str) {
        self.with(|inner| {
            inner.text(text);
        });
    }

    /// The element's content is what `fill` writes.
    pub(crate) fn with(self, fill: impl FnOnce(&mut Markup)) {
        self.out.0.push('>');
        fill(self.out);
        let _ = write!(self.out.0, "</{}>", self.name);
    }
}

/// Text with the characters replaced that mean something in markup or mean nothing at all.
fn escaped(text: &str) -> Cow<'_, str> {
    let special = |c: char| matches!(c, '&' | '<' | '>' | '"' | '\'') || meaningless(c);
    if !text.contains(special) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            c if meaningless(c) => safe.push('\u{fffd}'),
            c => safe.push(c),
        }
    }
    Cow::Owned(safe)
}

/// Characters that XML 1.0 does not allow (section 2.2).
fn meaningless(c: char) -> bool {
    let control = c.is_control() && !matches!(c, '\t' | '\n' | '\r' | '\u{80}'..='\u{9f}');
    control || matches!(c, '\u{fffe}' | '\u{ffff}')
}

/// A number to the hundredth without needless zeros.
pub(crate) fn coordinate(value: f64) -> String {
    if !value.is_finite() {
        return "0".to_owned();
    }
    let text = format!("{value:.2}");
    let short = text.trim_end_matches('0').trim_end_matches('.');
    if short == "-0" { "0".to_owned() } else { short.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_stays_text() {
        let mut markup = Markup::new();
        markup.tag("p").attr("title", "\"><b a='1'>").text("</p><script>1 & 2\u{0}");
        assert_eq!(
            markup.into_text(),
            "<p title=\"&quot;&gt;&lt;b a=&#39;1&#39;&gt;\">\
             &lt;/p&gt;&lt;script&gt;1 &amp; 2\u{fffd}</p>"
        );
    }

    #[test]
    fn coordinates_are_short_and_always_numbers() {
        assert_eq!(coordinate(12.0), "12");
        assert_eq!(coordinate(0.126), "0.13");
        assert_eq!(coordinate(-0.001), "0");
        assert_eq!(coordinate(f64::NAN), "0");
        assert_eq!(coordinate(100.0), "100");
    }
}
