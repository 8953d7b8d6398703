//! `scripts/site` on a small tree: it puts the parts that exist into one folder, and refuses dead links.

mod support;

use std::process::Command;

use support::{Folder, Run, root};

const PLAYGROUND: &str = "<!doctype html><script id=\"engine\">H4sI</script>";

/// A target folder with a book and a playground, and the pages of papers and of one card beside it.
fn built() -> Folder {
    let folder = Folder::new();
    for name in ["target/book", "target/web", "papers/claims", "card"] {
        std::fs::create_dir_all(folder.path().join(name)).unwrap();
    }
    folder.write("target/book/index.html", "<a href=\"start.html#run\">Start</a>");
    folder
        .write("target/book/start.html", "<h2 id=\"run\">Run</h2><a href=\"index.html\">Back</a>");
    folder.write("target/web/playground.html", PLAYGROUND);
    folder.write("papers/index.html", "<a href=\"claims/A-1.html\">A-1</a>");
    folder.write(
        "papers/claims/A-1.html",
        "<a href=\"../playground.html#S0w\">Open in the playground</a><a href=\"../index.html\">All</a>",
    );
    folder.write("papers/playground.html", PLAYGROUND);
    folder.write(
        "card/bbr.html",
        "<a id=\"a\" href=\"playground.html#S0w\">Open</a><a href=\"#a\">a</a>",
    );
    folder.write("card/playground.html", PLAYGROUND);
    folder
}

fn site(folder: &Folder, papers: &str, cards: &str) -> Run {
    let at = |name: &str| folder.path().join(name);
    let script = root().join("scripts/site");
    let output = Command::new("bash")
        .arg(script)
        .args([at(papers), at(cards), at("target")])
        .output()
        .unwrap();
    Run::from(output)
}

/// The addresses of the site's first page.
fn addresses(folder: &Folder) -> Vec<String> {
    let index = folder.read("target/site/index.html");
    let links = index.split("<a href=\"").skip(1);
    links.map(|rest| rest.split('"').next().unwrap().to_owned()).collect()
}

#[test]
fn the_first_page_leads_to_every_part_that_is_there() {
    let folder = built();
    let run = site(&folder, "papers", "card/bbr.html");
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{run:?}");
    let parts = ["book/index.html", "playground.html", "papers/index.html", "cards/bbr.html"];
    assert_eq!(addresses(&folder), parts);
    for page in ["papers/claims/A-1.html", "papers/playground.html", "cards/playground.html"] {
        assert!(folder.path().join("target/site").join(page).exists(), "{page}");
    }
    assert!(run.stdout.starts_with("9 pages, 11 links within them, 0 dead\n"), "{run:?}");
}

#[test]
fn of_a_folder_of_cards_each_has_its_link_and_the_playground_has_none() {
    let folder = built();
    folder.write("card/reno.html", "<p>No links</p>");
    let run = site(&folder, "papers", "card");
    assert_eq!(run.code, Some(0), "{run:?}");
    assert_eq!(addresses(&folder)[3..], ["cards/bbr.html", "cards/reno.html"]);
}

#[test]
fn a_part_that_is_missing_is_named_and_left_out() {
    let folder = built();
    std::fs::remove_file(folder.path().join("target/web/playground.html")).unwrap();
    let run = site(&folder, "no-papers", "no-cards");
    assert_eq!(run.code, Some(0), "{run:?}");
    let named: Vec<&str> = run.stderr.lines().map(|line| line.split(';').next().unwrap()).collect();
    assert_eq!(named, ["left out: playground", "left out: papers", "left out: cards"]);
    assert_eq!(addresses(&folder), ["book/index.html"]);
    std::fs::remove_dir_all(folder.path().join("target/book")).unwrap();
    let run = site(&folder, "papers", "card");
    assert!(run.code == Some(0) && run.stderr.starts_with("left out: book; "), "{run:?}");
    assert_eq!(addresses(&folder), ["papers/index.html", "cards/bbr.html"]);
}

#[test]
fn a_dead_link_makes_it_fail_and_is_named() {
    for (page, link, why) in [
        ("papers/claims/A-1.html", "../gone.html", ""),
        ("papers/claims/A-1.html", "../index.html#none", ": no such anchor"),
        ("card/bbr.html", "../playground/", ""),
    ] {
        let folder = built();
        folder.write(page, &format!("{}<a href=\"{link}\">x</a>", folder.read(page)));
        let run = site(&folder, "papers", "card/bbr.html");
        let within = page.replace("card/", "cards/");
        let named = format!("dead: {within}: {link}{why}\n");
        assert_eq!((run.code, run.stderr.as_str()), (Some(1), named.as_str()), "{run:?}");
    }
    // A card that was written without its playground opens nothing.
    let folder = built();
    std::fs::remove_file(folder.path().join("card/playground.html")).unwrap();
    let run = site(&folder, "papers", "card/bbr.html");
    assert!(run.code == Some(1) && run.stderr.contains("playground.html#S0w"), "{run:?}");
}
