//! Moves graded by the tables: what each cost, and summaries over many.

use std::collections::BTreeMap;

use crate::board::Board;
use crate::game::{self, Game};
use crate::notation::{Position, Stores};
use crate::tablebase::{MoveValue, ProbeError, Tablebase};

/// Won, drawn or lost for the player to move.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Outcome {
    /// He gets less than his opponent.
    Loss,
    /// Both get as much.
    Draw,
    /// He gets more.
    Win,
}

impl Outcome {
    /// Every outcome.
    pub const ALL: [Outcome; 3] = [Outcome::Win, Outcome::Draw, Outcome::Loss];

    /// The outcome of a difference of stones.
    pub fn of(difference: i32) -> Outcome {
        match difference {
            ..0 => Outcome::Loss,
            0 => Outcome::Draw,
            1.. => Outcome::Win,
        }
    }

    /// `win`, `draw` or `loss`.
    pub fn name(self) -> &'static str {
        match self {
            Outcome::Loss => "loss",
            Outcome::Draw => "draw",
            Outcome::Win => "win",
        }
    }
}

/// What a move is worth, seen from the player who makes it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Grade {
    /// The pit played, 0..=5.
    pub pit: usize,
    /// The value of the board before the move: what the best move is worth.
    pub before: i8,
    /// What the move played is worth: `captured` minus the value of the board after it.
    pub after: i8,
    /// All legal moves with their values, pit A to F.
    pub moves: Vec<MoveValue>,
    /// The outcome of the whole game before and after the move, what was captured until then
    /// included; None if that is not known.
    pub game: Option<[Outcome; 2]>,
    /// Plies to the next capture or end if the best move for that is played; None if the value is
    /// 0 or depths are not known.
    pub depth: Option<u16>,
    /// How many plies the move gave away without giving away stones: a winner's that makes it take
    /// longer than needed, a loser's that makes it come sooner. None if the move loses stones, the
    /// value is 0 or depths are not known.
    pub missed: Option<u16>,
}

impl Grade {
    /// Stones the move costs, 0..=96.
    pub fn loss(&self) -> u8 {
        (i16::from(self.before) - i16::from(self.after)) as u8
    }

    /// Whether no move is worth more.
    pub fn is_best(&self) -> bool {
        self.before == self.after
    }

    /// Whether there was no other legal move.
    pub fn is_forced(&self) -> bool {
        self.moves.len() == 1
    }

    /// The outcome of the rest of the game before and after the move, stones captured earlier
    /// left out.
    pub fn rest(&self) -> [Outcome; 2] {
        [self.before, self.after].map(|value| Outcome::of(value.into()))
    }

    /// The pits of the best moves.
    pub fn best(&self) -> impl Iterator<Item = usize> + '_ {
        self.moves.iter().filter(|play| play.best).map(|play| play.pit)
    }
}

/// Grades the move of pit `pit` in a position; None if it is not legal.
///
/// # Errors
/// As [`Tablebase::moves`].
pub fn grade(tables: &Tablebase, position: &Position, pit: usize) -> Result<Option<Grade>, ProbeError> {
    let moves = tables.moves(&position.board)?;
    let Some(&played) = moves.iter().find(|play| play.pit == pit) else { return Ok(None) };
    let before = moves.iter().map(|play| play.value).max().unwrap_or_default();
    let whole = |Stores { mover, waiting }: Stores| {
        let so_far = i32::from(mover) - i32::from(waiting);
        [before, played.value].map(|value| Outcome::of(so_far + i32::from(value)))
    };
    let (depth, missed) = progress(&moves, &played, before);
    Ok(Some(Grade {
        pit,
        before,
        after: played.value,
        game: position.stores.map(whole),
        depth,
        missed,
        moves,
    }))
}

/// Plies of the best move, and how many the one played gives away.
fn progress(moves: &[MoveValue], played: &MoveValue, before: i8) -> (Option<u16>, Option<u16>) {
    if before == 0 {
        return (None, None);
    }
    let depths: Option<Vec<u16>> = moves.iter().filter(|play| play.best).map(MoveValue::depth).collect();
    let depths = depths.unwrap_or_default().into_iter();
    let best = if before > 0 { depths.min() } else { depths.max() };
    let missed = match (best, played.depth()) {
        (Some(best), Some(depth)) if played.best => Some(depth.abs_diff(best)),
        _ => None,
    };
    (best, missed)
}

