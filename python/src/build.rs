//! `build`: on a thread of its own, while the caller's looks at signals and tells of the progress.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use awari::builder::{Builder, Built, Progress};
use awari::engine::Pass;
use awari::table::Encoding;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::board::{python_bool, rules_named};
use crate::errors;
use crate::tablebase::Stones;

/// How often signals are looked at and progress is told.
const OFTEN: Duration = Duration::from_millis(50);

/// Threads of a build, at most, as in the program.
const MOST_THREADS: usize = 1024;

/// A table of the database that was built.
///
/// stones, positions. wins, draws, losses: positions by the sign of their value.
/// content_hash: SHA-256 of the values. new: False if it was there before.
/// seconds: it took to build; None if it was there. has_depths: whether depths were asked for.
#[pyclass(name = "Built", module = "awari", frozen, get_all)]
pub struct PyBuilt {
    stones: u32,
    positions: u64,
    wins: u64,
    draws: u64,
    losses: u64,
    content_hash: String,
    new: bool,
    seconds: Option<f64>,
    has_depths: bool,
}

#[pymethods]
impl PyBuilt {
    fn __repr__(&self) -> String {
        let Self { stones, positions, new, .. } = self;
        format!("Built(stones={stones}, positions={positions}, new={})", python_bool(*new))
    }
}

impl From<Built> for PyBuilt {
    fn from(built: Built) -> PyBuilt {
        let counts = &built.header.counts;
        PyBuilt {
            stones: built.header.stones,
            positions: built.header.positions(),
            wins: counts.wins(),
            draws: counts.draws(),
            losses: counts.losses(),
            content_hash: built.header.content_hash.to_string(),
            new: built.work.is_some(),
            seconds: built.work.map(|work| work.time.as_secs_f64()),
            has_depths: built.depths.is_some(),
        }
    }
}

/// How far a build is.
///
/// stage: 'check', 'captures', 'sweep', 'last changes', 'write', 'built', or 'depths: ' and a pass.
/// stones: of the table. done, total: positions of this pass.
#[pyclass(name = "Progress", module = "awari", frozen, get_all)]
#[derive(Clone, PartialEq, Eq)]
pub struct PyProgress {
    stage: &'static str,
    stones: u32,
    done: u64,
    total: u64,
}

#[pymethods]
impl PyProgress {
    fn __repr__(&self) -> String {
        let Self { stage, stones, done, total } = self;
        format!("Progress(stage='{stage}', stones={stones}, done={done}, total={total})")
    }
}

/// What the build tells and is told. The news wait until Python has time for them; of those that only
/// differ in how much is done, the last one.
#[derive(Default)]
struct Desk {
    news: Mutex<VecDeque<PyProgress>>,
    called: Condvar,
    over: AtomicBool,
    stop: AtomicBool,
}

impl Desk {
    fn news(&self) -> MutexGuard<'_, VecDeque<PyProgress>> {
        self.news.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tell(&self, stage: &'static str, stones: u32, done: u64, total: u64) {
        let mut news = self.news();
        if news.back().is_some_and(|last| (last.stage, last.stones) == (stage, stones)) {
            news.pop_back();
        }
        news.push_back(PyProgress { stage, stones, done, total });
    }

    /// Waits for the end of the build, not long. Returns the news.
    fn wait(&self) -> (VecDeque<PyProgress>, bool) {
        let news = self.news();
        let waited = self.called.wait_timeout_while(news, OFTEN, |_| !self.over.load(Ordering::Acquire));
        let (mut news, _) = waited.unwrap_or_else(PoisonError::into_inner);
        (std::mem::take(&mut *news), self.over.load(Ordering::Acquire))
    }

    fn close(&self) {
        self.over.store(true, Ordering::Release);
        // With the lock, so that nobody is between looking and waiting.
        drop(self.news());
        self.called.notify_all();
    }
}

/// Closes the desk also if the build panics: nobody is to wait for ever.
struct Closing<'a>(&'a Desk);

impl Drop for Closing<'_> {
    fn drop(&mut self) {
        self.0.close();
    }
}

