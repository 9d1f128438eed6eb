//! Half-boards cut into chunks of consecutive ranks: the sides of the engine's blocks.

use std::ops::Range;

use super::worth::LANES;
use crate::half;

/// The most half-boards of a chunk: a block of so many on either side fits into a core's cache
/// with its work space.
const MOST: usize = 512;

/// The fewest, if there are as many: shorter lines are not worth their beginning.
const FEWEST: usize = 2 * LANES;

/// In how many chunks to cut if they are not longer or shorter than that: enough of them for
/// threads to share.
const CHUNKS: usize = 12;

/// The half-boards of one number of stones, cut into chunks.
pub(super) struct Chunks {
    half_boards: usize,
    size: usize,
}

impl Chunks {
    /// The chunks of the half-boards of `stones` stones.
    pub fn new(stones: usize) -> Chunks {
        let half_boards = half::count(stones);
        let size = half_boards.div_ceil(CHUNKS).next_multiple_of(LANES).clamp(FEWEST, MOST);
        Chunks { half_boards, size }
    }

    /// How many chunks there are.
    pub fn len(&self) -> usize {
        self.half_boards.div_ceil(self.size)
    }

    /// The chunk of the half-board at `rank`.
    #[inline(always)]
    pub fn of(&self, rank: usize) -> usize {
        rank / self.size
    }

    /// The ranks of a chunk.
    pub fn ranks(&self, chunk: usize) -> Range<usize> {
        chunk * self.size..self.half_boards.min((chunk + 1) * self.size)
    }
}
