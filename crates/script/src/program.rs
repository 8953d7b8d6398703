//! Compiled verbs: operations on a small stack.

use std::ops::Range;

use westwood_cc::own::StateWords;
use westwood_expr::{Binary, NumberFunction, Unary, is_true};

use crate::event::{ArgumentValue, VerbEvent, VerbName};
use crate::fault::{ScriptFault, note};

/// The most values that a verb has at hand at once.
pub(crate) const MOST_AT_ONCE: usize = 32;
/// The most names that a verb's `let` gives.
pub(crate) const MOST_LOCALS: usize = 8;

/// An operation. It takes its operands from the stack and leaves its result there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Operation {
    Number(f64),
    Argument(u8),
    State(u8),
    Local(u8),
    Unary(Unary),
    Binary(Binary),
    /// Of the one value on top.
    Function(NumberFunction),
    /// Of the two values on top.
    OfTwo(NumberFunction),
    /// 1 if the value on top is a number.
    Has,
    /// Goes on at another operation if the value on top does not hold.
    Unless(u16),
    /// Goes on at another operation.
    Jump(u16),
    /// Puts the value on top into a local name.
    Let(u8),
    /// Puts the value on top into the state, at the end of a statement.
    Keep(u8),
}

/// A statement: its bytes in the text of the verb, and the operation behind its last one.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Statement {
    pub(crate) bytes: Range<usize>,
    pub(crate) end: usize,
}

/// A verb that can be carried out. Its operations only lead forwards, so that it ends.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Program {
    pub(crate) operations: Vec<Operation>,
    pub(crate) statements: Vec<Statement>,
    /// The number of values that it answers: 0, 1 or 2.
    pub(crate) answers: usize,
}

/// An event as operations read it, so that their code exists once for all events.
struct ToldEvent<'a> {
    verb: VerbName,
    /// Name and value of the argument of a place; none behind the last.
    argument: &'a dyn Fn(usize) -> Option<(&'static str, ArgumentValue)>,
}

/// A value that is not finite, of the statement with this operation.
struct NotFinite {
    value: f64,
    at: usize,
}

impl Program {
    /// True if it reads the argument of this place.
    pub(crate) fn reads(&self, argument: usize) -> bool {
        let reads = |operation: &Operation| match operation {
            Operation::Argument(place) => usize::from(*place) == argument,
            _ => false,
        };
        self.operations.iter().any(reads)
    }

    /// Carries the verb out; its answers, or none after a fault, which is noted. `text` is what it was
    /// compiled from.
    pub(crate) fn answer<E: VerbEvent>(
        &self,
        (controller, text): (&'static str, &str),
        event: &E,
        state: &mut StateWords,
    ) -> Option<[f64; 2]> {
        let argument = |place: usize| {
            let (name, tell) = E::ARGUMENTS.get(place)?;
            Some((*name, tell(event)))
        };
        let told = ToldEvent { verb: E::VERB, argument: &argument };
        match self.carry_out(&told, state) {
            Ok(answer) => Some(answer),
            Err(wrong) => {
                note(self.fault((controller, text), &told, &wrong));
                None
            }
        }
    }

    fn carry_out(
        &self,
        told: &ToldEvent<'_>,
        state: &mut StateWords,
    ) -> Result<[f64; 2], NotFinite> {
        let mut stack = Stack { values: [0.0; MOST_AT_ONCE], height: 0 };
        let mut locals = [0.0; MOST_LOCALS];
        let mut at = 0;
        while let Some(&operation) = self.operations.get(at) {
            at += 1;
            match operation {
                Operation::Number(value) => stack.push(value),
                Operation::Argument(place) => {
                    let told = (told.argument)(usize::from(place));
                    stack.push(told.map_or(f64::NAN, |(_, value)| value.number()));
                }
                Operation::State(place) => stack.push(f64::from_bits(state[usize::from(place)])),
                Operation::Local(place) => stack.push(locals[usize::from(place)]),
                Operation::Unary(operator) => {
                    let value = operator.of(stack.pop());
                    stack.push(value);
                }
                Operation::Binary(operator) => {
                    let (b, a) = (stack.pop(), stack.pop());
                    stack.push(operator.of(a, b));
                }
                Operation::Function(function) => {
                    let value = function.of(stack.pop());
                    stack.push(value);
                }
                Operation::OfTwo(function) => {
                    let (b, a) = (stack.pop(), stack.pop());
                    stack.push(function.of_two(a, b));
                }
                Operation::Has => {
                    let has = !stack.pop().is_nan();
                    stack.push(f64::from(u8::from(has)));
                }
                Operation::Unless(to) => {
                    if !is_true(stack.pop()) {
                        at = usize::from(to);
                    }
                }
                Operation::Jump(to) => at = usize::from(to),
                Operation::Let(place) => locals[usize::from(place)] = stack.pop(),
                Operation::Keep(place) => {
                    let value = stack.pop();
                    if !value.is_finite() {
                        return Err(NotFinite { value, at: at - 1 });
                    }
                    state[usize::from(place)] = value.to_bits();
                }
            }
        }
        let mut answer = [0.0; 2];
        for place in (0..self.answers).rev() {
            let value = stack.pop();
            if !value.is_finite() {
                return Err(NotFinite { value, at: self.operations.len() - 1 });
            }
            answer[place] = value;
        }
        Ok(answer)
    }

    #[cold]
    fn fault(
        &self,
        (controller, text): (&'static str, &str),
        told: &ToldEvent<'_>,
        wrong: &NotFinite,
    ) -> ScriptFault {
        const MOST: usize = 80;
        let place = self.statements.iter().position(|statement| wrong.at < statement.end);
        let place = place.unwrap_or_default();
        let begin = place.checked_sub(1).map_or(0, |before| self.statements[before].end);
        let absent =
            self.operations[begin..=wrong.at].iter().find_map(|operation| match operation {
                Operation::Argument(place) => (told.argument)(usize::from(*place))
                    .filter(|(_, value)| *value == ArgumentValue::Absent)
                    .map(|(name, _)| name),
                _ => None,
            });
        let bytes = self.statements.get(place).map_or(0..0, |statement| statement.bytes.clone());
        let now = (0..).map_while(told.argument).find(|(name, _)| *name == "now");
        ScriptFault {
            controller,
            verb: told.verb,
            statement: text.get(bytes.clone()).unwrap_or(text).chars().take(MOST).collect(),
            column: text.get(..bytes.start).map_or(0, |before| before.chars().count()) + 1,
            value: wrong.value,
            absent: absent.filter(|_| wrong.value.is_nan()),
            time_s: now.map(|(_, value)| value.number()),
        }
    }
}

/// Values at hand. The compiler has counted them: the height stays between zero and the most.
struct Stack {
    values: [f64; MOST_AT_ONCE],
    height: usize,
}

impl Stack {
    #[inline]
    fn push(&mut self, value: f64) {
        if let Some(top) = self.values.get_mut(self.height) {
            *top = value;
            self.height += 1;
        }
    }

    #[inline]
    fn pop(&mut self) -> f64 {
        self.height = self.height.saturating_sub(1);
        self.values[self.height]
    }
}
