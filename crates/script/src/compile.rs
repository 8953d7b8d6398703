//! From the text of a verb to its operations.
//!
//! ```text
//! verb       = statement { ";" statement } [ ";" ]
//! statement  = [ "let" ] name "=" expression  |  expression [ "," expression ]
//! ```
//!
//! The last statement of a verb that answers is one expression, or two.

use std::ops::Range;

use westwood_expr::{Dialect, ExprKind, NumberFunction, Parser, Token, wrong_count};

use crate::definition::Definition;
use crate::error::{ScriptErrorKind, TextFault};
use crate::event::{VerbAnswer, VerbEvent};
use crate::program::{MOST_AT_ONCE, MOST_LOCALS, Operation, Program, Statement};

/// Words that name nothing else.
const KEYWORDS: [&str; 5] = ["and", "or", "not", "let", "has"];

/// A function of the language.
#[derive(Clone, Copy, Debug)]
enum ScriptFunction {
    OfNumbers(NumberFunction),
    /// Whether a value is there.
    Has,
}

type Expr = westwood_expr::Expr<ScriptCall, Range<usize>>;

/// A call of a function.
#[derive(Clone, Debug)]
struct ScriptCall {
    function: ScriptFunction,
    values: Vec<Expr>,
}

struct Language;

impl Dialect for Language {
    type Call = ScriptCall;
    type Place = Range<usize>;
    type Error = TextFault;

    const TEXT_HINT: &'static str = "words stand without quotes: cause == timeout";

    fn place(&self, bytes: Range<usize>) -> Range<usize> {
        bytes
    }

    fn call(
        parser: &mut Parser<'_, Self>,
        name: String,
        bytes: &Range<usize>,
    ) -> Result<ScriptCall, TextFault> {
        let function = match NumberFunction::named(&name) {
            Some(function) => ScriptFunction::OfNumbers(function),
            None if name == "has" => ScriptFunction::Has,
            None => return Err(unknown("function", bytes.clone(), name, functions())),
        };
        let values = parser.values()?;
        let due = match function {
            ScriptFunction::OfNumbers(function) => function.values(),
            ScriptFunction::Has => (1, 1),
        };
        if let Some(what) = wrong_count(&name, values.len(), due) {
            return Err(TextFault::new(parser.since(bytes.start), what));
        }
        Ok(ScriptCall { function, values })
    }
}

/// The names of all functions.
fn functions() -> impl Iterator<Item = String> {
    let names = NumberFunction::ALL.iter().map(|(name, _)| *name);
    names.chain(["has"]).map(str::to_owned)
}

fn unknown(
    sort: &'static str,
    place: Range<usize>,
    name: String,
    known: impl Iterator<Item = String>,
) -> TextFault {
    TextFault { place, kind: ScriptErrorKind::Unknown { sort, name, known: known.collect() } }
}

/// The operations of a verb's text.
pub(crate) fn compiled<E: VerbEvent>(
    definition: &Definition,
    text: &str,
) -> Result<Program, TextFault> {
    let mut compiler = Compiler {
        definition,
        arguments: E::ARGUMENTS.iter().map(|(name, _)| *name).collect(),
        words: E::WORDS,
        locals: Vec::new(),
        program: Program::default(),
        height: 0,
    };
    compiler.verb(E::ANSWER, text)?;
    Ok(compiler.program)
}

struct Compiler<'a> {
    definition: &'a Definition,
    arguments: Vec<&'static str>,
    words: &'static [&'static str],
    locals: Vec<String>,
    program: Program,
    /// Values at hand behind the operations so far.
    height: usize,
}

