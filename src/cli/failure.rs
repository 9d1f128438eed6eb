//! How a command ends when it does not end well.

use std::fmt::Display;
use std::io::{self, Write};
use std::process::ExitCode;

use super::style::Style;

/// What shells return for a program stopped by ^C.
pub const INTERRUPTED: u8 = 130;

/// An exit code, and what to say on stderr.
#[derive(Debug)]
pub struct Failure {
    code: u8,
    message: Option<String>,
}

impl Failure {
    /// Something that was asked for could not be done: exit code 1.
    pub fn new(message: impl Display) -> Failure {
        Failure { code: 1, message: Some(message.to_string()) }
    }

    /// The same, when all there is to say has been said.
    pub fn said() -> Failure {
        Failure { code: 1, message: None }
    }

    /// The arguments make no sense: exit code 2.
    pub fn usage(message: impl Display) -> Failure {
        Failure { code: 2, message: Some(message.to_string()) }
    }

    /// Stopped by ^C: no error, but not all was done.
    pub fn interrupted(message: impl Display) -> Failure {
        Failure { code: INTERRUPTED, message: Some(message.to_string()) }
    }

    /// Output that could not be written. A reader who has seen enough (`awari stats | head -1`)
    /// is no failure.
    pub fn output(error: &io::Error) -> Failure {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Failure { code: 0, message: None },
            _ => Failure::new(format_args!("cannot write the output: {error}")),
        }
    }

    /// Says it and returns the exit code.
    pub fn report(self) -> ExitCode {
        ExitCode::from(self.say().code)
    }

    /// Says it. What is left is the exit code.
    #[must_use]
    pub fn say(self) -> Failure {
        if let Some(message) = self.message {
            // If stderr is closed too, the exit code has to do.
            let _ = match self.code {
                INTERRUPTED => writeln!(io::stderr(), "{message}"),
                _ => Style::stderr().error(&message),
            };
        }
        Failure { code: self.code, message: None }
    }
}
