//! The page in a real browser: it works, asks for nothing, and takes no name for markup.

mod support;

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use support::{Browser, chromium, made, words};
use tempfile::TempDir;
use westwood_report::{figure, html};

/// A comparison as the command makes it.
fn page_of_a_comparison() -> String {
    let flags = ["cc=reno,bbr,westwood+", "flows=2", "seeds=2", "time=30s", "warmup=5s"];
    let command = "westwood compare --cc reno,bbr,westwood+ --flows 2 --time 30s --warmup 5s";
    html::render(&words::document(&flags, command))
}

fn file(folder: &TempDir, page: &str) -> PathBuf {
    let file = folder.path().join("page.html");
    std::fs::write(&file, page).unwrap();
    file
}

/// A browser that shows a page; none on a machine without a browser.
fn shown(folder: &TempDir, page: &str) -> Option<Browser> {
    let mut browser = Browser::start(&chromium()?);
    browser.screen(1280, 900, "light");
    open(&mut browser, &file(folder, page));
    Some(browser)
}

fn open(browser: &mut Browser, file: &Path) {
    browser.open(file);
    browser.wait_for("document.documentElement.dataset.ready === 'true'");
}

fn assert_content(browser: &mut Browser) {
    let complaints = browser.complaints();
    assert!(complaints.is_empty(), "{complaints:#?}");
}

/// The place of the first chart's drawing on the screen: left, top, width, height.
fn first_chart(browser: &mut Browser) -> [f64; 4] {
    browser.eval("document.querySelector('.plot').scrollIntoView({block: 'center'})");
    let read = "(() => { const b = document.querySelector('.plot .u-over').getBoundingClientRect();
        return [b.left, b.top, b.width, b.height]; })()";
    serde_json::from_value(browser.eval(read)).unwrap()
}

#[test]
fn a_comparison_works_from_disk_without_asking_for_anything() {
    let folder = tempfile::tempdir().unwrap();
    let page = page_of_a_comparison();
    assert!(page.len() < 2_000_000, "{}", page.len());
    let Some(mut browser) = shown(&folder, &page) else { return };
    assert_content(&mut browser);
    // Windows, estimates, RTT, queue, goodput, and a chart of the flows for each controller.
    assert_eq!(browser.eval("document.querySelectorAll('.overlaid canvas').length"), json!(8));
    let painted = "[...document.querySelectorAll('canvas')].every(c => c.getContext('2d')
        .getImageData(0, 0, c.width, c.height).data.some(x => x !== 0))";
    assert_eq!(browser.eval(painted), json!(true));

    // A pointer over one chart reads values in all of them, and the causes.
    let [left, top, width, height] = first_chart(&mut browser);
    browser.mouse("mouseMoved", left + width / 2.0, top + height / 2.0);
    browser.wait_for("document.getElementById('at').textContent.startsWith('at 15.')");
    let values = "[...document.querySelectorAll('.readout li:not(.head) .value.main')]
        .map(v => v.textContent)";
    let values: Vec<String> = serde_json::from_value(browser.eval(values)).unwrap();
    assert!(values.len() >= 15 && values.iter().all(|v| !v.is_empty()), "{values:?}");
    let causes = browser.eval("document.querySelector('.causes').textContent");
    assert!(causes.as_str().unwrap().contains("segments"), "{causes}");

    // A span that is dragged is enlarged in every chart; a double click shows everything again.
    browser.mouse("mousePressed", left + width / 4.0, top + height / 2.0);
    browser.mouse("mouseMoved", left + width / 2.0, top + height / 2.0);
    browser.mouse("mouseReleased", left + width / 2.0, top + height / 2.0);
    browser.wait_for("/^7\\.\\d+ (14|15)\\.\\d+$/.test(document.documentElement.dataset.zoom)");
    browser.eval("document.getElementById('zoom-all').click()");
    browser.wait_for("document.documentElement.dataset.zoom === ''");
    assert_content(&mut browser);
}

