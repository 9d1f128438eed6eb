//! The capture pass: what each position gains at best by a capture or the end of the game, looked
//! up once in the tables of fewer stones.

use rayon::prelude::*;

use super::maps::Maps;
use super::{Pass, SmallerTables, Stopped, Watch, worth};
use crate::half;
use crate::index::Index;

/// The best capture or end of every board, [`worth::NONE`] where there is none.
///
/// Laid out by the mover: for each number of waiting stones, for each mover's half-board a row of
/// all waiting half-boards, because a capture carries such a row along.
pub(super) struct Captures {
    levels: Vec<Vec<u8>>,
    widths: Vec<usize>,
}

impl Captures {
    /// Looks up every capture.
    pub fn look_up(maps: &Maps, smaller: &dyn SmallerTables, watch: &dyn Watch) -> Result<Captures, Stopped> {
        let stones = maps.stones;
        let indices: Vec<Index> = (0..=maps.stones as u32).map(Index::new).collect();
        let widths: Vec<usize> = (0..=stones).map(half::count).collect();
        let total = maps.index.positions();
        let mut levels = Vec::with_capacity(stones + 1);
        let mut done = 0;
        for waiting in 0..=stones {
            let width = widths[waiting];
            let mut level = vec![worth::NONE; width * half::count(stones - waiting)];
            level.par_chunks_mut(width).enumerate().for_each_init(Vec::new, |buffer, (mover, row)| {
                if !watch.stop() {
                    fill_row(maps, waiting, mover, row, &indices, smaller, buffer);
                }
            });
            if watch.stop() {
                return Err(Stopped);
            }
            levels.push(level);
            done += half::open_count(waiting) as u64 * half::count(stones - waiting) as u64;
            watch.progress(Pass::Captures, done, total);
        }
        Ok(Captures { levels, widths })
    }

    /// The row of the mover's half-board `mover` at `waiting` waiting stones.
    pub fn row(&self, waiting: usize, mover: usize) -> &[u8] {
        let width = self.widths[waiting];
        &self.levels[waiting][mover * width..(mover + 1) * width]
    }
}

fn fill_row(
    maps: &Maps,
    waiting: usize,
    mover: usize,
    row: &mut [u8],
    indices: &[Index],
    smaller: &dyn SmallerTables,
    buffer: &mut Vec<i8>,
) {
    let stones = maps.stones;
    let own = stones - waiting;
    let sowings = &maps.halves[waiting].sowings;
    if own == 0 {
        row.fill(worth::of(-(stones as i8))); // no stones to move: the opponent takes the rest
        return;
    }
    let moves = maps.halves[own].own.of(mover);
    let everything = worth::of(stones as i8);
    for play in moves {
        let runs = sowings.of(play.class);
        let kept = own - play.class.stones();
        for run in &runs.captures {
            let captured = usize::from(run.captured);
            let left = stones - captured;
            let place = indices[left].level(kept)
                + u64::from(play.row) * half::count(left - kept) as u64
                + u64::from(run.to);
            buffer.resize(run.len as usize, 0);
            smaller.read(left as u32, place, buffer);
            for (best, &value) in row[run.at as usize..].iter_mut().zip(&*buffer) {
                *best = (*best).max(worth::of(run.captured as i8 - value));
            }
        }
        for &end in &runs.ends {
            row[end as usize] = everything;
        }
    }
    // Nobody can be fed, or every move is a slam that may not be played.
    let played = moves.iter().fold(0u64, |mask, play| mask | 1 << play.class.0);
    for &(rank, illegal) in &sowings.illegal {
        if played & !illegal == 0 {
            row[rank as usize] = everything;
        }
    }
}
