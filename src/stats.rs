//! Counts over all boards of one number of stones, those that no move leads to included; the
//! deepest position.
//!
//! Published statistics come in two kinds: over the positions stored in a table, which
//! [`crate::table::Header::counts`] has (and [`crate::table::Table::count`] counts again from the
//! data), and over all C(n+11, 11) boards of n stones, which are here.

use rayon::prelude::*;

use crate::board::{Board, PITS};
use crate::half::{self, Half};
use crate::table::{Counts, DepthCounts, Encoding};
use crate::tablebase::{ProbeError, Tablebase};

/// Counts the values of all C(`stones`+11, 11) boards: those of the table by its header, those
/// that no move leads to one by one.
///
/// ```
/// use awari::{Rules, engine, stats, table, tablebase::Tablebase};
/// # let dir = tempfile::tempdir()?;
/// let tables = Tablebase::open(dir.path(), Rules::Awari)?;
/// let smaller = tables.smaller_tables(1)?;
/// let solved = engine::solve(Rules::Awari, 1, &smaller, &engine::Storage::Memory, &engine::Unwatched)?;
/// table::write(tables.path(1), Rules::Awari, 1, &solved.values)?;
///
/// let counts = stats::all_boards(&tables, 1)?;
/// assert_eq!((counts.wins(), counts.draws(), counts.losses(), counts.sum()), (5, 0, 7, -2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If the table of `stones` stones, or one of fewer that is needed, is missing or cannot be used.
pub fn all_boards(tables: &Tablebase, stones: u32) -> Result<Counts, ProbeError> {
    let stored = tables.source(stones)?.counts()?;
    Ok(unreachable_boards(tables, stones)?.plus(stored))
}

/// Counts the values of the C(`stones`+5, 11) boards that no move leads to: those whose waiting
/// side has no empty pit. Each is found from the boards after its moves, on the threads of the
/// current rayon pool.
///
/// # Errors
/// If a table that is needed, of `stones` stones or fewer, is missing or cannot be used.
pub fn unreachable_boards(tables: &Tablebase, stones: u32) -> Result<Counts, ProbeError> {
    let of_half = |waiting: &Half| {
        let boards = boards_before(waiting, stones);
        boards.map(|board| tables.value(&board)).collect::<Result<Counts, _>>()
    };
    let halves = full_halves(stones);
    halves.par_iter().map(of_half).try_reduce(Counts::default, |some, more| Ok(some.plus(&more)))
}

/// Counts the depths of all C(`stones`+11, 11) boards, as [`all_boards`] does their values. The
/// depths of the stored ones are counted by [`Tablebase::count_depths`].
///
/// # Errors
/// As [`all_boards`], and if there are no depths of `stones` stones.
pub fn all_depths(tables: &Tablebase, stones: u32) -> Result<DepthCounts, ProbeError> {
    let stored = tables.count_depths(stones)?;
    Ok(unreachable_depths(tables, stones)?.plus(&stored))
}

/// Counts the depths of the boards that no move leads to, each found from the boards after its
/// moves, on the threads of the current rayon pool.
///
/// # Errors
/// As [`all_depths`].
pub fn unreachable_depths(tables: &Tablebase, stones: u32) -> Result<DepthCounts, ProbeError> {
    tables.needed_depths(stones)?;
    let of_half = |waiting: &Half| {
        let boards = boards_before(waiting, stones);
        // The depths they take are those of the table that is there.
        boards.map(|board| Ok(tables.probe(&board)?.depth.unwrap_or_default())).collect()
    };
    let halves = full_halves(stones);
    halves.par_iter().map(of_half).try_reduce(DepthCounts::default, |some, more| Ok(some.plus(&more)))
}

/// A position and its depth.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Deepest {
    /// The board, seen from the player to move.
    pub board: Board,
    /// Its depth, in plies.
    pub depth: u16,
}

/// The stored position of `stones` stones that is furthest from a capture or the end under best
/// play; of equals, the first in the order of [`crate::index`].
///
/// # Errors
/// If there are no depths of `stones` stones, or they cannot be used.
pub fn deepest(tables: &Tablebase, stones: u32) -> Result<Deepest, ProbeError> {
    let table = tables.needed_depths(stones)?;
    let most = table.header().max;
    let first = match table.header().encoding {
        Encoding::Packed => table.first(most)?,
        Encoding::Compressed => {
            let depths = tables.unpack_depths(stones)?;
            depths.par_iter().position_first(|&depth| depth == most).map(|place| place as u64)
        }
    };
    // Only a header that lies about its data leaves this without an answer.
    let place = first.ok_or_else(|| table.lacks_deepest())?;
    Ok(Deepest { board: table.index().board(place), depth: most })
}

/// The waiting half-boards without an empty pit, on boards of `stones` stones.
fn full_halves(stones: u32) -> Vec<Half> {
    // One stone in each pit, and the others anyhow.
    let free = (stones as usize).checked_sub(PITS);
    let halves = free.into_iter().flat_map(|free| (0..=free).flat_map(half::all));
    halves.map(|half| half.map(|pit| pit + 1)).collect()
}

/// The boards of `stones` stones with this waiting half.
fn boards_before(waiting: &Half, stones: u32) -> impl Iterator<Item = Board> {
    let waiting = *waiting;
    let movers = half::all(stones as usize - half::stones(waiting));
    movers.map(move |mover| Board::from_halves(mover, waiting))
}
