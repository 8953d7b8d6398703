//! From the tables of `claims.toml` to claims.

use westwood_scenario::BadInput;
use westwood_scenario::file::reading::{Fields, Node, TableEntry, TomlValue, number};

use super::accept::{BoundOrder, ClaimTolerance};
use super::{
    Accept, Analysis, Choice, Claim, ClaimBasis, ClaimKind, ClaimPart, Confidence, Expected,
    OtherResult, WrittenCriterion,
};
use crate::expr::needs_runs;
use crate::fields::ExpressionFields as _;

/// Reads a `[[claim]]`.
pub(crate) fn claim(fields: &Fields<'_>) -> Option<Claim> {
    const KINDS: [(&str, ClaimKind); 5] = [
        ("value", ClaimKind::Value),
        ("ratio", ClaimKind::Ratio),
        ("bound", ClaimKind::Bound),
        ("ordering", ClaimKind::Ordering),
        ("shape", ClaimKind::Shape),
    ];
    let kind = fields.word("kind", &KINDS)?;
    let mut claim = Claim {
        id: fields.required("id")?,
        figure: fields.required("figure")?,
        experiment: fields.text("experiment"),
        statement: fields.required("statement")?,
        confidence: fields
            .word("confidence", &[("firm", Confidence::Firm), ("soft", Confidence::Soft)])?,
        kind,
        basis: ClaimBasis::Runs,
        decisive: fields.switch("decisive", false),
        said: said(fields, kind),
        why: fields.required("why")?,
        lets: fields.lets("let"),
        test: fields.expression("test"),
        shape: fields.expression("shape"),
        shape_why: fields.text("shape_why"),
        alt: fields.node("alt").and_then(|node| expected_number(fields, node)),
        cut: fields.text("cut"),
        linux: None,
        nearest: fields.text("nearest"),
        untestable: fields.text("untestable"),
        analysis: Analysis::read(fields, "analysis"),
        choices: fields.tables("choice", "[[claim.choice]]", choice),
        others: fields.tables("other", "[[claim.other]]", other),
        written: written(fields),
        quick: fields.switch("quick", true),
        place: fields.place,
        parts: parts(fields, kind),
    };
    claim.basis = basis(fields, &claim)?;
    linux_is_a_table(fields);
    decidable(fields, &claim);
    Some(claim)
}

/// Each `[[claim]]` that has a `[claim.linux]`, with what that says in the place of its own words.
pub(crate) fn on_linux(claims: &Node) -> Vec<Node> {
    /// A statement on simulated runs is not true of real ones.
    const OF_SIMULATION: [&str; 12] = [
        "linux",
        "measure",
        "let",
        "test",
        "shape",
        "shape_why",
        "untestable",
        "analysis",
        "numbers",
        "basis",
        "other",
        "choice",
    ];
    let one = |claim: &Node| {
        let TomlValue::Table(own) = &claim.value else { return None };
        let linux = &own.get("linux")?.node;
        let TomlValue::Table(over) = &linux.value else { return None };
        let stays = |entry: &&TableEntry| {
            over.get(&entry.key).is_none() && !OF_SIMULATION.contains(&entry.key.as_str())
        };
        let mut table = over.clone();
        table.entries.extend(own.entries.iter().filter(stays).cloned());
        Some(Node { value: TomlValue::Table(table), place: linux.place })
    };
    let TomlValue::Table(file) = &claims.value else { return Vec::new() };
    let all = file.get("claim").map_or(&[][..], |entry| entry.node.each());
    all.iter().filter_map(one).collect()
}

/// Notes values that are no tables; tables are read by [`on_linux`].
fn linux_is_a_table(fields: &Fields<'_>) {
    if let Some(node) =
        fields.node("linux").filter(|node| !matches!(node.value, TomlValue::Table(_)))
    {
        fields.fault(node.place, BadInput::new("'linux' is a table").hint("write [claim.linux]"));
    }
}

