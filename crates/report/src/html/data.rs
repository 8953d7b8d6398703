//! The data that the page's script draws: names, estimates and the places of curves, as JSON.
//!
//! Estimates and rankings are made here, by the rules of the tables: the script computes none. Its types
//! are in `web/src/report/data.ts`.

use std::collections::HashMap;

use serde_json::{Value, json};
use westwood_experiment::metric::Better;
use westwood_experiment::stats::{CONFIDENCE, Estimate};
use westwood_scenario::sorting::distinct;

use super::series::CurveBytes;
use crate::document::{
    CurveEvent, CurveLine, Distribution, Document, Quantity, Role, SeedSpread, SequenceDiagram,
    SequencePoint, Sweep, SweepCell, Timeline, Tradeoff,
};
use crate::figure;
use crate::number::unbroken;

/// The name of the page's data and their version.
const SCHEMA: &str = "westwood.page/1";

/// The data of a document, as the text that its page holds.
pub(super) fn packed(document: &Document) -> String {
    let mut curves = CurveBytes::default();
    let mut data = figures(document);
    data["schema"] = json!(SCHEMA);
    data["changes"] = document
        .changes
        .iter()
        .flat_map(|changes| changes.spreads.iter().map(|s| spread(s, &changes.rows)))
        .collect();
    data["timelines"] = timelines(document, &mut curves).into();
    data["playground"] =
        json!(document.origin.playground.as_ref().and_then(|way| way.page.as_ref()));
    curves.packed(&data)
}

/// The figures over the seeds and over the parameters of a sweep, which the playground has too.
pub(super) fn figures(document: &Document) -> Value {
    json!({
        "kind": document.kind,
        "variants": document.variants,
        "tradeoff": document.tradeoff.as_ref().map(tradeoff),
        "spreads": document.spreads.iter().map(|s| spread(s, &document.rows())).collect::<Vec<_>>(),
        "sweep": document.sweep.as_ref().map(|s| sweep(s, document)),
    })
}

fn quantity(of: &Quantity) -> Value {
    json!({ "id": of.id, "name": of.name, "unit": of.unit, "label": of.label() })
}

fn better(better: Better) -> &'static str {
    match better {
        Better::Higher => "higher",
        Better::Lower => "lower",
    }
}

/// A mean and half of its interval; without one if there are too few values.
fn estimate(values: &[f64]) -> Value {
    Estimate::of(values, CONFIDENCE).map_or(Value::Null, |e| json!([e.mean, e.half_width]))
}

fn tradeoff(of: &Tradeoff) -> Value {
    let means = |points: &Vec<(f64, f64)>| {
        let (x, y): (Vec<f64>, Vec<f64>) = points.iter().copied().unzip();
        json!([estimate(&x), estimate(&y)])
    };
    json!({
        "x": quantity(&of.x),
        "y": quantity(&of.y),
        "points": of.points,
        "means": of.points.iter().map(means).collect::<Vec<_>>(),
    })
}

fn spread(of: &SeedSpread, rows: &[(String, usize)]) -> Value {
    let row = |(i, (name, variant)): (usize, &(String, usize))| {
        let (values, seeds) = (of.values.get(i)?, of.seeds.get(i)?);
        let quartiles = (values.len() >= 5).then(|| figure::quartiles(values));
        Some(json!({
            "name": name,
            "variant": variant,
            "values": values,
            // As texts: the script's numbers are exact up to 2^53 alone.
            "seeds": seeds.iter().map(ToString::to_string).collect::<Vec<_>>(),
            "mean": estimate(values),
            "quartiles": quartiles,
        }))
    };
    json!({
        "quantity": quantity(&of.quantity),
        "better": of.better.map(better),
        // An end that is not there is `null`.
        "range": [of.range.0, of.range.1],
        "largest": Some(figure::largest(of)).filter(|largest| largest.is_finite()),
        "rows": rows.iter().enumerate().filter_map(row).collect::<Vec<_>>(),
    })
}

fn sweep(of: &Sweep, document: &Document) -> Value {
    let axis = |axis: &crate::document::SweepAxis| {
        let labels: Vec<&str> = axis.values.iter().map(|value| value.label.as_str()).collect();
        json!({ "name": axis.name, "labels": labels, "places": figure::places(axis) })
    };
    let at: Vec<&[usize]> = distinct(of.cells.iter().map(|cell| cell.at.as_slice()));
    let place = |metric: usize, at: &[usize]| {
        let cell = |cell: &&SweepCell| {
            let samples = cell.samples.get(metric)?;
            let values: Vec<f64> = samples.iter().flatten().copied().collect();
            let mean = estimate(&values);
            (!mean.is_null())
                .then(|| json!({ "variant": cell.variant, "mean": mean, "values": values }))
        };
        let here: Vec<&SweepCell> = of.cells.iter().filter(|cell| cell.at == at).collect();
        let leader = figure::leader(of, at, metric);
        json!({
            "at": at,
            "cells": here.iter().filter_map(cell).collect::<Vec<_>>(),
            "leader": leader.map(|(variant, _, _)| variant),
            "sure": leader.is_some_and(|(_, _, sure)| sure),
            "sheet": sheet_at(at, document),
        })
    };
    let metrics = of.metrics.iter().enumerate().map(|(i, metric)| {
        json!({
            "quantity": quantity(&metric.quantity),
            "better": better(metric.better),
            // An end that is not there is `null`.
            "range": [metric.range.0, metric.range.1],
            "places": at.iter().map(|at| place(i, at)).collect::<Vec<_>>(),
        })
    });
    json!({
        "axes": of.axes.iter().map(axis).collect::<Vec<_>>(),
        "practical_percent": 100.0 * of.practical.0,
        "metrics": metrics.collect::<Vec<_>>(),
        "texts": of.texts,
    })
}

