//! The runs of a scenario file as a document, a page and figures.

#![allow(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a few thousand values of a curve"
)]

mod support;

use serde_json::json;
use support::{Browser, chromium};
use tempfile::TempDir;
use westwood_experiment::run::{Detail, GridProgress, GridReport, RunRecord, curves, drawn};
use westwood_report::document::Document;
use westwood_report::experiment::{self, ReportDetails};
use westwood_report::{figure, html};
use westwood_scenario::file::Scenario;

/// Quick to simulate, and random loss makes controllers differ.
const BASE: &str = r#"
    cc = ["reno", "bbr"]
    time = "6 s"
    warmup = "1 s"
    seeds = 3
    [dumbbell]
    rate = "4 Mbit/s"
    rtt = "60 ms"
    loss = "2 %"
"#;
const ONE_AXIS: &str = "[sweep]\n\"dumbbell.loss\" = [\"0.01 %\", \"0.1 %\", \"3 %\"]\n";
const TWO_AXES: &str = "\"dumbbell.rtt\" = [\"20 ms\", \"200 ms\"]\n";
const THREE_AXES: &str = "\"dumbbell.flows\" = [1, 2]\n";
const VARIANTS: &str =
    "[variant.short]\n\"dumbbell.rtt\" = \"10 ms\"\n[variant.clean]\n\"dumbbell.loss\" = 0\n";

/// The report of a scenario, and its document as the command makes it.
fn experiment(text: &str) -> (GridReport, Document) {
    let read = |_: &std::path::Path| Err("no files".to_owned());
    let scenario = Scenario::parse("f.toml", text, &[], &read).unwrap();
    let report = GridReport::simulated(&scenario, "1.2.3", 2);
    let chosen = drawn(&scenario, Detail::Curves);
    let closeness = |run: &RunRecord| {
        let of = chosen.iter().find(|one| one.task == run.task())?;
        Some((run.clone(), of.detail))
    };
    let done = report.runs.iter().filter(|run| run.summary.is_some());
    let runs: Vec<(RunRecord, Detail)> = done.filter_map(closeness).collect();
    let watch = GridProgress::new(&scenario, runs.len());
    let curves = curves(&scenario, &runs, 2, &watch).unwrap().unwrap();
    let first = scenario.build(&scenario.points()[0], 1).unwrap();
    let about = ReportDetails {
        command: "westwood run f.toml".to_owned(),
        scenario: text.to_owned(),
        words: None,
        settings: scenario.settings(),
        path: experiment::sketch(&first.outline()),
        curves,
        ..ReportDetails::default()
    };
    let document = experiment::document(&report, about);
    (report, document)
}

/// A browser that shows a page; none on a machine without a browser.
fn shown(folder: &TempDir, document: &Document) -> Option<Browser> {
    let page = html::render(document);
    assert!(page.len() < 2_000_000, "{}", page.len());
    let mut browser = Browser::start(&chromium()?);
    browser.screen(1280, 900, "light");
    let file = folder.path().join("page.html");
    std::fs::write(&file, page).unwrap();
    browser.open(&file);
    browser.wait_for("document.documentElement.dataset.ready === 'true'");
    let complaints = browser.complaints();
    assert!(complaints.is_empty(), "{complaints:#?}");
    Some(browser)
}

#[test]
fn a_sweep_has_a_cell_for_each_place_and_controller() {
    let (report, document) = experiment(&format!("{BASE}{ONE_AXIS}{TWO_AXES}"));
    let sweep = document.sweep.as_ref().unwrap();
    assert_eq!(document.variants, ["reno", "bbr"]);
    assert_eq!(sweep.axes.iter().map(|a| a.name.as_str()).collect::<Vec<_>>(), ["loss", "rtt"]);
    assert_eq!(sweep.axes[0].values[2].label, "3 %");
    assert_eq!(sweep.cells.len(), 3 * 2 * 2);
    assert_eq!(sweep.metrics[0].quantity.label(), "goodput (Mbit/s)");
    // Each cell's samples are the runs of its point, in the order of the seeds.
    for (number, point) in report.points.iter().enumerate() {
        let place = |axis: usize| {
            let values = &sweep.axes[axis].values;
            values.iter().position(|v| v.label == point.settings[axis]).unwrap()
        };
        let variant = usize::from(point.cc.as_deref() == Some("bbr"));
        let at = vec![place(0), place(1)];
        let cell = sweep.cells.iter().find(|c| c.at == at && c.variant == variant).unwrap();
        let runs = report.runs.iter().filter(|run| run.point == number);
        let goodputs: Vec<Option<f64>> =
            runs.map(|run| Some(run.summary.as_ref().unwrap().goodput_bps / 1e6)).collect();
        assert_eq!(cell.samples[0], goodputs);
    }
}

