//! What the parsers share: numbers, sums, and errors that know their place.

use super::{Notation, NotationError, Place, Position, Problem, Stores};
use crate::board::{Board, MAX_STONES, PITS};

/// The longest piece of a bad token an error repeats.
const LONGEST_TOKEN: usize = 24;

/// A text read in one notation. Tokens handed to its methods are slices of that text.
pub(super) struct Reader<'a> {
    text: &'a str,
    notation: Notation,
}

/// The name of a pit, 0..=11, as errors say it.
pub(super) fn pit_name(pit: usize) -> String {
    let letter = "ABCDEFabcdef".chars().nth(pit).unwrap_or('?');
    format!("the stones of pit {letter}, 0 to {MAX_STONES}")
}

impl<'a> Reader<'a> {
    pub(super) fn new(text: &'a str, notation: Notation) -> Reader<'a> {
        Reader { text, notation }
    }

    /// Where a slice of the text starts.
    fn place(&self, token: &str) -> Place {
        let offset = (token.as_ptr() as usize).saturating_sub(self.text.as_ptr() as usize);
        let before = self.text.get(..offset).unwrap_or(self.text);
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
        Place { line, column }
    }

    /// Something is wrong with `token`.
    pub(super) fn error(&self, token: &str, problem: Problem, expected: impl Into<String>) -> NotationError {
        NotationError {
            notation: Some(self.notation),
            problem,
            token: token.chars().take(LONGEST_TOKEN).collect(),
            place: Some(self.place(token)),
            expected: expected.into(),
        }
    }

    /// Something is missing just before `rest`.
    pub(super) fn missing(&self, rest: &str, expected: impl Into<String>) -> NotationError {
        NotationError { token: String::new(), ..self.error(rest, Problem::Missing, expected) }
    }

    /// Something is missing after the last character.
    pub(super) fn missing_at_end(&self, expected: impl Into<String>) -> NotationError {
        self.missing(&self.text[self.text.trim_end().len()..], expected)
    }

    /// A number of stones, 0..=48.
    pub(super) fn stones(&self, token: &str, expected: &str) -> Result<u8, NotationError> {
        let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        if !is_digits(token) {
            let problem = match token.strip_prefix(['-', '−']) {
                Some(size) if is_digits(size) => Problem::Negative,
                _ => Problem::NotANumber,
            };
            return Err(self.error(token, problem, expected));
        }
        // Digits that do not fit are too large as well.
        match token.parse::<u8>() {
            Ok(stones) if u32::from(stones) <= MAX_STONES => Ok(stones),
            _ => Err(self.error(token, Problem::TooLarge, expected)),
        }
    }

    /// A board of the mover's and the waiting player's pits, with what they have captured.
    pub(super) fn position(
        &self,
        pits: [u8; 2 * PITS],
        stores: Option<Stores>,
    ) -> Result<Position, NotationError> {
        let board = Board::new(pits).map_err(|error| self.wrong_sum(error.stones, false))?;
        if let Some(Stores { mover, waiting }) = stores {
            let sum = board.stones() + u32::from(mover) + u32::from(waiting);
            if sum != MAX_STONES {
                return Err(self.wrong_sum(sum, true));
            }
        }
        Ok(Position { board, stores, south_to_move: true, notation: self.notation })
    }

    /// A position with named sides: South's pits and store, North's pits and store.
    pub(super) fn sided(
        &self,
        [south, north]: [[u8; PITS]; 2],
        [south_store, north_store]: [u8; 2],
        south_to_move: bool,
    ) -> Result<Position, NotationError> {
        let (mover, waiting, stores) = if south_to_move {
            (south, north, Stores { mover: south_store, waiting: north_store })
        } else {
            (north, south, Stores { mover: north_store, waiting: south_store })
        };
        let mut pits = [0; 2 * PITS];
        pits[..PITS].copy_from_slice(&mover);
        pits[PITS..].copy_from_slice(&waiting);
        Ok(Position { south_to_move, ..self.position(pits, Some(stores))? })
    }

    fn wrong_sum(&self, stones: u32, with_stores: bool) -> NotationError {
        let expected = if with_stores { "48" } else { "48 at most" };
        NotationError {
            notation: Some(self.notation),
            problem: Problem::WrongSum { stones, with_stores },
            token: String::new(),
            place: None,
            expected: expected.to_owned(),
        }
    }
}
