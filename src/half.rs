//! Half-boards: the six pits of one side, and their order.
//!
//! Half-boards of `s` stones are ranked lexicographically, **the pit that is sown into first the
//! most significant**: 0..C(s+5,5). A sowing that reaches the first `c` pits of the other side
//! then changes a prefix and keeps the suffix, so whole runs of consecutive ranks go to runs of
//! consecutive ranks. The engine lives from that.

use crate::board::{MAX_STONES, PITS};

/// Six pits of one side, in their owner's order.
pub type Half = [u8; PITS];

const SIZES: usize = MAX_STONES as usize + 1;

/// `WAYS[k][s]` = C(s+k, k): ways to put s stones into k+1 pits.
const WAYS: [[u32; SIZES]; PITS] = {
    let mut ways = [[1; SIZES]; PITS];
    let mut k = 1;
    while k < PITS {
        let mut s = 1;
        while s < SIZES {
            ways[k][s] = ways[k][s - 1] + ways[k - 1][s];
            s += 1;
        }
        k += 1;
    }
    ways
};

/// Stones of a half-board.
pub fn stones(half: Half) -> usize {
    half.iter().map(|&p| usize::from(p)).sum()
}

/// How many half-boards hold `stones` stones (0..=48): C(stones+5, 5).
pub fn count(stones: usize) -> usize {
    WAYS[PITS - 1][stones] as usize
}

/// How many half-boards of `stones` stones have no empty pit: C(stones−1, 5).
pub fn full_count(stones: usize) -> usize {
    if stones < PITS { 0 } else { count(stones - PITS) }
}

/// How many half-boards of `stones` stones have at least one empty pit.
pub fn open_count(stones: usize) -> usize {
    count(stones) - full_count(stones)
}

/// The place of a half-board among those with as many stones: 0..[`count`].
pub fn rank(half: Half) -> usize {
    let mut left = stones(half);
    let mut rank = 0;
    for (pit, &p) in half[..PITS - 1].iter().enumerate() {
        let ways = &WAYS[PITS - 1 - pit];
        rank += ways[left];
        left -= usize::from(p);
        rank -= ways[left];
    }
    rank as usize
}

/// The half-board of `stones` stones at `rank`: the inverse of [`rank`].
///
/// # Panics
/// In debug builds, if `rank` is not below [`count`]`(stones)`.
pub fn unrank(stones: usize, rank: usize) -> Half {
    debug_assert!(rank < count(stones));
    let mut half = [0; PITS];
    let (mut left, mut rank) = (stones, rank as u32);
    for pit in 0..PITS - 1 {
        // Fewer stones here come first: skip the half-boards of each smaller number.
        let ways = &WAYS[PITS - 2 - pit];
        while rank >= ways[left] {
            rank -= ways[left];
            left -= 1;
            half[pit] += 1;
        }
    }
    half[PITS - 1] = left as u8;
    half
}

/// How many half-boards without an empty pit come before `half` in the order of [`rank`].
fn full_before(half: Half) -> usize {
    let stones = stones(half);
    if stones < PITS {
        return 0;
    }
    // Take one stone from each pit: full half-boards of s stones are half-boards of s − 6.
    let mut left = stones - PITS;
    let mut before = 0;
    for (pit, &p) in half[..PITS - 1].iter().enumerate() {
        if p == 0 {
            return before as usize;
        }
        let ways = &WAYS[PITS - 1 - pit];
        let taken = usize::from(p) - 1;
        if taken > left {
            return (before + ways[left]) as usize;
        }
        before += ways[left];
        left -= taken;
        before -= ways[left];
    }
    before as usize
}

/// The place of a half-board with an empty pit among those that have one: 0..[`open_count`], or
/// None if it has none.
pub fn open_rank(half: Half) -> Option<usize> {
    half.contains(&0).then(|| rank(half) - full_before(half))
}

/// The half-board with an empty pit at `place`: the inverse of [`open_rank`].
///
/// # Panics
/// In debug builds, if `place` is not below [`open_count`]`(stones)`.
pub fn open_unrank(stones: usize, place: usize) -> Half {
    debug_assert!(place < open_count(stones));
    let mut half = [0; PITS];
    let (mut left, mut place, mut open) = (stones, place as u32, false);
    for (pit, stones) in half[..PITS - 1].iter_mut().enumerate() {
        let after = PITS - 1 - pit;
        loop {
            // Of the half-boards that start like this, those that have an empty pit.
            let full = if open || *stones == 0 || left < after { 0 } else { WAYS[after - 1][left - after] };
            let here = WAYS[after - 1][left] - full;
            if place < here {
                break;
            }
            place -= here;
            left -= 1;
            *stones += 1;
        }
        open |= *stones == 0;
    }
    half[PITS - 1] = left as u8;
    half
}

/// All half-boards of `stones` stones, in the order of [`rank`].
pub fn all(stones: usize) -> impl Iterator<Item = Half> {
    let first: Half = [0, 0, 0, 0, 0, stones as u8];
    std::iter::successors(Some(first), |&half| next(half))
}

/// The half-boards of `stones` stones from `rank` on, in the order of [`rank()`].
///
/// # Panics
/// In debug builds, if `rank` is not below [`count`]`(stones)`.
pub fn all_from(stones: usize, rank: usize) -> impl Iterator<Item = Half> {
    std::iter::successors(Some(unrank(stones, rank)), |&half| next(half))
}

fn next(mut half: Half) -> Option<Half> {
    // One stone more in the last pit that has stones behind it; the rest falls to the end.
    let last = half.iter().rposition(|&p| p > 0)?;
    let grows = last.checked_sub(1)?;
    let rest = std::mem::take(&mut half[last]) - 1;
    half[grows] += 1;
    half[PITS - 1] = rest;
    Some(half)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_count_up_and_read_back() {
        for s in 0..=18 {
            let (mut seen, mut open) = (0, 0);
            for (expected, half) in all(s).enumerate() {
                assert_eq!(stones(half), s);
                assert_eq!(rank(half), expected);
                assert_eq!(unrank(s, expected), half);
                match open_rank(half) {
                    Some(place) => {
                        assert_eq!(place, open);
                        assert_eq!(open_unrank(s, place), half);
                        open += 1;
                    }
                    None => assert!(!half.contains(&0)),
                }
                seen += 1;
            }
            assert_eq!((seen, open), (count(s), open_count(s)));
        }
    }

    #[test]
    fn the_first_pit_is_the_most_significant() {
        assert_eq!(rank([0, 0, 0, 0, 0, 3]), 0);
        assert_eq!(rank([3, 0, 0, 0, 0, 0]), count(3) - 1);
        assert!(rank([1, 0, 0, 0, 0, 5]) > rank([0, 6, 0, 0, 0, 0]));
    }
}
