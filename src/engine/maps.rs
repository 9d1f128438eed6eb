//! Everything about one number of stones that does not depend on values: chunks, moves, runs.

use std::ops::Range;

use rayon::prelude::*;

use super::chunks::Chunks;
use super::runs::Sowings;
use super::sowing::{Class, OwnMoves};
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
    /// The row of each half-board, by rank; None without an empty pit.
    pub rows: Vec<Option<u32>>,
    /// Where the rows of each chunk start.
    row_starts: Vec<u32>,
    /// For each chunk, what its half-boards can become by moves that leave the block: the class
    /// and the chunk of the half-board afterwards.
    pub sources: Vec<Vec<(Class, u16)>>,
    /// For each class and chunk, the chunks its quiet runs lead to.
    reach: Vec<Vec<Range<usize>>>,
}

impl HalfMaps {
    fn new(stones: usize, total: usize, rules: Rules) -> HalfMaps {
        let chunks = Chunks::new(stones);
        let own = OwnMoves::new(stones);
        let sowings = Sowings::new(stones, total - stones, &chunks, rules);
        let rows: Vec<Option<u32>> =
            half::all(stones).map(|half| half::open_rank(half).map(|row| row as u32)).collect();
        let mut row_starts = Vec::with_capacity(chunks.len() + 1);
        let mut seen = 0;
        for chunk in 0..chunks.len() {
            row_starts.push(seen);
            seen += rows[chunks.ranks(chunk)].iter().flatten().count() as u32;
        }
        row_starts.push(seen);
        let (sources, reach) = (Vec::new(), Vec::new());
        HalfMaps { chunks, own, sowings, rows, row_starts, sources, reach }
    }

    /// The chunks that the quiet runs of `class` lead to from `chunk`.
    pub fn reach(&self, class: Class, chunk: usize) -> Range<usize> {
        self.reach[usize::from(class.0)][chunk].clone()
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
        let mut halves: Vec<HalfMaps> =
            (0..=total).into_par_iter().map(|s| HalfMaps::new(s, total, rules)).collect();
        let links: Vec<_> = (0..=total).map(|s| (sources(&halves, s), reach(&halves, s))).collect();
        for (half, (sources, reach)) in halves.iter_mut().zip(links) {
            (half.sources, half.reach) = (sources, reach);
        }
        Maps { rules, stones: total, index: Index::new(stones), halves }
    }

    /// How many chunks the half-boards of `stones` stones have.
    pub fn chunks(&self, stones: usize) -> usize {
        self.halves[stones].chunks.len()
    }

    /// Where the row of a waiting half-board starts in the table.
    pub fn row_start(&self, waiting: usize, row: usize) -> usize {
        self.index.level(waiting) as usize + row * half::count(self.stones - waiting)
    }
}

fn sources(halves: &[HalfMaps], stones: usize) -> Vec<Vec<(Class, u16)>> {
    let maps = &halves[stones];
    let sources = (0..maps.chunks.len()).map(|chunk| {
        let moves = maps.chunks.ranks(chunk).flat_map(|rank| maps.own.of(rank));
        let mut sources: Vec<(Class, u16)> = moves
            .map(|play| {
                let after = &halves[stones - play.class.stones()].chunks;
                (play.class, after.of(play.after as usize) as u16)
            })
            .filter(|&(class, after)| class.0 > 0 || usize::from(after) != chunk)
            .collect();
        sources.sort_unstable();
        sources.dedup();
        sources
    });
    sources.collect()
}

fn reach(halves: &[HalfMaps], stones: usize) -> Vec<Vec<Range<usize>>> {
    let maps = &halves[stones];
    let most = halves.len() - 1 - stones;
    let reach = Class::up_to(most).map(|class| {
        let after = &halves[stones + class.stones()].chunks;
        let chunks = 0..maps.chunks.len();
        chunks
            .map(|chunk| {
                let ranks = maps.sowings.of(class).reach(chunk);
                if ranks.is_empty() { 0..0 } else { after.of(ranks.start)..after.of(ranks.end - 1) + 1 }
            })
            .collect()
    });
    reach.collect()
}
