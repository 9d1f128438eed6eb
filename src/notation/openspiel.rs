//! The observation string of OpenSpiel's `oware`: `1 | 0 0 | 0 6 2 7 6 6 5 4 4 4 4 0`.
//!
//! The player to move, 0 or 1; the scores of players 0 and 1; the pits of player 0, then those of
//! player 1, in sowing order. Player 0 begins and is South here.
//! (`open_spiel/games/oware/oware_board.cc`: `OwareBoard::ToString`.)

use super::reader::pit_name;
use super::{Notation, NotationError, Position, Problem, Reader, StoresUnknown};
use crate::board::PITS;

/// Reads a position.
///
/// # Errors
/// [`NotationError`] says what is wrong where.
pub fn parse(text: &str) -> Result<Position, NotationError> {
    let reader = Reader::new(text, Notation::OpenSpiel);
    let mut parts = text.split('|');
    let mut part = |expected| parts.next().ok_or_else(|| reader.missing_at_end(expected));

    let side = "the player to move, 0 (South) or 1 (North)";
    let player = part(side)?;
    let south_to_move = match player.trim() {
        "0" => true,
        "1" => false,
        "" => return Err(reader.missing(player, side)),
        other => return Err(reader.error(other, Problem::Unexpected, side)),
    };
    let captured =
        ["what South has captured, 0 to 48".to_owned(), "what North has captured, 0 to 48".to_owned()];
    let stores: [u8; 2] = numbers(&reader, part("a | and both scores")?, |i| captured[i].clone())?;
    let pits: [u8; 2 * PITS] = numbers(&reader, part("a | and twelve pits")?, pit_name)?;
    if let Some(rest) = parts.next() {
        return Err(reader.error(rest.trim(), Problem::Surplus, "the end of the text after the twelve pits"));
    }
    let [a, b, c, d, e, f, g, h, i, j, k, l] = pits;
    reader.sided([[a, b, c, d, e, f], [g, h, i, j, k, l]], stores, south_to_move)
}

/// Exactly `N` numbers of stones.
fn numbers<const N: usize>(
    reader: &Reader<'_>,
    text: &str,
    expected: impl Fn(usize) -> String,
) -> Result<[u8; N], NotationError> {
    let mut tokens = text.split_whitespace();
    let mut numbers = [0; N];
    for (i, number) in numbers.iter_mut().enumerate() {
        let end = &text[text.trim_end().len()..];
        let token = tokens.next().ok_or_else(|| reader.missing(end, expected(i)))?;
        *number = reader.stones(token, &expected(i))?;
    }
    match tokens.next() {
        Some(token) => Err(reader.error(token, Problem::Surplus, format!("{N} numbers between the bars"))),
        None => Ok(numbers),
    }
}

/// Writes a position.
///
/// # Errors
/// [`StoresUnknown`] if the position does not know its stores.
pub fn write(position: &Position) -> Result<String, StoresUnknown> {
    let [south_store, north_store] = position.side_stores().ok_or(StoresUnknown(Notation::OpenSpiel))?;
    let player = if position.south_to_move { 0 } else { 1 };
    let mut text = format!("{player} | {south_store} {north_store} |");
    for stones in position.sides().into_iter().flatten() {
        text += &format!(" {stones}");
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::Stores;

    fn message(text: &str) -> String {
        parse(text).unwrap_err().to_string()
    }

    #[test]
    fn player_one_is_north() {
        let text = "1 | 0 0 | 0 6 2 7 6 6 5 4 4 4 4 0";
        let position = parse(text).unwrap();
        assert_eq!(position.board.to_string(), "5 4 4 4 4 0 / 0 6 2 7 6 6");
        assert_eq!((position.south_to_move, position.stores), (false, Some(Stores { mover: 0, waiting: 0 })));
        assert_eq!(write(&position).as_deref(), Ok(text));
    }

    #[test]
    fn the_scores_are_souths_and_norths() {
        let position = parse("1 | 7 2 | 0 6 2 7 6 6 5 4 0 3 0 0").unwrap();
        assert_eq!(position.stores, Some(Stores { mover: 2, waiting: 7 }));
        let position = parse("0 | 7 2 | 0 6 2 7 6 6 5 4 0 3 0 0").unwrap();
        assert_eq!(position.stores, Some(Stores { mover: 7, waiting: 2 }));
        assert_eq!(position.board.to_string(), "0 6 2 7 6 6 / 5 4 0 3 0 0");
    }

    #[test]
    fn errors_name_the_token_and_its_place() {
        assert_eq!(
            message("2 | 0 0 | 4 4 4 4 4 4 4 4 4 4 4 4"),
            "OpenSpiel notation: \"2\" at character 1 does not belong there: \
             expected the player to move, 0 (South) or 1 (North)"
        );
        assert_eq!(
            message("| 0 0 | 4 4 4 4 4 4 4 4 4 4 4 4"),
            "OpenSpiel notation: at character 1 something is missing: \
             expected the player to move, 0 (South) or 1 (North)"
        );
        assert_eq!(
            message("0 | 0 | 4 4 4 4 4 4 4 4 4 4 4 4"),
            "OpenSpiel notation: at character 6 something is missing: \
             expected what North has captured, 0 to 48"
        );
        assert_eq!(
            message("0 | 0 0 | 4 4 4 4 4 4 4 4 4 4 4"),
            "OpenSpiel notation: at character 32 something is missing: \
             expected the stones of pit f, 0 to 48"
        );
        assert_eq!(
            message("0 | 0 0 | 4 4 4 4 4 4 4 4 4 4 4 4 4"),
            "OpenSpiel notation: \"4\" at character 35 is left over: expected 12 numbers between the bars"
        );
        assert_eq!(
            message("0 | 0 0 | 4 4 4 4 4 4 4 4 4 4 4 3"),
            "OpenSpiel notation: the board and the stores hold 47 stones, 1 too few: expected 48"
        );
        assert!(parse("0").is_err());
    }
}
