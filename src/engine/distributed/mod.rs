//! A solve shared out among ranks that have their own memory: processes of an MPI job, on one machine or
//! many, or threads.
//!
//! The passes are those of [`super::solve`]. Each rank has a part of every level and its captures
//! (`shares.rs`), and evaluates it. For moves that bring stones over, one level after the other is shown to
//! those who want to see some of it (`wanted.rs`, `fetch.rs`); for the others, rows go from rank to rank as
//! they are done (`pipeline.rs`); at the end changes go to the owners of the positions they change
//! (`last_changes.rs`). Ranks see older worths here and there than one process does; since no step asks for
//! an order, the values are the same.

mod captures;
mod checkpoint;
mod cuts;
mod exchange;
mod fetch;
mod last_changes;
#[cfg(feature = "mpi")]
mod mpi;
mod needs;
mod pipeline;
mod shares;
mod sweep;
mod threads;
mod volume;
mod wanted;

use std::ops::Range;

use rayon::prelude::*;

use super::block::Scratched;
use super::kernel::SLACK;
use super::maps::Maps;
use super::storage::{Buffer, StorageError, Window};
use super::worth::Worth;
use super::{
    Depths, Effort, FEW, MANY, Pass, Reached, SmallerTables, SolveError, Storage, Values, Watch, worth,
};
use crate::rules::Rules;
use captures::Captures;
use exchange::Counted;
pub use exchange::{Exchange, Traffic, sum};
use fetch::Viewer;
use last_changes::Follower;
#[cfg(feature = "mpi")]
pub use mpi::MpiJob;
use shares::{Share, Shares};
use sweep::Sweeper;
pub use threads::Threads;
pub use volume::exchanged_in_sweep;

/// What a rank has of a distributed solve.
pub struct Part<T> {
    /// What was found, on rank 0.
    pub found: Option<T>,
    /// How it was found, by all ranks together.
    pub effort: Effort,
    /// What this rank sent to others, but for a few words now and then.
    pub sent: Traffic,
}

/// Solves the positions of `stones` stones together with other ranks, which all call it with the same rules,
/// stones and tables. The values are those of [`super::solve`], whatever the ranks; rank 0 has them, in
/// `storage`. Everything else is in memory. Only rank 0's [`Watch::checkpoint`] is asked; it keeps what that of
/// [`super::solve`] does.
///
/// # Errors
/// As [`super::solve`]; [`SolveError::OtherRank`] if another rank has such an error.
pub fn solve_among(
    exchange: &dyn Exchange,
    rules: Rules,
    stones: u32,
    smaller: &dyn SmallerTables,
    storage: &Storage,
    watch: &dyn Watch,
) -> Result<Part<Values>, SolveError> {
    let maps = &Maps::new(rules, stones);
    let finish = |_, worths: &mut [u8]| {
        worths.par_iter_mut().for_each(|worth| *worth = worth::value(*worth).cast_unsigned());
        Ok(())
    };
    let part = find(exchange, maps, smaller, storage, watch, &finish)?;
    let Part { found, effort, sent } = part;
    let found = found.map(|table| Values::new(table, maps.index.positions() as usize));
    Ok(Part { found, effort, sent })
}

/// Finds the depths of the positions of `stones` stones together with other ranks, as [`solve_among`] does values.
///
/// # Errors
/// As [`super::solve_depths`]; [`SolveError::OtherRank`] if another rank has such an error.
pub fn solve_depths_among(
    exchange: &dyn Exchange,
    rules: Rules,
    stones: u32,
    tables: &dyn SmallerTables,
    storage: &Storage,
    watch: &dyn Watch,
) -> Result<Part<Depths>, SolveError> {
    let maps = &Maps::new(rules, stones);
    let finish = |start, worths: &mut [i16]| super::into_depths(maps, tables, start, worths);
    let part = find(exchange, maps, tables, storage, watch, &finish)?;
    let Part { found, effort, sent } = part;
    let found = found.map(|table| Depths::new(table, maps.index.positions() as usize));
    Ok(Part { found, effort, sent })
}

/// What becomes of the worths from a place on.
type Finish<'a, W> = dyn Fn(usize, &mut [W]) -> Result<(), SolveError> + 'a;

