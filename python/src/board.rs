//! `Board`, and what the rules say.

use std::hash::{DefaultHasher, Hash, Hasher};

use awari::rules::{self, Choice, Illegal};
use awari::{Board, Rules};
use numpy::PyArray1;
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyIterator, PyTuple};

use crate::{arrays, errors};

/// A board: twelve pits, seen from the player to move, without the stores.
///
/// Pits 0..5 are the mover's own (A..F, left to right), 6..11 the opponent's (a..f); sowing goes in
/// ascending order and from 11 back to 0. At most 48 stones. Cannot be changed; hashable; numpy takes it
/// as an array of shape (12,), uint8.
///
/// pits: another Board, twelve whole numbers, or a text in any notation that `awari probe` reads, such
///     as '4 4 4 4 4 4 / 4 4 4 4 4 4'. Raises InvalidBoard.
#[pyclass(name = "Board", module = "awari", frozen, eq, ord)]
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct PyBoard(pub Board);

#[pymethods]
impl PyBoard {
    #[new]
    fn new(pits: &Bound<'_, PyAny>) -> PyResult<PyBoard> {
        arrays::board(pits).map(PyBoard)
    }

    /// The board every game starts from: four stones in each pit.
    #[staticmethod]
    fn start() -> PyBoard {
        PyBoard(Board::START)
    }

    /// The twelve pits, a tuple, the mover's six first.
    #[getter]
    fn pits<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.0.pits())
    }

    /// The mover's six pits, A..F.
    #[getter]
    fn mover<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.0.mover())
    }

    /// The other player's six pits, a..f.
    #[getter]
    fn waiting<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.0.waiting())
    }

    /// Stones on the board, 0..48.
    #[getter]
    fn stones(&self) -> u32 {
        self.0.stones()
    }

    /// Whether a move can lead here: the side that has just moved has an empty pit.
    #[getter]
    fn is_reachable(&self) -> bool {
        self.0.is_reachable()
    }

    /// Own row minus opponent's row: what the mover gains if both keep their own stones.
    #[getter]
    fn settle(&self) -> i8 {
        self.0.settle()
    }

    /// The same stones with the other player to move.
    fn swapped(&self) -> PyBoard {
        PyBoard(self.0.swapped())
    }

    fn __len__(&self) -> usize {
        arrays::PITS
    }

    fn __getitem__(&self, pit: isize) -> PyResult<u8> {
        let from_end = if pit < 0 { pit + arrays::PITS as isize } else { pit };
        let pits = self.0.pits();
        let found = usize::try_from(from_end).ok().and_then(|pit| pits.get(pit));
        found
            .copied()
            .ok_or_else(|| PyIndexError::new_err(format!("pit {pit}: a board has twelve pits, 0 to 11")))
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        self.pits(py)?.try_iter()
    }

    #[pyo3(signature = (dtype=None, copy=None))]
    fn __array__<'py>(
        &self,
        py: Python<'py>,
        dtype: Option<Bound<'py, PyAny>>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if copy == Some(false) {
            return Err(PyValueError::new_err("a Board has no array to share: one is made"));
        }
        let array = PyArray1::from_slice(py, &self.0.pits()).into_any();
        match dtype {
            Some(dtype) => array.call_method1("astype", (dtype,)),
            None => Ok(array),
        }
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.0.hash(&mut hasher);
        hasher.finish()
    }

    fn __getnewargs__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyTuple>,)> {
        Ok((self.pits(py)?,))
    }

    fn __str__(&self) -> String {
        self.0.to_string()
    }

    fn __repr__(&self) -> String {
        format!("Board('{}')", self.0)
    }
}

/// A legal move and what it leads to.
///
/// pit: 0..5. captured: stones. slam: whether the sowing would take every stone of the opponent.
/// child: the board after the move, seen from the opponent, who is now to move.
#[pyclass(name = "Move", module = "awari", frozen, get_all)]
pub struct PyMove {
    pit: usize,
    captured: u8,
    slam: bool,
    child: PyBoard,
}

#[pymethods]
impl PyMove {
    fn __repr__(&self) -> String {
        format!(
            "Move(pit={}, captured={}, slam={}, child={})",
            self.pit,
            self.captured,
            python_bool(self.slam),
            self.child.__repr__()
        )
    }
}

impl From<rules::Move> for PyMove {
    fn from(play: rules::Move) -> PyMove {
        PyMove { pit: play.pit, captured: play.captured, slam: play.slam, child: PyBoard(play.child) }
    }
}

pub fn python_bool(value: bool) -> &'static str {
    if value { "True" } else { "False" }
}

/// Rules by their name.
pub fn rules_named(name: &str) -> PyResult<Rules> {
    name.parse().map_err(|error: rules::UnknownRules| PyValueError::new_err(error.to_string()))
}

/// The legal moves, a list of Move, from pit 0 to pit 5; empty if the game is over.
#[pyfunction]
#[pyo3(signature = (board, rules="awari"))]
pub fn legal_moves(board: &Bound<'_, PyAny>, rules: &str) -> PyResult<Vec<PyMove>> {
    let (board, rules) = (arrays::board(board)?, rules_named(rules)?);
    Ok(rules::turn(&board, rules).moves().map(PyMove::from).collect())
}

/// Plays a pit, 0..5, and returns the Move: what it captures and the board after it.
///
/// Raises IllegalMove with the reason.
#[pyfunction]
#[pyo3(signature = (board, pit, rules="awari"))]
pub fn play(board: &Bound<'_, PyAny>, pit: i64, rules: &str) -> PyResult<PyMove> {
    let py = board.py();
    let (board, rules) = (arrays::board(board)?, rules_named(rules)?);
    let turn = rules::turn(&board, rules);
    let choice = usize::try_from(pit).ok().and_then(|pit| turn.choices.get(pit));
    let problem = match choice {
        Some(Choice::Legal(play)) => return Ok(PyMove::from(*play)),
        Some(Choice::Empty) => format!("pit {pit} is empty"),
        Some(Choice::Illegal(Illegal::DoesNotFeed)) => {
            format!("pit {pit} may not be played: the opponent has no stones and gets none")
        }
        Some(Choice::Illegal(Illegal::GrandSlam)) => {
            format!("pit {pit} may not be played under rules {rules}: a grand slam")
        }
        None => format!("pit {pit}: the pits of the player to move are 0 to 5"),
    };
    Err(illegal_move(py, problem))
}

pub fn illegal_move(py: Python<'_>, problem: String) -> PyErr {
    errors::raise(py, "IllegalMove", problem, pyo3::types::PyDict::new(py))
}

/// Why the game is over, and what the player to move gains by it; None if he has a legal move.
///
/// The reasons: 'no-stones' (the opponent takes the rest), 'cannot-feed' and 'all-slams' (the player to
/// move does).
#[pyfunction]
#[pyo3(signature = (board, rules="awari"))]
pub fn game_end(board: &Bound<'_, PyAny>, rules: &str) -> PyResult<Option<(&'static str, i8)>> {
    let (board, rules) = (arrays::board(board)?, rules_named(rules)?);
    let turn = rules::turn(&board, rules);
    Ok(turn.end.map(rules::End::name).zip(turn.end_value(board.stones())))
}
