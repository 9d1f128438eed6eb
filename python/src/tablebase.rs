//! `Tablebase`: what the tables know of one board, or of arrays of them.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use awari::index::{IMPOSSIBLE_STONES, Index};
use awari::tablebase::{Finish, MoveValue, Probe, State};
use awari::{Board, tablebase};
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::exceptions::{PyOverflowError, PyRuntimeError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyWeakrefMethods, PyWeakrefReference};

use crate::arrays::{self, Boards, PART};
use crate::board::{PyBoard, python_bool, rules_named};
use crate::{errors, threads};

/// What the array has where no move is legal.
pub const NO_MOVE: i8 = i8::MIN;

/// The tables of one rule set in a directory.
///
/// Tables are opened when they are first needed and stay open; missing ones are looked for again at
/// the next question. Everything can be called from many threads at once, and lets go of the
/// interpreter's lock. A tablebase can be pickled: the copy opens the same directory.
///
/// dir: the directory that `build` wrote to, or one with files `scores.N` of the Vrije Universiteit.
/// rules: 'awari', 'abapa' or 'slam-ends'.
#[pyclass(name = "Tablebase", module = "awari", frozen, weakref)]
pub struct PyTablebase {
    pub tables: Arc<tablebase::Tablebase>,
    /// Values that were unpacked and are still in use somewhere.
    unpacked: Mutex<HashMap<u32, Py<PyWeakrefReference>>>,
}

/// What the tables know about a board, seen from the player to move.
///
/// value: stones the player to move still captures minus those his opponent still captures, both
///     playing best and endless play worth 0.
/// depth: plies to the next capture or the end while both keep the value; 0 at value 0; None if
///     there is no table of depths.
#[pyclass(name = "Probe", module = "awari", frozen, get_all, eq)]
#[derive(PartialEq, Eq)]
pub struct PyProbe {
    value: i8,
    depth: Option<u16>,
}

#[pymethods]
impl PyProbe {
    fn __repr__(&self) -> String {
        format!("Probe(value={}, depth={})", self.value, optional(self.depth))
    }
}

impl From<Probe> for PyProbe {
    fn from(probe: Probe) -> PyProbe {
        PyProbe { value: probe.value, depth: probe.depth }
    }
}

/// A legal move and what it is worth.
///
/// pit: 0..5. captured: stones. slam: whether the sowing would take every stone of the opponent.
/// child: the board after the move, seen from the opponent. child_value, child_depth: of `child`.
/// value: what the move is worth to the player who makes it, captured - child_value.
/// depth: plies to the next capture or the end, this move counted; None if not known. It says nothing
///     of moves that are worth 0 and capture nothing.
/// best: whether no move is worth more.
#[pyclass(name = "MoveValue", module = "awari", frozen, get_all)]
pub struct PyMoveValue {
    pit: usize,
    captured: u8,
    slam: bool,
    child: PyBoard,
    child_value: i8,
    child_depth: Option<u16>,
    value: i8,
    depth: Option<u16>,
    best: bool,
}

#[pymethods]
impl PyMoveValue {
    fn __repr__(&self) -> String {
        format!(
            "MoveValue(pit={}, value={}, best={}, captured={}, depth={})",
            self.pit,
            self.value,
            python_bool(self.best),
            self.captured,
            optional(self.depth)
        )
    }
}

impl From<MoveValue> for PyMoveValue {
    fn from(play: MoveValue) -> PyMoveValue {
        PyMoveValue {
            pit: play.pit,
            captured: play.captured,
            slam: play.slam,
            child: PyBoard(play.child),
            child_value: play.child_value,
            child_depth: play.child_depth,
            value: play.value,
            depth: play.depth(),
            best: play.best,
        }
    }
}

/// A move of a line.
///
/// board: before the move, seen from the player who makes it. value, depth: of `board`.
/// pit: 0..5. captured: stones.
#[pyclass(name = "Ply", module = "awari", frozen, get_all)]
pub struct PyPly {
    board: PyBoard,
    value: i8,
    depth: Option<u16>,
    pit: usize,
    captured: u8,
}

#[pymethods]
impl PyPly {
    fn __repr__(&self) -> String {
        let Self { board, value, depth, pit, captured } = self;
        let (board, depth) = (board.0, optional(*depth));
        format!("Ply(board=Board('{board}'), value={value}, depth={depth}, pit={pit}, captured={captured})")
    }
}

