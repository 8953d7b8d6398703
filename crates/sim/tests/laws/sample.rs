//! A mean and how far chance may have moved it.

/// Independent values of one quantity: of seeds, or of long batches of one run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sample {
    pub(crate) mean: f64,
    /// Half the width of the interval that holds the truth with 99.9 %.
    pub(crate) half: f64,
}

impl Sample {
    /// By Student's distribution: the values are few, and means of many events each, so that they
    /// are near enough to normal.
    pub(crate) fn of(values: &[f64]) -> Self {
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let variance = values.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n - 1.0);
        Self { mean, half: student(values.len() - 1) * (variance / n).sqrt() }
    }

    /// Means of `batches` stretches of equal length.
    pub(crate) fn of_batches(batches: usize, values: &[f64]) -> Self {
        let size = values.len() / batches;
        let means: Vec<f64> = values
            .chunks_exact(size)
            .take(batches)
            .map(|batch| batch.iter().sum::<f64>() / size as f64)
            .collect();
        Self::of(&means)
    }

    /// True if chance alone explains the distance from `truth`.
    pub(crate) fn holds(&self, truth: f64) -> bool {
        (self.mean - truth).abs() <= self.half
    }
}

/// The two-sided 99.9 % quantile for 9, 19 or 29 degrees of freedom, from printed tables.
fn student(freedom: usize) -> f64 {
    match freedom {
        9 => 4.781,
        19 => 3.883,
        29 => 3.659,
        _ => panic!("look {freedom} degrees of freedom up"),
    }
}
