//! `grade`: what a move cost.

use awari::Tablebase;
use awari::notation::{Position, Stores};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::board::illegal_move;
use crate::tablebase::{PyTablebase, optional};
use crate::{arrays, errors};

/// What a move cost, seen from the player who made it.
///
/// pit: the move. before: the value of the board. after: what the move is worth.
/// loss: before - after, stones. best: the pits of the best moves. forced: whether it was the only move.
/// outcome: of the whole game before and after the move, each 'win', 'draw' or 'loss', if both stores are known.
/// depth: plies to the next capture or the end by the best moves. missed: plies given away without
///     giving away stones. Both None if not known, or at value 0.
#[pyclass(name = "Grade", module = "awari", frozen, get_all)]
pub struct PyGrade {
    pit: usize,
    before: i8,
    after: i8,
    loss: u8,
    best: Vec<usize>,
    forced: bool,
    outcome: Option<(&'static str, &'static str)>,
    depth: Option<u16>,
    missed: Option<u16>,
}

#[pymethods]
impl PyGrade {
    /// Whether no move is worth more.
    #[getter]
    fn is_best(&self) -> bool {
        self.loss == 0
    }

    /// Whether the move changed the outcome of the whole game; None if that is not known.
    #[getter]
    fn is_blunder(&self) -> Option<bool> {
        self.outcome.map(|(before, after)| before != after)
    }

    fn __repr__(&self) -> String {
        let Self { pit, loss, before, best, .. } = self;
        let missed = optional(self.missed);
        format!("Grade(pit={pit}, loss={loss}, before={before}, best={best:?}, missed={missed})")
    }
}

/// Grades the move of a pit, 0..5, by the tables.
///
/// stores: what the player to move and his opponent have captured, if known.
/// Raises IllegalMove, ValueError for stores that no game has, and what `Tablebase.probe` raises.
#[pyfunction]
#[pyo3(signature = (tables, board, pit, stores=None))]
pub fn grade(
    tables: &Bound<'_, PyTablebase>,
    board: &Bound<'_, PyAny>,
    pit: i64,
    stores: Option<(u8, u8)>,
) -> PyResult<PyGrade> {
    let py = board.py();
    let mut position: Position = arrays::board(board)?.into();
    if let Some((mover, waiting)) = stores {
        let stones = u32::from(mover) + u32::from(waiting) + position.board.stones();
        if stones > awari::board::MAX_STONES {
            return Err(PyValueError::new_err(format!(
                "stores ({mover}, {waiting}) and the board have {stones} stones: a game has {}",
                awari::board::MAX_STONES
            )));
        }
    }
    position.stores = stores.map(|(mover, waiting)| Stores { mover, waiting });
    let tables: &Tablebase = &tables.get().tables;
    let graded = match usize::try_from(pit) {
        Ok(pit) => py.detach(|| awari::grade::grade(tables, &position, pit)),
        Err(_) => Ok(None),
    };
    let Some(grade) = graded.map_err(|error| errors::probe(py, &error))? else {
        let rules = tables.rules();
        return Err(illegal_move(
            py,
            format!("pit {pit} is no legal move of {} under rules {rules}", position.board),
        ));
    };
    Ok(PyGrade {
        pit: grade.pit,
        before: grade.before,
        after: grade.after,
        loss: grade.loss(),
        best: grade.best().collect(),
        forced: grade.is_forced(),
        outcome: grade.game.map(|[before, after]| (before.name(), after.name())),
        depth: grade.depth,
        missed: grade.missed,
    })
}