impl Compiler<'_> {
    fn verb(&mut self, answer: VerbAnswer, text: &str) -> Result<(), TextFault> {
        let mut parser = Parser::new(text, &Language)?;
        while !parser.is_at_end() {
            if self.program.answers > 0 {
                let place = parser.here().start..text.len();
                let what = "this stands behind the answer";
                return Err(TextFault::new(place, what).hint("put it before the last statement"));
            }
            self.statement(answer, &mut parser)?;
            if !parser.is_at_end() {
                parser.expect(";")?;
            }
        }
        let whole = 0..text.len();
        match answer {
            VerbAnswer::Nothing if self.program.statements.is_empty() => {
                Err(TextFault::new(whole, "this does nothing").hint("leave the verb out"))
            }
            VerbAnswer::Windows if self.program.answers == 0 => {
                let error = TextFault::new(whole, "this ends without a window");
                Err(error.hint("end with an expression in segments, or two: cwnd, ssthresh"))
            }
            VerbAnswer::Rate if self.program.answers == 0 => {
                let error = TextFault::new(whole, "this ends without a rate");
                Err(error.hint("end with an expression in segments a second"))
            }
            _ => Ok(()),
        }
    }

    fn statement(
        &mut self,
        answer: VerbAnswer,
        parser: &mut Parser<'_, Language>,
    ) -> Result<(), TextFault> {
        let start = parser.here().start;
        if parser.is_word_before("=") {
            let (name, place, value) = assignment(parser)?;
            self.keep(&name, place, &value)?;
        } else if parser.take_token(|token| is_let(token).then_some(())).is_some() {
            let (name, place, value) = assignment(parser)?;
            self.local(name, place, &value)?;
        } else {
            let value = parser.expression()?;
            if answer == VerbAnswer::Nothing {
                let error = TextFault::new(value.place, "nobody is told this value");
                return Err(error.hint("this verb answers nothing: write name = value"));
            }
            self.value(&value)?;
            self.program.answers = 1;
            if answer == VerbAnswer::Windows && parser.take(",") {
                let second = parser.expression()?;
                self.value(&second)?;
                self.program.answers = 2;
            }
            if parser.is_before(",") {
                let most = if answer == VerbAnswer::Windows { "two windows" } else { "one rate" };
                let error = TextFault::new(parser.here(), format!("a verb answers {most} at most"));
                return Err(error.hint("leave the rest out"));
            }
        }
        let end = self.program.operations.len();
        self.program.statements.push(Statement { bytes: parser.since(start), end });
        Ok(())
    }

    /// `name = value` of the state.
    fn keep(&mut self, name: &str, place: Range<usize>, value: &Expr) -> Result<(), TextFault> {
        let Some(kept) = self.definition.state.iter().position(|(known, _)| known == name) else {
            if self.names().any(|known| known == name) {
                let error = TextFault::new(place, format!("'{name}' cannot be set"));
                let hint = format!(
                    "give the value another name, in state or by let, or end with it; to compare write \
                     {name} == ..."
                );
                return Err(error.hint(hint));
            }
            let names = self.definition.state.iter().map(|(name, _)| name.clone());
            if names.len() == 0 {
                let error =
                    TextFault::new(place, format!("there is no state '{name}' to keep it in"));
                let hint = format!(
                    "write state = {{ {name} = 0 }}, or let {name} = ... for this verb alone"
                );
                return Err(error.hint(hint));
            }
            return Err(unknown("state", place, name.to_owned(), names));
        };
        self.value(value)?;
        self.take(Operation::Keep(narrow(kept)), 1);
        Ok(())
    }

    /// `let name = value`.
    fn local(&mut self, name: String, place: Range<usize>, value: &Expr) -> Result<(), TextFault> {
        if self.names().any(|known| known == name) || is_reserved(&name) {
            let error = TextFault::new(place, format!("'{name}' names something else already"));
            return Err(error.hint("give it another name"));
        }
        if self.locals.len() == MOST_LOCALS {
            let error =
                TextFault::new(place, format!("a verb has {MOST_LOCALS} names of 'let' at most"));
            return Err(error.hint("keep it in the state"));
        }
        self.value(value)?;
        self.take(Operation::Let(narrow(self.locals.len())), 1);
        self.locals.push(name);
        Ok(())
    }

    /// All names that have a value here.
    fn names(&self) -> impl Iterator<Item = String> {
        let fixed = self.arguments.iter().chain(self.words).map(|name| (*name).to_owned());
        let parameters = self.definition.parameters.iter().map(|parameter| parameter.name.clone());
        let state = self.definition.state.iter().map(|(name, _)| name.clone());
        fixed.chain(parameters).chain(state).chain(self.locals.iter().cloned())
    }

    /// Operations that leave the value of an expression.
    fn value(&mut self, expr: &Expr) -> Result<(), TextFault> {
        match &expr.kind {
            ExprKind::Number(value) => self.put(Operation::Number(*value), expr)?,
            ExprKind::Name(name) => {
                let operation = self.named(name);
                let missing = || unknown("name", expr.place.clone(), name.clone(), self.names());
                let operation = operation.ok_or_else(missing)?;
                self.put(operation, expr)?;
            }
            ExprKind::Unary(operator, inner) => {
                self.value(inner)?;
                self.take(Operation::Unary(*operator), 0);
            }
            ExprKind::Binary(operator, left, right) => {
                self.value(left)?;
                self.value(right)?;
                self.take(Operation::Binary(*operator), 1);
            }
            ExprKind::Choice(parts) => {
                let [condition, yes, no] = &**parts;
                self.value(condition)?;
                let unless = self.take(Operation::Unless(0), 1);
                self.value(yes)?;
                let jump = self.take(Operation::Jump(0), 0);
                self.lead_here(unless);
                // Of the two values one is left.
                self.height -= 1;
                self.value(no)?;
                self.lead_here(jump);
            }
            ExprKind::Call(ScriptCall { function, values }) => {
                for (i, value) in values.iter().enumerate() {
                    self.value(value)?;
                    match function {
                        ScriptFunction::Has => self.take(Operation::Has, 0),
                        ScriptFunction::OfNumbers(function) if values.len() == 1 => {
                            self.take(Operation::Function(*function), 0)
                        }
                        ScriptFunction::OfNumbers(function) if i > 0 => {
                            self.take(Operation::OfTwo(*function), 1)
                        }
                        ScriptFunction::OfNumbers(_) => 0,
                    };
                }
            }
        }
        Ok(())
    }

    fn named(&self, name: &str) -> Option<Operation> {
        let is = |known: &str| known == name;
        let place = |found: Option<usize>| found.map(narrow);
        if let Some(argument) = place(self.arguments.iter().position(|known| is(known))) {
            return Some(Operation::Argument(argument));
        }
        if let Some(word) = place(self.words.iter().position(|known| is(known))) {
            return Some(Operation::Number(f64::from(word)));
        }
        if let Some(kept) = place(self.definition.state.iter().position(|(known, _)| is(known))) {
            return Some(Operation::State(kept));
        }
        if let Some(local) = place(self.locals.iter().position(|known| is(known))) {
            return Some(Operation::Local(local));
        }
        let parameter = self.definition.parameters.iter().find(|known| is(&known.name))?;
        let (num, den) = (parameter.value.num(), parameter.value.den());
        Some(Operation::Number(f64::from(num) / f64::from(den)))
    }

    /// An operation that leaves one value more.
    fn put(&mut self, operation: Operation, expr: &Expr) -> Result<(), TextFault> {
        self.height += 1;
        if self.height > MOST_AT_ONCE {
            let what = format!("more than {MOST_AT_ONCE} values would be at hand at once");
            let error = TextFault::new(expr.place.clone(), what);
            return Err(error.hint("take a part of it apart by let name = ...;"));
        }
        self.program.operations.push(operation);
        Ok(())
    }

    /// An operation that leaves so many values fewer; its place.
    fn take(&mut self, operation: Operation, fewer: usize) -> usize {
        self.height -= fewer;
        self.program.operations.push(operation);
        self.program.operations.len() - 1
    }

    /// Lets the jump of this place lead behind the operations so far.
    fn lead_here(&mut self, jump: usize) {
        // A text has at most 1,000 words and signs, and each becomes at most two operations.
        let here = u16::try_from(self.program.operations.len()).unwrap_or(u16::MAX);
        match &mut self.program.operations[jump] {
            Operation::Unless(to) | Operation::Jump(to) => *to = here,
            _ => {}
        }
    }
}

/// `name = value`, with the place of the name.
fn assignment(
    parser: &mut Parser<'_, Language>,
) -> Result<(String, Range<usize>, Expr), TextFault> {
    let place = parser.here();
    let Some(name) = parser.take_word() else {
        return Err(
            TextFault::from(parser.wrong_here("a name is due here")).hint("write let x = 1")
        );
    };
    parser.expect("=")?;
    Ok((name, place, parser.expression()?))
}

fn is_let(token: &Token) -> bool {
    matches!(token, Token::Word(word) if word == "let")
}

/// True if the language has this word already.
pub(crate) fn is_reserved(name: &str) -> bool {
    KEYWORDS.contains(&name) || NumberFunction::named(name).is_some()
}

/// A place in one of a few lists; none has 256 entries.
fn narrow(place: usize) -> u8 {
    u8::try_from(place).unwrap_or(u8::MAX)
}
