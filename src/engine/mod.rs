//! Solves all positions of one number of stones, given the tables of fewer.
//!
//! The values are those of perfect play with endless play worth 0. They are found by forward
//! sweeps from zero; `docs/engine.md` says why that is exact on cycles and what makes it fast.

mod block;
mod captures;
mod checkpoint;
mod chunks;
mod distributed;
mod giving;
mod kernel;
mod last_changes;
mod levels;
mod maps;
mod needs;
mod publish;
mod runs;
mod sowing;
mod storage;
mod sweep;
mod wavefront;
mod worth;

use std::fmt;

use rayon::prelude::*;

use crate::board::Board;
use crate::rules::Rules;
use block::Scratched;
use captures::Captures;
pub use checkpoint::{CHECKPOINT_VERSION, Checkpoint, Reached};
#[cfg(feature = "mpi")]
pub use distributed::MpiJob;
pub use distributed::{
    Exchange, Part, Threads, Traffic, exchanged_in_sweep, solve_among, solve_depths_among, sum,
};
use maps::Maps;
pub use needs::Needs;
use storage::Buffer;
pub use storage::{Depths, Storage, StorageError, Values};
use sweep::Sweeper;
use worth::Worth;

/// The solved tables of fewer stones, as the engine reads them.
pub trait SmallerTables: Sync {
    /// Reads the values of the positions of `stones` stones at `place..place + values.len()`, in
    /// the order of [`crate::index::Index`]. The range lies inside the table, and `stones` is below the number
    /// being solved.
    fn read(&self, stones: u32, place: u64, values: &mut [i8]);
}

/// What the engine is doing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pass {
    /// Looking up captures and ends of the game.
    Captures,
    /// A sweep over the table, counted from 1.
    Sweep(u32),
    /// Following the last changes one by one.
    LastChanges,
}

impl fmt::Display for Pass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Pass::Captures => f.write_str("captures"),
            Pass::Sweep(number) => write!(f, "sweep {number}"),
            Pass::LastChanges => f.write_str("last changes"),
        }
    }
}

/// Someone who watches a solve and may stop it. Called from several threads.
pub trait Watch: Sync {
    /// `done` of `total` positions of `pass` are through. Called often: should return at once.
    fn progress(&self, pass: Pass, done: u64, total: u64);
    /// Whether to stop. Asked often.
    fn stop(&self) -> bool;
    /// Who keeps the table on its way, if anyone does.
    fn checkpoint(&self) -> Option<&dyn Checkpoint> {
        None
    }
}

/// Watches nothing and never stops.
pub struct Unwatched;

impl Watch for Unwatched {
    fn progress(&self, _: Pass, _: u64, _: u64) {}
    fn stop(&self) -> bool {
        false
    }
}

/// Why there is no solution.
#[derive(Debug)]
pub enum SolveError {
    /// The [`Watch`] stopped it.
    Stopped,
    /// There is not enough memory or scratch space, or a scratch file fails.
    Storage(StorageError),
    /// Another rank of a distributed solve has no solution, and says why.
    OtherRank,
    /// The table of values is wrong, or the depth of a position too great to be told.
    NoDepth {
        /// A position that has no depth.
        board: Board,
    },
}

impl fmt::Display for SolveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SolveError::Stopped => f.write_str("stopped"),
            SolveError::Storage(error) => error.fmt(f),
            SolveError::OtherRank => f.write_str("another rank could not go on, and says why"),
            SolveError::NoDepth { board } => write!(
                f,
                "{board} has no depth up to {}: the table of values is wrong, or its depth is beyond \
                 what can be told",
                worth::MAX_DEPTH
            ),
        }
    }
}

impl std::error::Error for SolveError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            SolveError::Stopped | SolveError::OtherRank | SolveError::NoDepth { .. } => None,
            SolveError::Storage(error) => Some(error),
        }
    }
}

impl From<StorageError> for SolveError {
    fn from(error: StorageError) -> SolveError {
        SolveError::Storage(error)
    }
}

/// A solved number of stones.
pub struct Solved {
    /// The values of its positions.
    pub values: Values,
    /// How the solution was found.
    pub effort: Effort,
}

/// The depths of a solved number of stones.
pub struct SolvedDepths {
    /// The depths of its positions.
    pub depths: Depths,
    /// How they were found.
    pub effort: Effort,
}

/// What a solve did.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Effort {
    /// Sweeps over the table.
    pub sweeps: u32,
    /// Positions evaluated, over all sweeps and one by one.
    pub evaluations: u64,
}

/// When a sweep changes at most this share of the positions, the rest is done one by one.
const FEW: f64 = 0.006;

/// The same if the table is in a scratch file: going from one change to the next there takes longer.
const FEW_IN_SCRATCH: f64 = 0.0006;

