//! Experiments in links: `#` and the text of a scenario, compressed in the format of zlib (RFC 1950), whose
//! checksum tells a damaged link, in base64url (RFC 4648 section 5) without padding. The playground keeps its
//! experiment there, and a second one, in the same code, as `beside` of the query before it. Links of raw
//! DEFLATE (RFC 1951), which has no checksum, are read too.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use miniz_oxide::deflate::compress_to_vec_zlib;
use miniz_oxide::inflate::stream::{InflateState, inflate};
use miniz_oxide::{DataFormat, MZFlush};
use westwood_scenario::BadInput;

/// The most bytes that a scenario may have, in a link or a file: a megabyte is not written by hand.
pub(crate) const MOST_BYTES: u64 = 1 << 20;

/// The file name of an experiment that has no file: in messages, and the scenario's name where its text has
/// none.
pub const NAME: &str = "experiment";

/// The most that DEFLATE is asked to try: links are short, and made once.
const EFFORT: u8 = 10;

/// The part of a link behind and with `#` that holds a scenario.
///
/// ```
/// use westwood_experiment::link::{of_text, text_of};
/// let toml = "cc = \"reno\"\n[dumbbell]\nrate = \"10Mbit/s\"\n";
/// assert_eq!(text_of(&format!("playground.html{}", of_text(toml))).unwrap(), toml);
/// ```
pub fn of_text(toml: &str) -> String {
    format!("#{}", URL_SAFE_NO_PAD.encode(compress_to_vec_zlib(toml.as_bytes(), EFFORT)))
}

/// True of a text that has a `#` or begins as an address does: a link, unless there is a file of this name.
pub fn is_link(text: &str) -> bool {
    text.contains('#') || text.contains("://")
}

/// The two experiments of a link that holds two, each as a link of its own.
///
/// ```
/// use westwood_experiment::link::pair;
/// let both = ["#AAA", "#BBB"].map(str::to_owned);
/// assert_eq!(pair("playground.html?beside=BBB#AAA"), Some(both));
/// assert_eq!(pair("playground.html?lesson=queue#AAA"), None);
/// ```
pub fn pair(link: &str) -> Option<[String; 2]> {
    let (address, first) = link.split_once('#')?;
    let (_, query) = address.split_once('?')?;
    let second = query.split('&').find_map(|part| part.strip_prefix("beside="))?;
    Some([first, second].map(|code| format!("#{code}")))
}

/// The scenario in a link, the first where it holds two.
///
/// # Errors
///
/// There is none, it is damaged, or it unpacks to more than a scenario file may have.
pub fn text_of(link: &str) -> Result<String, BadInput> {
    let whole = |what: String| BadInput::new(what).hint("copy the whole link, and quote it: '...'");
    let damaged = || whole("the experiment in this link is damaged".to_owned());
    let code = link.split_once('#').map_or("", |(_, code)| code);
    if code.is_empty() {
        return Err(whole("this link has no experiment behind a #".to_owned()));
    }
    let packed = URL_SAFE_NO_PAD.decode(code).map_err(|_| damaged())?;
    let most = usize::try_from(MOST_BYTES).unwrap_or(usize::MAX);
    let mut bytes = vec![0; most + 1];
    let mut state = InflateState::new_boxed(format_of(&packed));
    let read = inflate(&mut state, &packed, &mut bytes, MZFlush::Finish);
    if read.bytes_written > most {
        return Err(BadInput::new(format!(
            "the experiment in this link has more than {MOST_BYTES} bytes"
        )));
    }
    // Something behind the end is damage too: a link that was pasted twice.
    if read.status.is_err() || read.bytes_consumed < packed.len() {
        return Err(damaged());
    }
    bytes.truncate(read.bytes_written);
    String::from_utf8(bytes).map_err(|_| damaged())
}

