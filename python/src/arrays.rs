//! Boards from what Python has, and arrays for it.

use awari::Board;
use numpy::{Element, PyArray2, PyArrayDescrMethods, PyArrayMethods, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::exceptions::{PyException, PyMemoryError, PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyString;
use rayon::prelude::*;

use crate::board::PyBoard;
use crate::{errors, threads};

/// Rows that are read and answered at a time: between two parts, signals are looked at.
pub const PART: usize = 1 << 20;

/// Bytes that work on one of the rows of a part takes at most, beside what is returned.
const WORKING: usize = 64;

/// Pits of a board.
pub const PITS: usize = 12;

/// A board, from a `Board`, a text in any notation, or twelve whole numbers.
pub fn board(value: &Bound<'_, PyAny>) -> PyResult<Board> {
    let py = value.py();
    if let Ok(board) = value.cast::<PyBoard>() {
        return Ok(board.get().0);
    }
    if let Ok(text) = value.cast::<PyString>() {
        let text = text.to_str().map_err(|error| errors::invalid_board(py, None, error))?;
        let position = awari::notation::parse(text).map_err(|error| errors::notation(py, &error))?;
        return Ok(position.board);
    }
    let Ok(items) = value.try_iter() else {
        let found = value.get_type().name()?;
        return Err(PyTypeError::new_err(format!(
            "a board is a Board, a text or twelve whole numbers, not {found}"
        )));
    };
    let mut pits = [0; PITS];
    let mut count = 0;
    for item in items {
        let item = item?;
        let Some(pit) = pits.get_mut(count) else {
            // How many there are is not asked: there may be no end of them.
            return Err(errors::invalid_board(py, None, "more than 12 numbers: a board has twelve pits"));
        };
        *pit = stones(&item, count)?;
        count += 1;
    }
    if count != PITS {
        return Err(errors::invalid_board(py, None, format!("{count} numbers: a board has twelve pits")));
    }
    Board::new(pits).map_err(|error| errors::too_many_stones(py, None, error))
}

/// The stones of a pit.
fn stones(item: &Bound<'_, PyAny>, pit: usize) -> PyResult<u8> {
    let py = item.py();
    // Whole numbers of every kind, numpy's too; no floats.
    let number = item.call_method0(intern!(py, "__index__")).map_err(|error| {
        // ^C is not about the number.
        if !error.is_instance_of::<PyException>(py) {
            return error;
        }
        let shown = item.repr().map_or_else(|_| "something".to_owned(), |text| text.to_string());
        PyTypeError::new_err(format!("pit {pit} is {shown}: expected a whole number of stones"))
    })?;
    number.extract::<u8>().map_err(|_| errors::invalid_board(py, None, wrong_stones(pit, &number)))
}

fn wrong_stones(pit: usize, found: impl std::fmt::Display) -> String {
    format!("pit {pit} has {found} stones: expected 0 to 48")
}

/// An array of boards as it came, made sure to be whole numbers of shape (N, 12) that lie one after
/// another.
pub struct Boards<'py> {
    array: Bound<'py, PyUntypedArray>,
    rows: usize,
}

impl<'py> Boards<'py> {
    /// From an array, or what numpy makes one of.
    pub fn new(value: &Bound<'py, PyAny>) -> PyResult<Boards<'py>> {
        let py = value.py();
        let numpy = py.import(intern!(py, "numpy"))?;
        // What is masked is not known; the numbers below the mask are anything.
        if !value.is_exact_instance_of::<PyUntypedArray>()
            && numpy
                .getattr(intern!(py, "ma"))?
                .call_method1(intern!(py, "is_masked"), (value,))?
                .is_truthy()?
        {
            let problem = "boards have masked pits: expected a number of stones in each";
            return Err(errors::raise(py, "InvalidBoard", problem, [("row", py.None())]));
        }
        // In C order, aligned, and no subclass.
        let array = numpy
            .call_method1(intern!(py, "require"), (value, py.None(), ["C", "A", "E"]))?
            .cast_into::<PyUntypedArray>()?;
        let shape = array.shape();
        let rows = match *shape {
            [rows, PITS] => rows,
            // No boards at all: numpy cannot know of how many pits.
            [0] => 0,
            _ => {
                let shape = array.getattr(intern!(py, "shape"))?;
                let problem = format!("boards have shape {shape}: expected (N, 12)");
                return Err(errors::raise(py, "InvalidBoard", problem, [("row", py.None())]));
            }
        };
        let kind = array.dtype().kind();
        if rows > 0 && kind != b'i' && kind != b'u' {
            return Err(not_whole(&array)?);
        }
        // Other byte orders.
        let native = kind == b'f' || array.dtype().is_native_byteorder() != Some(false);
        let array = if native {
            array
        } else {
            array.call_method1(intern!(py, "astype"), ("int64",))?.cast_into::<PyUntypedArray>()?
        };
        Ok(Boards { array, rows })
    }

    pub fn len(&self) -> usize {
        self.rows
    }

    /// Makes sure that there is memory to answer with so many bytes a row.
    pub fn room(&self, bytes: usize) -> PyResult<()> {
        room((self.rows * bytes + self.rows.min(PART) * WORKING) as u64)
    }

    /// Copies rows out of the array: other threads may write to it when the lock is let go.
    pub fn part(&self, first: usize, count: usize) -> PyResult<Vec<Board>> {
        if count == 0 {
            return Ok(Vec::new());
        }
        macro_rules! of_types {
            ($($number:ty),*) => {
                $(if let Ok(array) = self.array.cast::<PyArray2<$number>>() {
                    return read(array, first, count);
                })*
            };
        }
        of_types!(u8, i8, i64, i32, i16, u64, u32, u16);
        Err(PyTypeError::new_err(format!(
            "boards have dtype {}: expected int64 or uint8",
            self.array.dtype()
        )))
    }
}

/// What to say of an array that is not of whole numbers.
fn not_whole(array: &Bound<'_, PyUntypedArray>) -> PyResult<PyErr> {
    let py = array.py();
    let dtype = array.dtype();
    if dtype.kind() == b'f' {
        // The first number that is not whole: NaN is not equal to anything.
        let numpy = py.import("numpy")?;
        let whole = numpy.call_method1("equal", (numpy.call_method1("floor", (array,))?, array))?;
        let whole = numpy.call_method1("logical_and", (whole, numpy.call_method1("isfinite", (array,))?))?;
        let places = numpy.call_method1("argwhere", (numpy.call_method1("logical_not", (whole,))?,))?;
        if places.len()? > 0 {
            let [row, pit]: [usize; 2] = places.get_item(0)?.call_method0("tolist")?.extract()?;
            let found = array.get_item((row, pit))?.call_method0("item")?;
            let problem = format!("pit {pit} has {found} stones: expected a whole number");
            return Ok(errors::invalid_board(py, Some(row), problem));
        }
    }
    Ok(PyTypeError::new_err(format!(
        "boards have dtype {dtype}: expected whole numbers; .astype(numpy.uint8) makes them"
    )))
}

fn read<T>(array: &Bound<'_, PyArray2<T>>, first: usize, count: usize) -> PyResult<Vec<Board>>
where
    T: Element + Copy + TryInto<u8> + std::fmt::Display,
{
    let py = array.py();
    let array = array.try_readonly().map_err(|error| PyValueError::new_err(error.to_string()))?;
    let cells = array.as_slice()?;
    let mut boards = Vec::with_capacity(count);
    for (row, cells) in cells.as_chunks::<PITS>().0.iter().enumerate().skip(first).take(count) {
        let mut pits = [0; PITS];
        for (pit, &found) in cells.iter().enumerate() {
            pits[pit] = found
                .try_into()
                .map_err(|_| errors::invalid_board(py, Some(row), wrong_stones(pit, found)))?;
        }
        boards.push(Board::new(pits).map_err(|error| errors::too_many_stones(py, Some(row), error))?);
    }
    Ok(boards)
}

/// An array of boards, (N, 12) uint8, filled in by all threads.
pub fn boards<'py>(
    py: Python<'py>,
    rows: usize,
    board: impl Fn(usize) -> Board + Sync,
) -> PyResult<Bound<'py, PyArray2<u8>>> {
    // numpy says so, where this process would end, if there is not so much memory.
    let array =
        py.import(intern!(py, "numpy"))?.call_method1(intern!(py, "empty"), ((rows, PITS), "uint8"))?;
    let array = array.cast_into::<PyArray2<u8>>()?;
    let mut own = array.try_readwrite().map_err(|error| PyValueError::new_err(error.to_string()))?;
    for (part, cells) in own.as_slice_mut()?.chunks_mut(PART * PITS).enumerate() {
        py.check_signals()?;
        threads::install(py, || {
            cells.par_chunks_mut(PITS).enumerate().for_each(|(row, cells)| {
                cells.copy_from_slice(&board(part * PART + row).pits());
            });
        })?;
    }
    drop(own);
    Ok(array)
}

/// Whether so many bytes can be had; an error instead of the end of this process.
pub fn room(bytes: u64) -> PyResult<()> {
    let had = usize::try_from(bytes).is_ok_and(|bytes| Vec::<u8>::new().try_reserve_exact(bytes).is_ok());
    let problem = || PyMemoryError::new_err(format!("cannot allocate {bytes} bytes"));
    had.then_some(()).ok_or_else(problem)
}

/// An array of boards, (N, 12) uint8.
pub fn of_boards<'py>(py: Python<'py>, boards: &[Board]) -> PyResult<Bound<'py, PyArray2<u8>>> {
    of_rows(py, boards.iter().flat_map(Board::pits).collect(), boards.len(), PITS)
}

/// An array of this shape, of cells row by row.
pub fn of_rows<T: Element>(
    py: Python<'_>,
    cells: Vec<T>,
    rows: usize,
    columns: usize,
) -> PyResult<Bound<'_, PyArray2<T>>> {
    numpy::PyArray1::from_vec(py, cells).reshape([rows, columns])
}

/// A depth as arrays have it: −1 for one that is not known.
pub fn depth(depth: Option<u16>) -> i32 {
    depth.map_or(-1, i32::from)
}
