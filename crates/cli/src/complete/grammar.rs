//! Specifications that are half written: `reno,westwood+(tau=0.3s,filt`.

use westwood_report::catalog::{CatalogEntry, Parameter};

use super::candidate::Candidate;

/// The form of specifications in a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rule {
    /// One.
    One,
    /// Several with commas between, each once.
    List,
    /// One with a number behind a colon.
    Counted,
}

/// The candidates for a value that begins so. Every candidate is the whole value.
pub(super) fn call(catalog: &[CatalogEntry], rule: Rule, written: &str) -> Vec<Candidate> {
    let (before, last) = if rule == Rule::List { split_last(written) } else { ("", written) };
    let used: Vec<&str> = before.split(',').map(str::trim).collect();
    let mut all = match last.split_once('(') {
        None => names(catalog, rule, last, &used),
        Some((name, inside)) if !inside.contains(')') => {
            let entry =
                catalog.iter().find(|e| e.name == name || e.aliases.iter().any(|a| a == name));
            entry.map_or_else(Vec::new, |entry| parameters(entry, name, inside))
        }
        Some(_) => closed(last, rule),
    };
    for candidate in &mut all {
        candidate.word.insert_str(0, before);
    }
    all
}

/// The value before and behind the last comma that separates specifications.
fn split_last(written: &str) -> (&str, &str) {
    let (mut depth, mut start) = (0_usize, 0);
    for (at, c) in written.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => start = at + 1,
            _ => {}
        }
    }
    written.split_at(start)
}

fn names(catalog: &[CatalogEntry], rule: Rule, written: &str, used: &[&str]) -> Vec<Candidate> {
    let mut all = Vec::new();
    for entry in catalog.iter().filter(|entry| !used.contains(&entry.name.as_str())) {
        let name = Candidate::new(&entry.name, &entry.summary);
        let required = entry.parameters.iter().any(|p| p.default.is_none());
        match rule {
            Rule::Counted if written.strip_suffix(':').unwrap_or(written) == entry.name => {
                all.push(Candidate::new(format!("{}:1", entry.name), &entry.summary));
            }
            Rule::Counted => all.push(name.open()),
            _ if required => {}
            _ => all.push(name),
        }
        if !entry.parameters.is_empty() {
            let about = format!("{}, with parameters", entry.summary);
            all.push(Candidate::new(format!("{}(", entry.name), about).open());
        }
    }
    all
}

/// Behind the opening parenthesis.
fn parameters(entry: &CatalogEntry, name: &str, inside: &str) -> Vec<Candidate> {
    let (before, last) = inside.rfind(',').map_or(("", inside), |at| inside.split_at(at + 1));
    let used: Vec<&str> =
        before.split(',').filter_map(|pair| Some(pair.split_once('=')?.0.trim())).collect();
    let open = |parameter: &&Parameter| !used.contains(&parameter.name.as_str());
    let mut all = Vec::new();
    let Some((key, value)) = last.split_once('=') else {
        for parameter in entry.parameters.iter().filter(open) {
            all.push(Candidate::new(format!("{}=", parameter.name), &parameter.meaning).open());
            // Beside the key alone stands a value, so that no shell takes the key for the end.
            if let Some(example) = example(entry, parameter) {
                let word = format!("{}={example}", parameter.name);
                all.push(Candidate::new(word, &parameter.meaning).open());
            }
        }
        return within(all, name, before);
    };
    let Some(parameter) = entry.parameters.iter().find(|p| p.name == key.trim()) else {
        return Vec::new();
    };
    let words = words(parameter);
    let choices: Vec<String> = if words.is_empty() {
        example(entry, parameter).into_iter().collect()
    } else {
        words.iter().map(|word| (*word).to_owned()).collect()
    };
    for choice in choices.iter().filter(|choice| *choice != value) {
        all.push(Candidate::new(format!("{key}={choice}"), &parameter.meaning).open());
    }
    if !value.is_empty() && (words.is_empty() || words.contains(&value)) {
        all.push(Candidate::new(format!("{last})"), "no more parameters"));
        let more = entry.parameters.iter().filter(open).any(|other| other.name != key.trim());
        if more {
            all.push(Candidate::new(format!("{last},"), "another parameter").open());
        }
    }
    within(all, name, before)
}

/// Behind the closing parenthesis.
fn closed(written: &str, rule: Rule) -> Vec<Candidate> {
    if !written.ends_with(')') {
        return Vec::new();
    }
    match rule {
        Rule::Counted => vec![Candidate::new(format!("{written}:1"), "one flow")],
        Rule::List => vec![
            Candidate::new(written, "done"),
            Candidate::new(format!("{written},"), "another one").open(),
        ],
        Rule::One => vec![Candidate::new(written, "done")],
    }
}

