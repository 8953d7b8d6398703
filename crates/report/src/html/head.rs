//! The head of every page.

use super::policy::policy;
use crate::markup::Markup;

/// The start of a page up to its body: a policy that lets only this style sheet and this script run, the
/// title and the style sheet. The script itself goes where the page wants it.
pub(crate) fn head(page: &mut Markup, title: &str, style: &'static str, script: &str) {
    page.literal("<!DOCTYPE html>\n<html lang=\"en\">");
    page.tag("head").with(|head| {
        head.literal("<meta charset=\"utf-8\"/>");
        head.tag("meta")
            .attr("http-equiv", "Content-Security-Policy")
            .attr("content", policy(style, script))
            .empty();
        head.tag("meta")
            .attr("name", "viewport")
            .attr("content", "width=device-width, initial-scale=1")
            .empty();
        head.literal("<meta name=\"referrer\" content=\"no-referrer\"/>");
        // Over http a browser would ask for an icon of its own accord, and the policy refuse it aloud.
        head.literal("<link rel=\"icon\" href=\"data:,\"/>");
        head.tag("title").text(title);
        head.literal("<style>").literal(style).literal("</style>");
    });
}
