//! The FEN of PlayStrategy's Oware: `4S,4S,4S,5S,5S,5S/4S,4S,4S,4S,1,5S 0 0 N 1`.
//!
//! Five fields: the board, South's score, North's score, the side to move (`S` or `N`) and the
//! number of the move, which is left out by older writers and means nothing here. The board is
//! North's row, from pit f to pit a, then `/`, then South's row from A to F: both rows from left
//! to right as South sees them. In a row, `5S` is a pit of five stones and a number alone that
//! many empty pits. (`strategygames`: `format/FEN.scala` and its Oware tests.)
//!
//! Links have `_` for the spaces; that is read too. A finished game's scores there already
//! include the stones still shown on the board: such a text is refused, its sum being wrong.

use super::reader::pit_name;
use super::{Notation, NotationError, Position, Problem, Reader, StoresUnknown};
use crate::board::PITS;

/// Reads a position.
///
/// # Errors
/// [`NotationError`] says what is wrong where.
pub fn parse(text: &str) -> Result<Position, NotationError> {
    let reader = Reader::new(text, Notation::PlayStrategy);
    let mut fields = text.split(|c: char| c.is_whitespace() || c == '_').filter(|field| !field.is_empty());
    let mut field = |expected: &str| fields.next().ok_or_else(|| reader.missing_at_end(expected));

    let board = field("North's row, a / and South's row")?;
    let Some((upper, lower)) = board.split_once('/') else {
        let expected = "North's row, a / and South's row";
        return Err(reader.error(board, Problem::Unexpected, expected));
    };
    let mut north = row(&reader, upper, "North's row, f to a", |at| 2 * PITS - 1 - at)?;
    north.reverse();
    let south = row(&reader, lower, "South's row, A to F", |at| at)?;

    let mut score = |expected| reader.stones(field(expected)?, expected);
    let scores = [score("what South has captured, 0 to 48")?, score("what North has captured, 0 to 48")?];
    let side = "the side to move, S or N";
    let south_to_move = match field(side)? {
        "S" => true,
        "N" => false,
        other => return Err(reader.error(other, Problem::Unexpected, side)),
    };
    if let Some(number) = fields.next()
        && !number.bytes().all(|b| b.is_ascii_digit())
    {
        return Err(reader.error(number, Problem::NotANumber, "the number of the move"));
    }
    if let Some(rest) = fields.next() {
        return Err(reader.error(rest, Problem::Surplus, "the end of the text after the number of the move"));
    }
    reader.sided([south, north], scores, south_to_move)
}

/// Six pits from left to right; `pit` tells which pit stands at a place, for the errors.
fn row(
    reader: &Reader<'_>,
    text: &str,
    name: &str,
    pit: impl Fn(usize) -> usize,
) -> Result<[u8; PITS], NotationError> {
    let mut row = [0; PITS];
    let mut filled = 0;
    for token in text.split(',') {
        let full = || reader.error(token, Problem::Surplus, format!("six pits in {name}"));
        if filled == PITS {
            return Err(full());
        }
        let expected = || format!("{}, and an S, or a number of empty pits", pit_name(pit(filled)));
        if token.is_empty() {
            return Err(reader.missing(token, expected()));
        }
        match token.strip_suffix('S') {
            Some(stones) => {
                row[filled] = reader.stones(stones, &expected())?;
                filled += 1;
            }
            None => {
                let empty = usize::from(reader.stones(token, &expected())?);
                if filled + empty > PITS {
                    return Err(full());
                }
                filled += empty;
            }
        }
    }
    if filled < PITS {
        return Err(reader.missing(&text[text.len()..], format!("six pits in {name}")));
    }
    Ok(row)
}

