//! The proof of a table: its values and its depths, checked together.

use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;

use super::certificate::{Certificate, ReliedOn};
use super::{Step, VerifyError, WrongDepth, WrongPosition};
use crate::board::{Board, PITS};
use crate::engine::SmallerTables;
use crate::half;
use crate::rules::{self, Rules};
use crate::table::{DepthTable, Encoding, TableError};
use crate::tablebase::{Source, Tablebase, VerifiedTables};

/// Proves the table of `stones` stones, given that the tables of fewer are right: checks the files
/// of values and depths, the files of the smaller tables, and then that each stored position's
/// value and depth are what those after its moves say, on the threads of the current rayon pool.
/// `docs/proof.md` says why nothing else has these two properties than the true values.
///
/// Like [`super::verify`] it shares no code with the engine, and `progress` and `stop` are the
/// same. What it returns belongs beside the tables: [`Certificate::write`].
///
/// ```
/// use awari::{Rules, engine, table, tablebase::Tablebase, verify};
/// # let dir = tempfile::tempdir()?;
/// let tables = Tablebase::open(dir.path(), Rules::Awari)?;
/// let smaller = tables.smaller_tables(1)?;
/// let memory = engine::Storage::Memory;
/// let solved = engine::solve(Rules::Awari, 1, &smaller, &memory, &engine::Unwatched)?;
/// let header = table::write(tables.path(1), Rules::Awari, 1, &solved.values)?;
/// let values = tables.tables_with(1)?;
/// let solved = engine::solve_depths(Rules::Awari, 1, &values, &memory, &engine::Unwatched)?;
/// table::write_depths(tables.depth_path(1), Rules::Awari, 1, header.content_hash, &solved.depths)?;
///
/// let certificate = verify::prove(&tables, 1, &|_, _, _| {}, &|| false)?;
/// assert_eq!((certificate.positions, certificate.max_depth), (12, 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If a table is missing or damaged, a value or a depth is wrong (the first in index order is
/// named), or `stop` says so.
pub fn prove(
    tables: &Tablebase,
    stones: u32,
    progress: &(dyn Fn(Step, u64, u64) + Sync),
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<Certificate, VerifyError> {
    let table = tables.source(stones)?;
    let depths = tables.needed_depths(stones)?;
    let total = table.positions();
    // A capture takes at least two stones.
    let smaller = (0..(stones + 1).saturating_sub(2)).map(|smaller| tables.source(smaller));
    let smaller: Vec<Source> = smaller.collect::<Result<_, _>>()?;

    progress(Step::File, 0, total);
    table.check()?;
    depths.check()?;
    for table in &smaller {
        if stop() {
            return Err(VerifyError::Stopped);
        }
        table.check()?;
    }
    let values = tables.tables_with(stones)?;
    progress(Step::File, total, total);

    let stored = match depths.header().encoding {
        Encoding::Packed => Depths::Packed(depths),
        Encoding::Compressed => Depths::Unpacked(tables.unpack_depths(stones)?),
    };
    let proof = Equations { rules: tables.rules(), stones, values, depths: stored };
    let done = AtomicU64::new(0);
    for waiting in 0..=stones as usize {
        let columns = half::count(stones as usize - waiting) as u64;
        let rows = 0..half::open_count(waiting) as u64;
        let start = table.index().level(waiting);
        let found = rows.into_par_iter().find_map_first(|row| {
            if stop() {
                return Some(VerifyError::Stopped);
            }
            let wrong = proof.row(waiting, row as usize, start + row * columns).err();
            let before = done.fetch_add(columns, Ordering::Relaxed);
            progress(Step::Positions, before + columns, total);
            wrong
        });
        // An error found in what is not there any more is none.
        proof.values.check_unchanged()?;
        if let Some(error) = found {
            return Err(error);
        }
    }

    let (counts, depths) = (table.counts()?, depths.header());
    let relied_on =
        |table: &Source| Ok(ReliedOn { stones: table.index().stones(), values: table.content_hash()? });
    Ok(Certificate {
        program: concat!("awari ", env!("CARGO_PKG_VERSION")).to_owned(),
        rules: tables.rules(),
        stones,
        positions: total,
        wins: counts.wins(),
        draws: counts.draws(),
        losses: counts.losses(),
        max_depth: depths.max,
        sum_of_depths: depths.sum,
        values: table.content_hash()?,
        depths: depths.content_hash,
        relied_on: smaller.iter().map(relied_on).collect::<Result<_, TableError>>()?,
    })
}

struct Equations<'a> {
    rules: Rules,
    stones: u32,
    /// The table that is proved, and those of fewer stones.
    values: VerifiedTables<'a>,
    depths: Depths<'a>,
}

