//! The native notation: `4 4 4 4 4 4 / 4 4 4 4 4 4`.
//!
//! The mover's pits A..F, then the opponent's a..f, all in sowing order. Numbers are separated by
//! spaces, commas or both; `/` or `|` between the sides may be left out, which gives the twelve
//! integers that CodinGame's Oware and the query tool of the Vrije Universiteit's awari database
//! use. It has neither stores nor names for the sides: South is taken to be to move.

use super::reader::pit_name;
use super::{Notation, NotationError, Position, Problem, Reader};
use crate::board::PITS;

/// Reads a position.
///
/// # Errors
/// [`NotationError`] says what is wrong where.
///
/// ```
/// use awari::notation::native;
/// let position = native::parse("4, 4, 0, 5, 5, 5 | 5, 4, 4, 4, 4, 4")?;
/// assert_eq!(position.board.to_string(), "4 4 0 5 5 5 / 5 4 4 4 4 4");
/// # Ok::<(), awari::notation::NotationError>(())
/// ```
pub fn parse(text: &str) -> Result<Position, NotationError> {
    let reader = Reader::new(text, Notation::Native);
    let mut pits = [0; 2 * PITS];
    let (mut read, mut divided) = (0, false);
    for part in text.split_inclusive(['/', '|']) {
        let (numbers, divider) = match part.strip_suffix(['/', '|']) {
            Some(numbers) => (numbers, &part[numbers.len()..]),
            None => (part, ""),
        };
        let tokens = numbers.split(|c: char| c.is_whitespace() || c == ',');
        for token in tokens.filter(|token| !token.is_empty()) {
            let Some(pit) = pits.get_mut(read) else {
                return Err(reader.error(token, Problem::Surplus, "12 numbers, six pits a side"));
            };
            *pit = reader.stones(token, &pit_name(read))?;
            read += 1;
        }
        if !divider.is_empty() {
            if divided || read != PITS {
                let expected = "it once, between the six pits of one side and the six of the other";
                return Err(reader.error(divider, Problem::Unexpected, expected));
            }
            divided = true;
        }
    }
    if read < pits.len() {
        return Err(reader.missing_at_end(pit_name(read)));
    }
    reader.position(pits, None)
}

/// Writes the board of a position.
pub fn write(position: &Position) -> String {
    position.board.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Board;

    fn message(text: &str) -> String {
        parse(text).unwrap_err().to_string()
    }

    #[test]
    fn all_spellings_are_the_same() {
        let board = Board::new([4, 4, 0, 5, 5, 5, 5, 4, 4, 4, 4, 4]).unwrap();
        for text in [
            "4 4 0 5 5 5 / 5 4 4 4 4 4",
            "4 4 0 5 5 5|5 4 4 4 4 4",
            "4,4,0,5,5,5,5,4,4,4,4,4",
            " 4, 4, 0, 5, 5, 5 / 5, 4, 4, 4, 4, 4\r\n",
            "4\t4 0 5 5 5\n5 4 4 4 4 04",
        ] {
            assert_eq!(parse(text), Ok(board.into()), "{text:?}");
        }
    }

    #[test]
    fn forty_seven_stones_are_a_board() {
        assert_eq!(parse("3 4 4 4 4 4 / 4 4 4 4 4 4").unwrap().board.stones(), 47);
    }

    #[test]
    fn errors_name_the_token_and_its_place() {
        assert_eq!(
            message("4 4 -4 4 4 4 / 4 4 4 4 4 4"),
            "native notation: \"-4\" at character 5 is negative: expected the stones of pit C, 0 to 48"
        );
        assert_eq!(
            message("4 4 4 4 4 4 / 4 4 99999999999999999999 4 4 4"),
            "native notation: \"99999999999999999999\" at character 19 is more than the 48 stones of a game: \
             expected the stones of pit c, 0 to 48"
        );
        assert_eq!(
            message("4 4 4 4 4 4 / 4 4 4 4 4 4 7"),
            "native notation: \"7\" at character 27 is left over: expected 12 numbers, six pits a side"
        );
        assert_eq!(
            message("4 4 4 4 4 4 / 4 4 4 4 4 "),
            "native notation: at character 24 something is missing: expected the stones of pit f, 0 to 48"
        );
        assert_eq!(
            message("4 4 4 4 4 / 4 4 4 4 4 4 4"),
            "native notation: \"/\" at character 11 does not belong there: \
             expected it once, between the six pits of one side and the six of the other"
        );
        assert_eq!(
            message("5 5 4 4 4 4 / 4 4 4 4 4 4"),
            "native notation: the board holds 50 stones, 2 too many: expected 48 at most"
        );
        assert_eq!(
            message("4 4 ４ 4 4 4 / 4 4 4 4 4 4"),
            "native notation: \"４\" at character 5 is not a number: expected the stones of pit C, 0 to 48"
        );
    }
}