#[test]
fn the_sentence_about_a_sweep_says_what_holds_over_which_values() {
    let (_, document) = experiment(&format!("{BASE}{ONE_AXIS}"));
    // At 3 % of random loss Reno cannot keep up; nothing else is sure.
    let words = "Up to loss 0.1 % bbr and reno cannot be told apart by goodput";
    assert!(document.verdict.starts_with(words), "{}", document.verdict);
    assert!(document.verdict.contains("at 3 % bbr carries "), "{}", document.verdict);
    let alone = BASE.replace("[\"reno\", \"bbr\"]", "\"reno\"");
    let (_, document) = experiment(&format!("{alone}{ONE_AXIS}"));
    let expected = "Over all values of loss reno reaches ";
    assert!(document.verdict.starts_with(expected), "{}", document.verdict);
}

#[test]
fn neither_the_order_nor_the_spelling_of_values_changes_a_conclusion() {
    let over = |losses: &str| {
        let sweep = format!("[sweep]\n\"dumbbell.loss\" = [{losses}]\n");
        let (report, document) = experiment(&format!("{BASE}{sweep}"));
        let shown = westwood_report::grid::ReportContext::default();
        let style = westwood_report::Style { width: 80, colour: false };
        (document.verdict, westwood_report::grid::render(&report, &shown, style))
    };
    let (sorted, _) = over("\"0 %\", \"0.1 %\", \"3 %\"");
    let (mixed, text) = over("\"3 %\", \"none\", \"0.1 %\"");
    assert_eq!(mixed, sorted);
    // The chart stands in the order of the sentence.
    assert!(text.contains("goodput (Mbit/s) over loss none to 3 %"), "{text}");
    let bars: Vec<&str> = text.lines().filter(|line| line.contains(" to 0.74")).collect();
    assert!(bars.len() == 1 && bars[0].starts_with("reno  ▇"), "{text}");
}

#[test]
fn a_sentence_about_variants_has_no_commas_within_a_name() {
    let sweep = "[sweep]\n\"dumbbell.buffer\" = [\"20 ms\", \"50 ms\"]\n";
    let (_, document) = experiment(&format!("{BASE}{sweep}{VARIANTS}"));
    assert!(document.variants.contains(&"reno, short".to_owned()), "tables have their commas");
    let verdict = &document.verdict;
    assert!(verdict.contains("reno (clean)") && !verdict.contains("reno, clean"), "{verdict}");
}

#[test]
fn a_link_that_transfers_crossed_before_measuring_began_is_not_called_unused() {
    let timed = "cc = \"reno\"\ntime = \"2 s\"\nwarmup = \"1 s\"\nseeds = 1\n";
    let path = "[dumbbell]\nrate = \"10 Mbit/s\"\nrtt = \"20 ms\"\n";
    let calls_unused =
        |document: &Document| document.warnings.iter().any(|w| w.starts_with("Nothing crossed"));
    let (early, document) = experiment(&format!("{timed}{path}size = \"20 kB\"\n"));
    assert_eq!(early.runs[0].summary.as_ref().map(|run| run.utilization), Some(0.0));
    assert!(!calls_unused(&document), "{:?}", document.warnings);
    let late = path.replace("20 ms", "10 s");
    let (_, document) = experiment(&format!("{timed}{late}"));
    assert!(calls_unused(&document), "{:?}", document.warnings);
    // A policer that lets no burst of the flow through is no reason to look for another route.
    let policed = format!("{timed}{path}policer = \"1kbit/s burst 1500B\"\n");
    let (_, document) = experiment(&policed);
    assert!(!calls_unused(&document), "{:?}", document.warnings);
}

#[test]
fn more_than_two_swept_fields_share_an_axis() {
    let (_, document) = experiment(&format!("{BASE}{ONE_AXIS}{TWO_AXES}{THREE_AXES}"));
    let sweep = document.sweep.unwrap();
    assert_eq!(
        sweep.axes.iter().map(|a| a.name.as_str()).collect::<Vec<_>>(),
        ["loss", "rtt, flows"]
    );
    let labels: Vec<&str> = sweep.axes[1].values.iter().map(|v| v.label.as_str()).collect();
    assert_eq!(labels, ["20 ms, 1", "20 ms, 2", "200 ms, 1", "200 ms, 2"]);
    assert_eq!(sweep.cells.len(), 3 * 4 * 2);
}

