//! The extension module `awari._awari`. Comments on what Python sees are its docstrings; its types are in
//! `python/awari/_awari.pyi`.

mod arrays;
mod board;
mod build;
mod errors;
mod grade;
mod sample;
mod tablebase;
mod threads;

use pyo3::prelude::*;

#[pymodule]
mod _awari {
    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::board::{PyBoard, PyMove, game_end, legal_moves, play};
    #[pymodule_export]
    use crate::build::{PyBuilt, PyProgress, build};
    #[pymodule_export]
    use crate::grade::{PyGrade, grade};
    #[pymodule_export]
    use crate::sample::sample;
    #[pymodule_export]
    use crate::tablebase::{PyLine, PyMoveValue, PyPly, PyProbe, PyTablebase, boards, index_of, positions};

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
