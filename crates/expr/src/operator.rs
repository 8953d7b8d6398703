//! Operators.

/// Operators with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unary {
    /// `-`
    Minus,
    /// `not`
    Not,
}

impl Unary {
    /// The result for a number.
    pub fn of(self, x: f64) -> f64 {
        match self {
            Self::Minus => -x,
            Self::Not => condition(!is_true(x)),
        }
    }
}

/// Operators with two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binary {
    /// `or`
    Or,
    /// `and`
    And,
    /// `<`
    Less,
    /// `<=`
    AtMost,
    /// `>`
    Greater,
    /// `>=`
    AtLeast,
    /// `==`
    Equal,
    /// `!=`
    Unequal,
    /// `+`
    Plus,
    /// `-`
    Minus,
    /// `*`
    Times,
    /// `/`
    Over,
    /// `^`
    Power,
}

impl Binary {
    /// Every operator as it is written, and how closely it binds.
    const ALL: [(&'static str, Self, u8); 13] = [
        ("or", Self::Or, 1),
        ("and", Self::And, 2),
        ("<", Self::Less, 4),
        ("<=", Self::AtMost, 4),
        (">", Self::Greater, 4),
        (">=", Self::AtLeast, 4),
        ("==", Self::Equal, 4),
        ("!=", Self::Unequal, 4),
        ("+", Self::Plus, 5),
        ("-", Self::Minus, 5),
        ("*", Self::Times, 6),
        ("/", Self::Over, 6),
        ("^", Self::Power, 8),
    ];

    /// The operator that is written so, and how closely it binds.
    pub(crate) fn written(text: &str) -> Option<(Self, u8)> {
        Self::ALL
            .iter()
            .find(|(t, ..)| *t == text)
            .map(|&(_, operator, binding)| (operator, binding))
    }

    /// The result for two numbers. Conditions are 1 or 0; a missing value satisfies none but `!=`.
    #[expect(clippy::float_cmp, reason = "`==` of the language is equality of numbers")]
    pub fn of(self, a: f64, b: f64) -> f64 {
        let (yes_a, yes_b) = (is_true(a), is_true(b));
        match self {
            Self::Or => condition(yes_a || yes_b),
            Self::And => condition(yes_a && yes_b),
            Self::Less => condition(a < b),
            Self::AtMost => condition(a <= b),
            Self::Greater => condition(a > b),
            Self::AtLeast => condition(a >= b),
            Self::Equal => condition(a == b),
            Self::Unequal => condition(a != b),
            Self::Plus => a + b,
            Self::Minus => a - b,
            Self::Times => a * b,
            Self::Over => a / b,
            Self::Power => libm::pow(a, b),
        }
    }
}

fn condition(holds: bool) -> f64 {
    f64::from(u8::from(holds))
}

/// True of every number but zero and a missing value.
pub fn is_true(x: f64) -> bool {
    x != 0.0 && !x.is_nan()
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "small whole numbers and halves are exact")]
mod tests {
    use super::*;

    /// The results for 1 and 2, for 2 and 2, for 3 and 2, and for 0 and 2.
    fn results(text: &str) -> [f64; 4] {
        let (operator, _) = Binary::written(text).expect("an operator");
        [1.0, 2.0, 3.0, 0.0].map(|a| operator.of(a, 2.0))
    }

    #[test]
    fn each_operator_has_its_value_on_both_sides_of_equality() {
        for (text, expected) in [
            ("or", [1.0, 1.0, 1.0, 1.0]),
            ("and", [1.0, 1.0, 1.0, 0.0]),
            ("<", [1.0, 0.0, 0.0, 1.0]),
            ("<=", [1.0, 1.0, 0.0, 1.0]),
            (">", [0.0, 0.0, 1.0, 0.0]),
            (">=", [0.0, 1.0, 1.0, 0.0]),
            ("==", [0.0, 1.0, 0.0, 0.0]),
            ("!=", [1.0, 0.0, 1.0, 1.0]),
            ("+", [3.0, 4.0, 5.0, 2.0]),
            ("-", [-1.0, 0.0, 1.0, -2.0]),
            ("*", [2.0, 4.0, 6.0, 0.0]),
            ("/", [0.5, 1.0, 1.5, 0.0]),
            ("^", [1.0, 4.0, 9.0, 0.0]),
        ] {
            assert_eq!(results(text), expected, "{text}");
        }
    }

    #[test]
    fn a_missing_value_satisfies_no_condition_but_inequality() {
        for text in ["or", "and", "<", "<=", ">", ">=", "==", "!="] {
            let (operator, _) = Binary::written(text).expect("an operator");
            assert_eq!(operator.of(f64::NAN, f64::NAN), condition(text == "!="), "{text}");
        }
    }
}
