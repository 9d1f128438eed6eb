//! Which rank has which positions.
//!
//! Of each pair of levels a rank has a range of the richer side's half-boards, its **reach**, in whole
//! chunks: all positions with one of them, whoever is to move. In the middle, where both sides have as many
//! stones, it is the half-board of the higher rank that counts: there a range has the shape of an L.
//!
//! ```text
//!   [t | s]: the richer side waits     [s | t]: the poorer side waits     [n/2 | n/2]
//!     ┌──────────┐                       ┌──┬────┬───┐                      ┌──┬──┬─┐
//!     │ rank 0   │                       │  │    │   │                      │0 │1 │2│
//!     ├──────────┤                       │0 │ 1  │ 2 │                      ├──┘  │ │
//!     │ rank 1   │                       │  │    │   │                      │1   1│ │
//!     ├──────────┤                       └──┴────┴───┘                      ├─────┘ │
//!     │ rank 2   │                                                          │2     2│
//!     └──────────┘                                                          └───────┘
//! ```

use std::ops::Range;

use super::super::maps::Maps;
use crate::half;

/// The cuts of all pairs of levels.
pub(super) struct Shares<'m> {
    pub maps: &'m Maps,
    pub ranks: usize,
    /// By stones of the poorer side: the richer side's chunk that each rank starts with, and the end.
    cuts: Vec<Vec<usize>>,
}

/// A rectangle of a level: the positions of some waiting half-boards, in whole chunks, and some of the mover's.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Rectangle {
    /// The waiting half-boards' chunks.
    pub chunks: Range<usize>,
    /// Their ranks.
    pub ranks: Range<usize>,
    /// Their rows in the level.
    pub rows: Range<usize>,
    /// The mover's half-boards.
    pub columns: Range<usize>,
}

impl Rectangle {
    /// Positions in it.
    pub fn size(&self) -> usize {
        self.rows.len() * self.columns.len()
    }
}