/// The basis of a claim as it says, or by its expressions.
fn basis(fields: &Fields<'_>, claim: &Claim) -> Option<ClaimBasis> {
    if fields.node("basis").is_some() {
        let words = ClaimBasis::ALL.map(|basis| (basis.name(), basis));
        return fields.word("basis", &words);
    }
    let lets = claim.lets.iter().map(|(_, expr)| expr);
    let measures = claim.parts.iter().map(|part| &part.measure);
    let mut expressions = lets.chain(measures).chain(&claim.test).peekable();
    // A claim that nothing measures here needs hosts, and they run.
    let is_formula = expressions.peek().is_some() && !expressions.any(needs_runs);
    Some(if is_formula { ClaimBasis::Formula } else { ClaimBasis::Runs })
}

fn other(fields: &Fields<'_>) -> Option<OtherResult> {
    Some(OtherResult {
        by: fields.required("by")?,
        says: fields.required("says")?,
        how: fields.required("how")?,
    })
}

fn written(fields: &Fields<'_>) -> WrittenCriterion {
    let names = match fields.node("let") {
        Some(Node { value: TomlValue::Table(table), .. }) => table.entries.iter(),
        _ => [].iter(),
    };
    let text = |entry: &TableEntry| match &entry.node.value {
        TomlValue::Text(text) => Some((entry.key.clone(), text.clone())),
        _ => None,
    };
    WrittenCriterion {
        measure: fields.texts("measure"),
        test: fields.text("test"),
        shape: fields.text("shape"),
        lets: names.filter_map(text).collect(),
    }
}

fn choice(fields: &Fields<'_>) -> Option<Choice> {
    Some(Choice {
        name: fields.required("name")?,
        about: fields.required("about")?,
        experiment: fields.text("experiment"),
        variant: fields.text("variant"),
        lets: fields.lets("let"),
        place: fields.place,
    })
}

/// The paper's statement in words: the order or the course.
fn said(fields: &Fields<'_>, kind: ClaimKind) -> Option<String> {
    let node = fields.node("expected")?;
    match &node.value {
        TomlValue::Text(text) if matches!(kind, ClaimKind::Ordering | ClaimKind::Shape) => {
            Some(text.clone())
        }
        _ => None,
    }
}

/// One entry counts for all parts.
fn nth<T>(all: &[T], i: usize) -> Option<&T> {
    if all.len() == 1 { all.first() } else { all.get(i) }
}

fn parts(fields: &Fields<'_>, kind: ClaimKind) -> Vec<ClaimPart> {
    let measures = fields.expressions("measure");
    let names = fields.texts("parts");
    let units = fields.texts("unit");
    let expected = expected(fields, kind, measures.len());
    let tolerances: Vec<ClaimTolerance> =
        fields.each("tolerance").iter().map(|node| tolerance(node, fields)).collect();
    let operators: Vec<BoundOrder> =
        fields.each("op").iter().filter_map(|node| compared(node, fields)).collect();
    for (name, length) in [
        ("parts", names.len()),
        ("unit", units.len()),
        ("tolerance", tolerances.len()),
        ("op", operators.len()),
    ] {
        if length > 1 && length != measures.len() {
            let what = format!("'{name}' has {length} entries, 'measure' has {}", measures.len());
            fields.fault(fields.place_of(name), BadInput::new(what));
        }
    }
    let part = |(i, measure)| {
        let tolerance = nth(&tolerances, i).copied();
        let expected = nth(&expected, i).copied().flatten();
        ClaimPart {
            name: names.get(i).cloned(),
            measure,
            expected,
            accept: accept(kind, expected, tolerance, nth(&operators, i).copied()),
            unit: nth(&units, i).cloned().unwrap_or_default(),
        }
    };
    measures.into_iter().enumerate().map(part).collect()
}

