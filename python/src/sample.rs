//! `sample`: positions drawn at random, as arrays.

use std::cell::Cell;
use std::ops::RangeInclusive;
use std::sync::Arc;
use std::time::{Duration, Instant};

use awari::Board;
use awari::grade::Outcome;
use awari::sample::{Filter, Sampler, Source};
use numpy::{PyArray1, PyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::tablebase::{NO_MOVE, PyTablebase};
use crate::{arrays, errors};

/// How often signals are looked at.
const OFTEN: Duration = Duration::from_millis(100);

type Arrays<'py> =
    (Bound<'py, PyArray2<u8>>, Bound<'py, PyArray1<i8>>, Bound<'py, PyArray1<i32>>, Bound<'py, PyArray2<i8>>);

/// A number, or the first and the last of several.
fn range<T: for<'a, 'py> FromPyObject<'a, 'py> + Copy>(
    value: &Bound<'_, PyAny>,
    what: &str,
) -> PyResult<RangeInclusive<T>> {
    let number = |value: &Bound<'_, PyAny>| value.extract::<T>().ok();
    if let Some(one) = number(value) {
        return Ok(one..=one);
    }
    let ends = (value.get_item(0).ok(), value.get_item(1).ok());
    if let (Some(first), Some(last)) = ends
        && value.len().ok() == Some(2)
        && let (Some(first), Some(last)) = (number(&first), number(&last))
    {
        return Ok(first..=last);
    }
    let shown = value.repr()?;
    Err(PyValueError::new_err(format!("{what} is {shown}: expected a number or a pair (first, last)")))
}

#[pyfunction]
#[pyo3(signature = (tables, count, stones, seed, games, only_one_best, min_loss, outcome, depth, tries))]
#[expect(clippy::too_many_arguments, reason = "python/awari/__init__.py gives them names")]
pub fn sample<'py>(
    py: Python<'py>,
    tables: &Bound<'py, PyTablebase>,
    count: usize,
    stones: &Bound<'py, PyAny>,
    seed: u64,
    games: bool,
    only_one_best: bool,
    min_loss: u8,
    outcome: Option<&str>,
    depth: Option<&Bound<'py, PyAny>>,
    tries: Option<u64>,
) -> PyResult<Arrays<'py>> {
    let outcome = match outcome {
        None => None,
        Some(name) => {
            let found = Outcome::ALL.into_iter().find(|outcome| outcome.name() == name);
            let unknown =
                || PyValueError::new_err(format!("outcome is {name:?}: expected win, draw or loss"));
            Some(found.ok_or_else(unknown)?)
        }
    };
    let stones = range::<u32>(stones, "stones")?;
    if stones.is_empty() {
        let (first, last) = stones.into_inner();
        return Err(PyValueError::new_err(format!(
            "stones is ({first}, {last}): the first is the greater one"
        )));
    }
    let depth = depth.map(|depth| range(depth, "depth")).transpose()?;
    let filter = Filter { stones, only_one_best, min_loss, outcome, depth };
    let source = if games { Source::RandomPlay } else { Source::Stored };
    let tries = tries.unwrap_or_else(|| (count as u64).saturating_mul(1_000).max(100_000));
    let tables = Arc::clone(&tables.get().tables);
    let (mut boards, mut values) = (Vec::<Board>::new(), Vec::new());
    let (mut depths, mut moves) = (Vec::new(), Vec::new());
    let sampler = py.detach(|| Sampler::new(&tables, source, filter, seed, tries));
    let mut sampler = sampler.map_err(|error| errors::probe(py, &error))?;
    // Signals are seen by the thread that called, so it draws itself.
    let mut draw_for_a_while = || {
        let since = Instant::now();
        let late = || since.elapsed() > OFTEN;
        while boards.len() < count {
            let interrupted = Cell::new(false);
            let stop = || {
                interrupted.set(late());
                interrupted.get()
            };
            let Some(sample) = sampler.draw(stop)? else { return Ok(!interrupted.get()) };
            boards.push(sample.position.board);
            values.push(sample.value);
            depths.push(arrays::depth(sample.depth));
            let mut row = [NO_MOVE; awari::board::PITS];
            for play in sample.moves {
                row[play.pit] = play.value;
            }
            moves.extend(row);
        }
        Ok(true)
    };
    while !py.detach(&mut draw_for_a_while).map_err(|error| errors::probe(py, &error))? {
        py.check_signals()?;
    }
    let rows = boards.len();
    Ok((
        arrays::of_boards(py, &boards)?,
        PyArray1::from_vec(py, values),
        PyArray1::from_vec(py, depths),
        arrays::of_rows(py, moves, rows, awari::board::PITS)?,
    ))
}
