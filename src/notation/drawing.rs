//! A drawing of the board as the player to move sees it.
//!
//! ```text
//!       f    e    d    c    b    a
//!    +----+----+----+----+----+----+
//!    |  4 |  4 |  4 |  5 |  5 |  5 |  opponent, captured 0
//!    +----+----+----+----+----+----+
//!    |  4 |  4 |  4 |  4 |  0 |  5 |  to move, captured 0
//!    +----+----+----+----+----+----+
//!       A    B    C    D    E    F
//! ```
//!
//! The mover's pits A..F are below, the opponent's above from right to left, so that sowing goes
//! counter-clockwise. Plain ASCII, for every terminal and mail. Captured stones are shown if known.
//! Reading is lenient: frame, letters and the words beside the rows may be left out, and frames
//! of box-drawing characters are read as well.

use super::reader::pit_name;
use super::{Notation, NotationError, Position, Problem, Reader, Stores};
use crate::board::PITS;

const BORDER: &str = "   +----+----+----+----+----+----+\n";

/// Draws a position, in seven lines.
pub fn write(position: &Position) -> String {
    let mut upper = position.board.waiting();
    upper.reverse();
    let lower = position.board.mover();
    let captured = |stones: u8| format!(", captured {stones}");
    let beside = |stones: fn(Stores) -> u8| position.stores.map(stones).map(captured).unwrap_or_default();
    [
        "      f    e    d    c    b    a\n",
        BORDER,
        &format!("   {}  opponent{}\n", row(upper), beside(|stores| stores.waiting)),
        BORDER,
        &format!("   {}  to move{}\n", row(lower), beside(|stores| stores.mover)),
        BORDER,
        "      A    B    C    D    E    F\n",
    ]
    .concat()
}

fn row(pits: [u8; PITS]) -> String {
    let mut text = "|".to_owned();
    for stones in pits {
        text += &format!(" {stones:2} |");
    }
    text
}

/// Whether a character belongs to a frame.
pub(super) fn is_frame(c: char) -> bool {
    matches!(c, '|' | '+' | '=' | '\u{2500}'..='\u{257f}')
}

/// Reads a drawing.
///
/// # Errors
/// [`NotationError`] says what is wrong where.
pub fn parse(text: &str) -> Result<Position, NotationError> {
    let reader = Reader::new(text, Notation::Drawing);
    let mut rows: Vec<([u8; PITS], Option<u8>)> = Vec::new();
    for line in text.lines() {
        let tokens = line.split(|c: char| c.is_whitespace() || is_frame(c) || matches!(c, ',' | ':'));
        let mut tokens = tokens.filter(|token| !token.is_empty()).peekable();
        let Some(&first) = tokens.peek() else { continue };
        if first.bytes().all(|b| b == b'-') {
            // The dashes of a border.
            if let Some(token) = tokens.find(|token| token.bytes().any(|b| b != b'-')) {
                return Err(reader.error(token, Problem::Unexpected, "only a border on this line"));
            }
        } else if is_letter(first) {
            // Above the first row or below the second.
            let letters = if rows.is_empty() { "fedcba" } else { "ABCDEF" };
            check_letters(&reader, line, tokens, letters)?;
        } else if rows.len() == 2 {
            return Err(reader.error(first, Problem::Surplus, "two rows, the opponent's above the mover's"));
        } else {
            rows.push(read_row(&reader, line, tokens, rows.is_empty())?);
        }
    }
    let expected = "two rows of six pits, the opponent's above the mover's";
    let [(mut upper, waiting), (lower, mover)] = rows[..] else {
        return Err(reader.missing_at_end(expected));
    };
    let stores = match (mover, waiting) {
        (Some(mover), Some(waiting)) => Some(Stores { mover, waiting }),
        (None, None) => None,
        _ => return Err(reader.missing_at_end("captured stones beside both rows or beside none")),
    };
    upper.reverse();
    let mut pits = [0; 2 * PITS];
    pits[..PITS].copy_from_slice(&lower);
    pits[PITS..].copy_from_slice(&upper);
    reader.position(pits, stores)
}

fn is_letter(token: &str) -> bool {
    matches!(token.as_bytes(), [letter] if letter.is_ascii_alphabetic())
}

/// A line of pit letters must read as it is drawn: it tells which way the row goes.
fn check_letters<'a>(
    reader: &Reader<'_>,
    line: &'a str,
    mut tokens: impl Iterator<Item = &'a str>,
    letters: &str,
) -> Result<(), NotationError> {
    for at in 0..PITS {
        let letter = &letters[at..=at];
        let expected = format!("pit {letter}: the letters are f to a above and A to F below");
        match tokens.next() {
            Some(token) if token.eq_ignore_ascii_case(letter) => {}
            Some(token) => return Err(reader.error(token, Problem::Unexpected, expected)),
            None => return Err(reader.missing(&line[line.len()..], expected)),
        }
    }
    match tokens.next() {
        Some(token) => Err(reader.error(token, Problem::Surplus, "six letters")),
        None => Ok(()),
    }
}

