//! The end of the command: exit codes and errors.

use std::process::ExitCode;

/// The exit codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommandExit {
    /// Everything was done.
    Done = 0,
    /// A run failed.
    RunFailed = 1,
    /// The command line, or a file that it names, is wrong.
    BadInput = 2,
    /// A `--fail-if` criterion was met.
    CriterionFailed = 3,
    /// The environment lacks something, such as space for a file.
    Environment = 4,
    /// A measurement is invalid.
    InvalidMeasurement = 5,
    /// Ctrl-C.
    Interrupted = 130,
}

/// The exit codes, for help and manual.
pub(crate) const EXIT_CODES: &str = "\
Exit codes:
  0    done
  1    a run failed
  2    bad usage or input
  3    a --fail-if criterion was met, or --fail-if-worse-than
  4    the environment lacks something
  5    a measurement is invalid
  130  interrupted";

impl From<CommandExit> for ExitCode {
    fn from(exit: CommandExit) -> Self {
        Self::from(exit as u8)
    }
}

/// The reason why the command stops before its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stop {
    exit: CommandExit,
    text: String,
    /// True for text that was asked for, such as help: to stdout as it is.
    pub(crate) is_output: bool,
    /// The exit code of a command that was run, to be passed on.
    pub(crate) passed_on: Option<u8>,
}

impl Stop {
    /// Stops with one line on stderr.
    #[expect(clippy::needless_pass_by_value, reason = "errors are passed on as they come")]
    pub fn new(exit: CommandExit, text: impl ToString) -> Self {
        Self { exit, text: text.to_string(), is_output: false, passed_on: None }
    }

    /// The line of an input that is wrong.
    pub fn bad_input(text: impl ToString) -> Self {
        Self::new(CommandExit::BadInput, text)
    }

    /// Text that the user asked for instead of a run.
    #[expect(clippy::needless_pass_by_value, reason = "errors are passed on as they come")]
    pub(crate) fn output(text: impl ToString) -> Self {
        Self { exit: CommandExit::Done, text: text.to_string(), is_output: true, passed_on: None }
    }

    /// Ends as a command that was run has ended, which has said itself what there is to say.
    pub fn passing_on(code: u8) -> Self {
        Self { passed_on: Some(code), ..Self::new(CommandExit::RunFailed, "") }
    }

    /// The exit code.
    pub fn exit(&self) -> CommandExit {
        self.exit
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.text
    }
}
