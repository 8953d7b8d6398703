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
