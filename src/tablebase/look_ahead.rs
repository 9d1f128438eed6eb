//! What a compressed table does not store, all of it at once, from one look ahead.
//!
//! What a move does to the mover's half-board and what it does to the other are told apart: the
//! second depends on the number of stones that go over and on the other half-board alone. So
//! effects are found once for a row of the table, and the rules are asked about half-boards only.

use rayon::prelude::*;

use crate::board::{Board, PITS};
use crate::engine::SmallerTables;
use crate::half::{self, Half};
use crate::index::Index;
use crate::rules::{self, Rules};

/// Pits a lap sows into after the stones have gone over once: all but the one played.
const LAP: usize = 2 * PITS - 1;

/// A move of an own half-board.
#[derive(Clone, Copy)]
struct Sowing {
    /// Stones that pass the last own pit; laps bring some of them back.
    past: usize,
    /// The row of the boards after the move: that of the own half-board then.
    row: u64,
}

/// What such a sowing does to one waiting half-board.
#[derive(Clone, Copy)]
enum Effect {
    /// The move may not be played.
    Illegal,
    /// The move ends the game with this gain.
    Ends(i8),
    /// The board after the move is at `first + row · stride` of the table of `left` stones.
    Leads { captured: i8, left: u32, first: u64, stride: u64 },
}

/// What a move leads to.
#[derive(Clone, Copy)]
enum Outcome {
    /// The end of the game, with this gain.
    Ends(i8),
    /// The position at `place` of the table of `left` stones.
    Leads { captured: i8, left: u32, place: u64 },
}

/// Fills in the values of the positions in which the mover has the smaller half of the board, as
/// [`crate::table::compressed`] tells them apart; the others are right already. `smaller` has the
/// tables of at least 2 stones fewer.
pub(super) fn complete(rules: Rules, stones: u32, values: &mut [i8], smaller: &dyn SmallerTables) {
    fill(rules, stones, values, |_, outcomes, end, stored| {
        let worth = outcomes.map(|outcome| worth(outcome, smaller, stones, stored));
        worth.max().unwrap_or(end)
    });
}

/// Fills in the depths of the same positions. `values` are all values of the table they belong to.
pub(super) fn complete_depths(
    rules: Rules,
    stones: u32,
    depths: &mut [u16],
    values: &[i8],
    smaller: &dyn SmallerTables,
) {
    fill(rules, stones, depths, |place, outcomes, _, stored| {
        let value = values[place as usize];
        if value == 0 {
            return 0;
        }
        let keeps = |&outcome: &Outcome| worth(outcome, smaller, stones, |at| values[at as usize]) == value;
        let depths = outcomes.filter(keeps).map(|outcome| match outcome {
            Outcome::Leads { left, place, .. } if left == stones => stored(place).saturating_add(1),
            _ => 1,
        });
        // Where no move is legal the game is over.
        if value > 0 { depths.min() } else { depths.max() }.unwrap_or_default()
    });
}

/// What a move is worth, with `stored` for the values of as many stones.
fn worth(outcome: Outcome, smaller: &dyn SmallerTables, stones: u32, stored: impl Fn(u64) -> i8) -> i8 {
    match outcome {
        Outcome::Ends(gain) => gain,
        Outcome::Leads { captured, left, place } if left == stones => captured - stored(place),
        Outcome::Leads { captured, left, place } => {
            let mut value = [0];
            smaller.read(left, place, &mut value);
            captured - value[0]
        }
    }
}