#[test]
fn variants_are_paired_with_the_scenario_as_it_stands() {
    let (report, document) = experiment(&format!("{BASE}{VARIANTS}"));
    let changes = document.changes.as_ref().unwrap();
    let names: Vec<&str> = changes.rows.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["reno, short", "bbr, short", "reno, clean", "bbr, clean"]);
    // Rows have the colours of their points in the rest of the page.
    for (name, variant) in &changes.rows {
        assert_eq!(&document.variants[*variant], name);
    }
    let goodput = changes.spreads.iter().find(|s| s.quantity.id == "goodput").unwrap();
    let of = |point: &str, seed: u64| {
        let number = report.points.iter().position(|p| p.name == point).unwrap();
        let run = report.runs.iter().find(|r| r.point == number && r.seed == seed).unwrap();
        run.summary.as_ref().unwrap().goodput_bps / 1e6
    };
    let by_hand: Vec<f64> =
        (1..=3).map(|seed| of("reno, clean", seed) - of("reno", seed)).collect();
    for (ours, expected) in goodput.values[2].iter().zip(&by_hand) {
        assert!((ours - expected).abs() < 1e-9, "{ours} {expected}");
    }
    assert!(by_hand.iter().all(|change| *change > 0.5), "Reno gains without loss: {by_hand:?}");
    // The scenario as it stands has the first sentence, and each variant one of its own.
    let (first, rest) = document.verdict.split_once(" With short, ").unwrap();
    let (short, clean) = rest.split_once(" With clean, ").unwrap();
    assert!(first.starts_with("bbr carries ") && first.contains("reno"), "{first}");
    for said in [short, clean] {
        assert!(said.starts_with("the controllers cannot be told apart by goodput"), "{said}");
    }
}

#[test]
fn each_variant_has_one_sentence_where_the_controllers_are_swept() {
    let swept = BASE.replace("cc = [\"reno\", \"bbr\"]", "cc = \"reno\"");
    let axis = "[sweep]\ncc = [\"reno\", \"bbr\"]\n";
    let (_, document) = experiment(&format!("{swept}{axis}{VARIANTS}"));
    for variant in [" With short, ", " With clean, "] {
        assert_eq!(document.verdict.matches(variant).count(), 1, "{}", document.verdict);
    }
}

#[test]
fn what_a_variant_gives_goes_on_in_small_letters_where_nothing_was_carried() {
    // Every packet is lost.
    let dead = "[variant.dead]\n\"dumbbell.loss\" = \"100 %\"\n";
    let (_, document) = experiment(&format!("{BASE}{dead}"));
    let said = " With dead, the measured link lost every packet, so nothing is concluded.";
    assert!(document.verdict.contains(said), "{}", document.verdict);
}

#[test]
fn every_figure_has_a_name_that_is_known_before_anything_runs() {
    let transfers = BASE.replace("rtt = \"60 ms\"", "rtt = \"60 ms\"\nsize = \"100 kB\"");
    for text in [
        BASE.to_owned(),
        format!("{BASE}{ONE_AXIS}"),
        format!("{BASE}{ONE_AXIS}{TWO_AXES}"),
        format!("{BASE}{ONE_AXIS}{TWO_AXES}{VARIANTS}"),
        format!("{transfers}{VARIANTS}"),
        format!("{BASE}against_cc = \"reno\"\nagainst_flows = 1\nreverse_flows = 1\n{ONE_AXIS}"),
    ] {
        let (_, document) = experiment(&text);
        let files = figure::files(&document);
        assert!(files.len() > 4, "{text}");
        for (name, _) in files {
            assert!(experiment::FIGURES.contains(&name.as_str()), "{name}");
        }
    }
}

#[test]
fn failed_runs_are_said_at_the_top() {
    // The stop is drawn by the seed, and with the last of these it comes before the start.
    const FAILING: &str = r#"
        cc = "reno"
        time = "4 s"
        seeds = 4
        [[link]]
        name = "core"
        from = "a"
        to = "b"
        rate = "5 Mbit/s"
        delay = "10 ms"
        [[flow]]
        name = "main"
        from = "a"
        to = "b"
        start = "1 s"
        stop = "uniform(0.5 s, 3 s)"
    "#;
    let (_, document) = experiment(FAILING);
    assert_eq!(document.warnings[0], "1 of 4 runs failed:");
    assert!(document.warnings[1].contains("seed 4"), "{:?}", document.warnings);
}

