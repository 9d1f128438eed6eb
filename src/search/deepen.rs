//! Alpha-beta search, one ply deeper each time.
//!
//! It returns two things that must not be mixed up: a **score**, which may rest on an estimate at the
//! horizon and on the boards passed on the way, and **bounds**, which are proved and rest on the
//! board alone (`docs/search.md`).

use super::known::{Entry, NO_PIT, Side, key};
use super::{Bounds, Halt, Limits, Search};
use crate::board::{Board, PITS};
use crate::rules::{self, Move};

/// Points of a stone in scores.
pub(super) const STONE: i32 = 64;

/// More than any score.
const INFINITE: i32 = 100 * STONE;

/// Plies to look ahead at most.
pub(super) const MAX_PLIES: u32 = 200;

/// What was found out about a board.
#[derive(Clone, Copy)]
pub(super) struct Found {
    pub score: i32,
    pub bounds: Bounds,
}

/// A window of scores, and how deep to look.
#[derive(Clone, Copy)]
struct Window {
    alpha: i32,
    beta: i32,
    depth: u32,
}

/// The boards on the way to the one that is looked at.
pub(super) struct Way<'a> {
    pub limits: &'a Limits<'a>,
    /// Keys of the boards passed, with whether the first player was to move.
    pub passed: Vec<(u64, bool)>,
    pub first_to_move: bool,
    /// How often a pit, of either player, was the best.
    pub history: [[u32; PITS]; 2],
}