/// Best play of both sides to the end of the game.
///
/// plies: the moves, a list of Ply. last: the board after them, seen from the player to move.
/// finish: 'no-stones', 'cannot-feed', 'all-slams' (the game is over), 'endless-play' (the board before
///     ply number `repeats` comes back) or 'not-known' (it takes tables of depths to go on).
/// captured: stones of the first player to move and of his opponent, up to `last`.
/// difference: what the first player to move gains in all, the value of the first board.
#[pyclass(name = "Line", module = "awari", frozen, get_all)]
pub struct PyLine {
    plies: Vec<Py<PyPly>>,
    last: PyBoard,
    finish: &'static str,
    repeats: Option<usize>,
    captured: (u8, u8),
    difference: i8,
}

#[pymethods]
impl PyLine {
    fn __len__(&self) -> usize {
        self.plies.len()
    }

    fn __repr__(&self) -> String {
        let (plies, finish, difference) = (self.plies.len(), self.finish, self.difference);
        format!("Line({plies} plies, finish='{finish}', difference={difference})")
    }
}

/// Something optional as Python writes it.
pub fn optional(value: Option<impl ToString>) -> String {
    value.map_or_else(|| "None".to_owned(), |value| value.to_string())
}

#[pymethods]
impl PyTablebase {
    #[new]
    #[pyo3(
        signature = (dir="databases".into(), rules="awari"),
        text_signature = "(dir='databases', rules='awari')"
    )]
    fn new(py: Python<'_>, dir: PathBuf, rules: &str) -> PyResult<PyTablebase> {
        let rules = rules_named(rules)?;
        // A table that is cut short while it is open is an error then, not the end of the interpreter.
        awari::table::catch_signals()?;
        let tables = py.detach(|| tablebase::Tablebase::open(dir, rules));
        let tables = tables.map_err(|error| errors::table(py, &error))?;
        Ok(PyTablebase { tables: Arc::new(tables), unpacked: Mutex::default() })
    }

    /// The directory.
    #[getter]
    fn dir(&self) -> PathBuf {
        self.tables.directory().to_owned()
    }

    /// The rules: awari, abapa or slam-ends.
    #[getter]
    fn rules(&self) -> &'static str {
        self.tables.rules().name()
    }

    /// The numbers of stones whose tables are there and can be used, ascending.
    fn stones(&self, py: Python<'_>) -> Vec<u32> {
        let found = py.detach(|| self.tables.found());
        let usable = found.into_iter().filter(|table| matches!(table.state, State::Usable));
        usable.map(|table| table.stones).collect()
    }

    /// The numbers of stones whose depths are there and can be used, ascending.
    fn depth_stones(&self, py: Python<'_>) -> Vec<u32> {
        let found = py.detach(|| self.tables.found());
        let usable = found.into_iter().filter(|table| matches!(table.depth_state, State::Usable));
        usable.map(|table| table.stones).collect()
    }

    /// What the tables know about a board.
    ///
    /// board: a Board, a text in any notation, or twelve whole numbers.
    /// Raises MissingTable, OutOfRange, CorruptTable and others of `awari.errors`; InvalidBoard if it is no board.
    fn probe(&self, board: &Bound<'_, PyAny>) -> PyResult<PyProbe> {
        let (py, board) = (board.py(), arrays::board(board)?);
        let probe = py.detach(|| self.tables.probe(&board));
        probe.map(PyProbe::from).map_err(|error| errors::probe(py, &error))
    }

    /// The legal moves with their values, from pit 0 to pit 5; none if the game is over.
    ///
    /// Raises what `probe` raises.
    fn moves(&self, board: &Bound<'_, PyAny>) -> PyResult<Vec<PyMoveValue>> {
        let (py, board) = (board.py(), arrays::board(board)?);
        let moves = py.detach(|| self.tables.moves(&board)).map_err(|error| errors::probe(py, &error))?;
        Ok(moves.into_iter().map(PyMoveValue::from).collect())
    }

    /// The best move; None if the game is over.
    ///
    /// Of the moves that keep the value, the winner's soonest and the loser's latest to the next capture;
    /// at value 0 the one after which most answers are wrong. Raises what `probe` raises.
    fn best_move(&self, board: &Bound<'_, PyAny>) -> PyResult<Option<PyMoveValue>> {
        let (py, board) = (board.py(), arrays::board(board)?);
        let best = py.detach(|| self.tables.best_move(&board));
        Ok(best.map_err(|error| errors::probe(py, &error))?.map(PyMoveValue::from))
    }

    /// Best play of both sides to the end of the game. Raises what `probe` raises.
    fn line(&self, board: &Bound<'_, PyAny>) -> PyResult<PyLine> {
        let (py, board) = (board.py(), arrays::board(board)?);
        let line = py.detach(|| self.tables.line(&board)).map_err(|error| errors::probe(py, &error))?;
        let plies = line.plies.iter().map(|ply| {
            let board = PyBoard(ply.board);
            Py::new(
                py,
                PyPly { board, value: ply.value, depth: ply.depth, pit: ply.pit, captured: ply.captured },
            )
        });
        let (finish, repeats) = match line.finish {
            Finish::Over(end) => (end.name(), None),
            Finish::EndlessPlay { from } => ("endless-play", Some(from)),
            Finish::NotKnown => ("not-known", None),
        };
        Ok(PyLine {
            plies: plies.collect::<PyResult<_>>()?,
            last: PyBoard(line.last),
            finish,
            repeats,
            captured: line.captured.into(),
            difference: line.difference,
        })
    }

    /// Values of many boards, on all cores, without the interpreter's lock.
    ///
    /// boards: integers of any kind, shape (N, 12), the pits of the player to move first.
    /// Returns int8 of shape (N,), each -48..48. With depths=True a pair: these, and int32 of shape
    /// (N,), the depths, -1 where none is known.
    ///
    /// Raises what probe raises, for the first row that has no answer: the exception has its number as
    /// `row`. Raises TypeError for other dtypes and InvalidBoard for other shapes and numbers.
    #[pyo3(signature = (boards, *, depths=false))]
    fn probe_many<'py>(&self, boards: &Bound<'py, PyAny>, depths: bool) -> PyResult<Bound<'py, PyAny>> {
        let py = boards.py();
        let boards = Boards::new(boards)?;
        boards.room(if depths { 1 + size_of::<i32>() } else { 1 })?;
        let mut values = Vec::with_capacity(boards.len());
        if !depths {
            in_parts(py, &boards, PART, |first, part| {
                let found = threads::install(py, || self.tables.values_of(&part))?;
                values.append(&mut found.map_err(|error| errors::row(py, first, &error))?);
                Ok(())
            })?;
            return Ok(PyArray1::from_vec(py, values).into_any());
        }
        let mut depths = Vec::with_capacity(boards.len());
        in_parts(py, &boards, PART, |first, part| {
            let found = threads::install(py, || self.tables.probe_many(&part))?;
            let found = found.map_err(|error| errors::row(py, first, &error))?;
            values.extend(found.iter().map(|probe| probe.value));
            depths.extend(found.iter().map(|probe| arrays::depth(probe.depth)));
            Ok(())
        })?;
        let pair = (PyArray1::from_vec(py, values), PyArray1::from_vec(py, depths));
        Ok(pair.into_pyobject(py)?.into_any())
    }

    /// Values of all moves of many boards, on all cores, without the interpreter's lock.
    ///
    /// boards: integers of any kind, shape (N, 12), the pits of the player to move first.
    /// Returns int8 of shape (N, 6): what each move is worth to the player who makes it, NO_MOVE (-128)
    /// where it is not legal. Raises what `probe_many` raises.
    fn move_values<'py>(&self, boards: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArray2<i8>>> {
        let py = boards.py();
        let boards = Boards::new(boards)?;
        boards.room(MOVES)?;
        let mut all = vec![NO_MOVE; boards.len() * MOVES];
        let mut rest = &mut all[..];
        // Each has the boards after its moves beside it.
        in_parts(py, &boards, PART / MOVES, |first, part| {
            let (cells, after) = std::mem::take(&mut rest).split_at_mut(part.len() * MOVES);
            rest = after;
            let (children, places) = threads::install(py, || children(&part, self.tables.rules()))?;
            let values = threads::install(py, || self.tables.values_of(&children))?;
            let values = values.map_err(|mut error| {
                error.row = places[error.row].cell / MOVES;
                errors::row(py, first, &error)
            })?;
            for (place, value) in places.iter().zip(values) {
                cells[place.cell] = place.captured - value;
            }
            Ok(())
        })?;
        arrays::of_rows(py, all, boards.len(), MOVES)
    }

    /// All values of the table of so many stones: int8 of shape (positions(stones),), read-only.
    ///
    /// In the order of `index_of`, so that values(n)[index_of(b)] is the value of b. Tables hold a few bits a
    /// position, so they are unpacked at the first call and compared
    /// with their content hash; later calls return the same memory, without a copy, as long as some array of
    /// it is alive.
    /// Raises MissingTable, CorruptTable.
    fn values<'py>(&self, py: Python<'py>, stones: Stones) -> PyResult<Bound<'py, PyArray1<i8>>> {
        let stones = stones.0;
        let array = match self.kept(py, stones) {
            Some(array) => array,
            None => {
                self.room(py, stones, 1)?;
                let values = threads::install(py, || self.tables.unpack(stones))?;
                let array = PyArray1::from_vec(py, values.map_err(|error| errors::probe(py, &error))?);
                // For good: numpy lets nobody write to memory of others that do not offer it.
                let own = array.try_readwrite();
                own.map_err(|error| PyRuntimeError::new_err(error.to_string()))?.make_nonwriteable();
                let weak = PyWeakrefReference::new(&array)?.unbind();
                self.unpacked.lock().unwrap_or_else(PoisonError::into_inner).insert(stones, weak);
                array
            }
        };
        // A view keeps the array, and its shape is its own.
        Ok(array.call_method0(intern!(py, "view"))?.cast_into()?)
    }

    /// All depths of the table of so many stones: uint16 of shape (positions(stones),).
    ///
    /// In the order of `index_of`. Unpacked at each call. Raises MissingDepths, CorruptTable.
    fn depths<'py>(&self, py: Python<'py>, stones: Stones) -> PyResult<Bound<'py, PyArray1<u16>>> {
        let stones = stones.0;
        self.room(py, stones, 2)?;
        let depths = threads::install(py, || self.tables.unpack_depths(stones))?;
        let depths = depths.map_err(|error| errors::probe(py, &error))?;
        Ok(PyArray1::from_vec(py, depths))
    }

    fn __getnewargs__(&self) -> (PathBuf, &'static str) {
        (self.dir(), self.rules())
    }

    fn __repr__(&self) -> String {
        format!("Tablebase({:?}, rules='{}')", self.tables.directory().display().to_string(), self.rules())
    }
}

