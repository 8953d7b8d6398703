//! The figures and the page of comparisons of every kind.

mod support;

use support::words;
use westwood_report::document::Document;
use westwood_report::experiment::FIGURES;
use westwood_report::{figure, html};

fn document(flags: &[&str]) -> Document {
    words::document(flags, "westwood compare")
}

const SHORT: [&str; 2] = ["time=6s", "warmup=1s"];

fn short(flags: &[&str]) -> Document {
    document(&[&SHORT[..], flags].concat())
}

/// Transfers are measured from their beginning.
fn transfers(seeds: &str) -> Document {
    document(&["size=500kB", "time=6s", "cc=reno,bbr", seeds])
}

/// A comparison of each kind: alone, transfers, against others, reverse, many flows, one seed.
fn kinds() -> Vec<Document> {
    vec![
        short(&["cc=westwood+", "seeds=1"]),
        transfers("seeds=3"),
        short(&["against=reno:2", "reverse-flows=1", "cc=reno,cubic", "seeds=2"]),
        short(&["flows=12", "cc=reno,vegas", "seeds=2"]),
    ]
}

/// The numbers behind every `name="` of a text.
fn numbers<'a>(text: &'a str, name: &'a str) -> impl Iterator<Item = f64> + 'a {
    text.split(name).skip(1).map(|rest| rest.split('"').next().unwrap().parse().unwrap())
}

#[test]
fn every_figure_of_a_comparison_has_a_name_that_is_known_before_it_runs() {
    for document in kinds() {
        let files = figure::files(&document);
        let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
        assert!(names.len() >= 9, "{names:?}");
        for (i, name) in names.iter().enumerate() {
            assert!(FIGURES.contains(name), "{name}");
            assert!(!names[..i].contains(name), "{name} twice");
        }
    }
}

#[test]
fn figures_are_a_column_wide_and_their_text_is_text_of_a_size_to_read() {
    for document in kinds() {
        for (name, svg) in figure::files(&document) {
            assert!(svg.contains("width=\"3.5in\""), "{name}");
            assert!(svg.contains("</text>") && svg.contains("<title>"), "{name}");
            assert!(numbers(&svg, "font-size=\"").all(|size| size >= 6.5), "{name}");
            assert!(!svg.contains("NaN") && !svg.contains("inf"), "{name}");
            for x in numbers(&svg, "<text x=\"") {
                assert!((0.0..=252.0).contains(&x), "{name}: text at {x}");
            }
        }
    }
}

#[test]
fn a_transfer_that_ends_early_leaves_its_curve_there() {
    let timeline = transfers("seeds=1").timelines.remove(0);
    let cwnd = timeline.panels.iter().find(|p| p.quantity.id == "cwnd").unwrap();
    assert!(timeline.end_s < 6.0, "{}", timeline.end_s);
    let ends: Vec<Option<usize>> =
        cwnd.lines.iter().map(|l| l.values.iter().rposition(Option::is_some)).collect();
    assert_eq!(ends.iter().flatten().max(), Some(&(2 * timeline.columns - 1)));
    assert_ne!(ends[0], ends[ends.len() - 1]);
}

#[test]
fn the_curves_say_what_the_runs_say() {
    let document = document(&["cc=westwood+", "seeds=1"]);
    let timeline = &document.timelines[0];
    let panel = |id| timeline.panels.iter().find(|p| p.quantity.id == id).unwrap();
    let goodput: Vec<f64> = panel("goodput").lines[0].values.iter().flatten().copied().collect();
    let late = &goodput[goodput.len() / 6..];
    #[expect(clippy::cast_precision_loss, reason = "a few thousand values")]
    let mean = late.iter().sum::<f64>() / late.len() as f64;
    let said = document.spreads.iter().find(|s| s.quantity.id == "goodput").unwrap().values[0][0];
    assert!((mean / said - 1.0).abs() < 0.02, "{mean} Mbit/s drawn, {said} measured");
    let least = panel("rtt").lines[0].values.iter().flatten().copied().fold(f64::MAX, f64::min);
    assert!((100.0..106.0).contains(&least), "{least}");
    let queue = &panel("queue").lines[0].values;
    assert!(queue.iter().flatten().all(|n| (0.0..=83.0).contains(n)));
    let reductions = &timeline.events[0];
    let cwnd = &panel("cwnd").lines[0].values;
    for event in reductions.iter().filter(|e| e.reduction) {
        assert!(event.text.contains(" segments"), "{}", event.text);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            clippy::cast_precision_loss
        )]
        let at = 2 * (event.time_s / timeline.end_s * timeline.columns as f64) as usize;
        assert!(cwnd[at..at + 2].iter().any(Option::is_some), "{event:?}");
    }
    assert!(reductions.iter().any(|e| e.reduction) && !reductions.iter().all(|e| e.reduction));
    assert!(reductions.iter().any(|e| e.text.contains("bwe") && e.text.contains("min_rtt")));
}

