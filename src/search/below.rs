//! The values that end lines of the search: those of the tables.

use crate::board::{Board, MAX_STONES};
use crate::engine::{self, Needs, SmallerTables, SolveError, Storage, Values, Watch};
use crate::index::Index;
use crate::rules::Rules;
use crate::tablebase::{ProbeError, State, Tablebase, VerifiedTables};

/// Tables below the board that is searched: those of a directory, and after them those made in
/// memory.
pub(super) struct Below<'t> {
    tables: &'t Tablebase,
    /// Whether the table of so many stones is in the directory and to be used.
    usable: [bool; MAX_STONES as usize + 1],
    made: Vec<Made>,
    /// Values that were looked up.
    pub hits: u64,
}

/// A table in memory.
struct Made {
    stones: u32,
    index: Index,
    values: Values,
}

/// What a solve in memory reads: verified tables, then those made before it.
struct Smaller<'a> {
    verified: VerifiedTables<'a>,
    made: &'a [Made],
}

impl SmallerTables for Smaller<'_> {
    fn read(&self, stones: u32, place: u64, values: &mut [i8]) {
        match self.made.iter().find(|made| made.stones == stones) {
            Some(made) => values.copy_from_slice(&made.values[place as usize..][..values.len()]),
            None => self.verified.read(stones, place, values),
        }
    }
}

impl<'t> Below<'t> {
    /// The tables of at most `most` stones that are there and can be used.
    pub fn new(tables: &'t Tablebase, most: u32) -> Below<'t> {
        let mut usable = [false; MAX_STONES as usize + 1];
        for found in tables.found() {
            usable[found.stones as usize] = found.stones <= most && matches!(found.state, State::Usable);
        }
        Below { tables, usable, made: Vec::new(), hits: 0 }
    }

    pub fn rules(&self) -> Rules {
        self.tables.rules()
    }

    /// The most stones up to which there is every table; None if there are none.
    pub fn complete_to(&self) -> Option<u32> {
        (0..=MAX_STONES).take_while(|&stones| self.has(stones)).last()
    }

    fn has(&self, stones: u32) -> bool {
        self.usable[stones as usize] || self.made.iter().any(|made| made.stones == stones)
    }

    /// The value of a board, if a table has it.
    pub fn value(&mut self, board: &Board) -> Result<Option<i8>, ProbeError> {
        let stones = board.stones();
        if self.usable[stones as usize] {
            self.hits += 1;
            return self.tables.value(board).map(Some);
        }
        // A board no move can lead to is in no table.
        let Some(made) = self.made.iter().find(|made| made.stones == stones) else { return Ok(None) };
        let value = made.index.place(board).map(|place| made.values[place as usize]);
        self.hits += u64::from(value.is_some());
        Ok(value)
    }

    /// Bytes that making the next table takes, those of the tables made before it included; None if
    /// there is none to make.
    pub fn needs(&self) -> Option<(u32, u64)> {
        let next = self.complete_to().map_or(0, |most| most + 1);
        let made = self.made.iter().map(|made| made.values.len() as u64).sum::<u64>();
        (next < crate::index::IMPOSSIBLE_STONES).then(|| (next, made + Needs::of_values(next).total()))
    }

    /// Makes the next table in memory.
    pub fn make(&mut self, watch: &dyn Watch) -> Result<(), MakeError> {
        let Some((stones, _)) = self.needs() else { return Ok(()) };
        // Those from the directory come first.
        let first_made = self.made.iter().map(|made| made.stones).min().unwrap_or(stones);
        let verified = self.tables.smaller_tables(first_made.min(stones.saturating_sub(1)) + 1)?;
        let smaller = Smaller { verified, made: &self.made };
        let solved = engine::solve(self.rules(), stones, &smaller, &Storage::Memory, watch)?;
        smaller.verified.check_unchanged().map_err(ProbeError::Table)?;
        self.made.push(Made { stones, index: Index::new(stones), values: solved.values });
        Ok(())
    }
}

/// Why a table was not made.
#[derive(Debug)]
pub(super) enum MakeError {
    Tables(ProbeError),
    Solve(SolveError),
}

impl From<ProbeError> for MakeError {
    fn from(error: ProbeError) -> MakeError {
        MakeError::Tables(error)
    }
}

impl From<SolveError> for MakeError {
    fn from(error: SolveError) -> MakeError {
        MakeError::Solve(error)
    }
}