impl PyTablebase {
    /// Whether there is memory for a table with so many bytes a position. A table that is missing needs none,
    /// and is the better thing to say.
    fn room(&self, py: Python<'_>, stones: u32, bytes: u64) -> PyResult<()> {
        let room = arrays::room(bytes * index(py, stones)?.positions());
        if room.is_err() && self.stones(py).contains(&stones) { room } else { Ok(()) }
    }

    /// The values of a table, if some array still uses them.
    fn kept<'py>(&self, py: Python<'py>, stones: u32) -> Option<Bound<'py, PyArray1<i8>>> {
        let kept = self.unpacked.lock().unwrap_or_else(PoisonError::into_inner);
        kept.get(&stones)?.bind(py).upgrade()?.cast_into().ok()
    }
}

/// Columns of an array of moves.
const MOVES: usize = awari::board::PITS;

/// Where the value of a board after a move goes.
struct Place {
    /// Six times the row of the board, plus the pit.
    cell: usize,
    captured: i8,
}

/// The boards after all moves of these.
fn children(boards: &[Board], rules: awari::Rules) -> (Vec<Board>, Vec<Place>) {
    use rayon::prelude::*;
    let moves = boards.par_iter().enumerate().flat_map_iter(|(row, board)| {
        let moves: Vec<_> = awari::rules::turn(board, rules).moves().collect();
        moves.into_iter().map(move |play| {
            (play.child, Place { cell: row * MOVES + play.pit, captured: play.captured as i8 })
        })
    });
    moves.unzip()
}