fn stage(pass: Pass, of: [&'static str; 3]) -> &'static str {
    let [captures, sweeps, last_changes] = of;
    match pass {
        Pass::Captures => captures,
        Pass::Sweep(_) => sweeps,
        Pass::LastChanges => last_changes,
    }
}

impl Progress for Desk {
    fn checking(&self, stones: u32) {
        self.tell("check", stones, 0, 1);
    }

    fn solving(&self, stones: u32, pass: Pass, done: u64, total: u64) {
        self.tell(stage(pass, ["captures", "sweep", "last changes"]), stones, done, total);
    }

    fn finding_depths(&self, stones: u32, pass: Pass, done: u64, total: u64) {
        let of = ["depths: captures", "depths: sweep", "depths: last changes"];
        self.tell(stage(pass, of), stones, done, total);
    }

    fn writing(&self, stones: u32) {
        self.tell("write", stones, 0, 1);
    }

    fn built(&self, table: &Built) {
        self.tell("built", table.header.stones, 1, 1);
    }

    fn stop(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

/// Builds every table of 0 to `stones` stones that is missing. Returns a tuple of Built, one a table.
///
/// rules: 'awari', 'abapa' or 'slam-ends'. dir: made if it is missing. depth: also the tables of
/// depths, which perfect play needs. progress: called with a Progress now and then, in this thread.
/// compress: small files that are slower to probe. threads: 0 for as many as there are cores.
/// memory: bytes to use at most; None for what is free. checkpoint: seconds between checkpoints of the
/// table that is worked on; None for none.
///
/// Lets go of the interpreter's lock. KeyboardInterrupt, or an exception of `progress`, stops the build
/// within moments; tables that are finished stay, and the next build goes on from there.
/// Raises OutOfRange, BuildError, CorruptTable, FileError.
#[pyfunction]
#[pyo3(
    signature = (
        *, stones, rules="awari", dir="databases".into(), depth=false, progress=None, compress=false, threads=0,
        memory=None, checkpoint=None
    ),
    text_signature = "(*, stones, rules='awari', dir='databases', depth=False, progress=None, compress=False, \
                      threads=0, memory=None, checkpoint=None)"
)]
#[expect(clippy::too_many_arguments, reason = "each has a name in Python")]
pub fn build<'py>(
    py: Python<'py>,
    stones: Stones,
    rules: &str,
    dir: PathBuf,
    depth: bool,
    progress: Option<Bound<'py, PyAny>>,
    compress: bool,
    threads: usize,
    memory: Option<u64>,
    checkpoint: Option<f64>,
) -> PyResult<Bound<'py, PyTuple>> {
    let every = match checkpoint.map(Duration::try_from_secs_f64).transpose() {
        Ok(every) => every,
        Err(_) => {
            let found = checkpoint.unwrap_or_default();
            return Err(PyValueError::new_err(format!("checkpoint is {found}: expected seconds, 0 or more")));
        }
    };
    if threads > MOST_THREADS {
        return Err(PyValueError::new_err(format!("threads is {threads}: expected 0 to {MOST_THREADS}")));
    }
    let encoding = if compress { Encoding::Compressed } else { Encoding::Packed };
    let builder = Builder::new(dir, rules_named(rules)?)
        .stones(stones.0)
        .depths(depth)
        .encoding(encoding)
        .threads(threads)
        .memory(memory)
        .checkpoint(every);
    awari::table::catch_signals()?;
    let desk = Desk::default();
    let progress = progress.map(Bound::unbind);
    let (built, wrong) = py.detach(|| {
        thread::scope(|scope| {
            let build = thread::Builder::new().name("awari-build".to_owned());
            let build = build
                .spawn_scoped(scope, || {
                    let _closing = Closing(&desk);
                    builder.run(&desk)
                })
                .map_err(errors::threads)?;
            let wrong = watch(&desk, progress.as_ref());
            Ok::<_, PyErr>((build.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)), wrong))
        })
    })?;
    match (wrong, built) {
        // What stopped the build: ^C, or what went wrong in the callback.
        (Some(wrong), _) => Err(wrong),
        (None, Err(error)) => Err(errors::build(py, &error)),
        (None, Ok(built)) => {
            let built = built.into_iter().map(|built| Py::new(py, PyBuilt::from(built)));
            PyTuple::new(py, built.collect::<PyResult<Vec<_>>>()?)
        }
    }
}

/// Looks at signals and calls back until the build is over. Returns the first exception; it stops
/// the build.
fn watch(desk: &Desk, progress: Option<&Py<PyAny>>) -> Option<PyErr> {
    let mut wrong = None;
    loop {
        let (news, over) = desk.wait();
        if wrong.is_none() {
            let told = Python::attach(|py| {
                py.check_signals()?;
                let Some(progress) = progress else { return Ok(()) };
                news.into_iter().try_for_each(|news| progress.call1(py, (news,)).map(drop))
            });
            wrong = told.err();
            if wrong.is_some() {
                desk.stop.store(true, Ordering::Relaxed);
            }
        }
        if over {
            return wrong;
        }
    }
}