#[test]
fn switches_the_theme_and_the_keyboard_work() {
    let folder = tempfile::tempdir().unwrap();
    let Some(mut browser) = shown(&folder, &page_of_a_comparison()) else { return };

    // Off is off in charts, figures and readouts, and on again.
    let reno = |b: &mut Browser| {
        b.eval(
            "[document.querySelectorAll('.live .k0.off').length > 5,
              [...document.querySelectorAll('.readout .name')].filter(n => n.textContent === 'reno'
                && n.offsetParent !== null).length,
              document.querySelector('.panel[data-variant=\"0\"]').hidden]",
        )
    };
    assert_eq!(reno(&mut browser), json!([false, 4, false]));
    browser.eval("document.querySelector('.switches input').focus()");
    browser.key(" ");
    assert_eq!(reno(&mut browser), json!([true, 0, true]));
    browser.key(" ");
    assert_eq!(reno(&mut browser), json!([false, 4, false]));

    // Arrows read values, plus enlarges around them.
    browser.eval("document.querySelector('.plot').focus()");
    browser.key("End");
    browser.key("ArrowLeft");
    let at = browser.eval("document.getElementById('at').textContent");
    assert!(at.as_str().unwrap().starts_with("at 29.9"), "{at}");
    browser.key("+");
    browser.wait_for("/^(14|15)\\S* (29\\.9|30)\\S*$/.test(document.documentElement.dataset.zoom)");
    browser.key("0");
    browser.wait_for("document.documentElement.dataset.zoom === ''");

    // The theme follows the system until the reader chooses one.
    let paper = "getComputedStyle(document.body).backgroundColor";
    let light = browser.eval(paper);
    browser.screen(1280, 900, "dark");
    let dark = browser.eval(paper);
    assert_ne!(light, dark);
    browser.eval("document.getElementById('theme').click()");
    assert_eq!(browser.eval(paper), light);
    browser.eval("document.getElementById('theme').click()");
    assert_eq!(browser.eval(paper), dark);

    // A column sorts the table: by the second click the least comes first.
    let first = "document.querySelector('#numbers tbody th').textContent";
    browser.eval("document.querySelector('th button').click()");
    let most = browser.eval(first);
    browser.eval("document.querySelector('th button').click()");
    assert_ne!(browser.eval(first), most);
    assert_content(&mut browser);
}

#[test]
fn nothing_overflows_on_a_phone_and_nothing_is_missing_on_paper() {
    let folder = tempfile::tempdir().unwrap();
    let Some(mut browser) = shown(&folder, &page_of_a_comparison()) else { return };
    for width in [390, 320, 1280] {
        browser.screen(width, 844, "light");
        open(&mut browser, &folder.path().join("page.html"));
        let wide = browser.eval("document.documentElement.scrollWidth");
        assert!(wide.as_u64().unwrap() <= u64::from(width), "{wide} at {width}");
    }
    browser.call("Emulation.setEmulatedMedia", json!({ "media": "print" }));
    let shown =
        "[...document.querySelectorAll('.strips svg')].filter(s => s.clientHeight > 0).length";
    assert_eq!(browser.eval(shown), json!(2 * 6), "the first seed, and both together");
    let live = "[...document.querySelectorAll('.live')].filter(e => e.clientHeight > 0).length";
    assert_eq!(browser.eval(live), json!(0), "charts of the screen do not stand beside them");
    let paper = json!({ "paperWidth": 8.27, "paperHeight": 11.69 });
    let pdf = browser.call("Page.printToPDF", paper);
    assert!(pdf["data"].as_str().unwrap().len() > 50_000);
    assert_content(&mut browser);
}

#[test]
fn on_a_phone_nothing_is_cut_but_wide_tables_which_scroll() {
    /// Elements that reach beyond the screen, or hold more than they show.
    const CUT: &str = "[...document.querySelectorAll('body *')].filter(e => {
        if (e.parentElement.closest('.scroll, svg, .uplot, .unseen, .still') || e.closest('[hidden], script')) return false;
        const box = e.getBoundingClientRect();
        const beyond = box.width > 0 && (box.right > innerWidth + 0.5 || box.left < -0.5);
        const hides = getComputedStyle(e).overflowX !== 'visible' && !e.matches('.scroll, svg, .unseen');
        return beyond || box.width > innerWidth || (hides && e.scrollWidth > e.clientWidth + 1);
      }).map(e => `${e.localName}.${e.className}: ${e.textContent.slice(0, 40)}`)";
    let folder = tempfile::tempdir().unwrap();
    let of_a_sweep = html::render(&made::document(&["reno", "westwood+(tau=0.25s,filter=b)"], 1));
    for page in [page_of_a_comparison(), of_a_sweep] {
        let Some(mut browser) = shown(&folder, &page) else { return };
        browser.screen(390, 844, "light");
        open(&mut browser, &file(&folder, &page));
        // Readouts hold their values.
        browser.eval("document.querySelector('.plot').focus()");
        browser.key("End");
        assert_eq!(browser.eval("document.documentElement.scrollWidth"), json!(390));
        assert_eq!(browser.eval(CUT), json!([]));
    }
}

