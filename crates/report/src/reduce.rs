//! Time series for a drawing: as many columns as a drawing can show, and no peak lost.

/// The lowest and the highest value of a series within each of equally long spans of time.
///
/// ```
/// use westwood_report::reduce::Envelope;
/// let mut envelope = Envelope::new(4.0, 2);
/// for (time_s, value) in [(0.1, 5.0), (0.5, 90.0), (1.0, 7.0), (3.0, 8.0)] {
///     envelope.add(time_s, value);
/// }
/// // The peak of 90 is there, and each column's two values stand in their order of time.
/// assert_eq!(envelope.samples(), [Some(5.0), Some(90.0), Some(8.0), Some(8.0)]);
/// ```
#[derive(Clone, Debug)]
pub struct Envelope {
    end_s: f64,
    columns: Vec<Option<EnvelopeColumn>>,
}

/// The extremes of a column, and what stood at its begin and end.
#[derive(Clone, Copy, Debug)]
struct EnvelopeColumn {
    low: f64,
    high: f64,
    /// True if the lowest value came before the highest.
    rises: bool,
    last: f64,
}

impl EnvelopeColumn {
    fn of(value: f64) -> Self {
        Self { low: value, high: value, rises: true, last: value }
    }

    fn add(&mut self, value: f64) {
        if value < self.low {
            self.low = value;
            self.rises = false;
        }
        if value > self.high {
            self.high = value;
            self.rises = true;
        }
        self.last = value;
    }

    fn pair(&self) -> [Option<f64>; 2] {
        if self.rises {
            [Some(self.low), Some(self.high)]
        } else {
            [Some(self.high), Some(self.low)]
        }
    }
}

impl Envelope {
    /// Empty columns from 0 to `end_s` seconds.
    pub fn new(end_s: f64, columns: usize) -> Self {
        Self { end_s, columns: vec![None; columns.max(1)] }
    }

    /// A value at a time. Times outside of the columns count to the nearest one.
    pub fn add(&mut self, time_s: f64, value: f64) {
        if !value.is_finite() {
            return;
        }
        let place = self.place(time_s);
        match &mut self.columns[place] {
            Some(column) => column.add(value),
            empty @ None => *empty = Some(EnvelopeColumn::of(value)),
        }
    }

    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a column of a drawing"
    )]
    fn place(&self, time_s: f64) -> usize {
        let share = time_s / self.end_s.max(1e-9);
        let last = self.columns.len() - 1;
        ((share * self.columns.len() as f64).max(0.0) as usize).min(last)
    }

    /// Two values for each column, in their order of time: of something that is sampled. Columns
    /// without a sample have none.
    pub fn samples(&self) -> Vec<Option<f64>> {
        self.columns.iter().flat_map(|c| c.map_or([None; 2], |c| c.pair())).collect()
    }

    /// Two values for each column, in their order of time: of something that holds its value until
    /// it changes, up to `until_s`.
    pub fn held(&self, until_s: f64) -> Vec<Option<f64>> {
        let end = self.place(until_s);
        let mut held: Option<f64> = None;
        let mut values = Vec::with_capacity(2 * self.columns.len());
        for (i, column) in self.columns.iter().enumerate() {
            let pair = match (column, held) {
                (None, None) => [None; 2],
                (None, Some(_)) if i > end => [None; 2],
                (None, Some(value)) => [Some(value); 2],
                (Some(column), before) => {
                    let mut whole = before.map_or(*column, EnvelopeColumn::of);
                    let first = if column.rises { column.low } else { column.high };
                    let second = if column.rises { column.high } else { column.low };
                    whole.add(first);
                    whole.add(second);
                    held = Some(column.last);
                    whole.pair()
                }
            };
            values.extend(pair);
        }
        values
    }
}

/// Samples within each of equally long spans of time, for their middle and their spread.
#[derive(Clone, Debug)]
pub struct Spans {
    end_s: f64,
    spans: Vec<Vec<f64>>,
}

impl Spans {
    /// Empty spans from 0 to `end_s` seconds.
    pub fn new(end_s: f64, spans: usize) -> Self {
        Self { end_s, spans: vec![Vec::new(); spans.max(1)] }
    }

    /// A sample at a time. Times outside of the spans count to the nearest one.
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a span of a drawing"
    )]
    pub fn add(&mut self, time_s: f64, value: f64) {
        if value.is_finite() {
            let share = (time_s / self.end_s.max(1e-9)).max(0.0);
            let place = (share * self.spans.len() as f64) as usize;
            let last = self.spans.len() - 1;
            self.spans[place.min(last)].push(value);
        }
    }

    /// A quantile from 0 to 1 of each span, twice for each of so many columns, as [`Envelope`] has its
    /// values: the sample whose place, from the least to the largest, is nearest to that share of the way.
    /// Columns of a span without samples have none.
    pub fn quantile(&mut self, share: f64, columns: usize) -> Vec<Option<f64>> {
        let spans = self.spans.len();
        let of_span: Vec<Option<f64>> = self.spans.iter_mut().map(|s| nearest(s, share)).collect();
        let values = (0..columns).map(|column| of_span[column * spans / columns]);
        values.flat_map(|value| [value; 2]).collect()
    }
}

#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a place among the samples of a span"
)]
fn nearest(samples: &mut [f64], share: f64) -> Option<f64> {
    let last = samples.len().checked_sub(1)?;
    let place = (last as f64 * share.clamp(0.0, 1.0)).round() as usize;
    Some(*samples.select_nth_unstable_by(place, f64::total_cmp).1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spans_quantiles_stand_in_all_of_its_columns() {
        let mut spans = Spans::new(2.0, 2);
        for i in (0..=100_u32).rev() {
            spans.add(f64::from(i) / 101.0, f64::from(i));
        }
        for (share, value) in [(0.05, 5.0), (0.5, 50.0), (0.95, 95.0)] {
            let values = spans.quantile(share, 4);
            assert_eq!(values, [[Some(value); 4], [None; 4]].concat());
        }
    }

    #[test]
    fn no_peak_is_lost_however_few_columns_there_are() {
        let mut envelope = Envelope::new(100.0, 10);
        for i in 0..10_000_u32 {
            let value = if i == 4_321 { 1e6 } else { f64::from(i % 7) };
            envelope.add(f64::from(i) / 100.0, value);
        }
        let values = envelope.samples();
        assert_eq!(values.len(), 20);
        let highest = values.iter().flatten().fold(0.0_f64, |a, b| a.max(*b));
        assert!((highest - 1e6).abs() < 1e-9);
        assert_eq!(&values[..2], [Some(0.0), Some(6.0)]);
    }

    #[test]
    fn what_holds_its_value_holds_it_across_empty_columns_and_no_longer_than_it_lasts() {
        let mut envelope = Envelope::new(5.0, 5);
        envelope.add(1.5, 40.0);
        envelope.add(3.5, 20.0);
        let [none, forty, twenty] = [None, Some(40.0), Some(20.0)];
        let pairs = [none, none, forty, forty, forty, forty, forty, twenty, none, none];
        assert_eq!(envelope.held(3.9), pairs);
        assert_eq!(&envelope.held(5.0)[8..], [twenty, twenty]);
    }

    #[test]
    fn values_that_are_no_numbers_are_left_out() {
        let mut envelope = Envelope::new(1.0, 1);
        envelope.add(0.0, f64::NAN);
        envelope.add(0.0, f64::INFINITY);
        assert_eq!(envelope.samples(), [None, None]);
    }
}
