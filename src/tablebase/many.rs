//! Many boards at once.

use std::fmt;

use rayon::prelude::*;

use super::{Probe, ProbeError, Source, Tablebase};
use crate::board::Board;
use crate::table::Table;

/// Boards that one thread takes at a time.
const PART: usize = 4096;

/// Boards whose places are all known before the first of them is read: the loads then wait for
/// memory together, not one after another.
const TOGETHER: usize = 64;

/// Why a question about many boards has no answer.
#[derive(Debug)]
pub struct RowError {
    /// The first board without one, counted from 0.
    pub row: usize,
    /// What is wrong with it.
    pub error: ProbeError,
}

impl fmt::Display for RowError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "board {}: {}", self.row, self.error)
    }
}

impl std::error::Error for RowError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        // The message is part of this one, so the next cause is its own.
        self.error.source()
    }
}

impl Tablebase {
    /// The [values](Tablebase::value) of many boards, on the threads of the current rayon pool.
    ///
    /// ```
    /// use awari::{Board, Rules, Tablebase, builder::{Builder, Unwatched}};
    /// # let dir = tempfile::tempdir()?;
    /// # let dir = dir.path();
    /// Builder::new(dir, Rules::Awari).stones(2).run(&Unwatched)?;
    /// let tables = Tablebase::open(dir, Rules::Awari)?;
    /// let boards = [
    ///     Board::new([0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0])?,
    ///     Board::new([0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0])?,
    /// ];
    /// assert_eq!(tables.values_of(&boards)?, [-2, -1]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`Tablebase::value`], for the first board that has none.
    pub fn values_of(&self, boards: &[Board]) -> Result<Vec<i8>, RowError> {
        let mut values = vec![0; boards.len()];
        self.fill(boards, &mut values, |boards, values| self.values_one_thread(boards, values))?;
        Ok(values)
    }

    /// [`Tablebase::probe`] of many boards, on the threads of the current rayon pool.
    ///
    /// # Errors
    /// As [`Tablebase::probe`], for the first board that has no answer.
    pub fn probe_many(&self, boards: &[Board]) -> Result<Vec<Probe>, RowError> {
        let mut probes = vec![Probe { value: 0, depth: None }; boards.len()];
        self.fill(boards, &mut probes, |boards, probes| {
            let mut values = vec![0; boards.len()];
            self.values_one_thread(boards, &mut values)?;
            for (row, ((board, probe), value)) in boards.iter().zip(probes).zip(values).enumerate() {
                let depth = self.depth(board, value).map_err(|error| RowError { row, error })?;
                *probe = Probe { value, depth };
            }
            Ok(())
        })?;
        Ok(probes)
    }

    /// Fills in answers, part by part.
    fn fill<T: Send>(
        &self,
        boards: &[Board],
        answers: &mut [T],
        fill: impl Fn(&[Board], &mut [T]) -> Result<(), RowError> + Sync,
    ) -> Result<(), RowError> {
        let parts = boards.par_chunks(PART).zip(answers.par_chunks_mut(PART)).enumerate();
        let wrong = parts.find_map_first(|(part, (boards, answers))| {
            let error = fill(boards, answers).err()?;
            Some(RowError { row: part * PART + error.row, error: error.error })
        });
        wrong.map_or(Ok(()), Err)
    }

    fn values_one_thread(&self, boards: &[Board], values: &mut [i8]) -> Result<(), RowError> {
        let mut places: [Option<(&Table, u64)>; TOGETHER] = [None; TOGETHER];
        for (group, (boards, values)) in boards.chunks(TOGETHER).zip(values.chunks_mut(TOGETHER)).enumerate()
        {
            for (place, board) in places.iter_mut().zip(boards) {
                *place = match self.source(board.stones()) {
                    Ok(Source::Own(table)) => table.index().place(board).map(|place| (table, place)),
                    _ => None,
                };
            }
            for (i, (value, board)) in values.iter_mut().zip(boards).enumerate() {
                let stored = match places[i] {
                    Some((table, place)) => table.stored(place).map_err(ProbeError::from),
                    None => Ok(None),
                };
                // What is not stored, or not in a table of ours, takes its time.
                let found = stored.and_then(|stored| stored.map_or_else(|| self.value(board), Ok));
                *value = found.map_err(|error| RowError { row: group * TOGETHER + i, error })?;
            }
        }
        Ok(())
    }
}