/// Depths that are read where they are, or that were unpacked.
enum Depths<'a> {
    Packed(&'a DepthTable),
    Unpacked(Vec<u16>),
}

impl Depths<'_> {
    fn read(&self, place: u64, depths: &mut [u16]) -> Result<(), TableError> {
        match self {
            Depths::Packed(table) => table.read(place, depths)?,
            Depths::Unpacked(all) => depths.copy_from_slice(&all[place as usize..][..depths.len()]),
        }
        Ok(())
    }

    fn depth(&self, place: u64) -> Result<u16, TableError> {
        match self {
            Depths::Packed(table) => table.depth(place),
            Depths::Unpacked(all) => Ok(all[place as usize]),
        }
    }
}

/// A legal move, as the equations need it.
#[derive(Clone, Copy)]
struct Outcome {
    /// What it is worth.
    value: i8,
    /// Where the board after it is, if it captures nothing.
    quiet: Option<u64>,
}

impl Equations<'_> {
    /// Checks the positions of one waiting half-board, whose row of the table starts at `start`.
    fn row(&self, waiting: usize, row: usize, start: u64) -> Result<(), VerifyError> {
        let own = self.stones as usize - waiting;
        let waiting = half::open_unrank(waiting, row);
        let (mut values, mut depths) = (vec![0; half::count(own)], vec![0; half::count(own)]);
        self.values.read(self.stones, start, &mut values);
        self.depths.read(start, &mut depths)?;
        let stored = values.into_iter().zip(depths);
        for (place, (mover, (value, depth))) in (start..).zip(half::all(own).zip(stored)) {
            self.position(place, &Board::from_halves(mover, waiting), value, depth)?;
        }
        Ok(())
    }

    /// Checks one position.
    fn position(&self, place: u64, board: &Board, value: i8, depth: u16) -> Result<(), VerifyError> {
        let stones = board.stones();
        let turn = rules::turn(board, self.rules);
        let mut outcomes = [None; PITS];
        let mut expected = turn.end_value(stones);
        for (outcome, play) in outcomes.iter_mut().zip(turn.moves()) {
            let left = play.child.stones();
            let index = self.values.index(left);
            let child = index.place(&play.child).expect("the pit just played is empty");
            let worth = play.captured as i8 - self.values.value(left, child);
            *outcome = Some(Outcome { value: worth, quiet: (play.captured == 0).then_some(child) });
            expected = expected.max(Some(worth));
        }
        let expected = expected.expect("without a legal move the game is over");
        if value != expected {
            return Err(VerifyError::Wrong(WrongPosition { board: *board, place, stored: value, expected }));
        }

        let expected = self.expected_depth(value, outcomes.into_iter().flatten())?;
        if u32::from(depth) != expected {
            return Err(VerifyError::WrongDepth(WrongDepth {
                board: *board,
                place,
                stored: depth,
                expected,
            }));
        }
        Ok(())
    }

    /// The depth of a position of this value with these moves.
    fn expected_depth(&self, value: i8, outcomes: impl Iterator<Item = Outcome>) -> Result<u32, TableError> {
        if value == 0 {
            return Ok(0);
        }
        // None as long as there is no move: then the game is over.
        let mut depth = None;
        for outcome in outcomes.filter(|outcome| outcome.value == value) {
            let by_this = match outcome.quiet {
                Some(child) => 1 + u32::from(self.depths.depth(child)?),
                None => 1,
            };
            let chosen = |so_far: u32| if value > 0 { so_far.min(by_this) } else { so_far.max(by_this) };
            depth = Some(depth.map_or(by_this, chosen));
        }
        Ok(depth.unwrap_or_default())
    }
}
