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
    /// The board.
    key: u64,
    pub bounds: Bounds,
    pub score: i16,
    /// Plies that the score looked ahead; 0 if there is none.
    pub depth: u8,
    pub side: Side,
    /// The best move found, 0..=5; 6 if none.
    pub pit: u8,
    /// What [`Known::age`] was; 0 in an empty place.
    age: u8,
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
    /// At least as many as are used.
    entries: Vec<Entry>,
    /// 64 less the binary logarithm of the number of sets.
    shift: u32,
    /// One more, from 1 on, each time that all is forgotten. Entries of another age count as empty: to
    /// write over all of a large memory may take longer than a search.
    age: u8,
}

impl Known {
    /// Uses at most `bytes` bytes, but room for some boards in any case: of the memory of `old`, if that
    /// is large enough. It knows nothing then, and is as a new one of this size.
    pub fn new(bytes: u64, old: Option<Known>) -> Result<Known, TryReserveError> {
        let sets = (bytes / (WAYS * size_of::<Entry>()) as u64).clamp(1 << 8, 1 << 40);
        let bits = sets.ilog2();
        let shift = 64 - bits;
        if let Some(old) = old.filter(|old| old.entries.len() >= WAYS << bits) {
            let mut known = Known { shift, ..old };
            known.forget();
            return Ok(known);
        }
        let mut entries = Vec::new();
        entries.try_reserve_exact(WAYS << bits)?;
        entries.resize(WAYS << bits, EMPTY);
        Ok(Known { entries, shift, age: 1 })
    }

    /// Bytes that it takes.
    pub fn bytes(&self) -> u64 {
        size_of_val(&self.entries[..]) as u64
    }

    /// Forgets everything.
    pub fn forget(&mut self) {
        self.age = self.age.checked_add(1).unwrap_or_else(|| {
            self.entries.fill(EMPTY);
            1
        });
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
        self.entries[set..set + WAYS].iter().find(|entry| entry.key == key && entry.age == self.age)
    }

    /// The entry of a board, for what is to be added to it. If there is none it gets a new one, with
    /// the bounds `trivial`, in place of the one of the set that took least work.
    pub fn entry(&mut self, key: u64, trivial: Bounds) -> &mut Entry {
        let (set, age) = (self.set(key), self.age);
        let ways = &mut self.entries[set..set + WAYS];
        let place = match ways.iter().position(|entry| entry.key == key && entry.age == age) {
            Some(place) => place,
            None => {
                // Bounds that are more than the number of stones are worth some plies.
                let proved = |bounds: Bounds| bounds.exact().is_some() || bounds.lower != -bounds.upper;
                // Some(_) is more than None, which is of a place that is free.
                let worth = |entry: &Entry| {
                    (entry.age == age).then(|| entry.depth + 2 * u8::from(proved(entry.bounds)))
                };
                let place = (0..WAYS).min_by_key(|&way| worth(&ways[way])).unwrap_or(0);
                ways[place] = Entry { key, bounds: trivial, age, ..EMPTY };
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
    age: 0,
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
        let mut known = Known::new(0, None).unwrap();
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

    /// Also when ages begin again at 1, and in more memory than is used.
    #[test]
    fn what_was_forgotten_leaves_no_trace() {
        let index = Index::new(8);
        let boards = |from: u64| {
            (0..3_000).map(move |place| (place * 7 + from * 311) % 50_000).map(|at| index.board(at))
        };
        let note = |known: &mut Known, from: u64| {
            for board in boards(from) {
                let entry = known.entry(key(&board), Bounds::of_stones(8));
                (entry.depth, entry.pit) = (entry.depth + board.pits()[0], board.pits()[1] % 6);
            }
        };
        let mut used = Known::new(1 << 17, None).unwrap();
        for round in 0..600 {
            note(&mut used, round);
            let size = [0, 1 << 15, 1 << 16][round as usize % 3];
            used = Known::new(size, Some(used)).unwrap();
            assert!(boards(round).all(|board| used.get(key(&board)).is_none()));
            let mut fresh = Known::new(size, None).unwrap();
            note(&mut fresh, round + 1);
            note(&mut used, round + 1);
            for board in boards(round + 1) {
                let [fresh, used] =
                    [&fresh, &used].map(|known| known.get(key(&board)).map(|entry| (entry.depth, entry.pit)));
                assert_eq!(fresh, used);
            }
        }
        assert_eq!(used.bytes(), 1 << 17);
        // Too small, it is not used.
        assert_eq!(Known::new(1 << 18, Some(used)).unwrap().bytes(), 1 << 18);
    }
}
