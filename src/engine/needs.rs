//! How much memory a solve takes.

use crate::board::MAX_STONES;
use crate::half;
use crate::index::{self, Index};

/// Bytes that a solve takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Needs {
    /// For every position its worth, for every board its best capture: what
    /// [`Storage::Scratch`](super::Storage::Scratch) keeps in files.
    pub table: u64,
    /// What is in memory in any case: the best moves and the tiles of one stripe of levels, the maps of
    /// half-boards, the list of the last changes, and what a program takes however small the table.
    pub working: u64,
    /// What is in memory besides if the table is in scratch files, whose stripes are whole levels.
    pub windows: u64,
}

/// Positions of the largest stripe, about.
const STRIPE: u64 = super::sweep::STRIPE as u64 * 9 / 8;

/// Bytes for a half-board: its moves, its row, what is sown onto it.
const PER_HALF: u64 = 40;

/// Bytes for each position of the list of the last changes, in thousandths: 0.6 % of eight.
const LAST_CHANGES: u64 = 48;

/// Bytes however small the table: the program, its threads and their work space.
const AT_LEAST: u64 = 24 << 20;

/// Bytes for the list of the last changes.
pub(super) fn last_changes(stones: u32) -> u64 {
    Index::new(stones).positions() * LAST_CHANGES / 1000
}

/// Bytes for what does not depend on positions: the maps of half-boards, the program itself.
pub(super) fn at_least(stones: u32) -> u64 {
    PER_HALF * (0..=stones).map(|s| half::count(s as usize) as u64).sum::<u64>() + AT_LEAST
}

impl Needs {
    /// For the values of `stones` stones.
    ///
    /// # Panics
    /// If `stones` is over 48.
    pub fn of_values(stones: u32) -> Needs {
        Needs::of(stones, 1)
    }

    /// For the depths of `stones` stones.
    ///
    /// # Panics
    /// If `stones` is over 48.
    pub fn of_depths(stones: u32) -> Needs {
        Needs::of(stones, 2)
    }

    /// Both together: what a solve in memory takes.
    pub fn total(&self) -> u64 {
        self.table + self.working
    }

    /// What a solve in scratch files takes in memory.
    pub fn in_scratch(&self) -> u64 {
        self.working + self.windows
    }

    fn of(stones: u32, bytes: u64) -> Needs {
        assert!(stones <= MAX_STONES, "{stones} stones: a game has {MAX_STONES}");
        let positions = Index::new(stones).positions();
        let halves = |s: u32| half::count(s as usize) as u64;
        let largest = (0..=stones).map(|s| halves(s) * halves(stones - s)).max().unwrap_or(0);
        Needs {
            table: bytes * (positions + index::boards(stones)),
            working: bytes * 4 * largest.min(STRIPE) + last_changes(stones) + at_least(stones),
            windows: bytes * 4 * largest.saturating_sub(STRIPE),
        }
    }
}
