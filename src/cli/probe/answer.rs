//! What there is to say about a position; the JSON of `awari probe`.

use std::fmt;

use awari::Tablebase;
use awari::notation::{Position, Stores};
use awari::rules::{self, End, Illegal};
use awari::tablebase::ProbeError;
use serde::{Serialize, Serializer};

/// An answer. The fields are in the order of the JSON keys.
#[derive(Serialize)]
pub struct Answer {
    /// What was asked.
    #[serde(skip)]
    pub position: Position,
    board: [u8; 12],
    /// The rules by name.
    pub rules: &'static str,
    /// Stones on the board.
    pub stones: u32,
    /// The value for the player to move.
    pub value: i8,
    /// Plies until it is made good by a capture or the end; None if there is no table of depths.
    pub depth: Option<u16>,
    /// What he gains if each keeps his own row.
    pub settle: i8,
    /// The legal moves, from pit A to pit F.
    pub moves: Vec<Play>,
    /// The pits that may not be played.
    pub illegal: Vec<Refused>,
    /// Why the game is over.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "end_name")]
    pub end: Option<End>,
    /// What the players have in the end, if the notation told what they have now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub final_score: Option<FinalScore>,
}

/// A legal move.
#[derive(Serialize)]
pub struct Play {
    /// The pit played, A to F.
    pub pit: char,
    /// Stones captured.
    pub captured: u8,
    /// What the move is worth to the player who makes it.
    pub value: i8,
    /// Whether no move is worth more.
    pub best: bool,
    /// Plies from before this move until its value is made good; 0 where it is worth 0.
    pub depth: Option<u16>,
}

/// A pit that may not be played.
#[derive(Serialize)]
pub struct Refused {
    /// The pit, A to F.
    pub pit: char,
    /// Why not.
    #[serde(serialize_with = "reason_name")]
    pub reason: Illegal,
}

/// The stones of both players after perfect play; what is never captured is shared evenly.
#[derive(Clone, Copy, Serialize)]
pub struct FinalScore {
    /// Those of the player to move.
    pub mover: Stones,
    /// Those of the opponent.
    pub waiting: Stones,
}

/// Stones, counted in halves: an odd stone may be shared.
#[derive(Clone, Copy)]
pub struct Stones {
    halves: i32,
}

impl fmt::Display for Stones {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let half = if self.halves % 2 == 0 { "" } else { ".5" };
        write!(f, "{}{half}", self.halves / 2)
    }
}

impl Serialize for Stones {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(f64::from(self.halves) / 2.0)
    }
}

impl Answer {
    /// Looks a position up.
    ///
    /// # Errors
    /// If a table that is needed is missing or cannot be used, or there is none of so many stones.
    pub fn of(tablebase: &Tablebase, position: &Position) -> Result<Answer, ProbeError> {
        let board = &position.board;
        let awari::tablebase::Probe { value, depth, .. } = tablebase.probe(board)?;
        let moves = tablebase.moves(board)?;
        let turn = rules::turn(board, tablebase.rules());
        let play = |m: &awari::tablebase::MoveValue| Play {
            pit: pit_name(m.pit),
            captured: m.captured,
            value: m.value,
            best: m.best,
            depth: move_depth(m),
        };
        Ok(Answer {
            position: *position,
            board: board.pits(),
            rules: tablebase.rules().name(),
            stones: board.stones(),
            value,
            depth,
            settle: board.settle(),
            moves: moves.iter().map(play).collect(),
            illegal: turn.illegal().map(|(pit, reason)| Refused { pit: pit_name(pit), reason }).collect(),
            end: turn.end,
            final_score: position.stores.map(|stores| final_score(stores, board.stones(), value)),
        })
    }
}

/// The depth of a move, as for boards: 0 where it is worth 0.
pub fn move_depth(play: &awari::tablebase::MoveValue) -> Option<u16> {
    if play.value == 0 { Some(0) } else { play.depth() }
}

pub fn final_score(stores: Stores, stones: u32, value: i8) -> FinalScore {
    // Of the stones on the board, one gets (stones + value) / 2, the other (stones − value) / 2.
    let (stones, value) = (stones as i32, i32::from(value));
    FinalScore {
        mover: Stones { halves: 2 * i32::from(stores.mover) + stones + value },
        waiting: Stones { halves: 2 * i32::from(stores.waiting) + stones - value },
    }
}

pub fn pit_name(pit: usize) -> char {
    char::from(b'A' + pit as u8)
}

pub fn end_name<S: Serializer>(end: &Option<End>, serializer: S) -> Result<S::Ok, S::Error> {
    end.map(End::name).serialize(serializer)
}

fn reason_name<S: Serializer>(reason: &Illegal, serializer: S) -> Result<S::Ok, S::Error> {
    reason.name().serialize(serializer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_odd_stone_is_shared() {
        let score = final_score(Stores { mover: 20, waiting: 23 }, 5, 0);
        assert_eq!((score.mover.to_string(), score.waiting.to_string()), ("22.5".into(), "25.5".into()));
        let score = final_score(Stores { mover: 20, waiting: 23 }, 5, -5);
        assert_eq!(serde_json::to_string(&score).unwrap(), r#"{"mover":20.0,"waiting":28.0}"#);
    }
}
