//! A document of made data: every part, two kinds of sweep, and names that are anything but kind.

use westwood_experiment::judgement::Practical;
use westwood_experiment::metric::Better;
use westwood_report::document::{
    AxisValue, Changes, CurveEvent, CurveLine, Distribution, Document, DocumentTable,
    NetworkSketch, Origin, Panel, PlaygroundLink, Quantity, Role, SeedSpread, SequenceDiagram,
    SequencePoint, SettingGroup, SettingRow, SketchLink, SketchNode, Sweep, SweepAxis, SweepCell,
    SweepMetric, TableColumn, Timeline, Tradeoff,
};
use westwood_report::reduce::Envelope;

/// Names that would do harm if they were taken for markup or script.
pub(crate) const HOSTILE: [&str; 4] = [
    "<script>document.title='taken'</script>",
    "</script><img src=x onerror=\"document.title='taken'\">",
    "\"'><svg onload=document.title='taken'>\u{2028}\u{0}&amp;",
    "]]></title></style><!--<script>",
];

fn quantity(id: &'static str, name: &str, unit: &str) -> Quantity {
    Quantity { id, name: name.to_owned(), unit: unit.to_owned() }
}

/// A document of these names with one or two swept parameters.
pub(crate) fn document(names: &[&str], axes: usize) -> Document {
    let variants: Vec<String> = names.iter().map(|n| (*n).to_owned()).collect();
    let word = |i: usize| names[i % names.len()].to_owned();
    Document {
        title: word(0),
        subtitle: word(1),
        verdict: word(2),
        path: Some(path(&word)),
        table: Some(table(&word, names.len())),
        tradeoff: Some(Tradeoff {
            x: quantity("rtt", &word(0), "ms"),
            y: quantity("goodput", "goodput", &word(1)),
            points: (0..names.len()).map(pairs).collect(),
        }),
        spreads: vec![SeedSpread {
            quantity: quantity("goodput", &word(3), "Mbit/s"),
            better: Some(Better::Higher),
            range: (0.0, f64::INFINITY),
            values: (0..names.len())
                .map(|v| samples(v, 0, 0).into_iter().flatten().collect())
                .collect(),
            seeds: vec![(1..=8).collect(); names.len()],
        }],
        timelines: vec![timeline(&word, names.len())],
        sweep: Some(sweep(&word, names.len(), axes)),
        changes: Some(changes(&word, names.len())),
        warnings: vec![word(2)],
        kind: word(0),
        origin: Origin {
            version: word(0),
            command: word(1),
            scenario: Some(word(2)),
            settings: vec![SettingGroup {
                heading: word(1),
                settings: vec![SettingRow { name: word(3), value: word(0), given: true }],
            }],
            playground: Some(PlaygroundLink { text: word(1), page: Some(word(2)) }),
        },
        variants,
    }
}

fn path(word: &impl Fn(usize) -> String) -> NetworkSketch {
    NetworkSketch {
        nodes: (0..3).map(|i| SketchNode { label: word(i), host: i != 1 }).collect(),
        links: (0..2)
            .map(|i| SketchLink {
                from: i,
                to: i + 1,
                above: vec![word(i)],
                below: vec![word(i + 1)],
                bottleneck: i == 1,
            })
            .collect(),
    }
}

fn changes(word: &impl Fn(usize) -> String, rows: usize) -> Changes {
    Changes {
        rows: (0..rows).map(|i| (word(i), i)).collect(),
        table: table(word, rows),
        spreads: vec![SeedSpread {
            quantity: quantity("goodput", &word(3), "Mbit/s"),
            better: Some(Better::Higher),
            range: (0.0, f64::INFINITY),
            values: (0..rows)
                .map(|v| samples(v, 0, 0).into_iter().flatten().map(|x| x - 5.0).collect())
                .collect(),
            seeds: vec![(1..=8).collect(); rows],
        }],
    }
}

fn table(word: &impl Fn(usize) -> String, rows: usize) -> DocumentTable {
    let column = |head: &str, start: usize| TableColumn {
        head: head.to_owned(),
        unit: word(1),
        cells: (0..rows).map(|i| (format!("{} ±{i}", (start + 7 * i) % 10), i == 0)).collect(),
    };
    DocumentTable { columns: vec![column(&word(0), 3), column("second", 5)], notes: vec![word(2)] }
}

#[expect(clippy::cast_precision_loss, reason = "small numbers")]
fn samples(variant: usize, x: usize, y: usize) -> Vec<Option<f64>> {
    let centre = 5.0 + 3.0 * ((variant * 2 + x + y) as f64).sin() + variant as f64 * 0.2;
    (0..8).map(|seed| Some(centre + 0.3 * ((seed * 7 + variant) as f64).cos())).collect()
}

