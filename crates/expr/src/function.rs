//! Functions of numbers.

/// A function of one or more numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NumberFunction {
    /// The smallest one.
    Min,
    /// The largest one.
    Max,
    /// Without its sign.
    Abs,
    /// The square root.
    Sqrt,
    /// The natural logarithm.
    Ln,
    /// The decimal logarithm.
    Log10,
    /// e to this power.
    Exp,
    /// The nearest whole number; a half goes away from zero.
    Round,
    /// The next lower whole number.
    Floor,
    /// The next higher whole number.
    Ceil,
}

impl NumberFunction {
    /// Every function by its name.
    pub const ALL: [(&'static str, Self); 10] = [
        ("min", Self::Min),
        ("max", Self::Max),
        ("abs", Self::Abs),
        ("sqrt", Self::Sqrt),
        ("ln", Self::Ln),
        ("log10", Self::Log10),
        ("exp", Self::Exp),
        ("round", Self::Round),
        ("floor", Self::Floor),
        ("ceil", Self::Ceil),
    ];

    /// The most numbers that a function takes.
    const MOST: usize = 8;

    /// The function of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(known, _)| *known == name).map(|(_, function)| *function)
    }

    /// The least and the largest number of values that it takes.
    pub const fn values(self) -> (usize, usize) {
        match self {
            Self::Min | Self::Max => (2, Self::MOST),
            _ => (1, 1),
        }
    }

    /// The value of a function of one number. [`Min`](Self::Min) and [`Max`](Self::Max) of one are that one.
    pub fn of(self, x: f64) -> f64 {
        match self {
            Self::Min | Self::Max => x,
            Self::Abs => x.abs(),
            Self::Sqrt => x.sqrt(),
            Self::Ln => libm::log(x),
            Self::Log10 => libm::log10(x),
            Self::Exp => libm::exp(x),
            Self::Round => x.round(),
            Self::Floor => x.floor(),
            Self::Ceil => x.ceil(),
        }
    }

    /// The value for two numbers: the larger one of [`Max`](Self::Max), the smaller one of any other. A
    /// missing value wins, so that it is seen.
    pub fn of_two(self, a: f64, b: f64) -> f64 {
        match self {
            _ if a.is_nan() || b.is_nan() => f64::NAN,
            Self::Max => a.max(b),
            _ => a.min(b),
        }
    }
}

/// Refuses a call of the function `name` with so many values, if it takes fewer or more.
pub fn wrong_count(name: &str, values: usize, (least, most): (usize, usize)) -> Option<String> {
    if (least..=most).contains(&values) {
        return None;
    }
    let due = if least == most { least.to_string() } else { format!("{least} to {most}") };
    let plural = if values == 1 { "" } else { "s" };
    Some(format!("'{name}' has {values} value{plural}; it takes {due}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_larger_or_the_smaller_of_two_is_chosen_and_a_missing_value_wins() {
        let chosen = |name: &str, a, b| NumberFunction::named(name).map(|f| f.of_two(a, b));
        for (a, b) in [(2.0, 3.0), (3.0, 2.0)] {
            assert_eq!(chosen("min", a, b), Some(2.0));
            assert_eq!(chosen("max", a, b), Some(3.0));
        }
        for (a, b) in [(f64::NAN, 1.0), (1.0, f64::NAN)] {
            assert!(chosen("min", a, b).is_some_and(f64::is_nan));
            assert!(chosen("max", a, b).is_some_and(f64::is_nan));
        }
        assert_eq!(chosen("least", 1.0, 2.0), None);
    }

    #[test]
    fn functions_of_one_number_have_their_names() {
        for (name, x, value) in [
            ("abs", -2.0, 2.0),
            ("sqrt", 9.0, 3.0),
            ("ln", 1.0, 0.0),
            ("log10", 1000.0, 3.0),
            ("exp", 0.0, 1.0),
            ("round", 2.5, 3.0),
            ("round", -2.5, -3.0),
            ("floor", -2.5, -3.0),
            ("ceil", -2.5, -2.0),
            ("min", 4.0, 4.0),
            ("max", 4.0, 4.0),
        ] {
            let found = NumberFunction::named(name).map(|f| f.of(x));
            assert_eq!(found, Some(value), "{name}({x})");
        }
    }
}
