//! Checks a table against its checksums and against the rules.
//!
//! It shares no code with the engine: what the positions lead to comes from [`crate::rules`], and
//! where their values are from [`crate::index`].
//!
//! # What it proves, and what it does not
//!
//! A table that passes is, bit for bit, the one that was written, and every value in it is what
//! the values of the boards after its moves say: the best of `captured − value after the move`,
//! or the value of the end of the game. That finds damage, a change of the rules, and nearly
//! every mistake of a program.
//!
//! It does **not** prove the table. Positions that lead to each other in a circle can hold wrong
//! values that agree with each other: everyone on the circle may promise a gain that never comes,
//! and one ply ahead all looks well. A proof also needs, for each value that is not 0, in how
//! many plies it is made good: [`prove`] checks the depths too. Nor does it check the tables of
//! fewer stones that captures lead to, beyond the checksums of the blocks it reads: check them
//! first.

mod certificate;
mod prove;

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;

use crate::board::Board;
use crate::engine::SmallerTables;
use crate::half;
use crate::rules::{self, Rules};
use crate::table::TableError;
use crate::tablebase::{ProbeError, Tablebase, VerifiedTables};
pub use certificate::{Certificate, CertificateError, Proof, ReliedOn, certificate_path, proof};
pub use prove::prove;

/// What is being checked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// The bytes of the file: checksums, content hash, counts.
    File,
    /// The positions, one ply ahead.
    Positions,
}

/// A value that its moves contradict.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WrongPosition {
    /// The board, seen from the player to move.
    pub board: Board,
    /// Its place in the table.
    pub place: u64,
    /// The value in the table.
    pub stored: i8,
    /// The value that follows from the boards after its moves.
    pub expected: i8,
}

/// A depth that its moves contradict.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WrongDepth {
    /// The board, seen from the player to move.
    pub board: Board,
    /// Its place in the table.
    pub place: u64,
    /// The depth in the table.
    pub stored: u16,
    /// The depth that follows from the boards after its moves.
    pub expected: u32,
}

/// Why a table did not pass.
#[derive(Debug)]
#[non_exhaustive]
pub enum VerifyError {
    /// The table, or one of fewer stones, is missing, damaged, or cannot be used.
    Table(ProbeError),
    /// A value is wrong. This is the first in index order.
    Wrong(WrongPosition),
    /// A depth is wrong, and no value or depth before it in index order.
    WrongDepth(WrongDepth),
    /// It was told to stop.
    Stopped,
}

impl fmt::Display for VerifyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            VerifyError::Table(error) => error.fmt(f),
            VerifyError::Wrong(WrongPosition { board, place, stored, expected }) => write!(
                f,
                "wrong value of board {board} (place {place}): {stored} in the table, {expected} by its \
                 moves. Build the table again."
            ),
            VerifyError::WrongDepth(WrongDepth { board, place, stored, expected }) => write!(
                f,
                "wrong depth of board {board} (place {place}): {stored} in the table, {expected} by its \
                 moves. Build the table and its depths again."
            ),
            VerifyError::Stopped => f.write_str("stopped"),
        }
    }
}

impl std::error::Error for VerifyError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            VerifyError::Table(error) => error.source(),
            _ => None,
        }
    }
}

impl From<ProbeError> for VerifyError {
    fn from(error: ProbeError) -> VerifyError {
        VerifyError::Table(error)
    }
}

impl From<TableError> for VerifyError {
    fn from(error: TableError) -> VerifyError {
        VerifyError::Table(error.into())
    }
}

/// Checks the table of `stones` stones: its file, then each position one ply ahead, on the
/// threads of the current rayon pool. See [the module](self) for what that proves.
///
/// `progress` is told the step, how many positions are through, and how many there are; `stop` is
/// asked now and then whether to give up. Both are called often and from several threads, so that
/// a number may come after a greater one.
///
/// ```
/// use awari::{Rules, engine, table, tablebase::Tablebase, verify};
/// # let dir = tempfile::tempdir()?;
/// let tables = Tablebase::open(dir.path(), Rules::Awari)?;
/// let smaller = tables.smaller_tables(1)?;
/// let solved = engine::solve(Rules::Awari, 1, &smaller, &engine::Storage::Memory, &engine::Unwatched)?;
/// table::write(tables.path(1), Rules::Awari, 1, &solved.values)?;
/// verify::verify(&tables, 1, &|_, _, _| {}, &|| false)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If a table is missing or damaged, a value is wrong, or `stop` says so.
pub fn verify(
    tables: &Tablebase,
    stones: u32,
    progress: &(dyn Fn(Step, u64, u64) + Sync),
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<(), VerifyError> {
    let table = tables.source(stones)?;
    let total = table.positions();

    progress(Step::File, 0, total);
    table.check()?;
    let check = Check { rules: tables.rules(), stones, tables: tables.tables_with(stones)? };
    progress(Step::File, total, total);

    let done = AtomicU64::new(0);
    for waiting in 0..=stones as usize {
        let columns = half::count(stones as usize - waiting) as u64;
        let rows = 0..half::open_count(waiting) as u64;
        let start = table.index().level(waiting);
        let found = rows.into_par_iter().find_map_first(|row| {
            if stop() {
                return Some(VerifyError::Stopped);
            }
            let wrong = check.row(waiting, row as usize, start + row * columns).err();
            let before = done.fetch_add(columns, Ordering::Relaxed);
            progress(Step::Positions, before + columns, total);
            wrong
        });
        // An error found in what is not there any more is none.
        check.tables.check_unchanged()?;
        if let Some(error) = found {
            return Err(error);
        }
    }
    Ok(())
}

struct Check<'a> {
    rules: Rules,
    stones: u32,
    /// The table that is checked, and those of fewer stones.
    tables: VerifiedTables<'a>,
}

impl Check<'_> {
    /// Checks the positions of one waiting half-board, whose row of the table starts at `start`.
    fn row(&self, waiting: usize, row: usize, start: u64) -> Result<(), VerifyError> {
        let own = self.stones as usize - waiting;
        let waiting = half::open_unrank(waiting, row);
        let mut values = vec![0; half::count(own)];
        self.tables.read(self.stones, start, &mut values);
        for (place, (mover, stored)) in (start..).zip(half::all(own).zip(values)) {
            let board = Board::from_halves(mover, waiting);
            let expected = self.one_ply_ahead(&board);
            if stored != expected {
                return Err(VerifyError::Wrong(WrongPosition { board, place, stored, expected }));
            }
        }
        Ok(())
    }

    fn one_ply_ahead(&self, board: &Board) -> i8 {
        let stones = board.stones();
        let turn = rules::turn(board, self.rules);
        let mut best = turn.end_value(stones);
        for play in turn.moves() {
            let left = play.child.stones();
            let index = self.tables.index(left);
            let place = index.place(&play.child).expect("the pit just played is empty");
            best = best.max(Some(play.captured as i8 - self.tables.value(left, place)));
        }
        best.expect("without a legal move the game is over")
    }
}
