//! The end of a solve: when few positions still change, their predecessors are looked at one by
//! one instead of sweeping the whole table again.
//!
//! A change raises or lowers what a predecessor gains by moving there. Raised, it is the
//! predecessor's new value if it is better than the old one; lowered, it matters only if the
//! predecessor had just that, and all its moves must be looked at again.

use rayon::prelude::*;

use super::captures::Captures;
use super::maps::Maps;
use super::sowing::Effect;
use super::worth::Worth;
use super::{Pass, SolveError, Watch};
use crate::board::{Board, PITS};
use crate::half;

/// A position that changed, and the worth it had before.
#[derive(Clone, Copy)]
pub(super) struct Change<W> {
    /// Its place in the table.
    pub place: u64,
    /// Its worth before.
    pub before: W,
}

/// Changes looked at by a thread before it asks whether to stop.
const BATCH: usize = 4096;

/// Follows `changes` until nothing changes any more. Returns how many positions were evaluated.
pub(super) fn follow<W: Worth>(
    maps: &Maps,
    captures: &Captures<W>,
    table: &mut [W],
    mut changes: Vec<Change<W>>,
    watch: &dyn Watch,
) -> Result<u64, SolveError> {
    let mut evaluations = 0;
    let (mut done, mut found) = (0, changes.len() as u64);
    while !changes.is_empty() {
        let updates: Vec<Vec<(u64, W)>> = changes
            .par_chunks(BATCH)
            .map(|batch| {
                let mut updates = Vec::new();
                if !watch.stop() {
                    batch.iter().for_each(|&change| look_back(maps, captures, table, change, &mut updates));
                }
                updates
            })
            .collect();
        if watch.stop() {
            return Err(SolveError::Stopped);
        }
        done += changes.len() as u64;
        changes.clear();
        for (place, worth) in updates.into_iter().flatten() {
            evaluations += 1;
            let stored = &mut table[place as usize];
            // Worths only move away from zero. Of two updates of one position the further holds.
            if worth.is_further_than(*stored) {
                changes.push(Change { place, before: std::mem::replace(stored, worth) });
            }
        }
        found += changes.len() as u64;
        watch.progress(Pass::LastChanges, done, found);
    }
    Ok(evaluations)
}

/// Adds to `updates` the new worth of each predecessor that `change` changes.
fn look_back<W: Worth>(
    maps: &Maps,
    captures: &Captures<W>,
    table: &[W],
    change: Change<W>,
    updates: &mut Vec<(u64, W)>,
) {
    let now = table[change.place as usize];
    predecessors(maps.index.board(change.place), |before| {
        let Some(place) = maps.index.place(&before) else { return };
        let best = table[place as usize].best();
        let affected = if now > change.before { best < now } else { best == change.before };
        if affected {
            let better = evaluate(maps, captures, table, &before);
            if better != best {
                updates.push((place, better.other()));
            }
        }
    });
}

/// Calls `each` with every board from which a move without a capture may lead to `board`, and
/// perhaps with some from which it does not: who is asked evaluates it by all its moves anyway.
fn predecessors(board: Board, mut each: impl FnMut(Board)) {
    // Seen from the player who has moved.
    let after = board.swapped().pits();
    for pit in (0..PITS).filter(|&pit| after[pit] == 0) {
        let mut pits = after;
        let mut at = pit;
        loop {
            at = (at + 1) % (2 * PITS);
            if at == pit {
                continue; // sowing leaves out the pit it came from
            }
            if pits[at] == 0 {
                break;
            }
            pits[at] -= 1;
            pits[pit] += 1;
            each(Board::from_pits(pits));
        }
    }
}

/// The best the player to move can get.
fn evaluate<W: Worth>(maps: &Maps, captures: &Captures<W>, table: &[W], board: &Board) -> W {
    let (mover, waiting) = (half::rank(board.mover()), half::rank(board.waiting()));
    let (own, others) = (half::stones(board.mover()), half::stones(board.waiting()));
    let mut best = captures.of(maps, (own, mover), (others, waiting));
    for play in maps.halves[own].own.of(mover) {
        if let Effect::Quiet(half) = Effect::of(play.class, board.waiting(), maps.rules) {
            let row = maps.row_start(own - play.class.stones(), play.row as usize);
            best = best.max(table[row + half::rank(half)]);
        }
    }
    best
}
