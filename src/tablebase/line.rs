//! Best play of both sides to the end of the game.

use std::collections::HashMap;

use super::{ProbeError, Tablebase};
use crate::board::Board;
use crate::rules::{self, End};

/// A move of a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ply {
    /// The board before the move, seen from the player who makes it. The players take turns.
    pub board: Board,
    /// Its value to him.
    pub value: i8,
    /// Its depth, from the tables or found by looking ahead.
    pub depth: Option<u16>,
    /// The pit he plays, 0..=5 (A..F).
    pub pit: usize,
    /// Stones he captures.
    pub captured: u8,
}

/// How a line ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Finish {
    /// The game is over.
    Over(End),
    /// Neither can do better than to go on without end: the board repeats that before ply `from`
    /// of the line (counted from 0), with the same player to move. What is left is split evenly.
    EndlessPlay {
        /// Where the circle starts.
        from: usize,
    },
    /// The value is not 0, and how it is made good is not known: there is no table of depths of so
    /// many stones, and looking ahead did not tell. The difference is that of the values.
    NotKnown,
}

/// Best play of both sides from a board on. From [`Tablebase::line`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Line {
    /// The moves.
    pub plies: Vec<Ply>,
    /// The board after the last move, seen from the player to move.
    pub last: Board,
    /// Why the line ends there.
    pub finish: Finish,
    /// Stones that the first player to move captures, and his opponent, up to `last`.
    pub captured: [u8; 2],
    /// What the first player to move gains over his opponent, with what the end brings: the value
    /// of the first board.
    pub difference: i8,
}

impl Tablebase {
    /// Plays the [best move](Tablebase::best_move) of either side until the game is over, or is
    /// seen to have no end, or nobody knows how to get on: [`Finish`] says which. Always ends.
    ///
    /// # Errors
    /// As [`Tablebase::best_move`], for all boards on the way.
    pub fn line(&self, board: &Board) -> Result<Line, ProbeError> {
        let mut plies = Vec::new();
        let mut captured = [0u8; 2];
        let mut seen = HashMap::new();
        let mut board = *board;
        let (finish, rest) = loop {
            let side = plies.len() % 2;
            let Some(play) = self.best_move(&board)? else {
                let turn = rules::turn(&board, self.rules());
                // Without a legal move the game is over, for a reason.
                let end = turn.end.unwrap_or(End::NoStones);
                break (Finish::Over(end), turn.end_value(board.stones()).unwrap_or_default());
            };
            let depth = if play.value == 0 { Some(0) } else { play.depth() };
            // After a capture no earlier board comes back.
            match seen.insert((board, side), plies.len()) {
                Some(from) if play.value == 0 => break (Finish::EndlessPlay { from }, 0),
                // Right tables lead round no circle; wrong ones must not hang.
                Some(_) => break (Finish::NotKnown, play.value),
                None if depth.is_none() => break (Finish::NotKnown, play.value),
                None => {}
            }
            plies.push(Ply { board, value: play.value, depth, pit: play.pit, captured: play.captured });
            captured[side] += play.captured;
            board = play.child;
        };
        // What is left goes to the first player if he is to move.
        let rest = if plies.len() % 2 == 0 { rest } else { -rest };
        let difference = captured[0] as i8 - captured[1] as i8 + rest;
        Ok(Line { plies, last: board, finish, captured, difference })
    }
}
