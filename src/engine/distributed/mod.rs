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

use super::block::Scratched;
use super::kernel::SLACK;
use super::maps::Maps;
use super::storage::{Buffer, StorageError, Window};
use super::worth::Worth;
use super::{Effort, FEW, MANY, Pass, SmallerTables, SolveError, Storage, Values, Watch, worth};
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
use wanted::Want;

/// What a rank has of a distributed solve.
pub struct Part {
    /// The values, on rank 0.
    pub values: Option<Values>,
    /// How the solution was found, by all ranks together.
    pub effort: Effort,
    /// What this rank sent to others, but for a few words now and then.
    pub sent: Traffic,
}

/// Solves the positions of `stones` stones together with other ranks, which all call it with the same rules,
/// stones and tables. The values are those of [`super::solve`], whatever the ranks; rank 0 has them, in
/// `storage`. Everything else is in memory.
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
) -> Result<Part, SolveError> {
    let exchange = &Counted::new(exchange);
    let maps = &Maps::new(rules, stones);
    let shares = &Shares::new(maps, exchange.ranks());
    let share = &Share::new(shares, exchange.rank());
    let room = || Ok((Buffer::new(&Storage::Memory, share.size + SLACK)?, Viewer::new(shares, exchange)?));
    let (mut table, mut viewer): (Buffer<u8>, Viewer<u8>) = agree(exchange, room())?;
    let effort = settle(share, &mut viewer, smaller, watch, &mut table)?;
    let positions = maps.index.positions() as usize;
    let gathered = match exchange.rank() {
        0 => Buffer::new(storage, positions).map(Some),
        _ => Ok(None),
    };
    let mut gathered = agree(exchange, gathered)?;
    let mut failed = None;
    for waiting in 0..=maps.stones {
        let wants = |rank| if rank == 0 { vec![Want::all(maps, waiting)] } else { Vec::new() };
        let window = viewer.show((share, &table), waiting, wants, &(0..0));
        if let Some(gathered) = &mut gathered {
            failed = failed.or(store(maps, waiting, window, gathered).err());
        }
    }
    agree(exchange, failed.map_or(Ok(()), Err))?;
    let values = gathered.map(|gathered| {
        gathered.read_in_order();
        Values::new(gathered, positions)
    });
    Ok(Part { values, effort, sent: exchange.sent() })
}

/// Stores the values of a level, whose worths are in the window.
fn store(
    maps: &Maps,
    waiting: usize,
    window: &mut Window<u8>,
    values: &mut Buffer<u8>,
) -> Result<(), StorageError> {
    let level = maps.level(waiting);
    window.iter_mut().for_each(|worth| *worth = worth::value(*worth).cast_unsigned());
    if values.is_scratch() {
        return values.write(level, window);
    }
    values[level.clone()].copy_from_slice(&window[..level.len()]);
    Ok(())
}

/// What this rank has, if all ranks have theirs.
fn agree<T>(exchange: &Counted, result: Result<T, StorageError>) -> Result<T, SolveError> {
    let [failed] = exchange.sum([u64::from(result.is_err())]);
    match result {
        Ok(_) if failed > 0 => Err(SolveError::OtherRank),
        result => Ok(result?),
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
    table.fill(W::ZERO);
    let mut captures = agree(exchange, Captures::new(shares, exchange.rank()))?;
    captures.look_up(smaller, watch);
    let [stopped] = exchange.sum([u64::from(watch.stop())]);
    if stopped > 0 {
        return Err(SolveError::Stopped);
    }
    let few = |share: f64| (share * positions as f64) as u64;
    let (mut sweeps, mut room) = (0, 0);
    let mut sweeper = agree(exchange, Sweeper::new(share, &captures, viewer, watch))?;
    let last = loop {
        sweeps += 1;
        let swept = sweeper.sweep(table, Pass::Sweep(sweeps), room)?;
        if let Some(changes) = swept.list {
            break changes;
        }
        room = if swept.changes <= few(MANY) { few(FEW) } else { 0 };
    };
    drop(sweeper);
    let follower = Follower { shares, share, exchange, captures: &captures };
    let followed = follower.follow(table, last, watch)?;
    let [followed] = exchange.sum([followed]);
    Ok(Effort { sweeps, evaluations: u64::from(sweeps) * positions + followed })
}