impl Search<'_> {
    /// Looks `depth` plies ahead with a window around `guess`, in points.
    pub(super) fn look(
        &mut self,
        board: &Board,
        depth: u32,
        guess: i32,
        way: &mut Way,
    ) -> Result<Found, Halt> {
        let mut margin = STONE / 2;
        let (mut alpha, mut beta) =
            if depth < 3 { (-INFINITE, INFINITE) } else { (guess - margin, guess + margin) };
        loop {
            let found = self.alpha_beta(board, Window { alpha, beta, depth }, way, true)?;
            margin *= 4;
            if found.score <= alpha && alpha > -INFINITE {
                alpha = (found.score - margin).max(-INFINITE);
            } else if found.score >= beta && beta < INFINITE {
                beta = (found.score + margin).min(INFINITE);
            } else {
                return Ok(found);
            }
        }
    }

    fn alpha_beta(
        &mut self,
        board: &Board,
        window: Window,
        way: &mut Way,
        root: bool,
    ) -> Result<Found, Halt> {
        self.count(way.limits)?;
        let Window { mut alpha, beta, depth } = window;
        let stones = board.stones();
        let this = key(board);
        let trivial = Bounds::of_stones(stones);
        let entry = self.known.get(this).copied();
        let bounds = entry.map_or(trivial, |entry| entry.bounds);
        let (lower, upper) = (i32::from(bounds.lower) * STONE, i32::from(bounds.upper) * STONE);
        if !root {
            // Whoever comes back here gets nothing for it; what is proved of the board stays true.
            if way.passed.contains(&(this, way.first_to_move)) {
                return Ok(Found { score: 0, bounds });
            }
            if bounds.exact().is_some() || lower >= beta {
                return Ok(Found { score: lower, bounds });
            }
            if upper <= alpha {
                return Ok(Found { score: upper, bounds });
            }
            if let Some(Entry { score, depth: seen, side, .. }) = entry
                && u32::from(seen) >= depth
                && depth > 0
            {
                let score = i32::from(score);
                let settled = match side {
                    Side::Exactly => true,
                    Side::AtLeast => score >= beta,
                    Side::AtMost => score <= alpha,
                };
                if settled {
                    return Ok(Found { score: score.clamp(lower, upper), bounds });
                }
            }
        }
        let turn = rules::turn(board, self.below.rules());
        if let Some(value) = turn.end_value(stones) {
            return Ok(Found { score: i32::from(value) * STONE, bounds: Bounds::exactly(value) });
        }
        let first_pit = entry.map_or(NO_PIT, |entry| entry.pit);
        let mut moves: Vec<(Move, Option<Bounds>)> = Vec::with_capacity(PITS);
        for play in turn.moves() {
            moves.push((play, self.below.value(&play.child)?.map(Bounds::exactly)));
        }
        let side = usize::from(way.first_to_move);
        moves.sort_by_key(|(play, settled)| {
            let first = play.pit != usize::from(first_pit);
            let gain = settled
                .map_or(i32::from(play.captured) - 1, |known| i32::from(known.before(play.captured).lower));
            (first, settled.is_none() && play.captured == 0, -gain, u32::MAX - way.history[side][play.pit])
        });
        let rest = depth == 0;
        let (mut best, mut best_pit) = (-INFINITE, NO_PIT);
        if rest {
            // At the horizon, a player may leave it at that, or go on capturing.
            best = self.estimate(board).clamp(lower, upper);
            if best >= beta {
                return Ok(Found { score: best, bounds });
            }
        }
        let old_alpha = alpha;
        alpha = alpha.max(best);
        let mut ahead = Bounds { lower: -(stones as i8), upper: -(stones as i8) };
        way.passed.push((this, way.first_to_move));
        for (searched, (play, settled)) in moves.into_iter().enumerate() {
            let captured = i32::from(play.captured) * STONE;
            let unseen = Bounds::of_stones(play.child.stones()).before(play.captured);
            let (score, after) = if let Some(known) = settled {
                let after = known.before(play.captured);
                (i32::from(after.lower) * STONE, after)
            } else if best >= beta || (rest && play.captured == 0) {
                let known = self.known.get(key(&play.child));
                (-INFINITE, known.map_or(unseen, |entry| entry.bounds.before(play.captured)))
            } else {
                let depth = depth.saturating_sub(1);
                way.first_to_move = !way.first_to_move;
                let full = Window { alpha: captured - beta, beta: captured - alpha, depth };
                let narrow = Window { alpha: captured - alpha - 1, ..full };
                // The first move is expected to be the best: of others only that is asked.
                let mut found =
                    self.alpha_beta(&play.child, if searched == 0 { full } else { narrow }, way, false);
                if searched > 0
                    && let Ok(Found { score, .. }) = found
                    && captured - score > alpha
                    && captured - score < beta
                {
                    found = self.alpha_beta(&play.child, full, way, false);
                }
                way.first_to_move = !way.first_to_move;
                let found = match found {
                    Ok(found) => found,
                    Err(halt) => {
                        way.passed.pop();
                        return Err(halt);
                    }
                };
                (captured - found.score, found.bounds.before(play.captured))
            };
            ahead.lower = ahead.lower.max(after.lower);
            ahead.upper = ahead.upper.max(after.upper);
            if score > best {
                best = score;
                best_pit = play.pit as u8;
                alpha = alpha.max(score);
            }
        }
        way.passed.pop();
        if best >= beta && usize::from(best_pit) < PITS {
            way.history[side][usize::from(best_pit)] += depth * depth;
        }
        let bounds = bounds.and(ahead);
        best = best.clamp(i32::from(bounds.lower) * STONE, i32::from(bounds.upper) * STONE);
        let side = if best >= beta {
            Side::AtLeast
        } else if best > old_alpha {
            Side::Exactly
        } else {
            Side::AtMost
        };
        let entry = self.known.entry(this, trivial);
        entry.bounds = entry.bounds.and(bounds);
        if depth > 0 || entry.depth == 0 {
            (entry.score, entry.depth, entry.side) = (best as i16, depth as u8, side);
        }
        if best_pit != NO_PIT && (side != Side::AtMost || entry.pit == NO_PIT) {
            entry.pit = best_pit;
        }
        Ok(Found { score: best, bounds })
    }

    /// What a board seems to be worth where nothing more is looked at, in points.
    fn estimate(&self, board: &Board) -> i32 {
        let mobility = |half: [u8; PITS]| half.iter().filter(|&&pit| pit > 0).count() as i32;
        let weak = |half: [u8; PITS]| half.iter().filter(|&&pit| pit == 1 || pit == 2).count() as i32;
        let (mover, waiting) = (board.mover(), board.waiting());
        12 + 8 * (mobility(mover) - mobility(waiting)) + 8 * (weak(waiting) - weak(mover))
    }
}
