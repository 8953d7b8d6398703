//! One claim with everything that is known of it, for a terminal.

use westwood_report::table::wrapped;

use crate::results::{ClaimVerdict, JudgedClaim};
use crate::text;

/// The columns of the names in front.
const NAMES: usize = 11;

/// A claim in full, lines broken at `width`.
pub fn in_full(claim: &JudgedClaim, width: usize) -> String {
    let mut out = ClaimText { text: format!("{}: {}\n", claim.id, text::verdict(claim)), width };
    if claim.verdict == ClaimVerdict::Undecided {
        let leaning = claim.leaning.name();
        out.row("seeds", &format!("{}; the means alone say: {leaning}", claim.seeds));
    } else if claim.seeds > 1 {
        out.row("seeds", &claim.seeds.to_string());
    }
    out.row("says", &claim.statement);
    let decisive = if claim.decisive { ", decisive" } else { "" };
    let experiment = claim.experiment.as_ref().map(|name| format!(", experiment {name}"));
    let place = text::place(&claim.figure);
    out.row("where", &format!("{}, {place}{}", claim.paper, experiment.unwrap_or_default()));
    out.row("kind", &format!("{}, {}{decisive}", claim.basis.name(), claim.confidence.name()));
    out.row("paper", &text::expected(claim));
    out.row("accepted", &claim.accepted_words());
    out.row("measured", &text::found(claim, &claim.measured));
    out.row("expression", &claim.written.measure.join("; "));
    out.row("test", claim.written.test.as_deref().unwrap_or_default());
    out.row("in shape", claim.written.shape.as_deref().unwrap_or_default());
    for (name, expression) in &claim.written.lets {
        out.row("", &format!("{name} = {expression}"));
    }
    out.row("because", &claim.why);
    out.row("path", claim.nearest.as_deref().unwrap_or_default());
    out.row("left out", claim.cut.as_deref().unwrap_or_default());
    out.row("analysis", claim.analysis.as_deref().unwrap_or_default());
    for other in &claim.others {
        out.row("others", &format!("{}: {} ({})", other.by, other.says, other.how));
    }
    for choice in &claim.choices {
        let found = text::found(claim, &choice.measured);
        out.row(
            "choice",
            &format!("{} ({}): {found}: {}", choice.name, choice.about, choice.verdict.name()),
        );
    }
    out.text
}

struct ClaimText {
    text: String,
    width: usize,
}

impl ClaimText {
    /// A name and a text beside it; nothing for an empty text.
    fn row(&mut self, name: &str, text: &str) {
        if text.is_empty() {
            return;
        }
        let lines = wrapped(text, self.width.saturating_sub(NAMES).max(20));
        for (i, line) in lines.lines().enumerate() {
            let name = if i == 0 { name } else { "" };
            self.text += format!("{name:<NAMES$}{line}").trim_end();
            self.text.push('\n');
        }
    }
}
