//! Experiments in links: `#` and the text of a scenario, compressed by raw DEFLATE (RFC 1951), in base64url
//! (RFC 4648 section 5) without padding. The playground keeps its experiment there, and a second one, in the
//! same code, as `beside` of the query before it.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use miniz_oxide::deflate::compress_to_vec;
use miniz_oxide::inflate::{DecompressError, TINFLStatus, decompress_to_vec_with_limit};
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
    format!("#{}", URL_SAFE_NO_PAD.encode(compress_to_vec(toml.as_bytes(), EFFORT)))
}

/// True of a text that has something behind a `#`: a link, unless there is a file of this name.
pub fn is_link(text: &str) -> bool {
    text.split_once('#').is_some_and(|(_, code)| !code.is_empty())
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
    (!second.is_empty()).then(|| [first, second].map(|code| format!("#{code}")))
}

/// The scenario in a link, the first where it holds two.
///
/// # Errors
///
/// There is none, it is damaged, or it unpacks to more than a scenario file may have.
pub fn text_of(link: &str) -> Result<String, BadInput> {
    let damaged = || {
        let what = "the experiment in this link is damaged";
        BadInput::new(what).hint("copy the whole link, and quote it: '...'")
    };
    let (_, code) = link.split_once('#').ok_or_else(damaged)?;
    let packed = URL_SAFE_NO_PAD.decode(code).map_err(|_| damaged())?;
    let most = usize::try_from(MOST_BYTES).unwrap_or(usize::MAX);
    let bytes = decompress_to_vec_with_limit(&packed, most).map_err(|error| match error {
        DecompressError { status: TINFLStatus::HasMoreOutput, .. } => {
            BadInput::new(format!("the experiment in this link has more than {MOST_BYTES} bytes"))
        }
        _ => damaged(),
    })?;
    String::from_utf8(bytes).map_err(|_| damaged())
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
        let (none, behind) = (format!("p.html?beside={a}"), format!("p.html{a}?beside=AAA"));
        for link in ["p.html?beside=AAA", &a, &none, &behind] {
            assert_eq!(pair(link), None, "{link}");
        }
    }

    #[test]
    fn a_damaged_link_is_refused_whatever_is_wrong_with_it() {
        let link = of_text(&"rate = 1\n".repeat(40));
        for end in 1..link.len() {
            assert!(text_of(&link[..end]).is_err(), "{end} characters of it");
        }
        for odd in ["", "none", "#!", "#____", &format!("{link}!")] {
            assert!(text_of(odd).is_err(), "{odd}");
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
