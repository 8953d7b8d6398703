//! How a controller names, documents, bounds and sets its parameters.
//!
//! [`parameters!`](crate::parameters) turns one declaration into the struct, its defaults, the list
//! that `westwood list controllers` prints, and the setter behind `--cc 'westwood+(tau=0.3s)'`. The
//! doc comment of a field is its description everywhere.
//!
//! ```
//! use westwood_cc::Duration;
//! use westwood_cc::params::{Parameters, Value};
//!
//! westwood_cc::choices! {
//!     /// How the first estimate comes about.
//!     pub enum Start {
//!         /// From the first sample.
//!         FirstSample = "first-sample",
//!         /// From nothing.
//!         Zero = "zero",
//!     }
//! }
//!
//! westwood_cc::parameters! {
//!     /// The parameters.
//!     pub struct Params {
//!         /// Time constant of the low-pass filter.
//!         pub tau: Duration = Duration::from_millis(500),
//!             in Duration::from_millis(1), Duration::from_millis(3_800);
//!         /// How the first estimate comes about.
//!         pub start: Start = Start::FirstSample;
//!     }
//! }
//!
//! let mut params = Params::default();
//! assert!(params.set("tau", Value::Duration(Duration::from_millis(300))).is_ok());
//! assert!(params.set("tau", Value::Duration(Duration::from_secs(10))).is_err());
//! assert!(params.set("start", Value::Choice("zero")).is_ok());
//! assert_eq!(params.start, Start::Zero);
//! ```
//!
//! A controller that is built on another one has that one's parameters beside its own:
//!
//! ```
//! # use westwood_cc::Duration;
//! use westwood_cc::controllers::westwood_plus;
//! use westwood_cc::params::{Parameters, Value};
//!
//! westwood_cc::parameters! {
//!     /// Westwood+'s and one more.
//!     pub struct Params {
//!         /// Nothing is done before this time.
//!         pub patience: Duration = Duration::from_secs(1);
//!         ..
//!         /// Those of Westwood+.
//!         pub plus: westwood_plus::Params;
//!     }
//! }
//!
//! let mut params = Params::default();
//! assert!(params.set("tau", Value::Duration(Duration::from_millis(300))).is_ok());
//! assert_eq!(params.plus.tau, Duration::from_millis(300));
//! assert_eq!(Params::LIST.len(), 1 + westwood_plus::Params::LIST.len());
//! ```

use crate::units::{Duration, Rate, Ratio, Segments};

/// A parameter's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value<'a> {
    /// A span of time.
    Duration(Duration),
    /// A share or a gain.
    Ratio(Ratio),
    /// A whole number.
    Count(u64),
    /// A window or an increment in segments.
    Segments(Segments),
    /// A rate.
    Rate(Rate),
    /// Yes or no.
    Flag(bool),
    /// One of a few words.
    Choice(&'a str),
}

/// The values that a parameter may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParamKind {
    /// A span of time.
    Duration,
    /// A share or a gain.
    Ratio,
    /// A whole number.
    Count,
    /// A window or an increment in segments.
    Segments,
    /// A rate.
    Rate,
    /// Yes or no.
    Flag,
    /// One of these words.
    Choice(&'static [&'static str]),
}

/// One parameter.
#[derive(Clone, Copy, Debug)]
pub struct Param {
    /// Its name, in the field's word.
    pub name: &'static str,
    /// Its meaning: the field's doc comment, line by line.
    pub doc: &'static [&'static str],
    /// Its values.
    pub kind: ParamKind,
    /// The smallest and the largest value allowed, both included.
    pub bounds: Option<(Value<'static>, Value<'static>)>,
}

/// Why a parameter was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParamError {
    /// There is no parameter of that name.
    Unknown,
    /// The value is of another kind, or not one of the words.
    Kind(ParamKind),
    /// The value is outside its bounds.
    OutOfBounds(Value<'static>, Value<'static>),
}

/// A controller's parameters: made by [`parameters!`](crate::parameters).
pub trait Parameters: Copy + Default + PartialEq {
    /// All parameters, in the order of their declaration.
    const LIST: &'static [Param];

    /// The value of the parameter `name`, if there is one.
    fn get(&self, name: &str) -> Option<Value<'static>>;

    /// Sets the parameter `name`, or says why not and leaves everything as it was.
    fn set(&mut self, name: &str, value: Value<'_>) -> Result<(), ParamError>;
}

/// A type that a parameter can have.
pub trait Field: Copy + PartialEq {
    /// The values that this type may take.
    const KIND: ParamKind;

    /// This value.
    fn value(self) -> Value<'static>;

    /// The value as this type, if it is of the kind.
    fn from_value(value: Value<'_>) -> Option<Self>;

    /// True if `low <= self <= high`. Types without an order are always within.
    fn within(self, low: Self, high: Self) -> bool;
}

macro_rules! ordered_field {
    ($type:ty, $variant:ident) => {
        impl Field for $type {
            const KIND: ParamKind = ParamKind::$variant;
            fn value(self) -> Value<'static> {
                Value::$variant(self)
            }
            fn from_value(value: Value<'_>) -> Option<Self> {
                match value {
                    Value::$variant(v) => Some(v),
                    _ => None,
                }
            }
            fn within(self, low: Self, high: Self) -> bool {
                low <= self && self <= high
            }
        }
    };
}

ordered_field!(Duration, Duration);
ordered_field!(u64, Count);
ordered_field!(Segments, Segments);
ordered_field!(Rate, Rate);
ordered_field!(bool, Flag);

impl Field for Ratio {
    const KIND: ParamKind = ParamKind::Ratio;
    fn value(self) -> Value<'static> {
        Value::Ratio(self)
    }
    fn from_value(value: Value<'_>) -> Option<Self> {
        match value {
            Value::Ratio(r) => Some(r),
            _ => None,
        }
    }
    fn within(self, low: Self, high: Self) -> bool {
        let at_most = |a: Self, b: Self| {
            u64::from(a.num()) * u64::from(b.den()) <= u64::from(b.num()) * u64::from(a.den())
        };
        at_most(low, self) && at_most(self, high)
    }
}

