//! Counts over all boards of one number of stones, those that no move leads to included.
//!
//! Published statistics come in two kinds: over the positions stored in a table, which
//! [`crate::table::Header::counts`] has (and [`crate::table::Table::count`] counts again from the
//! data), and over all C(n+11, 11) boards of n stones, which are here.

use rayon::prelude::*;

use crate::board::{Board, PITS};
use crate::half::{self, Half};
use crate::table::Counts;
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
    let stored = &tables.table(stones)?.header().counts;
    Ok(unreachable_boards(tables, stones)?.plus(stored))
}

/// Counts the values of the C(`stones`+5, 11) boards that no move leads to: those whose waiting
/// side has no empty pit. Each is found from the boards after its moves, on the threads of the
/// current rayon pool.
///
/// # Errors
/// If a table that is needed, of `stones` stones or fewer, is missing or cannot be used.
pub fn unreachable_boards(tables: &Tablebase, stones: u32) -> Result<Counts, ProbeError> {
    // One stone in each waiting pit, and the others anyhow.
    let free = (stones as usize).checked_sub(PITS);
    let halves = free.into_iter().flat_map(|free| (0..=free).flat_map(half::all));
    let halves: Vec<Half> = halves.map(|half| half.map(|pit| pit + 1)).collect();
    let of_half = |&waiting: &Half| {
        let mut counts = Counts::default();
        for mover in half::all(stones as usize - half::stones(waiting)) {
            counts.add(tables.probe(&Board::from_halves(mover, waiting))?.value);
        }
        Ok(counts)
    };
    halves.par_iter().map(of_half).try_reduce(Counts::default, |some, more| Ok(some.plus(&more)))
}