impl<'m> Shares<'m> {
    /// The shares of so many ranks.
    pub fn new(maps: &'m Maps, ranks: usize) -> Shares<'m> {
        let cuts = (0..=maps.stones / 2).map(|poorer| cut(maps, poorer, ranks)).collect();
        Shares { maps, ranks, cuts }
    }

    /// Stones of the poorer side in each pair of levels.
    pub fn pairs(&self) -> Range<usize> {
        0..self.maps.stones / 2 + 1
    }

    fn same(&self, poorer: usize) -> bool {
        2 * poorer == self.maps.stones
    }

    /// The richer side's chunks that a rank has.
    pub fn reach_chunks(&self, poorer: usize, rank: usize) -> Range<usize> {
        self.cuts[poorer][rank]..self.cuts[poorer][rank + 1]
    }

    /// The ranks of the richer side's half-boards that a rank has.
    pub fn reach(&self, poorer: usize, rank: usize) -> Range<usize> {
        let chunks = self.reach_chunks(poorer, rank);
        start(self.maps, self.maps.stones - poorer, chunks.start)
            ..start(self.maps, self.maps.stones - poorer, chunks.end)
    }

    /// The poorer side's chunks that are found in a rank's positions together with one of its reach as the
    /// richer (in the middle: higher) half-board.
    pub fn stripe_chunks(&self, poorer: usize, rank: usize) -> Range<usize> {
        let reach = self.reach_chunks(poorer, rank);
        match (reach.is_empty(), self.same(poorer)) {
            (true, _) => 0..0,
            (_, true) => 0..reach.end,
            (_, false) => 0..self.maps.chunks(poorer),
        }
    }

    /// Their half-boards, by rank.
    pub fn stripe(&self, poorer: usize, rank: usize) -> Range<usize> {
        0..start(self.maps, poorer, self.stripe_chunks(poorer, rank).end)
    }

    /// The positions of a level that a rank has.
    pub fn rectangles(&self, waiting: usize, rank: usize) -> Vec<Rectangle> {
        let (maps, mover) = (self.maps, self.maps.stones - waiting);
        let poorer = waiting.min(mover);
        let (chunks, reach) = (self.reach_chunks(poorer, rank), self.reach(poorer, rank));
        let rectangle = |chunks: Range<usize>, columns: Range<usize>| {
            let row = |chunk: usize| match chunk.checked_sub(1) {
                Some(before) => maps.halves[waiting].rows_of(before).end,
                None => 0,
            };
            Rectangle {
                ranks: start(maps, waiting, chunks.start)..start(maps, waiting, chunks.end),
                rows: row(chunks.start)..row(chunks.end),
                chunks,
                columns,
            }
        };
        let all = match waiting.cmp(&mover) {
            std::cmp::Ordering::Greater => vec![rectangle(chunks, 0..half::count(mover))],
            std::cmp::Ordering::Less => vec![rectangle(0..maps.chunks(waiting), reach)],
            std::cmp::Ordering::Equal => {
                vec![rectangle(chunks.clone(), 0..reach.end), rectangle(0..chunks.start, reach)]
            }
        };
        all.into_iter().filter(|rectangle| rectangle.size() > 0).collect()
    }

    /// Who has a position: the waiting half-board's stones and rank, the mover's rank.
    pub fn owner(&self, waiting: usize, rank: usize, mover: usize) -> usize {
        let poorer = waiting.min(self.maps.stones - waiting);
        let richer = match (2 * waiting).cmp(&self.maps.stones) {
            std::cmp::Ordering::Greater => rank,
            std::cmp::Ordering::Less => mover,
            std::cmp::Ordering::Equal => rank.max(mover),
        };
        let chunk = self.maps.halves[self.maps.stones - poorer].chunks.of(richer);
        self.cuts[poorer][1..].partition_point(|&end| end <= chunk)
    }
}

/// The rank of the first half-board of a chunk, or the number of half-boards behind the last.
fn start(maps: &Maps, stones: usize, chunk: usize) -> usize {
    match chunk.checked_sub(1) {
        Some(before) => maps.halves[stones].chunks.ranks(before).end,
        None => 0,
    }
}

/// Cuts the richer side's chunks so that ranks have about as many positions.
fn cut(maps: &Maps, poorer: usize, ranks: usize) -> Vec<usize> {
    let richer = maps.stones - poorer;
    let chunks = maps.chunks(richer);
    let positions = |chunk: usize| {
        let before = start(maps, richer, chunk) as u128;
        if richer == poorer { before * before } else { before }
    };
    let total = positions(chunks);
    let nearest = |rank: usize| {
        let wanted = total * rank as u128 / ranks as u128;
        (0..=chunks).min_by_key(|&chunk| positions(chunk).abs_diff(wanted)).unwrap_or(0)
    };
    (0..=ranks).map(nearest).collect()
}

/// The positions that one rank has, and where in its part of the table they are.
pub(super) struct Share<'s> {
    shares: &'s Shares<'s>,
    /// By waiting stones: the rectangles, each with the place of its first position.
    levels: Vec<Vec<(Rectangle, usize)>>,
    /// How many positions.
    pub size: usize,
}

impl<'s> Share<'s> {
    pub fn new(shares: &'s Shares<'s>, rank: usize) -> Share<'s> {
        let mut size = 0;
        let placed = |rectangle: Rectangle| {
            let at = size;
            size += rectangle.size();
            (rectangle, at)
        };
        let mut placed = placed;
        let levels = (0..=shares.maps.stones)
            .map(|waiting| shares.rectangles(waiting, rank).into_iter().map(&mut placed).collect())
            .collect();
        Share { shares, levels, size }
    }

    /// Its rectangles of a level, each with the place of its first position.
    pub fn level(&self, waiting: usize) -> &[(Rectangle, usize)] {
        &self.levels[waiting]
    }

    /// The place of a position that it has: the waiting half-board's stones and rank, the mover's rank.
    pub fn place(&self, waiting: usize, rank: usize, mover: usize) -> usize {
        let inside = |(rectangle, _): &&(Rectangle, usize)| {
            rectangle.ranks.contains(&rank) && rectangle.columns.contains(&mover)
        };
        let (rectangle, at) = self.levels[waiting].iter().find(inside).unwrap_or(&self.levels[waiting][0]);
        let row = self.shares.maps.halves[waiting].row(rank) - rectangle.rows.start;
        at + row * rectangle.columns.len() + mover - rectangle.columns.start
    }
}
