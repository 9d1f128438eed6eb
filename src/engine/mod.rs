//! Solves all positions of one number of stones, given the tables of fewer.
//!
//! The values are those of perfect play with endless play worth 0. They are found by forward
//! sweeps from zero; `docs/engine.md` says why that is exact on cycles and what makes it fast.

use std::fmt;

use crate::index::Index;
use crate::rules::{self, Rules};

/// The solved tables of fewer stones, as the engine reads them.
pub trait SmallerTables: Sync {
    /// Reads the values of the positions of `stones` stones at `place..place + values.len()`, in
    /// the order of [`Index`]. The range lies inside the table, and `stones` is below the number
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
    WorkList,
}

impl fmt::Display for Pass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Pass::Captures => f.write_str("captures"),
            Pass::Sweep(number) => write!(f, "sweep {number}"),
            Pass::WorkList => f.write_str("last changes"),
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
    /// One value a position, −n..=n, in the order of [`Index`].
    pub values: Vec<i8>,
    /// Sweeps it took.
    pub sweeps: u32,
    /// Positions evaluated, over all sweeps.
    pub evaluations: u64,
}

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
    let index = Index::new(stones);
    let total = index.positions();
    let mut values = vec![0i8; total as usize];
    let (mut sweeps, mut changed) = (0, true);
    while changed {
        changed = false;
        sweeps += 1;
        for place in 0..total {
            let board = index.board(place);
            let turn = rules::turn(&board, rules);
            let value = turn.end_value(stones).unwrap_or_else(|| {
                turn.moves()
                    .map(|m| {
                        let left = m.child.stones();
                        let child = Index::new(left).place(&m.child).unwrap();
                        let mut value = [0];
                        if left == stones {
                            value[0] = values[child as usize];
                        } else {
                            smaller.read(left, child, &mut value);
                        }
                        m.captured as i8 - value[0]
                    })
                    .max()
                    .unwrap()
            });
            changed |= values[place as usize] != value;
            values[place as usize] = value;
        }
        watch.progress(Pass::Sweep(sweeps), total, total);
        if watch.stop() {
            return Err(Stopped);
        }
    }
    Ok(Solved { values, sweeps, evaluations: u64::from(sweeps) * total })
}
