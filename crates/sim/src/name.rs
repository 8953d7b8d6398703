//! Names in little memory.

use std::fmt;
use std::ops::Deref;

/// A name: a string that cannot change.
///
/// As large as a [`String`], but up to 22 bytes need no other memory. Ten thousand flows have seventy
/// thousand names.
///
/// ```
/// # use westwood_sim::Name;
/// let name = Name::from("host 1");
/// assert_eq!((name.len(), format!("flow of {name}").as_str()), (6, "flow of host 1"));
/// ```
#[derive(Clone)]
pub struct Name(Text);

#[derive(Clone)]
enum Text {
    /// So many bytes of these.
    Short(u8, [u8; SHORT]),
    Long(Box<str>),
}

const SHORT: usize = 22;

#[cfg(target_pointer_width = "64")]
const _: () = assert!(size_of::<Name>() == size_of::<String>(), "a name has grown");

impl Deref for Name {
    type Target = str;

    fn deref(&self) -> &str {
        match &self.0 {
            // Two names made of one whole string are one.
            Text::Short(len, bytes) => {
                std::str::from_utf8(&bytes[..usize::from(*len)]).unwrap_or("")
            }
            Text::Long(text) => text,
        }
    }
}

impl Name {
    /// The name as a string slice.
    pub fn as_str(&self) -> &str {
        self
    }

    /// The name in its own place, if it is short enough.
    fn short(text: &str) -> Option<Self> {
        let mut bytes = [0; SHORT];
        bytes.get_mut(..text.len())?.copy_from_slice(text.as_bytes());
        Some(Self(Text::Short(u8::try_from(text.len()).ok()?, bytes)))
    }
}

impl From<&str> for Name {
    fn from(text: &str) -> Self {
        Self::short(text).unwrap_or_else(|| Self(Text::Long(text.into())))
    }
}

impl From<String> for Name {
    fn from(text: String) -> Self {
        Self::short(&text).unwrap_or_else(|| Self(Text::Long(text.into())))
    }
}

impl From<Name> for String {
    fn from(name: Name) -> Self {
        match name.0 {
            Text::Short(..) => name.as_str().to_owned(),
            Text::Long(text) => text.into(),
        }
    }
}

impl AsRef<str> for Name {
    fn as_ref(&self) -> &str {
        self
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self)
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

impl Eq for Name {}

impl PartialEq for Name {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl PartialEq<str> for Name {
    fn eq(&self, other: &str) -> bool {
        self.as_str() == other
    }
}

impl PartialEq<&str> for Name {
    fn eq(&self, other: &&str) -> bool {
        self.as_str() == *other
    }
}

impl PartialEq<String> for Name {
    fn eq(&self, other: &String) -> bool {
        self.as_str() == other
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_the_string_it_was_made_of_however_long_it_is() {
        for text in
            ["", "a", "receiver of flow 10000", "receiver of flow 100000", "22 Bytes mit Umlaut: ä"]
        {
            let name = Name::from(text);
            assert_eq!(matches!(name.0, Text::Short(..)), text.len() <= SHORT, "{text}");
            assert_eq!(name, Name::from(text.to_owned()));
            assert_eq!((String::from(name.clone()), name.to_string()), (text.into(), text.into()));
        }
        assert_ne!(Name::from("a"), Name::from("a\0"));
    }
}