/// Works through boards so many at a time, and looks at signals in between.
pub fn in_parts(
    py: Python<'_>,
    boards: &Boards<'_>,
    rows: usize,
    mut work: impl FnMut(usize, Vec<Board>) -> PyResult<()>,
) -> PyResult<()> {
    for first in (0..boards.len()).step_by(rows) {
        py.check_signals()?;
        work(first, boards.part(first, rows.min(boards.len() - first))?)?;
    }
    Ok(())
}

/// A number of stones as Python gives it; one that is negative or beyond all bounds is out of range like
/// others.
pub struct Stones(pub u32);

impl<'py> FromPyObject<'_, 'py> for Stones {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Stones> {
        let py = value.py();
        value.extract::<u32>().map(Stones).map_err(|error| {
            if !error.is_instance_of::<PyOverflowError>(py) {
                return error;
            }
            // A number that long is no number to show.
            let shown =
                value.extract::<i64>().map_or_else(|_| "so many".to_owned(), |stones| stones.to_string());
            let most = awari::board::MAX_STONES;
            let problem = format!("{shown} stones: a game has 0 to {most}.");
            errors::raise(py, "OutOfRange", problem, [("stones", value.to_owned())])
        })
    }
}

/// Makes sure that a number of stones has a table.
fn index(py: Python<'_>, stones: u32) -> PyResult<Index> {
    if stones > awari::board::MAX_STONES || stones == IMPOSSIBLE_STONES {
        let error = tablebase::ProbeError::OutOfRange { stones };
        return Err(errors::probe(py, &error));
    }
    Ok(Index::new(stones))
}

