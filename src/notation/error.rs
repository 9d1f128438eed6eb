//! What is wrong with a text, where, and what should be there.

use std::fmt;

use super::Notation;
use crate::board::MAX_STONES;

/// Why a text is not a position or a list of moves.
///
/// Its `Display` is one sentence that names the token, its place and what was expected.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NotationError {
    /// The notation the text was read as; None if it could not be told.
    pub notation: Option<Notation>,
    /// What is wrong.
    pub problem: Problem,
    /// The offending token, cut after a few characters; empty if no single token is at fault.
    pub token: String,
    /// Where the token starts; None if no single place is at fault.
    pub place: Option<Place>,
    /// What was expected there, as a phrase.
    pub expected: String,
}

/// What is wrong with a text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Problem {
    /// There is nothing to read.
    Empty,
    /// Two rows of six bare numbers: a list in sowing order, or a drawing with the upper row
    /// reversed?
    TwoReadings,
    /// A token that is no number where a number should be.
    NotANumber,
    /// A number below zero.
    Negative,
    /// A number above the 48 stones of a game.
    TooLarge,
    /// Something is missing.
    Missing,
    /// Something is left over.
    Surplus,
    /// Something else should be here.
    Unexpected,
    /// The stones do not add up to those of a game.
    WrongSum {
        /// How many they are.
        stones: u32,
        /// Whether captured stones were given and are part of the sum.
        with_stores: bool,
    },
}

/// A place in a text, counted from 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    /// The line.
    pub line: usize,
    /// The character in its line.
    pub column: usize,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Most positions are one line, where its number would only confuse.
        if self.line > 1 {
            write!(f, "line {}, ", self.line)?;
        }
        write!(f, "character {}", self.column)
    }
}

impl fmt::Display for NotationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(notation) = self.notation {
            write!(f, "{} notation: ", notation.title())?;
        }
        if !self.token.is_empty() {
            write!(f, "{:?} ", self.token)?;
        }
        if let Some(place) = self.place {
            write!(f, "at {place} ")?;
        }
        match self.problem {
            Problem::Empty => f.write_str("there is nothing to read")?,
            Problem::TwoReadings => f.write_str("two rows of six bare numbers can be read in two ways")?,
            Problem::NotANumber => f.write_str("is not a number")?,
            Problem::Negative => f.write_str("is negative")?,
            Problem::TooLarge => write!(f, "is more than the {MAX_STONES} stones of a game")?,
            Problem::Missing => f.write_str("something is missing")?,
            Problem::Surplus => f.write_str("is left over")?,
            Problem::Unexpected => f.write_str("does not belong there")?,
            Problem::WrongSum { stones, with_stores } => {
                let what = if with_stores { "the board and the stores hold" } else { "the board holds" };
                let by = stones.abs_diff(MAX_STONES);
                let off = if stones > MAX_STONES { "too many" } else { "too few" };
                write!(f, "{what} {stones} stones, {by} {off}")?;
            }
        }
        write!(f, ": expected {}", self.expected)
    }
}

impl std::error::Error for NotationError {}
