//! Files of games.

use std::fs::File;
use std::io::{self, Read};

use awari::Rules;
use awari::game::{Format, Game, GameError};
use clap::builder::{PossibleValuesParser, TypedValueParser};

use super::style::Style;

/// Bytes of the largest file of games that is read.
const LARGEST: u64 = 1 << 28;

/// Errors of one file that are printed; more are counted.
const MOST_ERRORS: usize = 20;

/// The option for files whose format cannot be told.
#[derive(clap::Args)]
pub struct FormatOption {
    /// The format of the games [default: what each file looks like]
    #[arg(long, value_parser = format_parser(), value_name = "FORMAT")]
    pub from: Option<Format>,
}

fn format_parser() -> impl TypedValueParser<Value = Format> {
    PossibleValuesParser::new(Format::ALL.map(Format::name)).try_map(|name| name.parse::<Format>())
}

/// How a file is called in messages.
pub fn name(path: &str) -> &str {
    if path == "-" { "stdin" } else { path }
}

/// The text of a file, or of stdin for `-`.
///
/// # Errors
/// A message if it cannot be read, is no text or too large.
pub fn text(path: &str) -> Result<String, String> {
    let name = name(path);
    let mut bytes = Vec::new();
    let read = if path == "-" {
        io::stdin().lock().take(LARGEST + 1).read_to_end(&mut bytes)
    } else {
        File::open(path).and_then(|file| file.take(LARGEST + 1).read_to_end(&mut bytes))
    };
    read.map_err(|error| format!("{name}: cannot read the games: {error}."))?;
    if bytes.len() as u64 > LARGEST {
        return Err(format!("{name}: more than {} MiB of games: split the file.", LARGEST >> 20));
    }
    if let Some(at) = bytes.iter().position(|&byte| byte == 0) {
        return Err(format!("{name}: not a text: byte {} is 0. Is it a file of games?", at + 1));
    }
    // Old files may have names in other encodings. The games are ASCII all the same.
    Ok(match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
    })
}

/// Counts the broken games of a file and says what is wrong with the first.
pub struct Broken<'a> {
    path: &'a str,
    count: usize,
}

impl<'a> Broken<'a> {
    /// Nothing yet of this file.
    pub fn of(path: &'a str) -> Broken<'a> {
        Broken { path, count: 0 }
    }

    /// One more.
    pub fn add(&mut self, error: &GameError) {
        self.count += 1;
        if self.count <= MOST_ERRORS {
            // If stderr is closed, the exit code has to do.
            let _ = Style::stderr().error(&format!("{}: {error}.", name(self.path)));
        }
    }

    /// How many there were; says so if not all were printed.
    pub fn finish(self) -> usize {
        if self.count > MOST_ERRORS {
            let more = self.count - MOST_ERRORS;
            let _ = Style::stderr().error(&format!("{}: {more} more games are broken.", name(self.path)));
        }
        self.count
    }
}

/// The games of a text.
pub fn read(
    text: &str,
    from: Option<Format>,
    rules: Rules,
) -> impl Iterator<Item = Result<Game, GameError>> + '_ {
    from.unwrap_or_else(|| Format::detect(text)).read(text, rules)
}