/// What became of one move of a game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// It was graded.
    Graded(Grade),
    /// The table of so many stones is not there.
    NoTable(u32),
    /// A player already had the majority: the game was decided.
    Decided,
}

/// Which moves to grade.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Options {
    /// Also those after a player has the majority.
    pub past_majority: bool,
}

/// Grades the moves of a game, each on its own, as if what came before were as it should be.
///
/// # Errors
/// As [`Tablebase::moves`], except for missing tables: that is a verdict.
pub fn game(tables: &Tablebase, game: &Game, options: Options) -> Result<Vec<Verdict>, ProbeError> {
    let mut verdicts = Vec::with_capacity(game.plies().len());
    for ply in game.plies() {
        verdicts.push(if game::has_majority(&ply.before) && !options.past_majority {
            Verdict::Decided
        } else {
            match grade(tables, &ply.before, ply.pit) {
                Ok(Some(grade)) => Verdict::Graded(grade),
                // Legal under the rules of the game, not under those of the tables.
                Ok(None) => Verdict::NoTable(ply.before.board.stones()),
                Err(ProbeError::Missing { stones, .. }) => Verdict::NoTable(stones),
                Err(error) => return Err(error),
            }
        });
    }
    Ok(verdicts)
}

/// Counts over graded moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// Moves that were graded.
    pub graded: u64,
    /// Of these, those without a choice.
    pub forced: u64,
    /// Moves that no move was better than, forced ones included.
    pub best: u64,
    /// Stones lost by all moves together.
    pub lost: u64,
    /// Moves after which the rest of the game has a worse outcome: win to draw, win to loss, draw
    /// to loss.
    pub outcome: u64,
    /// The same of the whole game, where captured stones are known.
    pub game: u64,
    /// Moves whose progress could be judged: best ones of a value other than 0, with depths.
    pub paced: u64,
    /// Of these, those that gave plies away.
    pub slower: u64,
    /// Plies given away by all of them together.
    pub plies: u64,
}

impl Counts {
    /// Counts a move.
    pub fn add(&mut self, grade: &Grade) {
        let worse = |[before, after]: [Outcome; 2]| u64::from(after < before);
        self.graded += 1;
        self.forced += u64::from(grade.is_forced());
        self.best += u64::from(grade.is_best());
        self.lost += u64::from(grade.loss());
        self.outcome += worse(grade.rest());
        self.game += grade.game.map_or(0, worse);
        if let Some(missed) = grade.missed {
            self.paced += 1;
            self.slower += u64::from(missed > 0);
            self.plies += u64::from(missed);
        }
    }

    /// The share of best moves, 0..=1; None of no moves.
    pub fn share_best(&self) -> Option<f64> {
        (self.graded > 0).then(|| self.best as f64 / self.graded as f64)
    }

    /// The same of the moves that were not forced: what a player shows by choosing.
    pub fn share_best_of_choices(&self) -> Option<f64> {
        // A forced move is always best.
        let choices = self.graded - self.forced;
        (choices > 0).then(|| (self.best - self.forced) as f64 / choices as f64)
    }

    /// Stones lost a move; None of no moves.
    pub fn mean_loss(&self) -> Option<f64> {
        (self.graded > 0).then(|| self.lost as f64 / self.graded as f64)
    }
}

/// The moves of one player.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Summary {
    /// All graded moves.
    pub all: Counts,
    /// By stones on the board before the move.
    pub by_stones: BTreeMap<u32, Counts>,
    /// Moves that were not graded because a table is missing.
    pub no_table: u64,
    /// Moves that were not graded because the game was decided.
    pub decided: u64,
    /// Missing tables, with the number of moves that need them.
    pub missing: BTreeMap<u32, u64>,
}

impl Summary {
    /// Counts a move in a board.
    pub fn add(&mut self, board: &Board, verdict: &Verdict) {
        match verdict {
            Verdict::Graded(grade) => {
                self.all.add(grade);
                self.by_stones.entry(board.stones()).or_default().add(grade);
            }
            Verdict::NoTable(stones) => {
                self.no_table += 1;
                *self.missing.entry(*stones).or_default() += 1;
            }
            Verdict::Decided => self.decided += 1,
        }
    }
}
