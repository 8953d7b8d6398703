//! Values of expressions.

/// A number or a curve. A missing value is not a number.
#[derive(Clone, Debug, PartialEq)]
pub enum ExprValue {
    /// A number.
    Number(f64),
    /// Numbers over an axis of a sweep, or over time.
    Curve(PaperCurve),
}

/// Values y at increasing places x.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PaperCurve {
    /// The places.
    pub x: Vec<f64>,
    /// The values, as many.
    pub y: Vec<f64>,
}

impl PaperCurve {
    /// A curve through these points, put in order of x.
    pub fn new(mut points: Vec<(f64, f64)>) -> Self {
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (x, y) = points.into_iter().unzip();
        Self { x, y }
    }

    /// Its points.
    pub fn points(&self) -> impl Iterator<Item = (f64, f64)> + '_ {
        self.x.iter().copied().zip(self.y.iter().copied())
    }

    /// The same places with other values.
    pub fn map(&self, change: impl Fn(f64) -> f64) -> Self {
        Self { x: self.x.clone(), y: self.y.iter().map(|&y| change(y)).collect() }
    }
}

impl ExprValue {
    /// The values of `of`, point by point.
    pub fn map(&self, of: impl Fn(f64) -> f64) -> Self {
        match self {
            Self::Number(x) => Self::Number(of(*x)),
            Self::Curve(curve) => Self::Curve(curve.map(of)),
        }
    }

    /// The values of `of` for two values, point by point; none if they are curves over different
    /// places.
    pub fn both(&self, other: &Self, of: impl Fn(f64, f64) -> f64) -> Option<Self> {
        Some(match (self, other) {
            (_, Self::Number(b)) => self.map(|a| of(a, *b)),
            (Self::Number(a), _) => other.map(|b| of(*a, b)),
            (Self::Curve(a), Self::Curve(b)) if a.x == b.x => {
                let y = a.y.iter().zip(&b.y).map(|(&a, &b)| of(a, b)).collect();
                Self::Curve(PaperCurve { x: a.x.clone(), y })
            }
            _ => return None,
        })
    }
}
