//! How much memory a rank takes.

use super::super::needs::{self, Needs};
use super::cuts::Cuts;
use super::fetch::{AT_A_TIME, PARTS};
use crate::half;

impl Needs {
    /// For the values of `stones` stones, on the rank of `ranks` that takes most. Its table and captures are in
    /// memory, and so is everything else.
    ///
    /// # Panics
    /// If `stones` is over 48 or there are no ranks.
    pub fn of_values_among(stones: u32, ranks: usize) -> Needs {
        Needs::of_rank(stones, ranks, 1)
    }

    /// The same for depths.
    ///
    /// # Panics
    /// If `stones` is over 48 or there are no ranks.
    pub fn of_depths_among(stones: u32, ranks: usize) -> Needs {
        Needs::of_rank(stones, ranks, 2)
    }

    fn of_rank(stones: u32, ranks: usize, bytes: u64) -> Needs {
        assert!(ranks > 0, "a build has a rank at least");
        let cuts = Cuts::new(stones as usize, ranks);
        let of = |rank| {
            let areas = cuts.pairs().map(|poorer| cuts.area(poorer, rank) as u64);
            let (sum, most) = areas.fold((0, 0), |(sum, most), area| (sum + area, area.max(most)));
            // Worths and captures, with either side to move; lines, tiles, rows of other ranks and for them.
            (4 * sum, 6 * most)
        };
        let (table, pair) = (0..ranks).map(of).fold((0, 0), |a, b| (a.0.max(b.0), a.1.max(b.1)));
        let level = |waiting| half::count(waiting) * half::count(stones as usize - waiting);
        let largest = bytes * (0..=stones as usize).map(level).max().unwrap_or(0) as u64;
        let messages = 2 * largest.div_ceil(PARTS as u64).max(largest.min(AT_A_TIME as u64));
        let besides = needs::at_least(stones) + needs::last_changes(stones) / ranks as u64;
        Needs { table: bytes * table, working: bytes * pair + largest + messages + besides, windows: 0 }
    }
}