/// When a sweep changes at most this share, the next one may be the last: it lists its changes.
const MANY: f64 = 0.06;

/// Solves the positions of `stones` stones on the threads of the current rayon pool. The values
/// depend neither on how many those are nor on where `storage` keeps them.
///
/// # Errors
/// [`SolveError::Stopped`] as soon as `watch` says so; [`SolveError::Storage`] if the memory or
/// scratch space cannot be had.
pub fn solve(
    rules: Rules,
    stones: u32,
    smaller: &dyn SmallerTables,
    storage: &Storage,
    watch: &dyn Watch,
) -> Result<Solved, SolveError> {
    let maps = Maps::new(rules, stones);
    let positions = maps.index.positions() as usize;
    let mut table = Buffer::new(storage, positions + kernel::SLACK)?;
    let effort = settle(&maps, smaller, storage, watch, &mut table)?;
    table.read_in_order();
    table.par_iter_mut().for_each(|worth| *worth = worth::value(*worth).cast_unsigned());
    Ok(Solved { values: Values::new(table, positions), effort })
}

/// Finds the depths (distances to conversion, in plies) of the positions of `stones` stones, whose
/// values `tables` holds too.
///
/// A position of value 0 and one without a legal move have depth 0. Otherwise both sides play only
/// moves that keep the value, the winner to capture or end the game soon, the loser late.
///
/// # Errors
/// As [`solve`]; [`SolveError::NoDepth`] if a position has no depth, because the table of values
/// is wrong or the depth beyond what this engine can tell.
pub fn solve_depths(
    rules: Rules,
    stones: u32,
    tables: &dyn SmallerTables,
    storage: &Storage,
    watch: &dyn Watch,
) -> Result<SolvedDepths, SolveError> {
    let maps = Maps::new(rules, stones);
    let positions = maps.index.positions() as usize;
    let mut table: Buffer<i16> = Buffer::new(storage, positions + kernel::SLACK)?;
    let effort = settle(&maps, tables, storage, watch, &mut table)?;
    table.read_in_order();
    into_depths(&maps, tables, 0, &mut table[..positions])?;
    Ok(SolvedDepths { depths: Depths::new(table, positions), effort })
}

/// Turns the worths of the positions from a place on into their depths. Their values were found anew on the
/// way: a table of values that differs is wrong.
fn into_depths(
    maps: &Maps,
    tables: &dyn SmallerTables,
    start: usize,
    worths: &mut [i16],
) -> Result<(), SolveError> {
    let parts = worths.par_chunks_mut(READ_AT_ONCE).enumerate();
    let without = parts.find_map_first(|(part, worths)| {
        let start = start + part * READ_AT_ONCE;
        let mut values = vec![0; worths.len()];
        tables.read(maps.stones as u32, start as u64, &mut values);
        let wrong = worths.iter_mut().zip(values).position(|(worth, value)| {
            let (settled, depth) = worth::value_and_depth(*worth);
            *worth = depth.cast_signed();
            settled != value || depth > worth::MAX_DEPTH
        })?;
        Some((start + wrong) as u64)
    });
    without.map_or(Ok(()), |place| Err(SolveError::NoDepth { board: maps.index.board(place) }))
}

/// Values read from a table at once.
const READ_AT_ONCE: usize = 1 << 16;

/// Looks up captures, sweeps until little changes, follows the last changes.
fn settle<W: Worth + Scratched>(
    maps: &Maps,
    smaller: &dyn SmallerTables,
    storage: &Storage,
    watch: &dyn Watch,
    table: &mut Buffer<W>,
) -> Result<Effort, SolveError> {
    let captures = Captures::look_up(maps, smaller, storage, watch)?;
    let few = if table.is_scratch() { FEW_IN_SCRATCH } else { FEW };
    let share = |share: f64| (share * maps.index.positions() as f64) as u64;
    let mut sweeper = Sweeper::new(maps, watch, &captures, table)?;
    let mut reached = sweeper.start(watch.checkpoint())?;
    let last = loop {
        // What was kept after the last sweeps needs one more: nobody knows any more where the changes were.
        let room = if reached.sweeps > 0 && reached.changes <= share(MANY) { share(few) } else { 0 };
        let swept = sweeper.sweep(Pass::Sweep(reached.sweeps + 1), room)?;
        reached = Reached { sweeps: reached.sweeps + 1, changes: swept.changes };
        if let Some(changes) = swept.list {
            break changes;
        }
        sweeper.offer(watch.checkpoint(), reached)?;
    };
    drop(sweeper);
    let followed = last_changes::follow(maps, &captures, table, last, reached, watch)?;
    let Reached { sweeps, .. } = reached;
    Ok(Effort { sweeps, evaluations: u64::from(sweeps) * maps.index.positions() + followed })
}
