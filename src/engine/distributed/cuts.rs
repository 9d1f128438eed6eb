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

use std::cmp::Ordering;
use std::ops::Range;

use super::super::chunks::Chunks;

/// The cuts of all pairs of levels.
pub(super) struct Cuts {
    pub stones: usize,
    pub ranks: usize,
    /// By stones of a half-board.
    chunks: Vec<Chunks>,
    /// By stones of the poorer side: the richer side's chunk that each rank starts with, and the end.
    cuts: Vec<Vec<usize>>,
}

impl Cuts {
    /// The positions of `stones` stones cut for so many ranks.
    pub fn new(stones: usize, ranks: usize) -> Cuts {
        let chunks = (0..=stones).map(Chunks::new).collect();
        let mut cuts = Cuts { stones, ranks, chunks, cuts: Vec::new() };
        cuts.cuts = cuts.pairs().map(|poorer| cuts.cut(poorer)).collect();
        cuts
    }

    /// Stones of the poorer side in each pair of levels.
    pub fn pairs(&self) -> Range<usize> {
        0..self.stones / 2 + 1
    }

    fn same(&self, poorer: usize) -> bool {
        2 * poorer == self.stones
    }

    /// The richer side's chunks that a rank has.
    pub fn reach_chunks(&self, poorer: usize, rank: usize) -> Range<usize> {
        self.cuts[poorer][rank]..self.cuts[poorer][rank + 1]
    }

    /// The ranks of the richer side's half-boards that a rank has.
    pub fn reach(&self, poorer: usize, rank: usize) -> Range<usize> {
        let (chunks, richer) = (self.reach_chunks(poorer, rank), self.stones - poorer);
        self.start(richer, chunks.start)..self.start(richer, chunks.end)
    }

    /// The poorer side's chunks that are found in a rank's positions together with one of its reach as the
    /// richer (in the middle: higher) half-board.
    pub fn stripe_chunks(&self, poorer: usize, rank: usize) -> Range<usize> {
        let reach = self.reach_chunks(poorer, rank);
        match (reach.is_empty(), self.same(poorer)) {
            (true, _) => 0..0,
            (_, true) => 0..reach.end,
            (_, false) => 0..self.chunks[poorer].len(),
        }
    }

    /// Their half-boards, by rank.
    pub fn stripe(&self, poorer: usize, rank: usize) -> Range<usize> {
        0..self.start(poorer, self.stripe_chunks(poorer, rank).end)
    }

    /// How many pairs there are of a half-board in reach and one in the stripe.
    pub fn area(&self, poorer: usize, rank: usize) -> usize {
        self.reach(poorer, rank).len() * self.stripe(poorer, rank).len()
    }

    /// Who has a position: the waiting half-board's stones and rank, the mover's rank.
    pub fn owner(&self, waiting: usize, rank: usize, mover: usize) -> usize {
        let poorer = waiting.min(self.stones - waiting);
        let richer = match (2 * waiting).cmp(&self.stones) {
            Ordering::Greater => rank,
            Ordering::Less => mover,
            Ordering::Equal => rank.max(mover),
        };
        let chunk = self.chunks[self.stones - poorer].of(richer);
        self.cuts[poorer][1..].partition_point(|&end| end <= chunk)
    }

    /// The rank of the first half-board of a chunk, or the number of half-boards behind the last.
    pub fn start(&self, stones: usize, chunk: usize) -> usize {
        chunk.checked_sub(1).map_or(0, |before| self.chunks[stones].ranks(before).end)
    }

    /// Cuts the richer side's chunks so that ranks have about as many positions.
    fn cut(&self, poorer: usize) -> Vec<usize> {
        let richer = self.stones - poorer;
        let chunks = self.chunks[richer].len();
        let positions = |chunk: usize| {
            let before = self.start(richer, chunk) as u128;
            if self.same(poorer) { before * before } else { before }
        };
        let total = positions(chunks);
        let nearest = |rank: usize| {
            let wanted = total * rank as u128 / self.ranks as u128;
            (0..=chunks).min_by_key(|&chunk| positions(chunk).abs_diff(wanted)).unwrap_or(0)
        };
        (0..=self.ranks).map(nearest).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::half;

    #[test]
    fn every_position_has_one_owner_and_ranks_have_about_as_many() {
        for (stones, ranks) in [(0, 3), (1, 2), (9, 5), (12, 4), (13, 40)] {
            let cuts = Cuts::new(stones, ranks);
            for poorer in cuts.pairs() {
                let richer = stones - poorer;
                for r in 0..half::count(richer) {
                    let owners: Vec<usize> =
                        (0..ranks).filter(|&rank| cuts.reach(poorer, rank).contains(&r)).collect();
                    assert_eq!(owners, [cuts.owner(richer, r, 0)]);
                    let in_stripe = cuts.stripe(poorer, owners[0]);
                    let poorer_sides = if richer == poorer { 0..r + 1 } else { 0..half::count(poorer) };
                    assert!(poorer_sides.clone().all(|p| in_stripe.contains(&p)));
                    assert!(poorer_sides.clone().all(|p| cuts.owner(richer, r, p) == owners[0]));
                    assert!(poorer_sides.clone().all(|p| cuts.owner(poorer, p, r) == owners[0]));
                }
            }
        }
        let cuts = Cuts::new(24, 4);
        let shares: Vec<usize> =
            (0..4).map(|rank| cuts.pairs().map(|poorer| cuts.area(poorer, rank)).sum()).collect();
        let (least, most) = (shares.iter().min().unwrap(), shares.iter().max().unwrap());
        assert!(most * 100 < least * 125, "{shares:?}");
    }
}
