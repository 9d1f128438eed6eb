//! The capture pass: what each position gains at best by a capture or the end of the game, looked
//! up once in the tables of fewer stones.

use rayon::prelude::*;

use super::block::Part;
use super::maps::Maps;
use super::storage::{Buffer, Storage};
use super::worth::Worth;
use super::{Pass, SmallerTables, SolveError, Watch};
use crate::half;
use crate::index::Index;

/// The best capture or end of every board, [`Worth::NONE`] where there is none.
///
/// Laid out as the sweeps read it: for each number of waiting stones, for each chunk of the
/// mover's half-boards and each chunk of the waiting ones, a line for each half-board of the
/// mover, because a capture carries such a line along.
pub(super) struct Captures<W> {
    lines: Buffer<W>,
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
        let mut lines: Buffer<W> = Buffer::new(storage, total)?;
        for waiting in 0..=stones {
            let mut rest = &mut lines[levels[waiting]..levels[waiting + 1]];
            let mut jobs = Vec::new();
            for chunk in 0..maps.chunks(stones - waiting) {
                let mover = Part::new(maps, stones - waiting, chunk);
                let (lines, after) =
                    std::mem::take(&mut rest).split_at_mut(mover.ranks().len() * half::count(waiting));
                rest = after;
                jobs.push((mover, lines));
            }
            jobs.into_par_iter().with_max_len(1).for_each_init(Vec::new, |buffer, (mover, lines)| {
                if !watch.stop() {
                    fill(maps, waiting, mover, lines, &indices, smaller, buffer);
                }
            });
            if watch.stop() {
                return Err(SolveError::Stopped);
            }
            watch.progress(Pass::Captures, levels[waiting + 1] as u64, total as u64);
        }
        Ok(Captures { lines, levels })
    }

    /// The lines of a block: one of the waiting chunk for each half-board of the mover's.
    pub fn block(&self, mover: Part, waiting: Part) -> &[W] {
        let (movers, others) = (mover.ranks(), waiting.ranks());
        let start = self.levels[waiting.stones]
            + movers.start * half::count(waiting.stones)
            + movers.len() * others.start;
        &self.lines[start..start + movers.len() * others.len()]
    }

    /// The best capture or end of one board, given by its half-boards' stones and ranks.
    pub fn of(&self, maps: &Maps, mover: (usize, usize), waiting: (usize, usize)) -> W {
        let part = |(stones, rank): (usize, usize)| {
            let part = Part::new(maps, stones, maps.halves[stones].chunks.of(rank));
            (part, rank - part.ranks().start)
        };
        let ((mover, line), (waiting, at)) = (part(mover), part(waiting));
        self.block(mover, waiting)[line * waiting.ranks().len() + at]
    }
}

/// Fills the lines of a mover's chunk against all waiting half-boards.
fn fill<W: Worth>(
    maps: &Maps,
    waiting: usize,
    mover: Part,
    lines: &mut [W],
    indices: &[Index],
    smaller: &dyn SmallerTables,
    buffer: &mut Vec<i8>,
) {
    let movers = mover.ranks();
    let mut row = vec![W::NONE; half::count(waiting)];
    for (line, rank) in movers.clone().enumerate() {
        fill_row(maps, waiting, rank, &mut row, indices, smaller, buffer);
        for chunk in 0..maps.chunks(waiting) {
            let others = Part::new(maps, waiting, chunk).ranks();
            let start = movers.len() * others.start + line * others.len();
            lines[start..start + others.len()].copy_from_slice(&row[others]);
        }
    }
}

fn fill_row<W: Worth>(
    maps: &Maps,
    waiting: usize,
    mover: usize,
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
    let moves = maps.halves[own].own.of(mover);
    for play in moves {
        let runs = sowings.of(play.class);
        let kept = own - play.class.stones();
        for run in &runs.captures {
            let left = stones - usize::from(run.captured);
            let place = indices[left].level(kept)
                + u64::from(play.row) * half::count(left - kept) as u64
                + u64::from(run.to);
            buffer.resize(run.len as usize, 0);
            smaller.read(left as u32, place, buffer);
            for (best, &value) in row[run.at as usize..].iter_mut().zip(&*buffer) {
                *best = (*best).max(W::capture(run.captured as i8 - value));
            }
        }
        for &end in &runs.ends {
            row[end as usize] = W::capture(stones as i8);
        }
    }
    // Nobody can be fed, or every move is a slam that may not be played.
    let played = moves.iter().fold(0u64, |mask, play| mask | 1 << play.class.0);
    for &(rank, illegal) in &sowings.illegal {
        if played & !illegal == 0 {
            row[rank as usize] = W::end(stones as i8);
        }
    }
}
