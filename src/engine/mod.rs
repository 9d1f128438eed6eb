//! Solves all positions of one number of stones, given the tables of fewer.
//!
//! The values are those of perfect play with endless play worth 0. They are found by forward
//! sweeps from zero; `docs/engine.md` says why that is exact on cycles and what makes it fast.

mod block;
mod captures;
mod chunks;
mod kernel;
mod last_changes;
mod maps;
mod runs;
mod sowing;
mod sweep;
mod worth;

use std::fmt;

use crate::rules::Rules;
use captures::Captures;
use maps::Maps;
use sweep::Sweeper;

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
}

/// Watches nothing and never stops.
pub struct Unwatched;

impl Watch for Unwatched {
    fn progress(&self, _: Pass, _: u64, _: u64) {}
    fn stop(&self) -> bool {
        false
    }
}

/// The solve was stopped by its [`Watch`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stopped;

impl fmt::Display for Stopped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("stopped")
    }
}

impl std::error::Error for Stopped {}

/// The values of all positions of one number of stones.
pub struct Solved {
    /// One value a position, −n..=n, in the order of [`crate::index::Index`].
    pub values: Vec<i8>,
    /// Sweeps it took.
    pub sweeps: u32,
    /// Positions evaluated, over all sweeps.
    pub evaluations: u64,
}

/// When a sweep changes at most this share of the positions, the rest is done one by one.
const FEW: f64 = 0.01;

/// When a sweep changes at most this share, the next one may be the last: it records its changes.
const MANY: f64 = 0.05;

/// Solves the positions of `stones` stones on the threads of the current rayon pool. The values
/// do not depend on how many those are.
///
/// # Errors
/// [`Stopped`], as soon as `watch` says so.
pub fn solve(
    rules: Rules,
    stones: u32,
    smaller: &dyn SmallerTables,
    watch: &dyn Watch,
) -> Result<Solved, Stopped> {
    let maps = Maps::new(rules, stones);
    let captures = Captures::look_up(&maps, smaller, watch)?;
    let mut sweeper = Sweeper::new(&maps, &captures, watch);
    let few = |changes: u64, share: f64| changes as f64 <= share * maps.index.positions() as f64;
    let (mut sweeps, mut record) = (0, false);
    let t0 = std::time::Instant::now();
    loop {
        sweeps += 1;
        let changes = sweeper.sweep(Pass::Sweep(sweeps), record)?;
        if std::env::var("TRACE").is_ok() {
            eprintln!("{stones} sweep {sweeps} {changes} {:?}", t0.elapsed());
        }
        if changes == 0 || record && few(changes, FEW) {
            break;
        }
        record = few(changes, MANY);
    }
    let mut evaluations = sweeper.evaluations;
    let (mut table, changes) = sweeper.into_parts();
    evaluations += last_changes::follow(&maps, rules, &captures, &mut table, changes, watch)?;
    if std::env::var("TRACE").is_ok() {
        eprintln!("{stones} tail {:?}", t0.elapsed());
    }
    table.truncate(maps.index.positions() as usize);
    let values = table.into_iter().map(worth::value).collect();
    Ok(Solved { values, sweeps, evaluations })
}