/// The format of compressed bytes. Those of zlib begin with the number 8 in four bits: raw DEFLATE would be a
/// stored block there, with a bit set in its padding, which no compressor sets.
fn format_of(packed: &[u8]) -> DataFormat {
    match packed.first() {
        Some(first) if first & 0xf == 8 => DataFormat::Zlib,
        _ => DataFormat::Raw,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_holds_any_text_and_gives_it_back() {
        let numbers = (0_u64..9_000).map(|i| (i * 7_919 % 104_729).to_string());
        let long = numbers.collect::<Vec<_>>().join("\n# ");
        for text in ["", "a = 1\n", "# ß, 日本, 🦀\n", &long] {
            let link = of_text(text);
            assert!(link[1..].bytes().all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b)));
            assert_eq!(text_of(&format!("file:///p.html{link}")).as_deref(), Ok(text));
        }
    }

    #[test]
    fn a_link_holds_a_second_experiment_in_its_query_alone() {
        let [a, b] = ["a = 1\n", "b = 2\n"].map(of_text);
        for query in ["?beside=", "?lesson=queue&beside=", "?a=b?c&beside="] {
            let link = format!("https://example.org/p.html{query}{}{a}", &b[1..]);
            assert_eq!(pair(&link), Some([a.clone(), b.clone()]), "{link}");
        }
        // A second experiment that was lost is not as if there had been none.
        assert_eq!(pair(&format!("p.html?beside={a}")), Some([a.clone(), "#".to_owned()]));
        for link in ["p.html?beside=AAA", &a, &format!("p.html{a}?beside=AAA")] {
            assert_eq!(pair(link), None, "{link}");
        }
    }

    /// A short text, whose compressor stores it as it is, and a longer one.
    fn texts() -> [String; 2] {
        let path =
            |i: u32| format!("[variant.v{i}]\n\"dumbbell.rtt\" = \"{} ms\"\n", i * i * 37 % 101);
        ["like = \"linux\"\n[dumbbell]\nloss = \"0.5%\"\n".to_owned(), (0..12).map(path).collect()]
    }

    #[test]
    fn a_link_that_is_cut_off_or_has_more_behind_it_is_refused() {
        for link in texts().map(|text| of_text(&text)) {
            for end in 0..link.len() {
                assert!(text_of(&link[..end]).is_err(), "{end} characters of {link}");
            }
            for more in ["!", "A", "AAAA", &link, &link[1..]] {
                assert!(text_of(&format!("{link}{more}")).is_err(), "{link}{more}");
            }
        }
        for odd in
            ["", "none", "#", "#!", "#____", "https://example.org/playground.html?lesson=queue"]
        {
            assert!(text_of(odd).is_err(), "{odd}");
        }
    }

    #[test]
    fn a_link_with_characters_changed_doubled_or_left_out_is_never_another_experiment() {
        const LETTERS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
        for (text, link) in texts().map(|text| (text.clone(), of_text(&text))) {
            for at in 1..link.len() {
                let (before, letter, after) = (&link[..at], &link[at..=at], &link[at + 1..]);
                let changed = LETTERS.chars().filter(|other| !letter.contains(*other));
                let mut damaged: Vec<String> =
                    changed.map(|c| format!("{before}{c}{after}")).collect();
                // So many at a place, and a length that base64 has stays one with four.
                for count in [1, 2, 3, 4, 8].into_iter().filter(|count| at + count <= link.len()) {
                    damaged.push(format!("{before}{}{}", &link[at..at + count], &link[at..]));
                    damaged.push(format!("{before}{}", &link[at + count..]));
                }
                for damaged in damaged {
                    // A stored block has five bits of padding before it, which mean nothing.
                    assert!(
                        text_of(&damaged).is_err() || text_of(&damaged).as_ref() == Ok(&text),
                        "{damaged}"
                    );
                }
            }
        }
    }

    #[test]
    fn a_link_without_a_checksum_still_opens() {
        for text in texts() {
            let raw = miniz_oxide::deflate::compress_to_vec(text.as_bytes(), EFFORT);
            let link = format!("playground.html#{}", URL_SAFE_NO_PAD.encode(&raw));
            assert_eq!(text_of(&link).as_deref(), Ok(text.as_str()));
            assert!(text_of(&format!("{link}AAAA")).is_err(), "more behind its end");
        }
        // As the playground and the command have made them.
        for link in
            ["#ASkA1v9saWtlID0gImxpbnV4IgoKW2R1bWJiZWxsXQpsb3NzID0gIjAuNSUiCg", "#S1SwVTDkAgA"]
        {
            assert!(text_of(link).is_ok(), "{link}");
        }
    }

    #[test]
    fn a_link_that_unpacks_to_more_than_a_file_may_have_is_refused() {
        let most = usize::try_from(MOST_BYTES).unwrap();
        assert!(text_of(&of_text(&"#".repeat(most))).is_ok());
        let error = text_of(&of_text(&"#".repeat(most + 1))).unwrap_err().to_string();
        assert!(error.contains("more than 1048576 bytes"), "{error}");
    }
}