#[test]
fn a_line_for_each_controller_over_one_parameter() {
    let folder = tempfile::tempdir().unwrap();
    let (_, document) = experiment(&format!("{BASE}{ONE_AXIS}"));
    let Some(mut browser) = shown(&folder, &document) else { return };
    let drawn = "[document.querySelectorAll('.metric').length > 5,
        ['.k0', '.k1'].filter(k => document.querySelector('.metric:not([hidden]) .live ' + k)).length,
        document.querySelector('.metric:not([hidden]) tbody').rows.length]";
    assert_eq!(browser.eval(drawn), json!([true, 2, 3]));
    // Off is off.
    browser.eval("document.querySelector('.switches input').click()");
    assert_eq!(
        browser.eval("document.querySelectorAll('.metric g.k0:not(.off)').length"),
        json!(0)
    );
    // The scenario and the command stand on the page.
    let page = browser.eval("document.getElementById('repeat').textContent");
    let page = page.as_str().unwrap();
    assert!(page.contains("westwood run f.toml") && page.contains("\"dumbbell.loss\""), "{page}");
}

#[test]
fn a_sweep_over_one_axis_has_bars_on_the_terminal() {
    let bars = |text: &str, colour: bool| {
        let (report, _) = experiment(text);
        let shown = westwood_report::grid::ReportContext::default();
        let style = westwood_report::Style { width: 80, colour };
        let text = westwood_report::grid::render(&report, &shown, style);
        assert!(text.lines().all(|line| colour || line.chars().count() <= 80), "{text}");
        let title = text.lines().position(|line| line.contains("goodput (Mbit/s) over "));
        title.map(|at| text.lines().skip(at).take(3).collect::<Vec<_>>().join("\n"))
    };
    for colour in [false, true] {
        let drawn = bars(&format!("{BASE}{ONE_AXIS}"), colour).unwrap();
        // Losses of 3 % leave reno little and take little from BBR.
        assert!(drawn.contains("loss 0.01 % to 3 %"), "{drawn}");
        assert!(drawn.contains("\nreno  ▇▇▇▇▇▇▆▆▆▆▆▆▂▂▂▂▂▂  3.99 to 0.74"), "{drawn}");
        assert!(drawn.contains("\nbbr   ▇▇▇▇▇▇▇▇▇▇▇▇▆▆▆▆▆▆  4.00 to 3.67"), "{drawn}");
    }
    let buffers = "[sweep]\n\"dumbbell.buffer\" = [\"0pkt\", \"10ms\", \"50ms\"]\n";
    assert!(bars(&format!("{BASE}{buffers}"), false).unwrap().contains("buffer 0pkt to 50ms"));
    assert_eq!(bars(&format!("{BASE}{ONE_AXIS}{TWO_AXES}"), false), None);
    assert_eq!(bars(BASE, false), None);
}

#[test]
fn where_nothing_is_random_one_seed_is_drawn() {
    let (_, document) = experiment(&BASE.replace("\"2 %\"", "\"none\"").replace(", \"bbr\"", ""));
    assert_eq!(document.timelines.len(), 1);
    let note = &document.timelines[0].note;
    assert!(note.starts_with("Seed 1 of each controller.") && !note.contains("drawn"), "{note}");
}

#[test]
fn a_map_over_two_parameters_and_the_changes_fit_on_a_phone() {
    let folder = tempfile::tempdir().unwrap();
    let (_, document) = experiment(&format!("{BASE}{ONE_AXIS}{TWO_AXES}{VARIANTS}"));
    let Some(mut browser) = shown(&folder, &document) else { return };
    let cells = "document.querySelectorAll('.metric:not([hidden]) .live [data-at]').length";
    assert_eq!(browser.eval(cells), json!(6));
    let rows = "document.querySelectorAll('#changes tbody tr').length";
    assert_eq!(browser.eval(rows), json!(4 * 6));
    // A head sorts by keyboard too.
    browser.eval("document.querySelector('#changes th button').focus()");
    browser.key(" ");
    let sorted = "document.querySelector('#changes th[aria-sort]') !== null";
    assert_eq!(browser.eval(sorted), json!(true));
    for width in [390, 320] {
        browser.screen(width, 844, "dark");
        browser.open(&folder.path().join("page.html"));
        browser.wait_for("document.documentElement.dataset.ready === 'true'");
        let wide = browser.eval("document.documentElement.scrollWidth");
        assert!(wide.as_u64().unwrap() <= u64::from(width), "{wide} at {width}");
    }
}