#[test]
fn settings_stand_under_their_headings_and_what_was_said_is_bold() {
    let folder = tempfile::tempdir().unwrap();
    let Some(mut browser) = shown(&folder, &page_of_a_comparison()) else { return };
    let headings = "[...document.querySelectorAll('.settings h3')].map(h => h.textContent)";
    let headings: Vec<String> = serde_json::from_value(browser.eval(headings)).unwrap();
    assert!(headings.len() > 2 && headings.contains(&"Path".to_owned()), "{headings:?}");
    let weight = "(name => getComputedStyle([...document.querySelectorAll('.settings div')]
        .find(d => d.firstChild.textContent === name).lastChild).fontWeight)";
    assert_eq!(browser.eval(&format!("{weight}('seeds')")), json!("600"));
    assert_eq!(browser.eval(&format!("{weight}('loss both')")), json!("400"));
}

#[test]
fn a_seed_is_chosen_and_all_of_them_are_medians_within_a_band() {
    let folder = tempfile::tempdir().unwrap();
    let flags = ["cc=reno,bbr", "seeds=3", "seed=7", "time=6s", "warmup=1s", "loss=0.5%"];
    let page = html::render(&words::document(&flags, "westwood compare"));
    let Some(mut browser) = shown(&folder, &page) else { return };
    let options = "[...document.querySelectorAll('#seed option')].map(o => o.textContent)";
    assert_eq!(browser.eval(options), json!(["7", "8", "9", "all seeds"]));
    let choose = |browser: &mut Browser, seed: &str| {
        browser.eval(&format!(
            "(() => {{ const s = document.getElementById('seed'); s.value = '{seed}';
                s.dispatchEvent(new Event('change')); }})()"
        ));
        let said = "document.querySelector('.tools + .lede').textContent";
        browser.eval(said).as_str().unwrap().to_owned()
    };
    let picture = "document.querySelector('#time .overlaid canvas').toDataURL()";
    let first = browser.eval(picture);
    // An enlarged span remains enlarged, since all seeds have one axis of time.
    browser.eval("document.getElementById('zoom-in').click()");
    let zoom = browser.eval("document.documentElement.dataset.zoom");
    assert_ne!(zoom, json!(""));
    let said = choose(&mut browser, "9");
    assert!(said.starts_with("Seed 9 of each controller."), "{said}");
    assert!(said.contains("less closely than the first seed"), "{said}");
    assert_eq!(browser.eval("document.documentElement.dataset.zoom"), zoom);
    browser.eval("document.getElementById('zoom-all').click()");
    assert_ne!(browser.eval(picture), first);

    let said = choose(&mut browser, "all seeds");
    assert!(said.starts_with("Medians over seeds 7 to 9 of each controller."), "{said}");
    // A median and the ends of its band stand at the pointer; one run's causes do not.
    browser.eval("document.querySelector('#time .overlaid .plot').focus()");
    browser.key("End");
    let value = "document.querySelector('#time .overlaid .value.main').textContent";
    let value = browser.eval(value);
    assert!(value.as_str().unwrap().contains(" ("), "{value}");
    let causes = "document.querySelectorAll('#time .overlaid .causes').length";
    assert_eq!(browser.eval(causes), json!(0));
    assert!(choose(&mut browser, "7").starts_with("Seed 7 of each controller."));
    browser.wait_for(&format!("{picture} === {first}"));
    assert_content(&mut browser);
}

#[test]
fn what_was_higher_before_measuring_is_clipped_until_somebody_wants_to_see_it() {
    let folder = tempfile::tempdir().unwrap();
    let mut document = made::document(&["reno", "cubic"], 1);
    for line in document.timelines[0].panels.iter_mut().flat_map(|panel| &mut panel.lines) {
        line.values[20] = Some(900.0);
    }
    let page = html::render(&document);
    assert!(page.contains("clipped at 30"), "in the strips, for paper");
    let Some(mut browser) = shown(&folder, &page) else { return };
    let clip = "document.querySelector('.overlaid .clip').hidden";
    let picture = "document.querySelector('.overlaid canvas').toDataURL()";
    browser.eval("document.getElementById('whole').scrollIntoView()");
    assert_eq!(browser.eval(clip), json!(false));
    let clipped = browser.eval(picture);
    browser.eval("document.getElementById('whole').click()");
    browser.wait_for(&format!("{picture} !== {clipped}"));
    assert_eq!(browser.eval(clip), json!(true));
    browser.eval("document.getElementById('whole').click()");
    browser.wait_for(&format!("{picture} === {clipped}"));
    assert_content(&mut browser);
}

