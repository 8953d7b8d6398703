//! The command as a shell would take it again.

use std::ffi::OsString;

/// The arguments as one line; the program by its name, wherever it stood.
pub(crate) fn command_line(arguments: &[OsString]) -> String {
    let words = arguments.iter().skip(1).map(|word| quoted(&word.to_string_lossy()));
    std::iter::once("westwood".to_owned()).chain(words).collect::<Vec<_>>().join(" ")
}

/// A word that a POSIX shell reads as it is, in quotes if need be.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:,+=%@^".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_with_meaning_to_a_shell_are_quoted() {
        let line = |words: &[&str]| {
            command_line(&words.iter().map(OsString::from).collect::<Vec<OsString>>())
        };
        assert_eq!(
            line(&[
                "/usr/bin/westwood",
                "compare",
                "--cc",
                "westwood+(tau=1s),reno",
                "--loss",
                "1%"
            ]),
            "westwood compare --cc 'westwood+(tau=1s),reno' --loss 1%"
        );
        assert_eq!(line(&["w", "", "it's", "a b"]), r"westwood '' 'it'\''s' 'a b'");
    }
}
