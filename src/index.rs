//! A position's place in its table, and back.
//!
//! The table of `n` stones holds, for each number `w` = 0..=n of stones on the waiting side (the
//! side that has just moved), for each waiting half-board with at least one empty pit, a **row**
//! of all the mover's half-boards of `n − w` stones, both in the order of [`crate::half`].
//! Positions whose waiting side has no empty pit cannot arise from a move and have no place. That
//! leaves C(n+11, 11) − C(n+5, 11) positions.

use crate::board::{Board, MAX_STONES};
use crate::half;

/// Stones no game has: a capture takes two or more, so 47 stones never lie on the board.
pub const IMPOSSIBLE_STONES: u32 = 47;

/// The places of all positions of one number of stones.
///
/// ```
/// use awari::index::Index;
/// let index = Index::new(6);
/// assert_eq!(index.positions(), 12_375);
/// let board = index.board(6_000);
/// assert_eq!(index.place(&board), Some(6_000));
/// ```
#[derive(Clone, Debug)]
pub struct Index {
    stones: usize,
    /// Where each level (number of waiting stones) starts; the last entry is the number of
    /// positions.
    levels: [u64; MAX_STONES as usize + 2],
}

impl Index {
    /// The index of the positions of `stones` stones.
    ///
    /// # Panics
    /// If `stones` is over 48.
    pub fn new(stones: u32) -> Index {
        assert!(stones <= MAX_STONES, "{stones} stones: a game has {MAX_STONES}");
        let stones = stones as usize;
        let mut levels = [0; MAX_STONES as usize + 2];
        for waiting in 0..=stones {
            let rows = half::open_count(waiting) as u64;
            levels[waiting + 1] = levels[waiting] + rows * half::count(stones - waiting) as u64;
        }
        Index { stones, levels }
    }

    /// Stones on the board.
    pub fn stones(&self) -> u32 {
        self.stones as u32
    }

    /// How many positions have a place.
    pub fn positions(&self) -> u64 {
        self.levels[self.stones + 1]
    }

    /// Where the level of `waiting` stones on the waiting side starts; its rows follow one
    /// another, each `half::count(stones − waiting)` long.
    pub fn level(&self, waiting: usize) -> u64 {
        self.levels[waiting]
    }

    /// The place of a board, 0..[`Index::positions`], or None if it holds another number of
    /// stones or no move can lead to it.
    pub fn place(&self, board: &Board) -> Option<u64> {
        if board.stones() as usize != self.stones {
            return None;
        }
        let waiting = half::stones(board.waiting());
        let row = half::open_rank(board.waiting())? as u64;
        let columns = half::count(self.stones - waiting) as u64;
        Some(self.levels[waiting] + row * columns + half::rank(board.mover()) as u64)
    }

    /// The board at `place`: the inverse of [`Index::place`].
    ///
    /// # Panics
    /// If `place` is not below [`Index::positions`].
    pub fn board(&self, place: u64) -> Board {
        assert!(place < self.positions(), "place {place} of {}", self.positions());
        let waiting = self.levels[1..=self.stones + 1].partition_point(|&end| end <= place);
        let columns = half::count(self.stones - waiting) as u64;
        let inside = place - self.levels[waiting];
        Board::from_halves(
            half::unrank(self.stones - waiting, (inside % columns) as usize),
            half::open_unrank(waiting, (inside / columns) as usize),
        )
    }
}

/// How many boards of `stones` stones there are, reachable or not: C(stones+11, 11).
pub fn boards(stones: u32) -> u64 {
    binomial(u64::from(stones) + 11, 11)
}

fn binomial(n: u64, k: u64) -> u64 {
    // Each partial product is itself a binomial coefficient, so the division is exact.
    (1..=k).fold(1u128, |c, i| c * u128::from(n - k + i) / u128::from(i)) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_positions_as_published() {
        // Stored positions of 0..=46 and 48 stones, with the start: Romein & Bal 2002.
        let total: u64 =
            (0..=48).filter(|&n| n != IMPOSSIBLE_STONES).map(|n| Index::new(n).positions()).sum();
        assert_eq!(total + 1, 889_063_398_406);
        for n in 0..=48 {
            let unreachable = if n < 6 { 0 } else { boards(n - 6) };
            assert_eq!(Index::new(n).positions(), boards(n) - unreachable);
        }
    }
}
