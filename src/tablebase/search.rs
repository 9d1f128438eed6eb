//! Finds depths without a table of depths, by looking ahead.

use std::collections::HashMap;

use super::{ProbeError, Tablebase};
use crate::board::Board;
use crate::rules;

/// Visits to positions before it gives up: a fraction of a second.
const EFFORT: u32 = 200_000;

/// Plies it looks ahead at most.
const HORIZON: u16 = 1_000;

/// A search for depths among the boards of one number of stones.
pub(super) struct Search<'a> {
    tables: &'a Tablebase,
    known: HashMap<Board, Known>,
    left: u32,
}

/// What is known of a position.
struct Known {
    /// Whether a move that captures keeps the value.
    captures: bool,
    /// Whether no move is legal.
    over: bool,
    /// The boards after the other moves that keep the value.
    quiet: Vec<Board>,
    /// Its depth is at most this,
    at_most: Option<u16>,
    /// and more than this.
    more_than: Option<u16>,
}

impl<'a> Search<'a> {
    pub fn new(tables: &'a Tablebase) -> Search<'a> {
        Search { tables, known: HashMap::new(), left: EFFORT }
    }

    /// The depth of a board of this value, not 0; None if that takes more effort than is left.
    pub fn depth(&mut self, board: &Board, value: i8) -> Result<Option<u16>, ProbeError> {
        for plies in 0..HORIZON {
            match self.is_within(board, value, plies)? {
                Some(false) => {}
                // No fewer plies were enough.
                Some(true) => return Ok(Some(plies)),
                None => break,
            }
        }
        Ok(None)
    }

    /// What the depth of a board is known not to exceed.
    pub fn at_most(&self, board: &Board) -> Option<u16> {
        self.known.get(board)?.at_most
    }

    /// Whether the depth of a board of this value is at most `plies`, if that is found out.
    fn is_within(&mut self, board: &Board, value: i8, plies: u16) -> Result<Option<bool>, ProbeError> {
        let Some(left) = self.left.checked_sub(1) else { return Ok(None) };
        self.left = left;
        let known = match self.known.get(board) {
            Some(known) => known,
            None => {
                let known = self.look(board, value)?;
                self.known.entry(*board).or_insert(known)
            }
        };
        if known.at_most.is_some_and(|most| most <= plies) {
            return Ok(Some(true));
        }
        if known.more_than.is_some_and(|least| plies <= least) {
            return Ok(Some(false));
        }
        let within = if known.over {
            true
        } else if plies == 0 {
            false
        } else if value > 0 && known.captures {
            true
        } else {
            // The winner needs one such move; all moves of the loser must be such.
            let wins = value > 0;
            let (mut answer, mut in_doubt) = (!wins, false);
            for child in known.quiet.clone() {
                match self.is_within(&child, -value, plies - 1)? {
                    Some(within) if within == wins => {
                        (answer, in_doubt) = (wins, false);
                        break;
                    }
                    Some(_) => {}
                    None => in_doubt = true,
                }
            }
            if in_doubt {
                return Ok(None);
            }
            answer
        };
        if let Some(known) = self.known.get_mut(board) {
            *(if within { &mut known.at_most } else { &mut known.more_than }) = Some(plies);
        }
        Ok(Some(within))
    }

    fn look(&self, board: &Board, value: i8) -> Result<Known, ProbeError> {
        let turn = rules::turn(board, self.tables.rules());
        let over = turn.end.is_some();
        let mut known = Known { captures: false, over, quiet: Vec::new(), at_most: None, more_than: None };
        for play in turn.moves() {
            if play.captured as i8 - self.tables.value(&play.child)? != value {
                continue;
            }
            if play.captured > 0 {
                known.captures = true;
            } else {
                known.quiet.push(play.child);
            }
        }
        Ok(known)
    }
}
