//! The captures of one rank's positions, and of the boards among them that have no place in the table.

use rayon::prelude::*;

use super::super::captures::fill_row;
use super::super::storage::{Buffer, Storage, StorageError};
use super::super::worth::Worth;
use super::super::{Pass, SmallerTables, Watch};
use super::shares::Shares;
use crate::board::Board;
use crate::half;
use crate::index::Index;

/// Boards that are given to a thread together.
const SHARE: usize = 1 << 15;

/// The best capture or end of each board: of every pair of levels two rectangles, in which the richer side's
/// half-board is in reach and the poorer side's in the stripe. In the first the richer side is to move: for
/// each of its half-boards a row of the poorer side's. In the second the poorer side is: for each of its
/// half-boards a row of the richer side's.
pub(super) struct Captures<'s, W> {
    shares: &'s Shares<'s>,
    rank: usize,
    rows: Buffer<W>,
    /// By the poorer side's stones: where the two rectangles start.
    starts: Vec<[usize; 2]>,
}

impl<'s, W: Worth> Captures<'s, W> {
    /// Room for them.
    pub fn new(shares: &'s Shares<'s>, rank: usize) -> Result<Captures<'s, W>, StorageError> {
        let mut size = 0;
        let starts = shares.pairs().map(|poorer| {
            let area = shares.area(poorer, rank);
            size += 2 * area;
            [size - 2 * area, size - area]
        });
        let starts = starts.collect();
        Ok(Captures { shares, rank, rows: Buffer::new(&Storage::Memory, size)?, starts })
    }

    /// Looks up every capture, unless `watch` says to stop.
    pub fn look_up(&mut self, smaller: &dyn SmallerTables, watch: &dyn Watch) {
        let (shares, maps) = (self.shares, self.shares.maps);
        let indices: Vec<Index> = (0..maps.stones as u32).map(Index::new).collect();
        let total = self.rows.len() as u64;
        for poorer in shares.pairs() {
            let richer = maps.stones - poorer;
            let (reach, stripe) = (shares.reach(poorer, self.rank), shares.stripe(poorer, self.rank));
            let area = reach.len() * stripe.len();
            if area == 0 {
                continue;
            }
            let rectangles = [(poorer, &reach, &stripe), (richer, &stripe, &reach)];
            for (start, (waiting, movers, others)) in self.starts[poorer].into_iter().zip(rectangles) {
                let rows = self.rows[start..start + area].par_chunks_mut(others.len());
                let rows = rows.zip(movers.clone()).with_max_len(SHARE.div_ceil(others.len()));
                rows.for_each_init(Vec::new, |buffer, (row, mover)| {
                    if !watch.stop() {
                        fill_row(maps, waiting, mover, others.clone(), row, &indices, smaller, buffer);
                    }
                });
            }
            watch.progress(Pass::Captures, (self.starts[poorer][1] + area) as u64, total);
        }
    }

    /// Those of a pair of levels: with the richer side to move, and with the poorer.
    pub fn of_pair(&self, poorer: usize) -> [&[W]; 2] {
        let area = self.shares.area(poorer, self.rank);
        self.starts[poorer].map(|start| &self.rows[start..start + area])
    }

    /// That of one board, whose position this rank has.
    pub fn of(&self, board: &Board) -> W {
        let (own, waiting) = (half::stones(board.mover()), half::stones(board.waiting()));
        let poorer = own.min(waiting);
        let (reach, stripe) = (self.shares.reach(poorer, self.rank), self.shares.stripe(poorer, self.rank));
        let (mover, other) = (half::rank(board.mover()), half::rank(board.waiting()));
        let [richer_moves, poorer_moves] = self.starts[poorer];
        let place = if own > waiting || own == waiting && reach.contains(&mover) {
            richer_moves + (mover - reach.start) * stripe.len() + other
        } else {
            poorer_moves + mover * reach.len() + other - reach.start
        };
        self.rows[place]
    }
}