#[test]
fn names_in_a_scenario_remain_names() {
    let hostile = "</script><img src=x onerror=\\\"document.title='taken'\\\">";
    // The format refuses such a name of the experiment, and allows it here.
    let text = format!("about = \"{hostile}\"\n{BASE}{VARIANTS}")
        .replace("variant.short", &format!("variant.\"{hostile}\""));
    let folder = tempfile::tempdir().unwrap();
    let (_, document) = experiment(&text);
    let Some(mut browser) = shown(&folder, &document) else { return };
    let strangers = "document.querySelectorAll('img, iframe, [onerror]').length";
    assert_eq!(browser.eval(strangers), json!(0));
    assert_eq!(browser.eval("document.scripts.length"), json!(2));
    assert_eq!(browser.eval("document.title"), json!("f"));
    let names = browser.eval("document.querySelector('.switches').textContent");
    assert!(names.as_str().unwrap().contains("</script><img"), "{names}");
}

#[test]
fn without_a_sweep_each_controller_is_drawn_over_time() {
    let (report, document) = experiment(BASE);
    let seeds: Vec<String> =
        document.timelines.iter().map(westwood_report::document::Timeline::chosen_as).collect();
    assert_eq!(seeds, ["1", "2", "3", "all seeds"]);
    let timeline = &document.timelines[0];
    let panels: Vec<&str> = timeline.panels.iter().map(|p| p.quantity.id).collect();
    assert_eq!(panels, ["cwnd", "bwe", "rtt", "queue", "goodput"]);
    assert_eq!(timeline.title, "");
    assert!(timeline.note.starts_with("Seed 1 of each controller."), "{}", timeline.note);
    // The curve of goodput has the mean that the table has.
    let goodput = timeline.panels.iter().find(|p| p.quantity.id == "goodput").unwrap();
    for line in &goodput.lines {
        let summary = report.runs[3 * line.variant].summary.as_ref().unwrap();
        let after = timeline.warmup_s / timeline.end_s;
        let from = (line.values.len() as f64 * after) as usize;
        let values: Vec<f64> = line.values[from..].iter().flatten().copied().collect();
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        let measured = summary.goodput_bps / 1e6;
        assert!((mean / measured - 1.0).abs() < 0.1, "{mean} {measured}");
    }
    assert!(timeline.events.iter().all(|of| !of.is_empty()), "random loss leaves causes");
}

#[test]
fn of_a_sweep_all_settings_are_drawn_and_three_of_them_closely() {
    let five = ONE_AXIS.replace("\"3 %\"", "\"1 %\", \"2 %\", \"3 %\"");
    let (_, document) = experiment(&format!("{BASE}{five}{VARIANTS}"));
    let titles = |brief: bool| -> Vec<&str> {
        let all = document.timelines_by_setting().filter(|of| of[0].brief == brief);
        all.map(|of| of[0].title.as_str()).collect()
    };
    assert_eq!(titles(false), ["loss 0.01 %", "loss 1 %", "loss 3 %"]);
    assert_eq!(titles(true), ["loss 0.1 %", "loss 2 %"]);
    for timeline in &document.timelines {
        let cwnd = &timeline.panels[0];
        let drawn: std::collections::BTreeSet<usize> =
            cwnd.lines.iter().map(|line| line.variant).collect();
        assert_eq!(drawn.len(), document.variants.len(), "{}", timeline.title);
        let says_so = timeline.note.contains("less closely than other settings");
        assert_eq!(says_so, timeline.brief, "{}", timeline.note);
    }
    // Paper has room for three.
    let windows = figure::files(&document).into_iter().map(|(name, _)| name);
    let windows = windows.filter(|name| name.starts_with("cwnd_over_time"));
    assert_eq!(windows.filter(|name| !name.contains("all_seeds")).count(), 3);
}

