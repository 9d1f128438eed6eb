//! The capture pass: what each position gains at best by a capture or the end of the game, looked
//! up once in the tables of fewer stones.

use std::ops::Range;

use rayon::prelude::*;

use super::maps::Maps;
use super::storage::{Buffer, Storage, StorageError, Window};
use super::worth::Worth;
use super::{Pass, SmallerTables, SolveError, Watch};
use crate::board::Board;
use crate::half;
use crate::index::Index;

/// Boards that are given to a thread together.
const SHARE: usize = 1 << 15;

/// The best capture or end of every board, [`Worth::NONE`] where there is none.
///
/// Laid out by the mover: for each number of waiting stones, for each mover's half-board a row of
/// all waiting half-boards, because a capture carries such a row along.
pub(super) struct Captures<W> {
    rows: Buffer<W>,
    /// Where each number of waiting stones starts.
    levels: Vec<usize>,
}

impl<W: Worth> Captures<W> {
    /// Looks up every capture.
    pub fn look_up(
        maps: &Maps,
        smaller: &dyn SmallerTables,
        storage: &Storage,
        watch: &dyn Watch,
    ) -> Result<Captures<W>, SolveError> {
        let stones = maps.stones;
        let indices: Vec<Index> = (0..stones as u32).map(Index::new).collect();
        let mut levels = vec![0];
        for waiting in 0..=stones {
            levels.push(levels[waiting] + half::count(waiting) * half::count(stones - waiting));
        }
        let total = levels[stones + 1];
        let mut rows: Buffer<W> = Buffer::new(storage, total)?;
        let mut window = if rows.is_scratch() { Some(Window::new(maps.largest_level(), 0)?) } else { None };
        for waiting in 0..=stones {
            let (width, level) = (half::count(waiting), levels[waiting]..levels[waiting + 1]);
            let worths = match &mut window {
                None => &mut rows[level.clone()],
                Some(window) => {
                    window.place(&level);
                    window
                }
            };
            let shares = worths.par_chunks_mut(width).enumerate().with_max_len(SHARE.div_ceil(width));
            shares.for_each_init(Vec::new, |buffer, (mover, row)| {
                if !watch.stop() {
                    fill_row(maps, waiting, mover, 0..width, row, &indices, smaller, buffer);
                }
            });
            if watch.stop() {
                return Err(SolveError::Stopped);
            }
            if let Some(window) = &window {
                rows.write(level.clone(), window)?;
            }
            watch.progress(Pass::Captures, level.end as u64, total as u64);
        }
        Ok(Captures { rows, levels })
    }

    /// The rows at `waiting` waiting stones, one for each half-board of the mover.
    pub fn level(&self, waiting: usize) -> &[W] {
        &self.rows[self.places(waiting)]
    }

    /// Reads them from a scratch file into a window.
    pub fn read(&self, waiting: usize, window: &mut Window<W>) -> Result<(), StorageError> {
        self.rows.read(self.places(waiting), window)
    }

    fn places(&self, waiting: usize) -> Range<usize> {
        self.levels[waiting]..self.levels[waiting + 1]
    }

    /// The best capture or end of one board.
    pub fn of(&self, board: &Board) -> W {
        self.rows[self.place(board)]
    }

    /// Starts reading those of these boards from a scratch file.
    pub fn will_touch<'b>(&self, boards: impl Iterator<Item = &'b Board>) {
        self.rows.will_touch(boards.map(|board| self.place(board)).map(|place| place..place + 1));
    }

    fn place(&self, board: &Board) -> usize {
        let waiting = half::stones(board.waiting());
        self.levels[waiting] + half::rank(board.mover()) * half::count(waiting) + half::rank(board.waiting())
    }
}

/// Fills the row of a mover's half-board: the best capture or end of the boards on which the half-board of
/// the other player, who has `waiting` stones, is one of `others`.
#[expect(clippy::too_many_arguments, reason = "what a row depends on, and two things kept from row to row")]
pub(super) fn fill_row<W: Worth>(
    maps: &Maps,
    waiting: usize,
    mover: usize,
    others: Range<usize>,
    row: &mut [W],
    indices: &[Index],
    smaller: &dyn SmallerTables,
    buffer: &mut Vec<i8>,
) {
    let stones = maps.stones;
    let own = stones - waiting;
    let sowings = &maps.halves[waiting].sowings;
    if own == 0 {
        row.fill(W::end(-(stones as i8))); // no stones to move: the opponent takes the rest
        return;
    }
    row.fill(W::NONE);
    let moves = maps.halves[own].own.all(mover);
    for play in moves {
        let runs = sowings.of(play.class());
        let kept = own - play.class().stones();
        let child = maps.halves[kept].row(play.after()) as u64;
        for run in &runs.captures {
            let (at, end) = (run.at as usize, (run.at + run.len) as usize);
            let (from, until) = (at.max(others.start), end.min(others.end));
            if from >= until {
                continue;
            }
            let left = stones - usize::from(run.captured);
            let to = run.to as usize + from - at;
            let place = indices[left].level(kept) + child * half::count(left - kept) as u64 + to as u64;
            buffer.resize(until - from, 0);
            smaller.read(left as u32, place, buffer);
            for (best, &value) in row[from - others.start..].iter_mut().zip(&*buffer) {
                *best = (*best).max(W::capture(run.captured as i8 - value));
            }
        }
        for end in runs.ends.iter().map(|&end| end as usize).filter(|end| others.contains(end)) {
            row[end - others.start] = W::capture(stones as i8);
        }
    }
    // Nobody can be fed, or every move is a slam that may not be played.
    let played = moves.iter().fold(0u64, |mask, play| mask | 1 << play.class().0);
    for &(rank, illegal) in &sowings.illegal {
        let rank = rank as usize;
        if played & !illegal == 0 && others.contains(&rank) {
            row[rank - others.start] = W::end(stones as i8);
        }
    }
}
