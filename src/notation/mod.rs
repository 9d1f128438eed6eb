//! Positions as text: reading and writing the notations in use.
//!
//! | notation | the position after South's first move from the fifth pit |
//! |---|---|
//! | [`native`] | `5 5 5 4 4 4 / 4 4 4 4 0 5` |
//! | [`auale`] | `4-4-4-4-0-5-5-5-5-4-4-4-0-0-N` |
//! | [`playstrategy`] | `4S,4S,4S,5S,5S,5S/4S,4S,4S,4S,1,5S 0 0 N 1` |
//! | [`openspiel`] | <code>1 \| 0 0 \| 4 4 4 4 0 5 5 5 5 4 4 4</code> |
//! | [`drawing`] | two rows, the opponent's above and from right to left |
//!
//! [`parse`] finds out which one a text is in. Where a notation has captured stones, they and the
//! stones on the board must be 48 together.
//!
//! ```
//! use awari::notation::{self, Notation};
//! let position = notation::parse("4-4-4-4-0-5-5-5-5-4-4-4-0-0-N")?;
//! assert_eq!(position.notation, Notation::Auale);
//! assert!(!position.south_to_move);
//! assert_eq!(position.board.to_string(), "5 5 5 4 4 4 / 4 4 4 4 0 5");
//!
//! let error = notation::parse("4 4 4 4 x 4 / 4 4 4 4 4 4").unwrap_err();
//! assert_eq!(
//!     error.to_string(),
//!     "native notation: \"x\" at character 9 is not a number: expected the stones of pit E, 0 to 48",
//! );
//! # Ok::<(), awari::notation::NotationError>(())
//! ```

use std::fmt;
use std::str::FromStr;

use crate::board::{Board, PITS};

pub mod auale;
pub mod drawing;
mod error;
pub mod native;
pub mod openspiel;
pub mod playstrategy;
mod reader;

pub use error::{NotationError, Place, Problem};
use reader::Reader;

/// A position that was read, or is to be written.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Position {
    /// The board, seen from the player to move.
    pub board: Board,
    /// What each player has captured, if known.
    pub stores: Option<Stores>,
    /// Whether the player to move is South. True where a notation does not name the sides.
    pub south_to_move: bool,
    /// The notation it was read in.
    pub notation: Notation,
}

/// Captured stones.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Stores {
    /// Captured so far by the player to move.
    pub mover: u8,
    /// Captured so far by his opponent.
    pub waiting: u8,
}

/// The notations.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Notation {
    /// Twelve numbers, see [`native`].
    Native,
    /// Twelve pits, two stores and the side to move joined by dashes, see [`auale`].
    Auale,
    /// The FEN of PlayStrategy, see [`playstrategy`].
    PlayStrategy,
    /// The observation string of OpenSpiel, see [`openspiel`].
    OpenSpiel,
    /// Two rows as on a table, see [`drawing`].
    Drawing,
}

impl Notation {
    /// Every notation.
    pub const ALL: [Notation; 5] =
        [Notation::Native, Notation::Auale, Notation::PlayStrategy, Notation::OpenSpiel, Notation::Drawing];

    /// The name in options: `native`, `auale`, `playstrategy`, `openspiel` or `drawing`.
    pub fn name(self) -> &'static str {
        match self {
            Notation::Native => "native",
            Notation::Auale => "auale",
            Notation::PlayStrategy => "playstrategy",
            Notation::OpenSpiel => "openspiel",
            Notation::Drawing => "drawing",
        }
    }

    /// The name as its makers spell it.
    pub fn title(self) -> &'static str {
        match self {
            Notation::Native => "native",
            Notation::Auale => "Aualé",
            Notation::PlayStrategy => "PlayStrategy",
            Notation::OpenSpiel => "OpenSpiel",
            Notation::Drawing => "drawing",
        }
    }
}

impl fmt::Display for Notation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A name that is no notation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnknownNotation(pub String);

impl fmt::Display for UnknownNotation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = &self.0;
        write!(f, "unknown notation {name:?}: expected native, auale, playstrategy, openspiel or drawing")
    }
}

impl std::error::Error for UnknownNotation {}

impl FromStr for Notation {
    type Err = UnknownNotation;

    fn from_str(name: &str) -> Result<Notation, UnknownNotation> {
        let found = Notation::ALL.into_iter().find(|notation| notation.name() == name);
        found.ok_or_else(|| UnknownNotation(name.to_owned()))
    }
}

/// A position without known stores cannot be written in a notation that has them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StoresUnknown(pub Notation);

impl fmt::Display for StoresUnknown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} notation needs the captured stones, which this position does not tell", self.0.title())
    }
}

impl std::error::Error for StoresUnknown {}

/// Reads a position in any of the notations.
///
/// # Errors
/// [`NotationError`] says what is wrong where, in the notation the text looks most like.
pub fn parse(text: &str) -> Result<Position, NotationError> {
    let problem = match detect(text) {
        Ok(notation) => return notation.parse(text),
        Err(problem) => problem,
    };
    let expected = match problem {
        Problem::TwoReadings => "a / between the two sides, or the frame or letters of a drawing",
        _ => "a position, such as 4 4 4 4 4 4 / 4 4 4 4 4 4",
    };
    Err(NotationError {
        notation: None,
        problem,
        token: String::new(),
        place: None,
        expected: expected.to_owned(),
    })
}