fn within(mut all: Vec<Candidate>, name: &str, before: &str) -> Vec<Candidate> {
    for candidate in &mut all {
        candidate.word.insert_str(0, &format!("{name}({before}"));
    }
    all
}

/// The words that a parameter may be; none if it is a quantity.
fn words(parameter: &Parameter) -> Vec<&str> {
    match &parameter.allowed {
        Some(allowed) if !allowed.contains(" to ") => allowed.split(", ").collect(),
        None if matches!(parameter.default.as_deref(), Some("on" | "off" | "if negotiated")) => {
            vec!["on", "off"]
        }
        _ => Vec::new(),
    }
}

/// A value that may stand as it is: the default, or that of the catalog's example.
fn example(entry: &CatalogEntry, parameter: &Parameter) -> Option<String> {
    let default = parameter.default.as_deref().filter(|text| !text.contains(' '));
    let inside = entry.example.as_deref().and_then(|example| example.split_once('('));
    let pairs = inside.map_or("", |(_, inside)| inside.trim_end_matches(')')).split(',');
    let named = pairs.filter_map(|pair| pair.split_once('='));
    let value = named.filter(|(key, _)| *key == parameter.name).map(|(_, value)| value).next();
    default.or(value).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::complete::values::controllers;
    use westwood_report::catalog::{Topic, entries};

    fn list(written: &str) -> Vec<String> {
        let all = call(&controllers(), Rule::List, written);
        let begins = all.into_iter().map(|c| c.word).filter(|word| word.starts_with(written));
        begins.collect()
    }

    #[test]
    fn controllers_are_offered_behind_commas_too() {
        assert_eq!(list("ren"), ["reno", "reno(", "reno-linux", "reno-linux("]);
        assert_eq!(list("reno,vegas-"), ["reno,vegas-linux", "reno,vegas-linux("]);
        assert_eq!(list("bbr(pacing=on),hi")[0], "bbr(pacing=on),highspeed");
        assert!(!list("reno,").contains(&"reno,reno".to_owned()), "each once");
    }

    #[test]
    fn parameters_and_their_values_are_offered_within_parentheses() {
        assert!(list("westwood+(").contains(&"westwood+(tau=".to_owned()));
        assert_eq!(list("westwood+(flo"), ["westwood+(floor=", "westwood+(floor=0s"]);
        assert_eq!(list("westwood+(filter="), ["westwood+(filter=a", "westwood+(filter=b"]);
        assert_eq!(
            list("reno,westwood+(filter=a"),
            ["reno,westwood+(filter=a)", "reno,westwood+(filter=a,"]
        );
        assert!(!list("westwood+(filter=a,").iter().any(|word| word.ends_with("filter=")));
        assert_eq!(list("westwood+(filter=a)"), ["westwood+(filter=a)", "westwood+(filter=a),"]);
        assert_eq!(list("reno(pac"), ["reno(pacing=", "reno(pacing=off"]);
    }

    #[test]
    fn every_candidate_leads_to_a_value_that_is_accepted() {
        use westwood_scenario::spec;
        let accepted = |kind: &str, text: &str| match kind {
            "controller" => spec::controllers(text).is_ok(),
            "queue" => spec::Aqm::parse(text).is_ok(),
            _ => spec::losses(text).is_ok(),
        };
        let queues = entries(Topic::Queues);
        let losses = entries(Topic::Losses);
        for (kind, catalog) in
            [("controller", &controllers()), ("queue", &queues), ("loss", &losses)]
        {
            for entry in catalog {
                if entry.parameters.is_empty() {
                    assert!(accepted(kind, &entry.example.clone().unwrap_or(entry.name.clone())));
                    continue;
                }
                // Always the first value, until nothing is missing.
                let mut text = format!("{}(", entry.name);
                for _ in 0..100 {
                    let next: Vec<Candidate> = call(catalog, Rule::List, &text)
                        .into_iter()
                        .filter(|c| c.word.starts_with(&text) && c.word != text)
                        .collect();
                    let comma = next.iter().find(|c| c.word.ends_with(','));
                    let Some(best) =
                        comma.or(next.iter().find(|c| !c.word.ends_with('='))).or(next.first())
                    else {
                        break;
                    };
                    text = best.word.clone();
                    if best.whole {
                        break;
                    }
                }
                // A queue's bounds that depend on the buffer have no value to offer.
                let stuck = text.ends_with('=');
                assert!(stuck || accepted(kind, &text), "{kind}: {text}");
            }
        }
    }
}