#[test]
fn a_page_of_many_controllers_and_flows_stays_below_two_megabytes() {
    let all = "cc=reno,westwood,westwood+,westwood+probing,log-westwood+,scalable,highspeed,bic,cubic,\
               vegas,bbr,reno-linux,westwood-linux,bic-linux,cubic-linux,vegas-linux";
    let page = html::render(&document(&[all, "flows=4", "seeds=2"]));
    assert!(page.len() < 2_000_000, "{}", page.len());
}

#[test]
fn round_trip_times_of_several_are_medians_within_their_spread() {
    let timeline = document(&["cc=reno,bbr", "seeds=1"]).timelines.remove(0);
    let panel = timeline.panels.iter().find(|p| p.quantity.id == "rtt").unwrap();
    assert_eq!(panel.lines.len(), 2);
    for line in &panel.lines {
        let band = line.band.as_ref().unwrap();
        assert_eq!([band.low.len(), band.high.len()], [2 * timeline.columns; 2]);
        let edges = band.low.iter().zip(&band.high).zip(&line.values);
        assert!(edges.clone().all(|((low, high), middle)| low <= middle && middle <= high));
        assert!(edges.filter(|((low, high), _)| low < high).count() > timeline.columns);
    }
    assert!(panel.title.contains("medians"), "{}", panel.title);
}

#[test]
fn distributions_agree_with_what_the_run_summed_up() {
    let document = document(&["cc=reno,bbr", "seeds=1", "loss=none"]);
    let [rtt, wait] = &document.timelines[0].distributions[..] else { panic!("two") };
    let said = document.spreads.iter().find(|s| s.quantity.id == "rtt_p95").unwrap();
    for (curve, said) in rtt.curves.iter().zip(&said.values) {
        let drawn = curve.iter().find(|(_, share)| *share >= 0.95).unwrap().0;
        assert!((drawn / said[0] - 1.0).abs() < 0.05, "{drawn} drawn, {} measured", said[0]);
    }
    // The buffer is one BDP of 100 ms.
    for curve in &wait.curves {
        assert!(curve.iter().all(|(ms, _)| (0.0..=100.0).contains(ms)));
        assert!(curve.is_sorted_by(|a, b| a.0 <= b.0 && a.1 < b.1));
    }
}

#[test]
fn the_first_loss_is_seen_segment_by_segment_with_what_repairs_it() {
    let document = document(&["cc=reno,bbr", "seeds=2", "loss=0.5%"]);
    let [first, second, together] = &document.timelines[..] else { panic!("two, and both") };
    for (losses, diagram) in first.losses.iter().zip(&first.sequences) {
        let diagram = diagram.as_ref().expect("half a percent of losses");
        let at = losses[0];
        assert!(diagram.from_s <= at && at <= diagram.until_s);
        let lost = diagram.sent.iter().find(|segment| segment.lost).expect("the first loss");
        assert!(lost.time_s <= at, "a segment is lost after it was sent");
        let again = diagram.sent.iter().find(|s| s.again && s.number == lost.number);
        let again = again.expect("five round-trip times are enough to send it again");
        assert!(again.time_s > lost.time_s);
        // ACKs ask for the lost segment, and go on once it is repaired.
        let waits = diagram.acks.iter().filter(|(_, next)| *next == lost.number).count();
        assert!(waits >= 3, "{waits} ACKs ask for it");
        assert!(diagram.acks.last().unwrap().1 > lost.number);
    }
    assert!(second.losses.iter().all(|losses| !losses.is_empty()));
    assert!(second.sequences.iter().chain(&together.sequences).all(Option::is_none));
}
