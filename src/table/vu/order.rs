//! The order of the positions in `scores.N`: a position's place there, and back.
//!
//! Ascending lexicographic order of (pit 11, pit 10, …, pit 0), boards whose waiting side has no
//! empty pit left out. So the positions of one waiting half-board lie together: a **row** of all
//! the mover's half-boards, as in our own tables but in another order.

use crate::board::{Board, MAX_STONES, PITS};
use crate::half::{self, Half};

const SIZES: usize = MAX_STONES as usize + 1;

/// `WAYS[k][s]`: ways to put s stones into k pits.
const WAYS: [[u64; SIZES]; 2 * PITS + 1] = {
    let mut ways = [[0; SIZES]; 2 * PITS + 1];
    ways[0][0] = 1;
    let mut k = 1;
    while k <= 2 * PITS {
        ways[k][0] = 1;
        let mut s = 1;
        while s < SIZES {
            ways[k][s] = ways[k][s - 1] + ways[k - 1][s];
            s += 1;
        }
        k += 1;
    }
    ways
};

/// The place in `scores.N` of a board of N stones; None if its waiting side has no empty pit.
pub(super) fn rank(board: &Board) -> Option<u64> {
    let row = row(board.stones() as usize, board.waiting())?;
    Some(row + half::rank(reversed(board.mover())) as u64)
}

/// The board of `stones` stones at `place`, which must be that of a position: the inverse of
/// [`rank`].
pub(super) fn unrank(stones: usize, mut place: u64) -> Board {
    let mut waiting = [0; PITS];
    let (mut left, mut open) = (stones, false);
    for pit in (0..PITS).rev() {
        // Stones that this pit has, as long as all positions with fewer come before.
        while left > usize::from(waiting[pit]) {
            let here = usize::from(waiting[pit]);
            let rest = left - here;
            // Of those, the ones without any empty pit on the waiting side have no place.
            let full = if open || here == 0 || rest < pit { 0 } else { WAYS[PITS + pit][rest - pit] };
            let boards = WAYS[PITS + pit][rest] - full;
            if place < boards {
                break;
            }
            place -= boards;
            waiting[pit] += 1;
        }
        left -= usize::from(waiting[pit]);
        open |= waiting[pit] == 0;
    }
    Board::from_halves(reversed(half::unrank(left, place as usize)), waiting)
}

/// Where the row of a waiting half-board starts in `scores.N` of N = `stones`; None if it has no
/// empty pit. The row is as long as the mover has half-boards, in the order of their
/// [`half::rank`] when [`reversed`].
pub(super) fn row(stones: usize, waiting: Half) -> Option<u64> {
    if !waiting.contains(&0) {
        return None;
    }
    // All boards that come before, and of those the ones whose waiting side has no empty pit: they
    // are boards of six stones fewer.
    let (mut boards, mut left) = (0, stones);
    let (mut full, mut left_full) = (0, stones.checked_sub(PITS));
    for pit in (0..PITS).rev() {
        let (here, pits) = (usize::from(waiting[pit]), PITS + pit + 1);
        boards += WAYS[pits][left];
        left -= here;
        boards -= WAYS[pits][left];
        // Among boards like this up to here, those with fewer stones in this pit.
        left_full = left_full.filter(|_| here > 0).and_then(|left| {
            full += WAYS[pits][left];
            let after = left.checked_sub(here - 1)?;
            full -= WAYS[pits][after];
            Some(after)
        });
    }
    Some(boards - full)
}

pub(super) fn reversed(mut half: Half) -> Half {
    half.reverse();
    half
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::index::Index;

    #[test]
    fn ranks_count_up_in_lexicographic_order() {
        for stones in 0..=8 {
            let index = Index::new(stones);
            let mut boards: Vec<Board> = (0..index.positions()).map(|place| index.board(place)).collect();
            boards.sort_by_key(|board| {
                let mut pits = board.pits();
                pits.reverse();
                pits
            });
            for (place, board) in boards.iter().enumerate() {
                assert_eq!(rank(board), Some(place as u64), "{board}");
                assert_eq!(unrank(stones as usize, place as u64), *board);
            }
        }
    }

    proptest! {
        #[test]
        fn unrank_undoes_rank(stones in 0u32..=48, at in any::<prop::sample::Index>()) {
            let positions = Index::new(stones).positions();
            let place = at.index(positions as usize) as u64;
            let board = unrank(stones as usize, place);
            prop_assert_eq!(board.stones(), stones);
            prop_assert!(board.waiting().contains(&0));
            prop_assert_eq!(rank(&board), Some(place));
            // The next position is the next in lexicographic order.
            if place + 1 < positions {
                let reversed = |board: Board| board.pits().into_iter().rev().collect::<Vec<u8>>();
                prop_assert!(reversed(board) < reversed(unrank(stones as usize, place + 1)));
            }
        }

        #[test]
        fn full_waiting_sides_have_no_place(pits in prop::array::uniform12(1u8..=4)) {
            prop_assert_eq!(rank(&Board::from_pits(pits)), None);
        }
    }
}
