//! Ranks and places are bijections in the documented order: every position of few stones, and
//! samples of all numbers of stones, far beyond 32 bits.

use awari::Board;
use awari::half::{self, Half};
use awari::index::{Index, boards};
use proptest::prelude::*;

/// Every position of up to this many stones is visited.
const ALL_UP_TO: u32 = 14;

/// The documented order: fewer waiting stones first, then the waiting half-board, then the
/// mover's, both lexicographic with the pit that is sown into first the most significant.
fn order(board: &Board) -> (usize, Half, Half) {
    (half::stones(board.waiting()), board.waiting(), board.mover())
}

/// Calls `visit` with every way to put `stones` stones into the pits from `pit` on.
fn distribute<const N: usize>(pits: &mut [u8; N], pit: usize, stones: u8, visit: &mut impl FnMut([u8; N])) {
    if pit == N - 1 {
        pits[pit] = stones;
        visit(*pits);
        return;
    }
    for here in 0..=stones {
        pits[pit] = here;
        distribute(pits, pit + 1, stones - here, visit);
    }
}

#[test]
fn half_boards_are_ranked_lexicographically() {
    for stones in 0..=24u8 {
        let (mut seen, mut open) = (0, 0);
        distribute(&mut [0; 6], 0, stones, &mut |half: Half| {
            // `distribute` goes in lexicographic order.
            assert_eq!(half::rank(half), seen);
            assert_eq!(half::unrank(stones.into(), seen), half);
            seen += 1;
            let place = half.contains(&0).then_some(open);
            assert_eq!(half::open_rank(half), place);
            if let Some(place) = place {
                assert_eq!(half::open_unrank(stones.into(), place), half);
                open += 1;
            }
        });
        assert_eq!((seen, open), (half::count(stones.into()), half::open_count(stones.into())));
        assert_eq!(seen - open, half::full_count(stones.into()));
    }
}

#[test]
fn places_read_back_in_ascending_order() {
    for stones in 0..=ALL_UP_TO {
        let index = Index::new(stones);
        let mut previous = None;
        for place in 0..index.positions() {
            let board = index.board(place);
            assert_eq!(board.stones(), stones);
            assert!(board.is_reachable());
            assert_eq!(index.place(&board), Some(place));
            let here = Some(order(&board));
            assert!(previous < here, "{board}");
            previous = here;
        }
    }
}

#[test]
fn every_reachable_board_has_a_place_and_no_other() {
    for stones in 0..=ALL_UP_TO {
        let index = Index::new(stones);
        let (mut all, mut placed) = (0, 0);
        distribute(&mut [0; 12], 0, stones as u8, &mut |pits: [u8; 12]| {
            let board = Board::new(pits).unwrap();
            all += 1;
            match index.place(&board) {
                Some(place) => {
                    assert!(place < index.positions() && board.is_reachable());
                    placed += 1;
                }
                None => assert!(!board.is_reachable()),
            }
        });
        assert_eq!((all, placed), (boards(stones), index.positions()));
    }
}

#[test]
fn levels_and_rows_are_where_they_should_be() {
    for stones in 0..=48u32 {
        let index = Index::new(stones);
        assert_eq!(index.level(0), 0);
        for waiting in 0..=stones as usize {
            let columns = half::count(stones as usize - waiting) as u64;
            let rows = half::open_count(waiting) as u64;
            assert_eq!(index.level(waiting + 1) - index.level(waiting), rows * columns);
            if rows == 0 {
                continue;
            }
            // The first and last position of the last row.
            let end = index.level(waiting + 1);
            let (first, last) = (index.board(end - columns), index.board(end - 1));
            assert_eq!(first.waiting(), half::open_unrank(waiting, rows as usize - 1));
            assert_eq!((first.waiting(), half::rank(first.mover())), (last.waiting(), 0));
            assert_eq!(half::rank(last.mover()) as u64, columns - 1);
        }
    }
}

/// A board of up to 48 stones, bunched in a few pits or spread over all.
fn any_board() -> impl Strategy<Value = Board> {
    let bins = prop::collection::vec(0usize..12, 1..=12);
    let stones = prop::collection::vec(any::<prop::sample::Index>(), 0..=48);
    (bins, stones).prop_map(|(bins, stones)| {
        let mut pits = [0; 12];
        for stone in stones {
            pits[bins[stone.index(bins.len())]] += 1;
        }
        Board::new(pits).unwrap()
    })
}

/// Two half-boards of the same number of stones.
fn twins() -> impl Strategy<Value = (usize, usize, usize)> {
    (0usize..=48).prop_flat_map(|stones| {
        let count = half::count(stones);
        (Just(stones), 0..count, 0..count)
    })
}

/// A number of stones and a place in its table, not before `from`.
fn places(stones: std::ops::RangeInclusive<u32>, from: u64) -> impl Strategy<Value = (u32, u64)> {
    stones.prop_flat_map(move |stones| (Just(stones), from..Index::new(stones).positions()))
}

fn place_reads_back(stones: u32, place: u64) -> Result<(), TestCaseError> {
    let index = Index::new(stones);
    let board = index.board(place);
    prop_assert_eq!(board.stones(), stones);
    prop_assert_eq!(index.place(&board), Some(place));
    if place + 1 < index.positions() {
        prop_assert!(order(&board) < order(&index.board(place + 1)));
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(5000))]

    #[test]
    fn half_boards_read_back(board in any_board()) {
        let half = board.mover();
        let stones = half::stones(half);
        prop_assert_eq!(half::unrank(stones, half::rank(half)), half);
        prop_assert_eq!(half::open_rank(half).is_some(), half.contains(&0));
        if let Some(place) = half::open_rank(half) {
            prop_assert_eq!(half::open_unrank(stones, place), half);
        }
    }

    #[test]
    fn ranks_are_ordered_as_the_pits((stones, a, b) in twins()) {
        let (x, y) = (half::unrank(stones, a), half::unrank(stones, b));
        prop_assert_eq!((half::rank(x), half::rank(y)), (a, b));
        prop_assert_eq!(x.cmp(&y), a.cmp(&b));
        if let (Some(c), Some(d)) = (half::open_rank(x), half::open_rank(y)) {
            prop_assert_eq!(x.cmp(&y), c.cmp(&d));
        }
    }

    #[test]
    fn places_of_any_number_of_stones_read_back((stones, place) in places(1..=48, 0)) {
        place_reads_back(stones, place)?;
    }

    #[test]
    fn places_beyond_32_bits_read_back((stones, place) in places(32..=48, 1 << 32)) {
        place_reads_back(stones, place)?;
    }

    #[test]
    fn boards_read_back(board in any_board()) {
        let index = Index::new(board.stones());
        let place = index.place(&board);
        prop_assert_eq!(place.is_some(), board.is_reachable());
        prop_assert_eq!(place.map(|place| index.board(place)), board.is_reachable().then_some(board));
        // No other table has it.
        let other = Index::new(board.stones().checked_sub(1).unwrap_or(48));
        prop_assert_eq!(other.place(&board), None);
    }
}