/// Settles the table and gathers it on rank 0, where it is finished level by level.
fn find<W: Worth + Scratched>(
    exchange: &dyn Exchange,
    maps: &Maps,
    smaller: &dyn SmallerTables,
    storage: &Storage,
    watch: &dyn Watch,
    finish: &Finish<W>,
) -> Result<Part<Buffer<W>>, SolveError> {
    let exchange = &Counted::new(exchange);
    let shares = &Shares::new(maps, exchange.ranks());
    let share = &Share::new(shares, exchange.rank());
    let mut table = agree(exchange, Buffer::new(&Storage::Memory, share.size + SLACK))?;
    let mut viewer = agree(exchange, Viewer::new(shares, exchange))?;
    let effort = settle(share, &mut viewer, smaller, watch, &mut table)?;
    let gathered = match exchange.rank() {
        0 => Buffer::new(storage, maps.index.positions() as usize).map(Some),
        _ => Ok(None),
    };
    let mut found = agree(exchange, gathered)?;
    let mut failed = Ok(());
    for waiting in 0..=maps.stones {
        let window = viewer.gather((share, &table), waiting);
        // Others cannot know that something failed: they go on giving what they have.
        if let (Some(found), Ok(())) = (&mut found, &failed) {
            let level = maps.level(waiting);
            failed = finish(level.start, &mut window[..level.len()])
                .and_then(|()| Ok(store(level, window, found)?));
        }
    }
    agree(exchange, failed)?;
    found.iter().for_each(Buffer::read_in_order);
    Ok(Part { found, effort, sent: exchange.sent() })
}

/// Stores a finished level.
fn store<W: Worth>(
    level: Range<usize>,
    window: &Window<W>,
    found: &mut Buffer<W>,
) -> Result<(), StorageError> {
    if found.is_scratch() {
        return found.write(level, window);
    }
    let length = level.len();
    found[level].copy_from_slice(&window[..length]);
    Ok(())
}

/// What this rank has, if all ranks have theirs.
fn agree<T, E: Into<SolveError>>(exchange: &Counted, result: Result<T, E>) -> Result<T, SolveError> {
    let [failed] = exchange.sum([u64::from(result.is_err())]);
    match result {
        Ok(_) if failed > 0 => Err(SolveError::OtherRank),
        result => result.map_err(Into::into),
    }
}

/// Looks up captures, sweeps until little changes, follows the last changes.
fn settle<'s, W: Worth + Scratched>(
    share: &Share<'s>,
    viewer: &mut Viewer<'s, '_, W>,
    smaller: &dyn SmallerTables,
    watch: &dyn Watch,
    table: &mut [W],
) -> Result<Effort, SolveError> {
    let (shares, exchange) = (viewer.shares, viewer.exchange);
    let positions = shares.maps.index.positions();
    let mut captures = agree(exchange, Captures::new(shares, exchange.rank()))?;
    captures.look_up(smaller, watch);
    let [stopped] = exchange.sum([u64::from(watch.stop())]);
    if stopped > 0 {
        return Err(SolveError::Stopped);
    }
    let part = |share: f64| (share * positions as f64) as u64;
    let mut reached = checkpoint::start(watch.checkpoint(), viewer, share, table);
    let mut sweeper = agree(exchange, Sweeper::new(share, &captures, viewer, watch))?;
    let last = loop {
        let room = if reached.sweeps > 0 && reached.changes <= part(MANY) { part(FEW) } else { 0 };
        let swept = sweeper.sweep(table, Pass::Sweep(reached.sweeps + 1), room)?;
        reached = Reached { sweeps: reached.sweeps + 1, changes: swept.changes };
        if let Some(changes) = swept.list {
            break changes;
        }
        sweeper.offer(table, reached);
    };
    drop(sweeper);
    let follower = Follower { shares, share, exchange, captures: &captures };
    let followed = follower.follow(viewer, table, last, reached, watch)?;
    let [followed] = exchange.sum([followed]);
    Ok(Effort { sweeps: reached.sweeps, evaluations: u64::from(reached.sweeps) * positions + followed })
}