/// Fills in what is not stored. `answer` is given the place of a position, what its moves lead to,
/// its value if there is no move, and what is stored of as many stones.
fn fill<T: Copy + Send + Sync>(
    rules: Rules,
    stones: u32,
    cells: &mut [T],
    answer: impl Fn(u64, &mut dyn Iterator<Item = Outcome>, i8, &dyn Fn(u64) -> T) -> T + Sync,
) {
    let indices: Vec<Index> = (0..=stones).map(Index::new).collect();
    let index = &indices[stones as usize];
    let total = stones as usize;
    for waiting in total.div_ceil(2)..=total {
        let own = total - waiting;
        let sowings: Vec<Vec<Sowing>> = half::all(own).map(sowings).collect();
        let start = index.level(waiting) as usize;
        let (before, level) = cells.split_at_mut(start);
        let level = &mut level[..half::open_count(waiting) * sowings.len()];
        // In the middle level, a move may lead to the level itself, to a stored position.
        let same = if own == waiting { level.to_vec() } else { Vec::new() };
        let stored = |place: u64| match (place as usize).checked_sub(start) {
            None => before[place as usize],
            Some(inside) => same[inside],
        };
        level.par_chunks_mut(sowings.len()).enumerate().for_each(|(row, cells)| {
            let half = half::open_unrank(waiting, row);
            let effects: Vec<Effect> =
                (0..=own).map(|past| effect(rules, past, half, own, &indices)).collect();
            let missing = if own == waiting { half::rank(half) + 1 } else { cells.len() };
            let first = (start + row * sowings.len()) as u64;
            for (place, (cell, sowings)) in (first..).zip(cells[..missing].iter_mut().zip(&sowings)) {
                let mut outcomes = sowings.iter().filter_map(|&Sowing { past, row }| match effects[past] {
                    Effect::Illegal => None,
                    Effect::Ends(gain) => Some(Outcome::Ends(gain)),
                    Effect::Leads { captured, left, first, stride } => {
                        Some(Outcome::Leads { captured, left, place: first + row * stride })
                    }
                });
                let end = if sowings.is_empty() { -(stones as i8) } else { stones as i8 };
                *cell = answer(place, &mut outcomes, end, &stored);
            }
        });
    }
}

/// The moves of an own half-board.
fn sowings(half: Half) -> Vec<Sowing> {
    let board = Board::from_halves(half, [0; PITS]);
    let pits = (0..PITS).filter(|&pit| half[pit] > 0);
    pits.map(|pit| {
        let (sown, _) = rules::sow(&board, pit);
        let after = Board::from_pits(sown).swapped();
        let row = half::open_rank(after.waiting()).expect("the pit just played is empty");
        Sowing { past: usize::from(half[pit]).saturating_sub(PITS - 1 - pit), row: row as u64 }
    })
    .collect()
}

/// What a sowing of which `past` stones pass the last own pit does to the half-board of the player
/// who waits, while the mover has `own` stones before the move.
fn effect(rules: Rules, past: usize, half: Half, own: usize, indices: &[Index]) -> Effect {
    let stones = own + half::stones(half);
    if past == 0 && half == [0; PITS] {
        return Effect::Illegal; // does not feed
    }
    let mut pits = [0; 2 * PITS];
    pits[PITS..].copy_from_slice(&half);
    let (mut last, mut over) = (None, 0);
    for stone in 0..past {
        // Of a lap, the first six stones fall on this side.
        last = (stone % LAP < PITS).then_some(PITS + stone % LAP);
        if let Some(pit) = last {
            pits[pit] += 1;
            over += 1;
        }
    }
    let (after, captured) = last.map_or((pits, 0), |last| rules::capture(pits, last));
    let slam = captured > 0 && after == [0; 2 * PITS];
    let (pits, captured) = match (slam, rules) {
        (false, _) => (after, captured),
        (true, Rules::Awari) => return Effect::Illegal,
        (true, Rules::Abapa) => (pits, 0),
        (true, Rules::SlamEnds) => return Effect::Ends(stones as i8),
    };
    let left = stones - usize::from(captured);
    let waiting = own - over;
    let column = half::rank(Board::from_pits(pits).waiting()) as u64;
    Effect::Leads {
        captured: captured as i8,
        left: left as u32,
        first: indices[left].level(waiting) + column,
        stride: half::count(left - waiting) as u64,
    }
}