/// Both lists, one after the other; `N` is the sum of their lengths.
#[doc(hidden)]
pub const fn joined<const N: usize>(own: &[Param], inner: &[Param]) -> [Param; N] {
    let none = Param { name: "", doc: &[], kind: ParamKind::Flag, bounds: None };
    let (mut all, mut i) = ([none; N], 0);
    while i < N {
        all[i] = if i < own.len() { own[i] } else { inner[i - own.len()] };
        i += 1;
    }
    all
}

/// Declares a struct of parameters with its defaults and bounds; see [`params`](crate::params).
#[macro_export]
macro_rules! parameters {
    (
        $(#[$outer:meta])*
        pub struct $name:ident {
            $(
                $(#[doc = $doc:literal])*
                pub $field:ident : $type:ident = $default:expr $(, in $low:expr, $high:expr)? ;
            )*
            $(
                ..
                $(#[doc = $inner_doc:literal])*
                pub $inner:ident : $inner_type:ty ;
            )?
        }
    ) => {
        $(#[$outer])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct $name {
            $( $(#[doc = $doc])* pub $field: $type, )*
            $( $(#[doc = $inner_doc])* pub $inner: $inner_type, )?
        }

        impl Default for $name {
            fn default() -> Self {
                Self { $( $field: $default, )* $( $inner: <$inner_type>::default(), )? }
            }
        }

        impl $crate::params::Parameters for $name {
            const LIST: &'static [$crate::params::Param] = {
                const OWN: &[$crate::params::Param] = &[
                    $( $crate::params::Param {
                        name: stringify!($field),
                        doc: &[$($doc),*],
                        kind: <$type as $crate::params::Field>::KIND,
                        bounds: $crate::parameters!(@bounds $type $(, $low, $high)?),
                    }, )*
                ];
                $crate::parameters!(@list OWN $(, $inner_type)?)
            };

            #[allow(unused_variables, reason = "a controller may have no parameters")]
            fn get(&self, name: &str) -> Option<$crate::params::Value<'static>> {
                $( if name == stringify!($field) {
                    return Some($crate::params::Field::value(self.$field));
                } )*
                let other = None;
                $( let other = other.or_else(|| self.$inner.get(name)); )?
                other
            }

            #[allow(unused_variables, reason = "a controller may have no parameters")]
            fn set(
                &mut self,
                name: &str,
                value: $crate::params::Value<'_>,
            ) -> Result<(), $crate::params::ParamError> {
                $( if name == stringify!($field) {
                    let v = <$type as $crate::params::Field>::from_value(value)
                        .ok_or($crate::params::ParamError::Kind(<$type as $crate::params::Field>::KIND))?;
                    $( if !$crate::params::Field::within(v, $low, $high) {
                        return Err($crate::params::ParamError::OutOfBounds(
                            $crate::params::Field::value($low),
                            $crate::params::Field::value($high),
                        ));
                    } )?
                    self.$field = v;
                    return Ok(());
                } )*
                let other = Err($crate::params::ParamError::Unknown);
                $( let other = other.or_else(|_| self.$inner.set(name, value)); )?
                other
            }
        }
    };
    (@list $own:ident) => { $own };
    (@list $own:ident, $inner:ty) => {{
        const INNER: &[$crate::params::Param] = <$inner as $crate::params::Parameters>::LIST;
        const ALL: [$crate::params::Param; $own.len() + INNER.len()] =
            $crate::params::joined($own, INNER);
        &ALL
    }};
    (@bounds $type:ident) => { None };
    (@bounds Duration, $low:expr, $high:expr) => {
        Some(($crate::params::Value::Duration($low), $crate::params::Value::Duration($high)))
    };
    (@bounds u64, $low:expr, $high:expr) => {
        Some(($crate::params::Value::Count($low), $crate::params::Value::Count($high)))
    };
    (@bounds Segments, $low:expr, $high:expr) => {
        Some(($crate::params::Value::Segments($low), $crate::params::Value::Segments($high)))
    };
    (@bounds Rate, $low:expr, $high:expr) => {
        Some(($crate::params::Value::Rate($low), $crate::params::Value::Rate($high)))
    };
    (@bounds Ratio, $low:expr, $high:expr) => {
        Some(($crate::params::Value::Ratio($low), $crate::params::Value::Ratio($high)))
    };
}

/// Declares a parameter that is one of a few words; see [`params`](crate::params).
#[macro_export]
macro_rules! choices {
    (
        $(#[$outer:meta])*
        pub enum $name:ident {
            $( $(#[$inner:meta])* $variant:ident = $word:literal, )*
        }
    ) => {
        $(#[$outer])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name {
            $( $(#[$inner])* $variant, )*
        }

        impl $crate::params::Field for $name {
            const KIND: $crate::params::ParamKind = $crate::params::ParamKind::Choice(&[$($word),*]);
            fn value(self) -> $crate::params::Value<'static> {
                $crate::params::Value::Choice(match self { $( Self::$variant => $word, )* })
            }
            fn from_value(value: $crate::params::Value<'_>) -> Option<Self> {
                match value {
                    $( $crate::params::Value::Choice($word) => Some(Self::$variant), )*
                    _ => None,
                }
            }
            fn within(self, _: Self, _: Self) -> bool {
                true
            }
        }
    };
}
