//! Bash: words as readline breaks and quotes them.
//!
//! Bash replaces what stands behind the last of its word breaks, of which `=`, `:` and `(` are some, or
//! behind an open quote. So it hands over the line, and gets back the end of each word, quoted.

use super::candidate::{Candidate, Candidates, FILES};
use super::typed;

/// A line taken apart.
#[derive(Debug, PartialEq, Eq)]
struct TypedLine {
    /// The words, without quotes.
    words: Vec<String>,
    /// The quote in which the cursor stands.
    quote: Option<char>,
    /// The part of the last word that readline replaces, as it is written.
    replaced: String,
}

/// The lines for `COMPREPLY`.
///
/// `arguments` are the line up to the cursor and `COMP_WORDBREAKS`.
pub(super) fn answer(arguments: &[String]) -> String {
    let [text, breaks] = arguments else {
        return String::new();
    };
    let line = TypedLine::parse(text, breaks);
    // The first word is the command itself.
    let words = line.words.get(1..).unwrap_or_default();
    let last = words.last().map_or("", String::as_str);
    reply(&line, last, &typed::answer(words))
}

fn reply(line: &TypedLine, last: &str, answer: &Candidates) -> String {
    let mut text = String::new();
    for candidate in &answer.candidates {
        text.push_str(&line.written(last, candidate));
        text.push('\n');
    }
    // Readline closes the quote behind a single candidate, which is too early if more is to follow.
    if let (Some(_), [only]) = (line.quote, answer.candidates.as_slice())
        && !only.whole
    {
        text.push_str(&line.written(last, only));
        text.push_str("…\n");
    }
    if answer.files {
        text.push_str(FILES);
        text.push('\n');
    }
    text
}

impl TypedLine {
    fn parse(text: &str, breaks: &str) -> Self {
        let (mut words, mut word, mut quote) = (Vec::new(), String::new(), None);
        let (mut escaped, mut begun) = (false, false);
        // The place where readline's word begins.
        let mut start = 0;
        for (at, c) in text.char_indices() {
            let next = at + c.len_utf8();
            match (c, quote) {
                (_, _) if escaped => {
                    escaped = false;
                    word.push(c);
                }
                ('\\', None | Some('"')) => (escaped, begun) = (true, true),
                ('\'' | '"', None) => (quote, begun, start) = (Some(c), true, next),
                (c, Some(open)) if c == open => quote = None,
                (c, None) if c.is_whitespace() => {
                    start = next;
                    if begun {
                        words.push(std::mem::take(&mut word));
                        begun = false;
                    }
                }
                (c, open) => {
                    if open.is_none() && breaks.contains(c) {
                        start = next;
                    }
                    begun = true;
                    word.push(c);
                }
            }
        }
        words.push(word);
        Self { words, quote, replaced: text[start..].to_owned() }
    }

    /// The text that replaces `replaced`, so that the word becomes the candidate's.
    fn written(&self, last: &str, candidate: &Candidate) -> String {
        let rest = candidate.word.strip_prefix(last).unwrap_or_default();
        let rest = if self.quote.is_some() { rest.to_owned() } else { escaped(rest) };
        // The function asks readline for no space of its own.
        let end = match (candidate.whole, self.quote) {
            (true, None) => " ",
            _ => "",
        };
        format!("{}{rest}{end}", self.replaced)
    }
}

/// A text that bash reads as it is.
fn escaped(text: &str) -> String {
    let mut written = String::new();
    for c in text.chars() {
        if " ()<>&|;'\"\\$`*?[]#~{}!".contains(c) {
            written.push('\\');
        }
        written.push(c);
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    const BREAKS: &str = " \t\n\"'><=;|&(:";

    fn replies(line: &str) -> Vec<String> {
        let text = answer(&[line.to_owned(), BREAKS.to_owned()]);
        text.lines().map(str::to_owned).collect()
    }

    #[test]
    fn what_is_replaced_begins_behind_a_word_break_or_a_quote() {
        for (line, words, replaced) in [
            ("westwood com", vec!["westwood", "com"], "com"),
            ("westwood ", vec!["westwood", ""], ""),
            ("westwood compare --cc=re", vec!["westwood", "compare", "--cc=re"], "re"),
            ("westwood x 'a(b=c", vec!["westwood", "x", "a(b=c"], "a(b=c"),
            (r"westwood x a\(b=c", vec!["westwood", "x", "a(b=c"], "c"),
            ("westwood x a,b", vec!["westwood", "x", "a,b"], "a,b"),
            ("westwood x '' y", vec!["westwood", "x", "", "y"], "y"),
        ] {
            let parsed = TypedLine::parse(line, BREAKS);
            assert_eq!(
                (parsed.words, parsed.replaced.as_str()),
                (words.iter().map(|w| (*w).to_owned()).collect(), replaced),
                "{line}"
            );
        }
    }

    #[test]
    fn parentheses_are_escaped_unless_they_are_quoted() {
        assert_eq!(
            replies("westwood compare --cc westwood+"),
            ["westwood+ ", r"westwood+\(", "westwood+probing ", r"westwood+probing\(",]
        );
        assert_eq!(
            replies("westwood compare --cc 'reno,vegas-"),
            ["reno,vegas-linux", "reno,vegas-linux("]
        );
        assert_eq!(replies(r"westwood compare --cc westwood+\(filter="), ["a", "b"]);
        assert_eq!(
            replies("westwood compare --cc 'westwood+(filter="),
            ["westwood+(filter=a", "westwood+(filter=b"]
        );
    }

    #[test]
    fn an_only_candidate_that_goes_on_leaves_its_quote_open() {
        let line = "westwood compare --loss 'gilbert(good=1s,bad=10ms,p=10%";
        assert_eq!(replies(line).len(), 2);
        assert_eq!(replies("westwood run 'satellite-g"), ["satellite-geo", FILES]);
    }
}
