//! The page's content-security policy.
//!
//! Nothing may be loaded from anywhere: an image stands in the page itself. The one style sheet and the one
//! script are known by their hashes, so that nothing else could run even if it came to stand in the page.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest as _, Sha256};

/// The policy for this style sheet and this script (W3C, Content Security Policy Level 3).
pub(crate) fn policy(style: &str, script: &str) -> String {
    let hash = |text: &str| format!("'sha256-{}'", STANDARD.encode(Sha256::digest(text)));
    format!(
        "default-src 'none'; style-src {}; script-src {}; img-src data:; base-uri 'none'; \
         form-action 'none'",
        hash(style),
        hash(script)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_those_of_the_standards_examples() {
        // FIPS 180-4 example "abc", and the empty text.
        let policy = policy("abc", "");
        assert!(policy.contains("'sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0='"));
        assert!(policy.contains("'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='"));
    }
}