/// How many positions the table of so many stones holds: those that a move can lead to.
#[pyfunction]
pub fn positions(py: Python<'_>, stones: Stones) -> PyResult<u64> {
    Ok(index(py, stones.0)?.positions())
}

/// Boards of so many stones: uint8 of shape (N, 12), the pits of the player to move first.
///
/// places: integers of shape (N,), places in the table; None for all, in order.
/// boards(n)[i] has the value values(n)[i]. Raises IndexError for places outside the table, MemoryError.
#[pyfunction]
#[pyo3(signature = (stones, places=None))]
pub fn boards<'py>(
    py: Python<'py>,
    stones: Stones,
    places: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyArray2<u8>>> {
    let index = index(py, stones.0)?;
    match places {
        None => arrays::boards(py, index.positions() as usize, |row| index.board(row as u64)),
        Some(places) => {
            let places = places_of(places, index.positions())?;
            arrays::boards(py, places.len(), |row| index.board(places[row]))
        }
    }
}

/// Places as an array of them has them, all inside the table.
fn places_of(places: &Bound<'_, PyAny>, positions: u64) -> PyResult<Vec<u64>> {
    use pyo3::exceptions::{PyIndexError, PyTypeError, PyValueError};
    let py = places.py();
    let numpy = py.import("numpy")?;
    let array = numpy.call_method1("require", (places, py.None(), ["C", "A", "E"]))?;
    let kind: String = array.getattr("dtype")?.getattr("kind")?.extract()?;
    let size: usize = array.getattr("size")?.extract()?;
    if size > 0 && kind != "i" && kind != "u" {
        let dtype = array.getattr("dtype")?;
        return Err(PyTypeError::new_err(format!("places have dtype {dtype}: expected whole numbers")));
    }
    let array = array.call_method1("astype", ("int64",))?;
    let Ok(array) = array.cast::<PyArray1<i64>>() else {
        let shape = array.getattr("shape")?;
        return Err(PyValueError::new_err(format!("places have shape {shape}: expected (N,)")));
    };
    let array = array.try_readonly().map_err(|error| PyValueError::new_err(error.to_string()))?;
    let inside = |(i, &place): (usize, &i64)| {
        let inside = u64::try_from(place).ok().filter(|&place| place < positions);
        inside.ok_or_else(|| PyIndexError::new_err(format!("places[{i}] is {place}: there are {positions}")))
    };
    array.as_slice()?.iter().enumerate().map(inside).collect()
}

/// Where boards are in the tables of as many stones: int64 of shape (N,).
///
/// boards: integers of any kind, shape (N, 12). -1 for boards that no table holds, because no move can
/// lead to them: all six pits of the player who has just moved have stones, or there are 47 on the board.
#[pyfunction]
pub fn index_of<'py>(boards: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArray1<i64>>> {
    use rayon::prelude::*;
    let py = boards.py();
    let boards = Boards::new(boards)?;
    boards.room(size_of::<i64>())?;
    let indices: Vec<Index> = (0..=awari::board::MAX_STONES).map(Index::new).collect();
    let mut all = Vec::with_capacity(boards.len());
    in_parts(py, &boards, PART, |_, part| {
        let place = |board: &Board| {
            let stones = board.stones();
            let place = indices[stones as usize].place(board).filter(|_| stones != IMPOSSIBLE_STONES);
            place.map_or(-1, |place| place as i64)
        };
        all.extend(threads::install(py, || part.par_iter().map(place).collect::<Vec<i64>>())?);
        Ok(())
    })?;
    Ok(PyArray1::from_vec(py, all))
}
