//! Everything about one number of stones that does not depend on values: chunks, moves, runs.

use std::ops::Range;

use rayon::prelude::*;

use super::chunks::Chunks;
use super::runs::Sowings;
use super::sowing::OwnMoves;
use crate::half;
use crate::index::Index;
use crate::rules::Rules;

/// What half-boards of as many stones can do and what can be done to them.
pub(super) struct HalfMaps {
    /// The half-boards cut into chunks.
    pub chunks: Chunks,
    /// The moves of a player who has them.
    pub own: OwnMoves,
    /// What the other player's sowings do to them.
    pub sowings: Sowings,
    /// The row of each half-board, by rank; [`HalfMaps::NO_ROW`] without an empty pit.
    rows: Vec<u32>,
    /// Where the rows of each chunk start.
    row_starts: Vec<u32>,
}

impl HalfMaps {
    const NO_ROW: u32 = u32::MAX;

    fn new(stones: usize, total: usize, rules: Rules) -> HalfMaps {
        let chunks = Chunks::new(stones);
        let own = OwnMoves::new(stones);
        let sowings = Sowings::new(stones, total - stones, rules);
        let rows: Vec<u32> = half::all(stones)
            .map(|half| half::open_rank(half).map_or(HalfMaps::NO_ROW, |row| row as u32))
            .collect();
        let mut row_starts = Vec::with_capacity(chunks.len() + 1);
        let mut seen = 0;
        for chunk in 0..chunks.len() {
            row_starts.push(seen);
            seen += rows[chunks.ranks(chunk)].iter().filter(|&&row| row != HalfMaps::NO_ROW).count() as u32;
        }
        row_starts.push(seen);
        HalfMaps { chunks, own, sowings, rows, row_starts }
    }

    /// Whether the half-board at `rank` has a row: whether it can be that of a player who has just
    /// moved.
    pub fn has_row(&self, rank: usize) -> bool {
        self.rows[rank] != HalfMaps::NO_ROW
    }

    /// The row of the half-board at `rank`, which has one.
    pub fn row(&self, rank: usize) -> usize {
        debug_assert!(self.has_row(rank));
        self.rows[rank] as usize
    }

    /// How many half-boards have one.
    pub fn rows(&self) -> usize {
        self.row_starts.last().map_or(0, |&rows| rows as usize)
    }

    /// The rows of a chunk's half-boards.
    pub fn rows_of(&self, chunk: usize) -> Range<usize> {
        self.row_starts[chunk] as usize..self.row_starts[chunk + 1] as usize
    }
}

/// The maps of all half-boards that occur in positions of one number of stones.
pub(super) struct Maps {
    /// The rules.
    pub rules: Rules,
    /// Stones on the board.
    pub stones: usize,
    /// Where positions are.
    pub index: Index,
    /// By stones of the half-board.
    pub halves: Vec<HalfMaps>,
}

impl Maps {
    /// The maps for positions of `stones` stones.
    pub fn new(rules: Rules, stones: u32) -> Maps {
        let total = stones as usize;
        let halves = (0..=total).into_par_iter().map(|s| HalfMaps::new(s, total, rules)).collect();
        Maps { rules, stones: total, index: Index::new(stones), halves }
    }

    /// How many chunks the half-boards of `stones` stones have.
    pub fn chunks(&self, stones: usize) -> usize {
        self.halves[stones].chunks.len()
    }

    /// The places of the positions with so many waiting stones.
    pub fn level(&self, waiting: usize) -> Range<usize> {
        self.index.level(waiting) as usize..self.index.level(waiting + 1) as usize
    }

    /// The most boards that have the same number of waiting stones.
    pub fn largest_level(&self) -> usize {
        let boards = |waiting| half::count(waiting) * half::count(self.stones - waiting);
        (0..=self.stones).map(boards).max().unwrap_or(0)
    }

    /// Where the rows of waiting half-boards of `waiting` stones start in their level, the `row`-th of
    /// them.
    pub fn row_start(&self, waiting: usize, row: usize) -> usize {
        row * half::count(self.stones - waiting)
    }

    /// Where the row of the waiting half-board at `rank`, which has one, starts in its level.
    pub fn row_of(&self, waiting: usize, rank: usize) -> usize {
        self.row_start(waiting, self.halves[waiting].row(rank))
    }
}
