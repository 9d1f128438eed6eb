//! The end of a solve: when few positions still change, their predecessors are looked at one by
//! one instead of sweeping the whole table again.
//!
//! A change raises or lowers what a predecessor gains by moving there. Raised, it is the
//! predecessor's new value if it is better than the old one; lowered, it matters only if the
//! predecessor had just that, and all its moves must be looked at again.

use std::ops::Range;

use rayon::prelude::*;

use super::captures::Captures;
use super::checkpoint::{self, Reached};
use super::maps::Maps;
use super::sowing::Effect;
use super::storage::Buffer;
use super::worth::Worth;
use super::{Pass, SolveError, Watch};
use crate::board::{Board, PITS};
use crate::half;

/// A position that changed, and the worth it had before. There are many: each takes eight bytes.
#[derive(Clone, Copy)]
pub(super) struct Change<W> {
    /// The lower part of its place in the table, which is below 2^48.
    low: u32,
    /// The upper part.
    high: u16,
    /// Its worth before.
    before: W,
}

impl<W: Worth> Change<W> {
    pub fn new(place: u64, before: W) -> Change<W> {
        Change { low: place as u32, high: (place >> 32) as u16, before }
    }

    pub fn place(&self) -> u64 {
        u64::from(self.high) << 32 | u64::from(self.low)
    }

    pub fn before(&self) -> W {
        self.before
    }
}

/// Changes looked at together.
const BATCH: usize = 256;

/// As many if the table is in a scratch file: more pages of it on their way at a time.
const SCRATCH_BATCH: usize = 2048;

/// Follows `changes`, those of the last sweep, until nothing changes any more. Returns how many positions were evaluated.
pub(super) fn follow<W: Worth>(
    maps: &Maps,
    captures: &Captures<W>,
    table: &mut Buffer<W>,
    mut changes: Vec<Change<W>>,
    reached: Reached,
    watch: &dyn Watch,
) -> Result<u64, SolveError> {
    let batch = if table.is_scratch() { SCRATCH_BATCH } else { BATCH };
    let mut evaluations = 0;
    let (mut done, mut found) = (0, changes.len() as u64);
    while !changes.is_empty() {
        checkpoint::offer(watch.checkpoint(), Reached { changes: changes.len() as u64, ..reached }, table)?;
        if table.is_scratch() {
            changes.par_sort_unstable_by_key(Change::place);
        }
        let before: &Buffer<W> = table;
        let updates: Vec<Vec<(u64, W)>> = changes
            .par_chunks(batch)
            .map(|batch| {
                let mut updates = Vec::new();
                if !watch.stop() {
                    look_back(maps, captures, before, batch, &mut updates);
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
                changes.push(Change::new(place, std::mem::replace(stored, worth)));
            }
        }
        found += changes.len() as u64;
        watch.progress(Pass::LastChanges, done, found);
    }
    Ok(evaluations)
}

fn one(place: usize) -> Range<usize> {
    place..place + 1
}

/// Adds to `updates` the new worth of each predecessor that one of `changes` changes.
fn look_back<W: Worth>(
    maps: &Maps,
    captures: &Captures<W>,
    table: &Buffer<W>,
    changes: &[Change<W>],
    updates: &mut Vec<(u64, W)>,
) {
    let mut before = Vec::new();
    for (number, change) in changes.iter().enumerate() {
        predecessors(maps.index.board(change.place()), |board| {
            before.extend(maps.index.place(&board).map(|place| (place, number, board)));
        });
    }
    // Memory is slow to answer here, and a disk more so, but they answer many questions at a time:
    // ask them all first.
    table.will_touch(before.iter().map(|&(place, ..)| one(place as usize)));
    let worths: Vec<W> = before.iter().map(|&(place, ..)| table[place as usize]).collect();
    let mut affected: Vec<(u64, W, Board)> = Vec::new();
    for ((place, number, board), worth) in before.into_iter().zip(worths) {
        let (change, best) = (changes[number], worth.best());
        let now = table[change.place() as usize];
        if if now > change.before { best < now } else { best == change.before } {
            affected.push((place, best, board));
        }
    }
    captures.will_touch(affected.iter().map(|(.., board)| board));
    let children = |(.., board): &(u64, W, Board)| {
        let mut places = Vec::with_capacity(PITS);
        quiet_children(maps, board, |waiting, rank, mover| {
            places.push(one(place_of(maps, waiting, rank, mover)));
        });
        places
    };
    table.will_touch(affected.iter().flat_map(children));
    for (place, best, board) in affected {
        let better = evaluate(maps, captures, table, &board);
        if better != best {
            updates.push((place, better.other()));
        }
    }
}

/// Calls `each` with every board from which a move without a capture may lead to `board`, and
/// perhaps with some from which it does not: who is asked evaluates it by all its moves anyway.
pub(super) fn predecessors(board: Board, mut each: impl FnMut(Board)) {
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
    let mut best = captures.of(board);
    quiet_children(maps, board, |waiting, rank, mover| {
        best = best.max(table[place_of(maps, waiting, rank, mover)]);
    });
    best
}

/// The place of a position: the waiting half-board's stones and rank, the mover's rank.
pub(super) fn place_of(maps: &Maps, waiting: usize, rank: usize, mover: usize) -> usize {
    maps.level(waiting).start + maps.row_of(waiting, rank) + mover
}

/// Calls `each` with every board to which a move leads that captures nothing: the stones and the rank of
/// the half-board waiting there, and the rank of the other.
pub(super) fn quiet_children(maps: &Maps, board: &Board, mut each: impl FnMut(usize, usize, usize)) {
    let own = half::stones(board.mover());
    for play in maps.halves[own].own.all(half::rank(board.mover())) {
        if let Effect::Quiet(half) = Effect::of(play.class(), board.waiting(), maps.rules) {
            let kept = own - play.class().stones();
            each(kept, play.after(), half::rank(half));
        }
    }
}
