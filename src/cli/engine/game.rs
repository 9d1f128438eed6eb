//! The game an engine is asked about.

use awari::notation::{self, Notation, Position, Stores, auale};
use awari::rules::{self, Choice};
use awari::{Board, Rules};

use crate::cli::line::pit_of;

/// A position and how it came about.
#[derive(Clone, Debug)]
pub struct Game {
    /// The position.
    pub position: Position,
    /// The boards since the last capture, oldest first, each seen from the player to move.
    pub passed: Vec<Board>,
}

impl Game {
    /// Nothing played yet.
    pub fn start() -> Game {
        let stores = Some(Stores { mover: 0, waiting: 0 });
        let position =
            Position { board: Board::START, stores, south_to_move: true, notation: Notation::Auale };
        Game { position, passed: Vec::new() }
    }

    /// Reads what follows `position`: `startpos` or `fen …`, and `moves …`.
    pub fn read(words: &[&str], rules: Rules) -> Result<Game, String> {
        let at = words.iter().position(|&word| word == "moves");
        let (board, moves) = words.split_at(at.unwrap_or(words.len()));
        let mut game = match board {
            ["startpos"] => Game::start(),
            ["fen", board @ ..] if !board.is_empty() => {
                let position = notation::parse(&board.join(" ")).map_err(|error| error.to_string())?;
                Game { position, passed: Vec::new() }
            }
            _ => return Err("expected startpos or fen with a position".to_owned()),
        };
        let moves = moves.iter().skip(1).copied().collect::<String>();
        for (number, play) in auale::moves(&moves).map_err(|error| error.to_string())?.iter().enumerate() {
            let refused = |why: &str| Err(format!("move {}, {play}: {why}", number + 1));
            if play.south != game.position.south_to_move {
                return refused("it is the other side's turn");
            }
            match rules::turn(&game.position.board, rules).choices[play.pit] {
                Choice::Legal(play) => game.make(&play),
                Choice::Empty => return refused("the pit is empty"),
                Choice::Illegal(reason) => {
                    return refused(&format!("illegal under rules {rules}: {}", reason.name()));
                }
            }
        }
        Ok(game)
    }

    /// Makes a move.
    fn make(&mut self, play: &rules::Move) {
        if play.captured > 0 {
            self.passed.clear();
        } else {
            self.passed.push(self.position.board);
        }
        let stores = self.position.stores;
        self.position = Position {
            board: play.child,
            stores: stores.map(|stores| Stores {
                mover: stores.waiting,
                waiting: stores.mover.saturating_add(play.captured),
            }),
            south_to_move: !self.position.south_to_move,
            notation: self.position.notation,
        };
    }

    /// The name of a pit of the player to move.
    pub fn pit(&self, pit: usize) -> char {
        pit_of(pit, self.position.south_to_move)
    }

    /// The names of pits that both play in turn, run together.
    pub fn line(&self, line: &[usize]) -> String {
        let south = |ply: usize| self.position.south_to_move == ply.is_multiple_of(2);
        line.iter().enumerate().map(|(ply, &pit)| pit_of(pit, south(ply))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Game, String> {
        Game::read(&text.split_whitespace().collect::<Vec<_>>(), Rules::Abapa)
    }

    #[test]
    fn games_are_followed() {
        let game = read("startpos moves FeD b").unwrap();
        assert_eq!(game.passed.len(), 4);
        assert!(game.position.south_to_move);
        assert_eq!(game.position.board.stones(), 48);
        // A capture cuts the past off.
        let game = read("fen 0-0-0-0-2-1-1-1-0-0-0-1-20-22-S moves E").unwrap();
        assert_eq!((game.passed.len(), game.position.board.stones()), (0, 4));
        assert_eq!(game.position.side_stores(), Some([22, 22]));
        assert_eq!(read("fen 4 4 4 4 4 4 / 4 4 4 4 4 4 moves A").unwrap().passed, [Board::START]);
    }

    #[test]
    fn what_is_wrong_is_said() {
        assert_eq!(read("startpos moves FF").unwrap_err().matches("Aualé notation").count(), 1);
        assert_eq!(read("startpos moves f").unwrap_err(), "move 1, f: it is the other side's turn");
        assert_eq!(read("startpos moves FaF").unwrap_err(), "move 3, F: the pit is empty");
        for bad in ["", "fen", "here", "fen 1-2-3", "startpos now"] {
            assert!(read(bad).is_err(), "{bad}");
        }
    }
}
