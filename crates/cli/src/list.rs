//! `westwood list`.

use serde::Serialize;
use westwood_report::catalog::{Topic, names, render, render_json};
use westwood_reproduce::claim::Claim;
use westwood_reproduce::text::place;
use westwood_reproduce::{Paper, library};
use westwood_scenario::BadInput;

use crate::args::{ListArgs, ListTopic};
use crate::exit::{CommandExit, Stop};
use crate::output::print;
use crate::terminal;

pub(crate) fn run(args: &ListArgs) -> Result<(), Stop> {
    let failed = |e| Stop::new(CommandExit::RunFailed, e);
    if args.topic == Some(ListTopic::Claims) {
        let papers = papers(args.paper.as_deref())?;
        let text = if args.json { claims_json(&papers).map_err(failed)? } else { claims(&papers) };
        return print(&text);
    }
    if let Some(paper) = &args.paper {
        let what = format!("'{paper}' is one word too many: only claims are listed by paper");
        return Err(Stop::bad_input(format!("{what}; write westwood list claims {paper}")));
    }
    let topics = match args.topic {
        Some(ListTopic::Catalog(topic)) => vec![topic],
        _ => Topic::ALL.to_vec(),
    };
    let text = if args.json {
        render_json(&topics).map_err(failed)?
    } else {
        render(&topics, terminal::style())
    };
    print(&text)
}

/// All papers, or the one of this name.
fn papers(key: Option<&str>) -> Result<Vec<Paper>, Stop> {
    let (mut papers, _) = library().map_err(Stop::bad_input)?;
    let Some(key) = key else { return Ok(papers) };
    if !papers.iter().any(|paper| paper.key == key) {
        let keys: Vec<&str> = papers.iter().map(|paper| paper.key.as_str()).collect();
        return Err(Stop::bad_input(BadInput::unknown("paper", key, keys)));
    }
    papers.retain(|paper| paper.key == key);
    Ok(papers)
}

fn claims(papers: &[Paper]) -> String {
    let line = |claim: &Claim| {
        let decisive = if claim.decisive { ", decisive" } else { "" };
        let figure = place(&claim.figure);
        let about =
            format!("{figure}; {}; {}{decisive}", claim.basis.name(), claim.confidence.name());
        (claim.id.clone(), format!("{} ({about})", claim.statement))
    };
    let list = |paper: &Paper| {
        let lines: Vec<(String, String)> = paper.claims.iter().map(line).collect();
        names(&paper.key, &lines, terminal::style())
    };
    papers.iter().map(list).collect::<Vec<_>>().join("\n")
}

#[derive(Serialize)]
struct ClaimEntry<'a> {
    id: &'a str,
    paper: &'a str,
    figure: &'a str,
    experiment: Option<&'a str>,
    statement: &'a str,
    basis: &'static str,
    confidence: &'static str,
    decisive: bool,
}

fn claims_json(papers: &[Paper]) -> Result<String, serde_json::Error> {
    let entry = |(paper, claim): (&'_ Paper, &'_ Claim)| -> serde_json::Result<serde_json::Value> {
        serde_json::to_value(ClaimEntry {
            id: &claim.id,
            paper: &paper.key,
            figure: &claim.figure,
            experiment: claim.experiment.as_deref(),
            statement: &claim.statement,
            basis: claim.basis.name(),
            confidence: claim.confidence.name(),
            decisive: claim.decisive,
        })
    };
    let all = papers.iter().flat_map(|paper| paper.claims.iter().map(move |claim| (paper, claim)));
    let entries = all.map(entry).collect::<serde_json::Result<Vec<_>>>()?;
    serde_json::to_string_pretty(&entries).map(|text| text + "\n")
}
