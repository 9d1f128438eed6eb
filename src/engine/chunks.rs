//! Half-boards cut into chunks of consecutive ranks: the sides of the engine's blocks.

use std::ops::Range;

use crate::half;

/// Where few stones are left behind the first pits, chunks are merged: a level has few of them.
const MERGE_BELOW: u8 = 7;

/// The half-boards of one number of stones, cut where the first two pits change.
pub(super) struct Chunks {
    starts: Vec<u32>,
}

impl Chunks {
    /// The chunks of the half-boards of `stones` stones.
    pub fn new(stones: usize) -> Chunks {
        let mut starts = Vec::new();
        let mut before = None;
        for (rank, half) in half::all(stones).enumerate() {
            let behind_first = stones as u8 - half[0];
            let behind_second = behind_first - half[1];
            // Half-boards with the same key lie in the same chunk.
            let key = if behind_first <= MERGE_BELOW {
                (u8::MAX, u8::MAX)
            } else if behind_second <= MERGE_BELOW {
                (half[0], u8::MAX)
            } else {
                (half[0], half[1])
            };
            if before != Some(key) {
                starts.push(rank as u32);
                before = Some(key);
            }
        }
        starts.push(half::count(stones) as u32);
        Chunks { starts }
    }

    /// How many chunks there are.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// The ranks of a chunk.
    pub fn ranks(&self, chunk: usize) -> Range<usize> {
        self.starts[chunk] as usize..self.starts[chunk + 1] as usize
    }
}
