//! `awari probe`

pub(super) mod answer;
mod text;

use std::io::{self, BufReader, BufWriter, IsTerminal, Read, Write};
use std::path::Path;

use awari::notation::Position;
use awari::tablebase::ProbeError;
use awari::{Tablebase, notation};
use serde::Serialize;

use super::style::Style;
use super::{Failure, LONGEST_LINE, RulesOption, json_line, read_line};
use answer::Answer;

/// Value and moves of positions
///
/// The value is what the player to move still captures minus what his opponent still captures,
/// both playing perfectly. "settle" is what the player to move would gain if both agreed to keep
/// the stones of their own rows, as players do when the game goes round in circles. "depth", where
/// its table was built, is the number of plies to the next capture or the end.
///
/// A position is twelve numbers, the pits A to F of the player to move, then a to f of the
/// opponent, in sowing order; the notations of Aualé, PlayStrategy and OpenSpiel and a drawing
/// are read as well.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Probe {
    /// Positions, each quoted, or one as twelve numbers; - or none to read them from stdin, one a
    /// line
    #[arg(value_name = "POSITION", allow_negative_numbers = true)]
    positions: Vec<String>,
    #[command(flatten)]
    rules: RulesOption,
    /// Print one JSON object a line for each position
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  awari probe '0 0 1 0 0 2 / 1 2 0 0 1 0'
  awari probe 0 0 1 0 0 2 1 2 0 0 1 0
  awari probe --rules abapa --json '0-0-1-0-0-2-1-2-0-0-1-0-21-20-S'
  awari probe --json < positions.txt

On stdin, empty lines and lines that start with # are skipped. A position that cannot be read or
answered does not keep the others from being answered; the exit code is then 1.";

impl Probe {
    /// Runs the command.
    ///
    /// # Errors
    /// If a position cannot be read or answered.
    pub fn run(self, dir: &Path) -> Result<(), Failure> {
        let stdin = io::stdin();
        let from_stdin = match self.positions.as_slice() {
            [] if stdin.is_terminal() => {
                return Err(Failure::usage(
                    "no position given. Try awari probe '0 0 1 0 0 2 / 1 2 0 0 1 0', or awari probe --help.",
                ));
            }
            [] => true,
            [only] => only == "-",
            _ => false,
        };
        let tablebase = Tablebase::open(dir, self.rules.rules).map_err(Failure::new)?;
        let mut printer = Printer {
            tablebase,
            json: self.json,
            style: Style::stdout(),
            out: BufWriter::with_capacity(1 << 16, io::stdout().lock()),
            answered: 0,
            failed: false,
        };
        let done = if from_stdin {
            printer.batch(&mut BufReader::with_capacity(1 << 16, stdin.lock()))
        } else {
            printer.arguments(&self.positions)
        };
        done.and_then(|()| printer.out.flush()).map_err(|error| Failure::output(&error))?;
        if printer.failed { Err(Failure::said()) } else { Ok(()) }
    }
}

/// Answers positions, one after the other.
struct Printer<'a> {
    tablebase: Tablebase,
    json: bool,
    style: Style,
    out: BufWriter<io::StdoutLock<'a>>,
    answered: u64,
    failed: bool,
}

/// Stands in the output for a position without an answer.
#[derive(Serialize)]
struct Trouble<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u64>,
    position: &'a str,
    error: &'a str,
}

impl Printer<'_> {
    fn arguments(&mut self, arguments: &[String]) -> io::Result<()> {
        if super::are_one_position(arguments) {
            return self.position(&arguments.join(" "), None);
        }
        arguments.iter().try_for_each(|argument| self.position(argument, None))
    }

    fn batch(&mut self, input: &mut BufReader<impl Read>) -> io::Result<()> {
        let mut line = Vec::with_capacity(LONGEST_LINE);
        for number in 1.. {
            // Someone may wait for the answers so far before he asks on.
            if input.buffer().is_empty() {
                self.out.flush()?;
            }
            let bytes = match read_line(input, &mut line) {
                Ok(0) => break,
                Ok(bytes) => bytes,
                Err(error) => {
                    self.trouble(None, "", &format!("cannot read stdin: {error}"))?;
                    break;
                }
            };
            let text = String::from_utf8_lossy(&line);
            // Some editors start a file with a mark of its encoding.
            let text = if number == 1 { text.trim_start_matches('\u{feff}') } else { &text }.trim();
            if text.is_empty() || text.starts_with('#') {
                continue;
            }
            if bytes > line.len() as u64 {
                let error = format!("a line of {bytes} bytes: a position takes {LONGEST_LINE} at most");
                self.trouble(Some(number), text, &error)?;
            } else {
                self.position(text, Some(number))?;
            }
        }
        Ok(())
    }

    fn position(&mut self, text: &str, line: Option<u64>) -> io::Result<()> {
        let answer = match notation::parse(text) {
            Ok(position) => Answer::of(&self.tablebase, &position).map_err(|error| advice(&error, &position)),
            Err(error) => Err(error.to_string()),
        };
        match answer {
            Ok(answer) if self.json => json_line(&mut self.out, &answer),
            Ok(answer) => {
                if self.answered > 0 {
                    self.out.write_all(b"\n")?;
                }
                self.answered += 1;
                text::write(&mut self.out, &answer, self.style)
            }
            Err(error) => self.trouble(line, text, &error),
        }
    }

    /// Says that a position has no answer, and goes on.
    fn trouble(&mut self, line: Option<u64>, position: &str, error: &str) -> io::Result<()> {
        self.failed = true;
        if self.json {
            json_line(&mut self.out, &Trouble { line, position, error })?;
        } else {
            // Keep the order of answers and troubles where both go to the same place.
            self.out.flush()?;
        }
        let message = match line {
            Some(line) => format!("line {line}: {error}"),
            None => error.to_owned(),
        };
        // If stderr is closed, the exit code has to do.
        let _ = Style::stderr().error(&message);
        Ok(())
    }
}

/// An error, and what helps without the table that is missing.
fn advice(error: &ProbeError, position: &Position) -> String {
    match error {
        ProbeError::Missing { stones, command, .. } => {
            let build = format!("build --stones {stones}");
            let command = command.replacen(&build, &format!("solve '{}'", position.board), 1);
            format!("{error}. Or search: {command}")
        }
        _ => error.to_string(),
    }
}
