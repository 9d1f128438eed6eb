//! What the search remembers of boards, in a fixed amount of memory.

use std::collections::TryReserveError;

use super::Bounds;
use crate::board::{Board, PITS};

/// Entries that a board may be in.
const WAYS: usize = 4;

/// How the score of an entry compares with what a search of its depth would find.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Side {
    AtLeast,
    Exactly,
    AtMost,
}

/// What is remembered of a board. The bounds are proved; the score is an estimate.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    /// The board; 0 in an empty place, which is no board's.
    key: u64,
    pub bounds: Bounds,
    pub score: i16,
    /// Plies that the score looked ahead; 0 if there is none.
    pub depth: u8,
    pub side: Side,
    /// The best move found, 0..=5; 6 if none.
    pub pit: u8,
}

/// No move.
pub(super) const NO_PIT: u8 = PITS as u8;

/// The board as a number that is no other board's: a 1, then for each pit as many ones as it holds
/// stones and a zero. 48 stones take 61 bits.
pub(super) fn key(board: &Board) -> u64 {
    board.pits().iter().fold(1, |key, &stones| ((key << stones) | ((1 << stones) - 1)) << 1)
}

/// A table of entries. What is remembered is never wrong, because a board's key is its own; but it
/// may be forgotten for another board.
pub(super) struct Known {
    entries: Vec<Entry>,
    /// 64 less the binary logarithm of the number of sets.
    shift: u32,
}

impl Known {
    /// Takes at most `bytes` bytes, but room for some boards in any case.
    pub fn new(bytes: u64) -> Result<Known, TryReserveError> {
        let sets = (bytes / (WAYS * size_of::<Entry>()) as u64).clamp(1 << 8, 1 << 40);
        let bits = sets.ilog2();
        let mut entries = Vec::new();
        entries.try_reserve_exact(WAYS << bits)?;
        entries.resize(WAYS << bits, EMPTY);
        Ok(Known { entries, shift: 64 - bits })
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.entries.fill(EMPTY);
    }

    fn set(&self, key: u64) -> usize {
        // The first bits of the product depend on all bits of the key.
        ((key.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ key >> 7).wrapping_mul(0xD6E8_FEB8_6659_FD93)
            >> self.shift) as usize
            * WAYS
    }

    /// What is remembered of a board.
    pub fn get(&self, key: u64) -> Option<&Entry> {
        let set = self.set(key);
        self.entries[set..set + WAYS].iter().find(|entry| entry.key == key)
    }

    /// The entry of a board, for what is to be added to it. If there is none it gets a new one, with
    /// the bounds `trivial`, in place of the one of the set that took least work.
    pub fn entry(&mut self, key: u64, trivial: Bounds) -> &mut Entry {
        let set = self.set(key);
        let ways = &mut self.entries[set..set + WAYS];
        let place = match ways.iter().position(|entry| entry.key == key) {
            Some(place) => place,
            None => {
                // Bounds that are more than the number of stones are worth some plies.
                let proved = |bounds: Bounds| bounds.exact().is_some() || bounds.lower != -bounds.upper;
                let worth =
                    |entry: &Entry| (entry.key != 0, entry.depth + 2 * u8::from(proved(entry.bounds)));
                let place = (0..WAYS).min_by_key(|&way| worth(&ways[way])).unwrap_or(0);
                ways[place] = Entry { key, bounds: trivial, ..EMPTY };
                place
            }
        };
        &mut ways[place]
    }
}

const EMPTY: Entry = Entry {
    key: 0,
    bounds: Bounds { lower: 0, upper: 0 },
    score: 0,
    depth: 0,
    side: Side::Exactly,
    pit: NO_PIT,
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::Index;
    use std::collections::HashSet;

    #[test]
    fn no_two_boards_share_a_key() {
        let mut seen = HashSet::new();
        for stones in 0..=7 {
            let index = Index::new(stones);
            for place in 0..index.positions() {
                assert!(seen.insert(key(&index.board(place))));
            }
        }
        assert!(!seen.contains(&0));
        assert!(seen.insert(key(&Board::START)));
        assert_eq!(key(&Board::START).ilog2(), 60);
    }

    #[test]
    fn what_is_remembered_is_that_boards() {
        let mut known = Known::new(0).unwrap();
        let index = Index::new(9);
        for place in 0..index.positions() {
            let board = index.board(place);
            let value = (place % 19) as i8 - 9;
            known.entry(key(&board), Bounds::of_stones(9)).bounds = Bounds::exactly(value);
        }
        let mut remembered = 0;
        for place in 0..index.positions() {
            if let Some(entry) = known.get(key(&index.board(place))) {
                assert_eq!(entry.bounds.exact(), Some((place % 19) as i8 - 9));
                remembered += 1;
            }
        }
        assert!((512..=1024).contains(&remembered), "{remembered}");
    }
}