/// Writes a position, as move 1 of its game.
///
/// # Errors
/// [`StoresUnknown`] if the position does not know its stores.
pub fn write(position: &Position) -> Result<String, StoresUnknown> {
    let [south_store, north_store] = position.side_stores().ok_or(StoresUnknown(Notation::PlayStrategy))?;
    let [south, mut north] = position.sides();
    north.reverse();
    let side = if position.south_to_move { "S" } else { "N" };
    Ok(format!("{}/{} {south_store} {north_store} {side} 1", written_row(north), written_row(south)))
}

fn written_row(row: [u8; PITS]) -> String {
    let runs = row.chunk_by(|a, b| *a == 0 && *b == 0);
    let tokens: Vec<String> =
        runs.map(|run| if run[0] == 0 { run.len().to_string() } else { format!("{}S", run[0]) }).collect();
    tokens.join(",")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::Stores;

    fn message(text: &str) -> String {
        parse(text).unwrap_err().to_string()
    }

    #[test]
    fn norths_row_is_read_from_the_right() {
        // South has sown four stones from E, the fifth pit: the last three went to a, b and c.
        let text = "4S,4S,4S,5S,5S,5S/4S,4S,4S,4S,1,5S 0 0 N 1";
        let position = parse(text).unwrap();
        assert_eq!(position.board.to_string(), "5 5 5 4 4 4 / 4 4 4 4 0 5");
        assert!(!position.south_to_move);
        assert_eq!(write(&position).as_deref(), Ok(text));
    }

    #[test]
    fn runs_of_empty_pits_and_scores() {
        // From the tests of PlayStrategy's library.
        let position = parse("3,2S,1S,2S/1S,3,2S,3S_20_17_N_50").unwrap();
        assert_eq!(position.board.to_string(), "2 1 2 0 0 0 / 1 0 0 0 2 3");
        assert_eq!(position.stores, Some(Stores { mover: 17, waiting: 20 }));
        assert_eq!(write(&position).as_deref(), Ok("3,2S,1S,2S/1S,3,2S,3S 20 17 N 1"));
        let empty = parse("6/2,1,3 24 24 S").unwrap();
        assert_eq!(empty.board.stones(), 0);
        assert_eq!(write(&empty).as_deref(), Ok("6/6 24 24 S 1"));
    }

    #[test]
    fn errors_name_the_token_and_its_place() {
        assert_eq!(
            message("4S,4S,4S,4S,4S,4S/4S,4S,4S,4S,4S,4S 0 0"),
            "PlayStrategy notation: at character 40 something is missing: expected the side to move, S or N"
        );
        assert_eq!(
            message("4S,4S,xS,4S,4S,4S/4S,4S,4S,4S,4S,4S 0 0 S 1"),
            "PlayStrategy notation: \"x\" at character 7 is not a number: \
             expected the stones of pit d, 0 to 48, and an S, or a number of empty pits"
        );
        assert_eq!(
            message("4S,4S,4S,4S/4S,4S,4S,4S,4S,4S 0 0 S 1"),
            "PlayStrategy notation: at character 12 something is missing: \
             expected six pits in North's row, f to a"
        );
        assert_eq!(
            message("6/5,1S,1S 24 22 S 1"),
            "PlayStrategy notation: \"1S\" at character 8 is left over: \
             expected six pits in South's row, A to F"
        );
        assert_eq!(
            message("5,48/6 24 24 S 1"),
            "PlayStrategy notation: \"48\" at character 3 is left over: \
             expected six pits in North's row, f to a"
        );
        assert_eq!(
            message("4S,4S,4S,4S,4S,4S/4S,4S,4S,4S,4S,4S 0 3 S 1"),
            "PlayStrategy notation: the board and the stores hold 51 stones, 3 too many: expected 48"
        );
        assert_eq!(
            message("4S,4S,4S,4S,4S,4S/4S,4S,4S,4S,4S,4S 0 0 S one"),
            "PlayStrategy notation: \"one\" at character 43 is not a number: expected the number of the move"
        );
        assert!(parse("6/6 24 24 S 1 2").is_err());
        assert!(parse("4S,4S 0 0 S").is_err());
    }
}