/// The notation a text looks like. What tells them apart: Aualé joins with dashes, PlayStrategy
/// has both `/` and letters, OpenSpiel has two bars in its line, drawings have several lines with
/// letters or a frame; everything else is meant as numbers.
fn detect(text: &str) -> Result<Notation, Problem> {
    let text = text.trim();
    if text.is_empty() {
        return Err(Problem::Empty);
    }
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let one_line = lines.clone().nth(1).is_none();
    let dash_after_digit = text.as_bytes().windows(2).any(|pair| pair[0].is_ascii_digit() && pair[1] == b'-');
    if dash_after_digit {
        Ok(Notation::Auale)
    } else if text.contains('/') && text.contains(['S', 's', 'N', 'n']) {
        Ok(Notation::PlayStrategy)
    } else if one_line && text.matches('|').count() == 2 {
        Ok(Notation::OpenSpiel)
    } else if !one_line && text.contains(|c: char| c.is_alphabetic() || drawing::is_frame(c)) {
        Ok(Notation::Drawing)
    } else if !one_line && lines.all(|line| line.split_whitespace().count() == PITS) {
        Err(Problem::TwoReadings)
    } else {
        Ok(Notation::Native)
    }
}

impl Notation {
    /// Reads a position in this notation.
    ///
    /// # Errors
    /// [`NotationError`] says what is wrong where.
    pub fn parse(self, text: &str) -> Result<Position, NotationError> {
        match self {
            Notation::Native => native::parse(text),
            Notation::Auale => auale::parse(text),
            Notation::PlayStrategy => playstrategy::parse(text),
            Notation::OpenSpiel => openspiel::parse(text),
            Notation::Drawing => drawing::parse(text),
        }
    }

    /// Writes a position in this notation.
    ///
    /// # Errors
    /// [`StoresUnknown`] if the notation has captured stones and the position does not know them.
    pub fn write(self, position: &Position) -> Result<String, StoresUnknown> {
        match self {
            Notation::Native => Ok(native::write(position)),
            Notation::Auale => auale::write(position),
            Notation::PlayStrategy => playstrategy::write(position),
            Notation::OpenSpiel => openspiel::write(position),
            Notation::Drawing => Ok(drawing::write(position)),
        }
    }
}

impl FromStr for Position {
    type Err = NotationError;

    /// The same as [`parse`].
    fn from_str(text: &str) -> Result<Position, NotationError> {
        parse(text)
    }
}

impl From<Board> for Position {
    /// A board alone: stores unknown, sides not named.
    fn from(board: Board) -> Position {
        Position { board, stores: None, south_to_move: true, notation: Notation::Native }
    }
}

impl Position {
    /// South's pits A..F and North's pits a..f, each in its owner's order.
    pub fn sides(&self) -> [[u8; PITS]; 2] {
        let sides = [self.board.mover(), self.board.waiting()];
        if self.south_to_move { sides } else { [sides[1], sides[0]] }
    }

    /// What South and North have captured, if known.
    pub fn side_stores(&self) -> Option<[u8; 2]> {
        let Stores { mover, waiting } = self.stores?;
        Some(if self.south_to_move { [mover, waiting] } else { [waiting, mover] })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_notation_is_recognised() {
        let of = |text| parse(text).unwrap().notation;
        assert_eq!(of("4 4 4 4 4 4 / 4 4 4 4 4 4"), Notation::Native);
        assert_eq!(of("4 4 0 5 5 5 | 5 4 4 4 4 4"), Notation::Native);
        assert_eq!(of(" 4 4 4 4 4 4 4 4 4 4 4 4\n"), Notation::Native);
        assert_eq!(of("4-4-4-4-4-4-4-4-4-4-4-4-0-0-S"), Notation::Auale);
        assert_eq!(of("4S,4S,4S,5S,5S,5S/4S,4S,4S,4S,1,5S 0 0 N 1"), Notation::PlayStrategy);
        assert_eq!(of("6/6 24 24 S 40"), Notation::PlayStrategy);
        assert_eq!(of("1 | 0 0 | 0 6 2 7 6 6 5 4 4 4 4 0"), Notation::OpenSpiel);
        let drawn = drawing::write(&Board::START.into());
        assert_eq!(of(&drawn), Notation::Drawing);
    }

    #[test]
    fn what_cannot_be_told_is_an_error() {
        let message = |text: &str| parse(text).unwrap_err().to_string();
        assert_eq!(
            message(" \n"),
            "there is nothing to read: expected a position, such as 4 4 4 4 4 4 / 4 4 4 4 4 4"
        );
        assert_eq!(
            message("1 2 3 4 5 6\n6 5 4 3 2 1"),
            "two rows of six bare numbers can be read in two ways: \
             expected a / between the two sides, or the frame or letters of a drawing"
        );
        // With the sides marked there is only one reading.
        assert_eq!(parse("1 2 3 4 5 6 /\n6 5 4 3 2 1").unwrap().notation, Notation::Native);
    }

    #[test]
    fn long_tokens_are_cut_short() {
        let error = parse(&"x".repeat(1_000_000)).unwrap_err();
        assert_eq!(error.token.len(), 24);
    }

    #[test]
    fn names_read_back() {
        for notation in Notation::ALL {
            assert_eq!(notation.name().parse(), Ok(notation));
        }
        assert!("fen".parse::<Notation>().is_err());
    }

    #[test]
    fn stores_are_not_invented() {
        let position = Position::from(Board::START);
        for notation in [Notation::Auale, Notation::PlayStrategy, Notation::OpenSpiel] {
            assert_eq!(notation.write(&position), Err(StoresUnknown(notation)));
        }
    }
}
