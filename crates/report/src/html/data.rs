//! The data that the page's script reads: names and curves, as JSON.

use std::collections::HashMap;
use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::document::{CurveEvent, CurveLine, Document, Role, Timeline};

/// The data of a document.
pub(super) fn data(document: &Document) -> Value {
    json!({
        "variants": document.variants,
        "timelines": timelines(document),
    })
}

/// The timelines, each with its place among the settings.
fn timelines(document: &Document) -> Vec<Value> {
    let settings = document.timelines_by_setting().enumerate();
    let of =
        |(i, of): (usize, &[Timeline])| of.iter().map(|one| timeline(i, one)).collect::<Vec<_>>();
    settings.flat_map(of).collect()
}

fn timeline(setting: usize, timeline: &Timeline) -> Value {
    let mut causes = CauseTable::default();
    let events: Vec<Value> = timeline.events.iter().map(|of| causes.of(of)).collect();
    let panels: Vec<Value> = timeline
        .panels
        .iter()
        .map(|panel| {
            json!({
                "causes": panel.with_causes,
                "clip": timeline.clip(panel),
                "references": panel.references,
                "lines": panel.lines.iter().map(line).collect::<Vec<_>>(),
            })
        })
        .collect();
    json!({
        "setting": setting,
        "seed": timeline.chosen_as(),
        "end": timeline.end_s,
        "warmup": timeline.warmup_s,
        "columns": timeline.columns,
        "panels": panels,
        "events": events,
        "causes": causes.texts,
    })
}

fn line(line: &CurveLine) -> Value {
    let role = match line.role {
        Role::Main => "main",
        Role::Companion => "companion",
        Role::Other => "other",
    };
    let band = line.band.as_ref().map(|band| [encoded(&band.low), encoded(&band.high)]);
    json!({
        "v": line.variant,
        "label": line.label,
        "role": role,
        "y": encoded(&line.values),
        "band": band,
    })
}

/// Causes repeat: each is written once.
#[derive(Default)]
struct CauseTable {
    texts: Vec<String>,
    places: HashMap<String, usize>,
}

impl CauseTable {
    fn of(&mut self, events: &[CurveEvent]) -> Value {
        let mut pairs = Vec::with_capacity(events.len());
        for event in events {
            let place = *self.places.entry(event.text.clone()).or_insert_with(|| {
                self.texts.push(event.text.clone());
                self.texts.len() - 1
            });
            let time_s = (event.time_s * 1e6).round() / 1e6;
            pairs.push(json!([time_s, place, u8::from(event.reduction)]));
        }
        Value::Array(pairs)
    }
}

/// Values with four digits, runs of equal ones once: `3,3*4,,5` is 3, 3 3 3 3, nothing, 5.
fn encoded(values: &[Option<f64>]) -> String {
    let mut text = String::with_capacity(values.len() * 3);
    let mut rest = values.iter().map(|value| value.map(short).unwrap_or_default()).peekable();
    let mut first = true;
    while let Some(token) = rest.next() {
        let mut times = 1;
        while rest.next_if_eq(&token).is_some() {
            times += 1;
        }
        if !first {
            text.push(',');
        }
        first = false;
        text.push_str(&token);
        if times > 1 {
            let _ = write!(text, "*{times}");
        }
    }
    text
}

/// Four digits that mean something.
fn short(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return "0".to_owned();
    }
    let size = value.abs().log10().floor();
    let unit = 10_f64.powf(size - 3.0);
    let rounded = (value / unit).round() * unit;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to 12")]
    let places = (3.0 - size).clamp(0.0, 12.0) as usize;
    let text = format!("{rounded:.places$}");
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_of_equal_values_are_written_once() {
        let values = [Some(3.0), Some(41.25), Some(41.25), Some(41.250_01), None, None, Some(0.0)];
        assert_eq!(encoded(&values), "3,41.25*3,*2,0");
        assert_eq!(encoded(&[]), "");
    }

    #[test]
    fn four_digits_are_kept() {
        for (value, text) in [(12_345.6, "12350"), (0.001_234_56, "0.001235"), (-2.5, "-2.5")] {
            assert_eq!(short(value), text);
        }
    }

    #[test]
    fn a_cause_that_repeats_is_stored_once() {
        let event = |time_s, text: &str| CurveEvent {
            time_s,
            text: text.to_owned(),
            reduction: time_s > 1.5,
        };
        let mut causes = CauseTable::default();
        let pairs = causes.of(&[event(1.0, "a"), event(2.0, "b"), event(3.0, "a")]);
        assert_eq!(pairs, json!([[1.0, 0, 0], [2.0, 1, 1], [3.0, 0, 1]]));
        assert_eq!(causes.texts, ["a", "b"]);
    }
}