#[test]
fn hostile_names_remain_names() {
    for axes in [1, 2] {
        let folder = tempfile::tempdir().unwrap();
        let document = made::document(&made::HOSTILE, axes);
        let Some(mut browser) = shown(&folder, &html::render(&document)) else { return };
        browser.eval(
            "for (const behind of document.querySelectorAll('details')) behind.open = true;
             for (const plot of document.querySelectorAll('.plot'))
               plot.dispatchEvent(new KeyboardEvent('keydown', { key: 'End' }))",
        );
        browser.eval("document.querySelector('.switches input').click()");
        // The page's own icon is empty.
        let strangers = "document.querySelectorAll(`img, iframe, object, embed, base, [onload],
            link:not([rel=icon][href='data:,']), [onerror], [onclick]`).length";
        assert_eq!(browser.eval(strangers), json!(0), "{axes}");
        assert_eq!(browser.eval("document.scripts.length"), json!(2));
        assert_eq!(browser.eval("document.title"), json!(made::HOSTILE[0]));
        let names = "[...document.querySelectorAll('.switches label')].map(l => l.textContent)";
        let names: Vec<String> = serde_json::from_value(browser.eval(names)).unwrap();
        let safe = made::HOSTILE.map(|name| name.replace('\0', "\u{fffd}"));
        assert_eq!(names, safe);
        let causes = browser.eval("document.querySelector('.causes').textContent");
        assert!(causes.as_str().unwrap().contains("<script>"), "{causes}");
        assert_content(&mut browser);
    }
}

#[test]
fn the_policy_stops_a_script_that_came_to_stand_in_the_page() {
    let folder = tempfile::tempdir().unwrap();
    let page = html::render(&made::document(&["reno", "cubic"], 1));
    let inject =
        "<script>document.title='taken'</script><p style=\"color:red\" id=\"p\"></p></main>";
    let Some(mut browser) = shown(&folder, &page.replacen("</main>", inject, 1)) else { return };
    assert_eq!(browser.eval("document.title"), json!("reno"));
    assert_eq!(browser.eval("document.getElementById('p').style.color"), json!(""));
    assert!(browser.complaints().iter().all(|c| c.contains("Content Security Policy")));
    let load = "new Promise(done => { const i = new Image(); i.onerror = () => done('stopped');
        i.onload = () => done('loaded'); i.src = 'data:image/gif;base64,R0lGODlhAQABAAAAACw='; })";
    assert_eq!(browser.eval(load), Value::from("stopped"));
}

#[test]
fn without_its_script_the_page_still_shows_everything() {
    let folder = tempfile::tempdir().unwrap();
    // The policy refuses a script of which one letter has changed.
    let page = page_of_a_comparison().replacen("<script>", "<script> ", 1);
    let Some(program) = chromium() else { return };
    let mut browser = Browser::start(&program);
    browser.open(&file(&folder, &page));
    let shown = "[document.documentElement.dataset.ready === undefined,
        [...document.querySelectorAll('.strips svg')].filter(s => s.clientHeight > 0).length,
        document.querySelectorAll('.panel').length]";
    assert_eq!(browser.eval(shown), json!([true, 2 * 6, 0]));
}

#[test]
fn a_sweeps_quantities_are_chosen_one_at_a_time() {
    let folder = tempfile::tempdir().unwrap();
    let page = html::render(&made::document(&["reno", "cubic", "bbr"], 2));
    let Some(mut browser) = shown(&folder, &page) else { return };
    let shown = "[...document.querySelectorAll('.metric')].map(m => !m.hidden)";
    assert_eq!(browser.eval(shown), json!([true, false]));
    browser.eval(
        "(() => { const s = document.getElementById('metric'); s.selectedIndex = 1;
           s.dispatchEvent(new Event('change')); })()",
    );
    assert_eq!(browser.eval(shown), json!([false, true]));
    assert_content(&mut browser);
}

#[test]
fn figures_are_well_formed_whatever_the_names() {
    let folder = tempfile::tempdir().unwrap();
    let document = made::document(&made::HOSTILE, 1);
    let Some(mut browser) = shown(&folder, "<!DOCTYPE html><html data-ready=\"true\">") else {
        return;
    };
    let files = [figure::files(&document), figure::files(&made::document(&made::HOSTILE, 2))];
    for (name, svg) in files.into_iter().flatten() {
        let parse = format!(
            "(() => {{ const d = new DOMParser().parseFromString({}, 'image/svg+xml');
               const strange = 'script, parsererror, image, foreignObject';
               return [d.documentElement.localName, d.querySelectorAll(strange).length]; }})()",
            serde_json::to_string(&svg).unwrap()
        );
        assert_eq!(browser.eval(&parse), json!(["svg", 0]), "{name}");
    }
}
