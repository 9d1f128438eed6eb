//! The notation of Aualé, an oware program: `4-4-4-4-0-5-5-5-5-4-4-4-0-0-N`.
//!
//! Fifteen fields joined by dashes: South's pits A..F, North's pits a..f (all in sowing order),
//! what South and what North have captured, and the side to move, `S` or `N`. The stones are 48
//! together. Moves are letters, `A`..`F` South's and `a`..`f` North's, and a game is its moves
//! run together: `FeDbBd`. (Aualé's `game/oware.py`: `to_board_notation`, `to_moves_notation`.)

use std::fmt;

use super::reader::pit_name;
use super::{Notation, NotationError, Position, Problem, Reader, StoresUnknown};
use crate::board::PITS;

/// Reads a position.
///
/// # Errors
/// [`NotationError`] says what is wrong where.
pub fn parse(text: &str) -> Result<Position, NotationError> {
    let reader = Reader::new(text, Notation::Auale);
    let mut fields = text.split('-').map(str::trim);
    let mut numbers = [0; 2 * PITS + 2];
    for (i, number) in numbers.iter_mut().enumerate() {
        let expected = match i {
            12 => "what South has captured, 0 to 48".to_owned(),
            13 => "what North has captured, 0 to 48".to_owned(),
            _ => pit_name(i),
        };
        *number = match fields.next() {
            Some(field) if field.is_empty() => return Err(reader.missing(field, expected)),
            Some(field) => reader.stones(field, &expected)?,
            None => return Err(reader.missing_at_end(expected)),
        };
    }
    let side = "the side to move, S or N";
    let south_to_move = match fields.next() {
        Some("S") => true,
        Some("N") => false,
        Some("") | None => return Err(reader.missing_at_end(side)),
        Some(field) => return Err(reader.error(field, Problem::Unexpected, side)),
    };
    if let Some(field) = fields.next() {
        return Err(reader.error(field, Problem::Surplus, "the end of the text after the side to move"));
    }
    let [a, b, c, d, e, f, g, h, i, j, k, l, south_store, north_store] = numbers;
    reader.sided([[a, b, c, d, e, f], [g, h, i, j, k, l]], [south_store, north_store], south_to_move)
}

/// Writes a position.
///
/// # Errors
/// [`StoresUnknown`] if the position does not know its stores.
pub fn write(position: &Position) -> Result<String, StoresUnknown> {
    let stores = position.side_stores().ok_or(StoresUnknown(Notation::Auale))?;
    let mut text = String::new();
    for number in position.sides().into_iter().flatten().chain(stores) {
        text += &format!("{number}-");
    }
    Ok(text + if position.south_to_move { "S" } else { "N" })
}

/// One move of a game.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Play {
    /// Whether South plays it.
    pub south: bool,
    /// The pit of the player, 0..=5.
    pub pit: usize,
}

impl fmt::Display for Play {
    /// `A`..`F` for South, `a`..`f` for North.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let letters = if self.south { "ABCDEF" } else { "abcdef" };
        f.write_str(letters.get(self.pit..=self.pit).unwrap_or("?"))
    }
}

/// Reads the moves of a game, run together. Either side may begin; then they take turns. White
/// space between moves is passed over.
///
/// # Errors
/// [`NotationError`] if a letter names no pit or it is not its side's turn.
///
/// ```
/// use awari::notation::auale;
/// let game = auale::moves("FeDbBd")?;
/// assert_eq!((game[0].south, game[0].pit), (true, 5));
/// assert_eq!(auale::write_moves(&game), "FeDbBd");
/// # Ok::<(), awari::notation::NotationError>(())
/// ```
pub fn moves(text: &str) -> Result<Vec<Play>, NotationError> {
    let reader = Reader::new(text, Notation::Auale);
    let mut game: Vec<Play> = Vec::new();
    for (at, letter) in text.char_indices().filter(|(_, c)| !c.is_whitespace()) {
        let token = &text[at..at + letter.len_utf8()];
        let (south, first) = if letter.is_ascii_uppercase() { (true, 'A') } else { (false, 'a') };
        let pit = (letter as usize).checked_sub(first as usize).filter(|&pit| pit < PITS);
        let Some(pit) = pit else {
            let expected = "a pit, A to F for South or a to f for North";
            return Err(reader.error(token, Problem::Unexpected, expected));
        };
        if game.last().is_some_and(|last| last.south == south) {
            let expected = if south { "a move of North, a to f" } else { "a move of South, A to F" };
            return Err(reader.error(token, Problem::Unexpected, expected));
        }
        game.push(Play { south, pit });
    }
    Ok(game)
}

/// Writes the moves of a game, run together.
pub fn write_moves(game: &[Play]) -> String {
    game.iter().map(Play::to_string).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::Stores;

    fn message(text: &str) -> String {
        parse(text).unwrap_err().to_string()
    }

    #[test]
    fn sides_and_stores_follow_the_player_to_move() {
        let text = "4-0-4-4-0-5-5-5-5-4-4-4-3-1-N";
        let position = parse(text).unwrap();
        assert_eq!(position.board.to_string(), "5 5 5 4 4 4 / 4 0 4 4 0 5");
        assert_eq!(position.stores, Some(Stores { mover: 1, waiting: 3 }));
        assert!(!position.south_to_move);
        assert_eq!(write(&position).as_deref(), Ok(text));
    }

    #[test]
    fn errors_name_the_token_and_its_place() {
        assert_eq!(
            message("4-4-4-4-4-4-4-4-4-4-4-4-0-0"),
            "Aualé notation: at character 28 something is missing: expected the side to move, S or N"
        );
        assert_eq!(
            message("4-4-4-4-4-4-4-4-4-4-4-4-0-0-s"),
            "Aualé notation: \"s\" at character 29 does not belong there: expected the side to move, S or N"
        );
        assert_eq!(
            message("4-4-4-4-4-4-4-4-4-4-4-4-0-S"),
            "Aualé notation: \"S\" at character 27 is not a number: expected what North has captured, 0 to 48"
        );
        assert_eq!(
            message("4-4--4-4-4-4-4-4-4-4-4-0-0-S"),
            "Aualé notation: at character 5 something is missing: expected the stones of pit C, 0 to 48"
        );
        assert_eq!(
            message("4-4-4-4-4-4-4-4-4-4-4-4-0-1-S"),
            "Aualé notation: the board and the stores hold 49 stones, 1 too many: expected 48"
        );
        assert_eq!(
            message("0-4-4-4-4-4-4-4-4-4-4-4-0-1-S"),
            "Aualé notation: the board and the stores hold 45 stones, 3 too few: expected 48"
        );
        assert_eq!(
            message("4-4-4-4-4-4-4-4-4-4-4-4-0-0-S-1"),
            "Aualé notation: \"1\" at character 31 is left over: \
             expected the end of the text after the side to move"
        );
    }

    #[test]
    fn moves_take_turns() {
        let message = |text| moves(text).unwrap_err().to_string();
        assert_eq!(write_moves(&moves("fE dB").unwrap()), "fEdB");
        assert_eq!(moves(""), Ok(vec![]));
        assert_eq!(
            message("FeGb"),
            "Aualé notation: \"G\" at character 3 does not belong there: \
             expected a pit, A to F for South or a to f for North"
        );
        assert_eq!(
            message("FED"),
            "Aualé notation: \"E\" at character 2 does not belong there: expected a move of North, a to f"
        );
        assert!(moves("Fé").is_err());
    }
}
