//! The threads that work through arrays.

use std::mem::ManuallyDrop;
use std::process;
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::prelude::*;
use rayon::ThreadPool;

use crate::errors;

/// The pool, and the process it was started in. A forked process (`multiprocessing`'s way on Linux)
/// inherits the pool without its threads, so it starts one of its own and forgets that one.
static POOL: Mutex<Option<(u32, ManuallyDrop<Arc<ThreadPool>>)>> = Mutex::new(None);

/// Does `work` on as many threads as there are cores, without the interpreter's lock.
pub fn install<R: Send>(py: Python<'_>, work: impl FnOnce() -> R + Send) -> PyResult<R> {
    let pool = pool()?;
    Ok(py.detach(|| pool.install(work)))
}

fn pool() -> PyResult<Arc<ThreadPool>> {
    let mut pool = POOL.lock().unwrap_or_else(PoisonError::into_inner);
    match &*pool {
        Some((process, threads)) if *process == process::id() => Ok(Arc::clone(threads)),
        _ => {
            let name = |number| format!("awari-{number}");
            let threads =
                rayon::ThreadPoolBuilder::new().thread_name(name).build().map_err(errors::threads)?;
            let threads = Arc::new(threads);
            *pool = Some((process::id(), ManuallyDrop::new(Arc::clone(&threads))));
            Ok(threads)
        }
    }
}