fn pairs(variant: usize) -> Vec<(f64, f64)> {
    let y = samples(variant, 0, 0).into_iter().flatten();
    samples(variant, 3, 1).into_iter().flatten().map(|x| 100.0 + 9.0 * x).zip(y).collect()
}

#[expect(clippy::cast_precision_loss, reason = "small numbers")]
fn timeline(word: &impl Fn(usize) -> String, variants: usize) -> Timeline {
    let line = |variant: usize, role: Role| {
        let mut envelope = Envelope::new(10.0, 200);
        for i in 0..2_000 {
            let t = f64::from(i) / 200.0;
            envelope.add(t, 20.0 + 10.0 * (t * 2.0 + variant as f64).sin());
        }
        let label = word(if role == Role::Main { 1 } else { 2 });
        CurveLine { variant, label, role, values: envelope.samples(), band: None }
    };
    let panel = |id, apart: bool| Panel {
        quantity: quantity(id, &word(0), "packets"),
        title: word(3),
        lines: (0..variants)
            .flat_map(|v| [line(v, Role::Main), line(v, Role::Companion)])
            .collect(),
        references: vec![(word(1), 25.0)],
        apart,
        with_causes: !apart,
    };
    let event = |i: usize| CurveEvent { time_s: i as f64, text: word(i), reduction: i % 2 == 1 };
    Timeline {
        title: String::new(),
        at: Vec::new(),
        seeds: vec![1],
        brief: false,
        end_s: 10.0,
        warmup_s: 2.0,
        note: word(0),
        columns: 200,
        panels: vec![panel("cwnd", false), panel("flows", true)],
        distributions: vec![Distribution {
            quantity: quantity("rtt_distribution", &word(0), "ms"),
            of: "samples",
            curves: (0..variants).map(|v| vec![(v as f64, 0.0), (v as f64 + 9.0, 1.0)]).collect(),
        }],
        events: (0..variants).map(|_| (0..10).map(event).collect()).collect(),
        losses: (0..variants).map(|v| vec![3.0 + v as f64, 7.0]).collect(),
        sequences: (0..variants).map(|v| (v == 0).then(sequence)).collect(),
    }
}

/// Ten segments, of which the fourth is lost and sent again.
fn sequence() -> SequenceDiagram {
    let sent = |number: u32, again| SequencePoint {
        time_s: 3.0 + 0.1 * if again { 10.0 } else { f64::from(number) },
        number: number.into(),
        again,
        lost: number == 3 && !again,
    };
    SequenceDiagram {
        from_s: 3.0,
        until_s: 5.0,
        sent: (0..10).map(|number| sent(number, false)).chain([sent(3, true)]).collect(),
        acks: vec![(3.5, 1), (3.6, 2), (3.7, 3), (3.9, 3), (4.5, 10)],
    }
}

fn sweep(word: &impl Fn(usize) -> String, variants: usize, axes: usize) -> Sweep {
    let losses = ["0.01%", "0.1%", "0.5%", "1%", "2%", "5%"];
    let numbers = [0.01, 0.1, 0.5, 1.0, 2.0, 5.0];
    let first = SweepAxis {
        name: word(1),
        values: losses
            .iter()
            .zip(numbers)
            .map(|(label, number)| AxisValue { label: (*label).to_owned(), number: Some(number) })
            .collect(),
    };
    let second = SweepAxis {
        name: word(2),
        values: (0..5)
            .map(|i| AxisValue { label: format!("{i}: {}", word(i)), number: None })
            .collect(),
    };
    let heights = if axes == 2 { 5 } else { 1 };
    let mut cells = Vec::new();
    for x in 0..losses.len() {
        for y in 0..heights {
            for variant in 0..variants {
                let at = if axes == 2 { vec![x, y] } else { vec![x] };
                // One place has not been measured.
                if (x, y) != (4, 3) {
                    let both = vec![samples(variant, x, y), samples(variant, y, x + 1)];
                    let leads = vec![variant == 0, false];
                    cells.push(SweepCell { at, variant, samples: both, leads });
                }
            }
        }
    }
    let metric = |id, name: String, better| SweepMetric {
        quantity: quantity(id, &name, "Mbit/s"),
        better,
        range: (0.0, f64::INFINITY),
    };
    Sweep {
        axes: [first, second].into_iter().take(axes).collect(),
        metrics: vec![
            metric("goodput", "goodput".to_owned(), Better::Higher),
            metric("delay", word(0), Better::Lower),
        ],
        cells,
        practical: Practical::default(),
        texts: vec![(vec![0, 0], word(1))],
    }
}
