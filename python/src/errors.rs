//! The library's errors as exceptions of the Python package (python/awari/errors.py).

use awari::board::TooManyStones;
use awari::builder::BuildError;
use awari::notation::NotationError;
use awari::table::TableError;
use awari::tablebase::{ProbeError, RowError};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyDict};

/// An exception of the package: its class, its message and its attributes.
pub fn raise<'py>(
    py: Python<'py>,
    class: &str,
    message: impl ToString,
    attributes: impl IntoPyDict<'py>,
) -> PyErr {
    let make = || -> PyResult<PyErr> {
        let class = py.import("awari.errors")?.getattr(class)?;
        let attributes = attributes.into_py_dict(py)?;
        Ok(PyErr::from_value(class.call((message.to_string(),), Some(&attributes))?))
    };
    make().unwrap_or_else(|error| error)
}

/// Twelve numbers that are no board.
pub fn invalid_board(py: Python<'_>, row: Option<usize>, problem: impl ToString) -> PyErr {
    let message = match row {
        Some(row) => format!("boards[{row}]: {}", problem.to_string()),
        None => problem.to_string(),
    };
    raise(py, "InvalidBoard", message, [("row", row)])
}

pub fn too_many_stones(py: Python<'_>, row: Option<usize>, error: TooManyStones) -> PyErr {
    invalid_board(py, row, error)
}

pub fn notation(py: Python<'_>, error: &NotationError) -> PyErr {
    invalid_board(py, None, error)
}

/// An error of one question.
pub fn probe(py: Python<'_>, error: &ProbeError) -> PyErr {
    of_row(py, None, error)
}

/// An error of a question about many boards, of which the first asked with it is number `first`.
pub fn row(py: Python<'_>, first: usize, error: &RowError) -> PyErr {
    of_row(py, Some(first + error.row), &error.error)
}

fn of_row(py: Python<'_>, row: Option<usize>, error: &ProbeError) -> PyErr {
    let message = match row {
        Some(row) => format!("boards[{row}]: {error}"),
        None => error.to_string(),
    };
    let attributes = PyDict::new(py);
    let (class, filled) = match error {
        ProbeError::Missing { stones, path, command, .. }
        | ProbeError::MissingDepths { stones, path, command, .. } => (
            if matches!(error, ProbeError::Missing { .. }) { "MissingTable" } else { "MissingDepths" },
            attributes
                .set_item("stones", stones)
                .and_then(|()| attributes.set_item("path", path.display().to_string()))
                .and_then(|()| attributes.set_item("command", command)),
        ),
        ProbeError::OutOfRange { stones } => ("OutOfRange", attributes.set_item("stones", stones)),
        ProbeError::Table(error) => {
            (class_of(error), attributes.set_item("path", error.path().display().to_string()))
        }
        _ => ("AwariError", Ok(())),
    };
    match filled.and_then(|()| attributes.set_item("row", row)) {
        Ok(()) => raise(py, class, message, attributes),
        Err(error) => error,
    }
}

/// An error of a file.
pub fn table(py: Python<'_>, error: &TableError) -> PyErr {
    raise(py, class_of(error), error, [("path", error.path().display().to_string())])
}

fn class_of(error: &TableError) -> &'static str {
    match error {
        TableError::Missing { .. } => "MissingTable",
        TableError::WrongRules { .. } => "WrongRules",
        TableError::NewerVersion { .. } | TableError::Unsupported { .. } => "UnsupportedTable",
        TableError::Io { .. } | TableError::NoSpace { .. } | TableError::NotWritable { .. } => "FileError",
        _ => "CorruptTable",
    }
}

/// An error of a build.
pub fn build(py: Python<'_>, error: &BuildError) -> PyErr {
    match error {
        BuildError::NoSuchTable { stones } => raise(py, "OutOfRange", error, [("stones", stones)]),
        BuildError::Unusable(table) | BuildError::Table(table) => {
            raise(py, class_of(table), error, [("path", table.path().display().to_string())])
        }
        BuildError::Smaller(smaller) => probe(py, smaller),
        _ => raise(py, "BuildError", error, PyDict::new(py)),
    }
}

/// Threads that the system does not give.
pub fn threads(error: impl ToString) -> PyErr {
    PyRuntimeError::new_err(format!("cannot start threads: {}", error.to_string()))
}