/// Six pits from left to right, then perhaps words, among them `captured` and a number.
fn read_row<'a>(
    reader: &Reader<'_>,
    line: &'a str,
    mut tokens: impl Iterator<Item = &'a str>,
    upper: bool,
) -> Result<([u8; PITS], Option<u8>), NotationError> {
    let mut row = [0; PITS];
    for (at, stones) in row.iter_mut().enumerate() {
        let expected = pit_name(if upper { 2 * PITS - 1 - at } else { at });
        let token = tokens.next().ok_or_else(|| reader.missing(&line[line.len()..], &expected))?;
        *stones = reader.stones(token, &expected)?;
    }
    let mut captured = None;
    while let Some(word) = tokens.next() {
        match word.to_ascii_lowercase().as_str() {
            "opponent" | "mover" | "to" | "move" => {}
            "captured" if captured.is_none() => {
                let expected = "the captured stones, 0 to 48";
                let token = tokens.next().ok_or_else(|| reader.missing(&line[line.len()..], expected))?;
                captured = Some(reader.stones(token, expected)?);
            }
            _ => {
                let expected = "six pits, then \"captured\" and a number or nothing";
                return Err(reader.error(word, Problem::Surplus, expected));
            }
        }
    }
    Ok((row, captured))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Board;

    fn message(text: &str) -> String {
        parse(text).unwrap_err().to_string()
    }

    fn board() -> Board {
        Board::new([4, 4, 4, 4, 0, 5, 5, 1, 5, 4, 0, 4]).unwrap()
    }

    #[test]
    fn looks_like_a_board() {
        let position = Position { stores: Some(Stores { mover: 0, waiting: 8 }), ..board().into() };
        let drawn = "      f    e    d    c    b    a
   +----+----+----+----+----+----+
   |  4 |  0 |  4 |  5 |  1 |  5 |  opponent, captured 8
   +----+----+----+----+----+----+
   |  4 |  4 |  4 |  4 |  0 |  5 |  to move, captured 0
   +----+----+----+----+----+----+
      A    B    C    D    E    F
";
        assert_eq!(write(&position), drawn);
        assert_eq!(parse(drawn), Ok(Position { notation: Notation::Drawing, ..position }));
        let without = write(&board().into());
        assert!(without.contains("|  opponent\n") && without.contains("|  to move\n"));
    }

    #[test]
    fn frames_and_letters_are_optional() {
        let position = Position { notation: Notation::Drawing, ..board().into() };
        for text in [
            "4 0 4 5 1 5\n4 4 4 4 0 5",
            "\n f e d c b a\n 4 0 4 5 1 5\r\n\n 4 4 4 4 0 5\n",
            "┌───┬───┐\n│ 4 │ 0 │ 4 │ 5 │ 1 │ 5 │\n├───┼───┤\n│ 4 │ 4 │ 4 │ 4 │ 0 │ 5 │\n└───┴───┘",
            "F E D C B A\n4 0 4 5 1 5 opponent\n--------\n4 4 4 4 0 5 mover\nA B C D E F",
        ] {
            assert_eq!(parse(text), Ok(position), "{text}");
        }
    }

    #[test]
    fn errors_name_the_token_and_its_place() {
        assert_eq!(
            message("| 4 0 4 5 1 5 |\n| 4 4 x 4 0 5 |"),
            "drawing notation: \"x\" at line 2, character 7 is not a number: \
             expected the stones of pit C, 0 to 48"
        );
        assert_eq!(
            message("| 4 0 4 5 1 |\n| 4 4 4 4 0 5 |"),
            "drawing notation: at character 14 something is missing: expected the stones of pit a, 0 to 48"
        );
        assert_eq!(
            message("a b c d e f\n4 0 4 5 1 5\n4 4 4 4 0 5"),
            "drawing notation: \"a\" at character 1 does not belong there: \
             expected pit f: the letters are f to a above and A to F below"
        );
        assert_eq!(
            message("f e d c b a\n4 0 4 5 1 5\n"),
            "drawing notation: at line 2, character 12 something is missing: \
             expected two rows of six pits, the opponent's above the mover's"
        );
        assert_eq!(
            message("4 0 4 5 1 5 7\n4 4 4 4 0 5"),
            "drawing notation: \"7\" at character 13 is left over: \
             expected six pits, then \"captured\" and a number or nothing"
        );
        assert_eq!(
            message("4 0 4 5 1 5 captured 8\n4 4 4 4 0 5"),
            "drawing notation: at line 2, character 12 something is missing: \
             expected captured stones beside both rows or beside none"
        );
        assert_eq!(
            message("4 0 4 5 1 5 captured 9\n4 4 4 4 0 5 captured 1"),
            "drawing notation: the board and the stores hold 50 stones, 2 too many: expected 48"
        );
    }
}