/// The setting of the timelines that were drawn at a place of a sweep.
fn sheet_at(at: &[usize], document: &Document) -> Option<usize> {
    document.timelines_by_setting().position(|of| of[0].at == at)
}

/// The timelines, each with its place among the settings.
fn timelines(document: &Document, curves: &mut CurveBytes) -> Vec<Value> {
    let mut all = Vec::new();
    for (setting, of) in document.timelines_by_setting().enumerate() {
        all.extend(of.iter().map(|one| timeline(setting, one, curves)));
    }
    all
}

fn timeline(setting: usize, timeline: &Timeline, curves: &mut CurveBytes) -> Value {
    let mut causes = CauseTable::default();
    let events: Vec<Value> = timeline.events.iter().map(|of| causes.of(of)).collect();
    let mut panels = Vec::new();
    for panel in &timeline.panels {
        let lines: Vec<Value> = panel.lines.iter().map(|one| line(one, curves)).collect();
        panels.push(json!({
            "quantity": quantity(&panel.quantity),
            "heading": panel.heading(),
            "apart": panel.apart,
            "causes": panel.with_causes,
            "clip": timeline.clip(panel),
            "references": panel.references,
            "lines": lines,
        }));
    }
    let distributions: Vec<Value> =
        timeline.distributions.iter().map(|one| distribution(one, curves)).collect();
    json!({
        "setting": setting,
        "title": timeline.title,
        "seed": timeline.chosen_as(),
        "together": timeline.seeds.len() > 1,
        "note": unbroken(&timeline.note),
        "end": timeline.end_s,
        "warmup": timeline.warmup_s,
        "columns": timeline.columns,
        "panels": panels,
        "distributions": distributions,
        "events": events,
        "causes": causes.texts,
        "losses": timeline.losses.iter().map(|of| thinned(of, timeline.end_s)).collect::<Vec<_>>(),
        "sequences": timeline.sequences.iter().map(|of| of.as_ref().map(sequence)).collect::<Vec<_>>(),
    })
}

/// Times to the ten-thousandth of the whole, each once.
fn thinned(times: &[f64], end_s: f64) -> Vec<f64> {
    let step = 10_f64.powf((end_s.max(1e-9) * 1e-4).log10().floor());
    let mut thinned: Vec<f64> = times.iter().map(|time| (time / step).round() * step).collect();
    thinned.dedup();
    thinned.into_iter().map(microseconds).collect()
}

/// A time to the microsecond, which is short as a text.
fn microseconds(time_s: f64) -> f64 {
    (time_s * 1e6).round() / 1e6
}

fn sequence(of: &SequenceDiagram) -> Value {
    let sent = |point: &SequencePoint| {
        let state = u8::from(point.again) + 2 * u8::from(point.lost);
        json!([microseconds(point.time_s), point.number, state])
    };
    let ack = |(time_s, next): &(f64, u64)| json!([microseconds(*time_s), next]);
    json!({
        "from": of.from_s,
        "until": of.until_s,
        "sent": of.sent.iter().map(sent).collect::<Vec<_>>(),
        "acks": of.acks.iter().map(ack).collect::<Vec<_>>(),
    })
}

fn line(line: &CurveLine, curves: &mut CurveBytes) -> Value {
    let role = match line.role {
        Role::Main => "main",
        Role::Companion => "companion",
        Role::Other => "other",
    };
    let band = line.band.as_ref().map(|band| [curves.add(&band.low), curves.add(&band.high)]);
    json!({
        "variant": line.variant,
        "label": line.label,
        "role": role,
        "values": curves.add(&line.values),
        "band": band,
    })
}

/// For each variant the values that so many equal shares of the whole do not exceed.
fn distribution(of: &Distribution, curves: &mut CurveBytes) -> Value {
    let curve = |points: &Vec<(f64, f64)>, curves: &mut CurveBytes| {
        let part = |pick: fn(&(f64, f64)) -> f64| -> Vec<Option<f64>> {
            points.iter().map(|point| Some(pick(point))).collect()
        };
        json!([curves.add(&part(|p| p.0)), curves.add(&part(|p| p.1))])
    };
    let all: Vec<Value> = of.curves.iter().map(|points| curve(points, curves)).collect();
    json!({ "quantity": quantity(&of.quantity), "of": of.of, "curves": all })
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
            pairs.push(json!([microseconds(event.time_s), place, u8::from(event.reduction)]));
        }
        Value::Array(pairs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_of_a_spread_has_its_seed() {
        let of = SeedSpread {
            quantity: Quantity::new("goodput", "goodput", "Mbit/s"),
            better: Some(Better::Higher),
            range: (0.0, f64::INFINITY),
            values: vec![vec![4.5, 5.5]],
            seeds: vec![vec![3, u64::MAX]],
        };
        let data = spread(&of, &[("reno".to_owned(), 0)]);
        assert_eq!(data["rows"][0]["values"], json!([4.5, 5.5]));
        assert_eq!(data["rows"][0]["seeds"], json!(["3", "18446744073709551615"]));
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
