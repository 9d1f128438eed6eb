//! Files of positions to play from, one a line.

use awari::Rules;
use awari::game::{Format, Game};
use awari::notation;

use crate::cli::sample::shared;
use crate::cli::{Failure, games};

/// A line of a file: its number, from 1, and the game it has, mostly a position without moves.
pub struct Line {
    pub number: usize,
    pub game: Game,
}

/// The lines of a file: a position in any notation, or one as Aualé's suites have it, with the moves
/// that follow it. Lines that start with `#` and empty ones are passed over.
///
/// # Errors
/// If the file cannot be read, a line is none of these, or there is none.
pub fn read(path: &str, rules: Rules) -> Result<Vec<Line>, Failure> {
    let text = games::text(path).map_err(Failure::new)?;
    let mut lines = Vec::new();
    for (number, line) in (1..).zip(text.lines().map(str::trim)) {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let game = game(line, rules).map_err(|why| wrong(path, number, why))?;
        lines.push(Line { number, game });
    }
    if lines.is_empty() {
        return Err(Failure::new(format_args!("{}: no positions.", games::name(path))));
    }
    Ok(lines)
}

/// What is wrong with a line.
pub fn wrong(path: &str, line: usize, why: impl std::fmt::Display) -> Failure {
    Failure::new(format_args!("{}: line {line}: {why}", games::name(path)))
}

fn game(line: &str, rules: Rules) -> Result<Game, String> {
    if line.contains(" moves ") || line.starts_with("startpos") {
        return match Format::Suite.read(line, rules).next() {
            Some(game) => game.map_err(|error| error.to_string()),
            None => Err("no position".to_owned()),
        };
    }
    let position = notation::parse(line).map_err(|error| error.to_string())?;
    Ok(Game::new(rules, shared(position)))
}