fn accept(
    kind: ClaimKind,
    expected: Option<Expected>,
    tolerance: Option<ClaimTolerance>,
    compared: Option<BoundOrder>,
) -> Option<Accept> {
    if let (Some(compared), Some(Expected::Number(bound))) = (compared, expected) {
        return Some(tolerance.unwrap_or_default().bound(compared, bound));
    }
    match kind {
        ClaimKind::Ordering => tolerance.map(|t| t.order()),
        ClaimKind::Value | ClaimKind::Ratio | ClaimKind::Bound => tolerance?.near(expected),
        ClaimKind::Shape => None,
    }
}

fn expected(fields: &Fields<'_>, kind: ClaimKind, measures: usize) -> Vec<Option<Expected>> {
    let nodes = fields.each("expected");
    if nodes.len() > 1 && nodes.len() != measures {
        let what = format!("'expected' has {} entries, 'measure' has {measures}", nodes.len());
        fields.fault(fields.place_of("expected"), BadInput::new(what));
    }
    let one = |node: &Node| match &node.value {
        TomlValue::Text(_) if matches!(kind, ClaimKind::Ordering | ClaimKind::Shape) => None,
        _ => expected_number(fields, node),
    };
    nodes.iter().map(one).collect()
}

/// A number, or a range as text.
fn expected_number(fields: &Fields<'_>, node: &Node) -> Option<Expected> {
    let read = match &node.value {
        TomlValue::Text(text) => Expected::range(text),
        _ => number(node)
            .map(Expected::Number)
            .ok_or_else(|| BadInput::new("this is no number and no range")),
    };
    read.map_err(|error| fields.fault(node.place, error)).ok()
}

fn compared(node: &Node, fields: &Fields<'_>) -> Option<BoundOrder> {
    let TomlValue::Text(text) = &node.value else {
        fields.fault(node.place, BadInput::new("'op' is <, <=, > or >="));
        return None;
    };
    match text.as_str() {
        "<" => Some(BoundOrder::Less),
        "<=" => Some(BoundOrder::AtMost),
        ">" => Some(BoundOrder::Greater),
        ">=" => Some(BoundOrder::AtLeast),
        _ => {
            fields.fault(node.place, BadInput::new("'op' is <, <=, > or >="));
            None
        }
    }
}

fn tolerance(node: &Node, fields: &Fields<'_>) -> ClaimTolerance {
    let mut tolerance = ClaimTolerance::default();
    let TomlValue::Table(table) = &node.value else {
        let what = BadInput::new("a tolerance is a table").hint("write { rel = 0.05 }");
        fields.fault(node.place, what);
        return tolerance;
    };
    for entry in &table.entries {
        let field = match entry.key.as_str() {
            "rel" => &mut tolerance.rel,
            "abs" => &mut tolerance.abs,
            "factor" => &mut tolerance.factor,
            "low" => &mut tolerance.low,
            "high" => &mut tolerance.high,
            "margin" => &mut tolerance.margin,
            other => {
                const KNOWN: [&str; 6] = ["rel", "abs", "factor", "low", "high", "margin"];
                fields.fault(entry.place, BadInput::unknown("tolerance", other, KNOWN));
                continue;
            }
        };
        *field = number(&entry.node);
        if field.is_none() {
            fields.fault(entry.node.place, BadInput::new("this is not a number"));
        }
    }
    tolerance
}

/// Refuses a claim that nothing decides.
fn decidable(fields: &Fields<'_>, claim: &Claim) {
    if claim.untestable.is_some() {
        return;
    }
    let said = |name| fields.node(name).is_some();
    if !said("measure") && !said("test") {
        fields.lacks("measure");
    } else if claim.test.is_none() && claim.parts.iter().any(|part| part.accept.is_none()) {
        let what = BadInput::new(format!("nothing decides {}", claim.id));
        let hint = "give it a tolerance, a bound with 'op', or a 'test'";
        fields.fault(fields.place_of("measure"), what.hint(hint));
    }
    if claim.said.is_none() && claim.parts.iter().any(|part| part.expected.is_none()) {
        fields.lacks("expected");
    }
}
