//! Colour, where someone looks at it.

use std::fmt;
use std::io::{self, IsTerminal, Write};

/// Whether to colour what goes to one of the standard streams: only on a terminal, and not if
/// the user says `NO_COLOR` (<https://no-color.org>).
#[derive(Clone, Copy)]
pub struct Style {
    coloured: bool,
}

impl Style {
    /// For results.
    pub fn stdout() -> Style {
        Style::of(&io::stdout())
    }

    /// For everything else.
    pub fn stderr() -> Style {
        Style::of(&io::stderr())
    }

    fn of(stream: &impl IsTerminal) -> Style {
        let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        let plain = std::env::var_os("TERM").is_some_and(|value| value == "dumb");
        Style { coloured: stream.is_terminal() && !refused && !plain }
    }

    /// What matters most: the best move, the value.
    pub fn good<T: fmt::Display>(self, text: T) -> Painted<T> {
        self.paint("1;32", text)
    }

    /// Trouble.
    pub fn bad<T: fmt::Display>(self, text: T) -> Painted<T> {
        self.paint("1;31", text)
    }

    /// What only accompanies.
    pub fn faint<T: fmt::Display>(self, text: T) -> Painted<T> {
        self.paint("2", text)
    }

    fn paint<T>(self, code: &'static str, text: T) -> Painted<T> {
        Painted { code: self.coloured.then_some(code), text }
    }

    /// Writes `error: message` on stderr.
    ///
    /// # Errors
    /// If stderr cannot be written.
    pub fn error(self, message: &str) -> io::Result<()> {
        // In one piece: other ranks of a job may write too.
        io::stderr().write_all(format!("{} {message}\n", self.bad("error:")).as_bytes())
    }
}

/// A text with its colour. Width and precision go to the text.
pub struct Painted<T> {
    code: Option<&'static str>,
    text: T,
}

impl<T: fmt::Display> fmt::Display for Painted<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.code {
            None => self.text.fmt(f),
            Some(code) => {
                write!(f, "\x1b[{code}m")?;
                self.text.fmt(f)?;
                f.write_str("\x1b[0m")
            }
        }
    }
}
