//! The best move.

use std::cmp::Reverse;

use super::search::Search;
use super::{MoveValue, ProbeError, Tablebase};
use crate::board::Board;

impl Tablebase {
    /// The best move; None if the game is over.
    ///
    /// Of the moves that keep the value:
    /// * the winner plays one of the least [depth](MoveValue::depth), so that he gets on and never
    ///   goes round in circles;
    /// * the loser plays one of the greatest;
    /// * at value 0, one after which the greatest share of the opponent's moves loses something.
    ///
    /// Of equals, the one that captures most now, and of those the first from pit A.
    ///
    /// Where there is no table of depths, the way on is searched, up to a fixed effort. If
    /// [`MoveValue::depth`] of the answer is None, that was not enough: the move keeps the value,
    /// and nobody promises that it leads on.
    ///
    /// # Errors
    /// As [`Tablebase::moves`]; at value 0 also for the boards after the opponent's answers.
    pub fn best_move(&self, board: &Board) -> Result<Option<MoveValue>, ProbeError> {
        let mut best = self.moves(board)?;
        best.retain(|play| play.best);
        let Some(value) = best.first().map(|play| play.value) else { return Ok(None) };
        if value == 0 {
            return self.most_dangerous(best);
        }
        if value > 0 && best.iter().all(|play| play.captured == 0) {
            self.search_win(board, value, &mut best)?;
        } else if value < 0 {
            self.search_loss(value, &mut best)?;
        }
        // Unknown depths come last for the winner. A loser does not choose among known and unknown
        // ones: whether he lasts longest there is not known either, and the move has to say so.
        let depth = |play: &MoveValue| match (play.depth(), value > 0) {
            (None, _) => i32::MAX,
            (Some(depth), true) => depth.into(),
            (Some(depth), false) => -i32::from(depth),
        };
        let some_unknown = best.iter().any(|play| play.depth().is_none());
        if value < 0 && some_unknown {
            best.retain(|play| play.depth().is_none());
        }
        Ok(best.into_iter().min_by_key(|play| (depth(play), Reverse(play.captured), play.pit)))
    }

    /// Of moves worth 0, the one that leaves the opponent most ways to go wrong.
    fn most_dangerous(&self, best: Vec<MoveValue>) -> Result<Option<MoveValue>, ProbeError> {
        let mut chosen = None;
        for play in best {
            let answers = self.moves(&play.child)?;
            let wrong = answers.iter().filter(|answer| !answer.best).count();
            // In parts of 60, which 1 to 6 answers divide.
            let share = 60 * wrong / answers.len().max(1);
            let key = (share, play.captured, Reverse(play.pit));
            if chosen.is_none_or(|(most, _)| key > most) {
                chosen = Some((key, play));
            }
        }
        Ok(chosen.map(|(_, play)| play))
    }

    /// Fills in the depths of the moves that win soonest, if that is found.
    fn search_win(&self, board: &Board, value: i8, best: &mut [MoveValue]) -> Result<(), ProbeError> {
        if best.iter().all(|play| play.child_depth.is_some()) {
            return Ok(());
        }
        let mut search = Search::new(self);
        if let Some(depth) = search.depth(board, value)? {
            for play in best {
                play.child_depth = search.at_most(&play.child).filter(|&found| found < depth);
            }
        }
        Ok(())
    }

    /// Fills in the depths of the moves that lose, as far as they are found.
    fn search_loss(&self, value: i8, best: &mut [MoveValue]) -> Result<(), ProbeError> {
        let mut search = Search::new(self);
        for play in best.iter_mut().filter(|play| play.depth().is_none()) {
            play.child_depth = search.depth(&play.child, -value)?;
        }
        Ok(())
    }
}
