//! Expressions among the fields of a paper's files.

use westwood_scenario::file::reading::{Fields, Node, TableEntry, TomlValue};

use crate::expr::{Expr, parse};

/// Fields that hold expressions.
pub(crate) trait ExpressionFields {
    /// An expression, if it is there.
    fn expression(&self, name: &'static str) -> Option<Expr>;

    /// The expressions of a list.
    fn expressions(&self, name: &'static str) -> Vec<Expr>;

    /// Names with expressions.
    fn lets(&self, name: &'static str) -> Vec<(String, Expr)>;
}

impl ExpressionFields for Fields<'_> {
    fn expression(&self, name: &'static str) -> Option<Expr> {
        self.node(name).and_then(|node| expression_of(self, node))
    }

    fn expressions(&self, name: &'static str) -> Vec<Expr> {
        self.each(name).iter().filter_map(|node| expression_of(self, node)).collect()
    }

    fn lets(&self, name: &'static str) -> Vec<(String, Expr)> {
        let Some(node) = self.node(name) else { return Vec::new() };
        let TomlValue::Table(table) = &node.value else {
            self.wrong(node, "a table of names and expressions");
            return Vec::new();
        };
        let one = |entry: &TableEntry| Some((entry.key.clone(), expression_of(self, &entry.node)?));
        table.entries.iter().filter_map(one).collect()
    }
}

/// The expression of a text in quotes.
fn expression_of(fields: &Fields<'_>, node: &Node) -> Option<Expr> {
    let TomlValue::Text(text) = &node.value else {
        fields.wrong(node, "an expression in quotes");
        return None;
    };
    let within = |bytes| fields.sources().within(node.place, &bytes);
    parse(text, &within).map_err(|wrong| fields.fault(wrong.place, wrong.error)).ok()
}