#[test]
fn over_all_seeds_each_curve_is_a_median_within_its_band() {
    let (_, document) = experiment(BASE);
    let all = document.timelines.last().unwrap();
    assert_eq!(all.seeds, [1, 2, 3]);
    assert!(all.note.starts_with("Medians over seeds 1 to 3 of each controller."), "{}", all.note);
    for panel in &all.panels {
        for line in &panel.lines {
            let name = panel.quantity.id;
            assert_eq!(line.band.is_some(), line.label != "ssthresh", "{name} {}", line.label);
            let Some(band) = &line.band else { continue };
            let inside = band.low.iter().zip(&band.high).zip(&line.values);
            assert!(inside.clone().all(|((low, high), middle)| low <= middle && middle <= high));
            assert!(inside.filter(|((low, high), _)| low < high).count() > 0, "{name}");
        }
    }
    // No run's value lies outside of the band.
    let cwnd = |timeline: &westwood_report::document::Timeline| timeline.panels[0].lines[0].clone();
    let (joined, most) = (cwnd(all).band.unwrap(), |values: &[Option<f64>]| {
        values.iter().flatten().fold(0.0_f64, |a, b| a.max(*b))
    });
    let highest = document.timelines[..3].iter().map(|one| most(&cwnd(one).values));
    assert!(highest.clone().all(|value| value <= most(&joined.high) + 1e-9));
    // A figure for a publication shows the first seed, and one all of them; of a single seed there is one.
    let figures = |document: &Document| -> Vec<bool> {
        let files = figure::files(document);
        let of = |name: &str| files.iter().find(|(known, _)| known == name);
        let banded = ["queue_over_time.svg", "queue_over_time_all_seeds.svg"].map(of);
        banded.into_iter().flatten().map(|(_, text)| text.contains("fill-opacity")).collect()
    };
    assert_eq!(figures(&document), [false, true]);
    let one = BASE.replace("seeds = 3", "seeds = 1\nseed = 5");
    let (_, document) = experiment(&one);
    assert_eq!(document.timelines.len(), 1);
    assert_eq!(document.timelines[0].seeds, [5]);
    assert_eq!(figures(&document), [false]);
}

#[test]
fn what_a_link_does_over_time_takes_away_lines_that_hold_only_at_first() {
    let lines = |text: &str| {
        let (_, document) = experiment(text);
        let panels = &document.timelines[0].panels;
        panels.iter().map(|p| p.references.len()).sum::<usize>()
    };
    assert_eq!(lines(BASE), 4, "the link's rate twice, the round trip, the buffer");
    let changing =
        format!("{BASE}[[change]]\nlink = \"bottleneck\"\nat = \"3 s\"\nrate = \"2 Mbit/s\"\n");
    assert_eq!(lines(&changing), 0);
}

#[test]
fn the_settings_of_a_sweep_are_chosen_and_share_the_switches() {
    let folder = tempfile::tempdir().unwrap();
    let (_, document) = experiment(&format!("{BASE}{ONE_AXIS}"));
    let Some(mut browser) = shown(&folder, &document) else { return };
    // Of each setting three seeds, and all of them.
    let shown_now = "[document.getElementById('setting').selectedIndex,
        document.querySelectorAll('#seed option').length,
        document.querySelectorAll('#time canvas').length]";
    assert_eq!(browser.eval(shown_now), json!([0, 4, 5]));
    let picture = "document.querySelector('#time canvas').toDataURL()";
    let first = browser.eval(picture);
    let choose = |browser: &mut Browser, number: usize| {
        browser.eval(&format!(
            "(() => {{ const s = document.getElementById('setting'); s.selectedIndex = {number};
                s.dispatchEvent(new Event('change')); }})()"
        ));
    };
    choose(&mut browser, 2);
    // Charts out of sight come one after the other.
    browser.wait_for("document.querySelectorAll('#time canvas').length === 5");
    assert_eq!(browser.eval(shown_now), json!([2, 4, 5]));
    assert_ne!(browser.eval(picture), first);
    let painted = "[...document.querySelectorAll('#time .overlaid canvas')].every(c =>
        c.width > 100 && c.getContext('2d').getImageData(0, 0, c.width, c.height).data
            .some(x => x !== 0))";
    browser.wait_for(painted);
    browser.eval("document.querySelector('#time .overlaid .plot').focus()");
    browser.key("ArrowRight");
    let read = "[...document.querySelectorAll('#time .overlaid .value.main')]
        .filter(v => v.textContent !== '').length > 5";
    assert_eq!(browser.eval(read), json!(true));
    // A contestant that is off is off in every setting, one that was shown before the switch too.
    browser.eval("document.querySelector('.switches input').click()");
    let shown_of_reno = "[...document.querySelectorAll('#time .overlaid .readout .name')]
        .filter(n => n.textContent === 'reno' && n.offsetParent !== null).length";
    for number in [0, 1, 2] {
        choose(&mut browser, number);
        assert_eq!(browser.eval(shown_of_reno), json!(0), "{number}");
    }
    assert!(browser.complaints().is_empty());
}
