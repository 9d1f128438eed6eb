//! What ranks make sure of with one another: that all were started alike, look at the same directory, read the
//! same tables, and that none has failed. Otherwise some would wait for ever for what others do not send, or
//! mix values that do not belong together.

use std::fs;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use super::{BuildError, Builder, Progress, lock};
use crate::engine::{self, Exchange, SolveError};
use crate::machine;
use crate::tablebase::{ProbeError, Tablebase, VerifiedTables};

/// For how long a rank looks for a file that rank 0 has seen or written. A machine that shares a directory by
/// a network may remember for a minute that a file was not there.
const PATIENCE: Duration = Duration::from_secs(90);

/// The same for the mark that rank 0 leaves in its directory.
const PATIENCE_FOR_MARK: Duration = Duration::from_secs(5);

/// Between two looks.
const PAUSE: Duration = Duration::from_millis(50);

/// What this rank has, if all ranks have theirs.
pub(super) fn agree<T>(exchange: &dyn Exchange, result: Result<T, BuildError>) -> Result<T, BuildError> {
    let [failed] = engine::sum(exchange, [u64::from(result.is_err())]);
    match result {
        Ok(_) if failed > 0 => Err(SolveError::OtherRank.into()),
        result => result,
    }
}

/// Makes sure that all ranks were asked for the same, by the same version.
pub(super) fn same_settings(exchange: &dyn Exchange, builder: &Builder) -> Result<(), BuildError> {
    let Builder { stones, rules, depths, .. } = builder;
    let depths = if *depths { " and depths" } else { "" };
    let version = env!("CARGO_PKG_VERSION");
    let mine = format!("awari {version} builds values{depths} of {stones} stones under rules {rules}");
    let all = exchange.swap(vec![mine.into_bytes(); exchange.ranks()]);
    let said = |rank: usize| String::from_utf8_lossy(&all[rank]).into_owned();
    match (0..all.len()).find(|&rank| all[rank] != all[0]) {
        Some(rank) => Err(BuildError::OtherSettings { rank, first: said(0), other: said(rank) }),
        None => Ok(()),
    }
}

/// Bytes of memory that each rank may use: as many as the one that may use fewest.
pub(super) fn memory(exchange: &dyn Exchange, asked: Option<u64>) -> Option<u64> {
    let available = machine::available_memory().map(|free| free / exchange.on_this_machine() as u64);
    let mine = super::memory_limit(asked, available).unwrap_or(u64::MAX);
    let all = exchange.swap(vec![mine.to_le_bytes().to_vec(); exchange.ranks()]);
    let limits = all.iter().filter_map(|bytes| bytes.first_chunk()).map(|bytes| u64::from_le_bytes(*bytes));
    limits.min().filter(|&limit| limit < u64::MAX)
}

/// Makes sure that this rank sees the mark that rank 0 has left with its lock; an empty one means that it has
/// left none.
pub(super) fn same_directory(dir: &Path, mark: &[u8], progress: &dyn Progress) -> Result<(), BuildError> {
    let seen =
        || if mark.is_empty() || lock::mark(dir).is_ok_and(|seen| seen == mark) { Ok(()) } else { Err(()) };
    await_file(dir, PATIENCE_FOR_MARK, progress, seen, |()| true)?
        .map_err(|()| BuildError::OtherDirectory { dir: dir.to_owned() })
}

/// Makes sure that all ranks read the same tables.
pub(super) fn same_tables(
    exchange: &dyn Exchange,
    tables: &Tablebase,
    read: &VerifiedTables,
) -> Result<(), BuildError> {
    let mine: Vec<u8> = read.content_hashes().flat_map(|hash| hash.0).collect();
    let all = exchange.swap(vec![mine; exchange.ranks()]);
    let same = all[exchange.rank()] == all[0];
    let dir = tables.directory().join(tables.rules().name());
    agree(exchange, if same { Ok(()) } else { Err(BuildError::OtherDirectory { dir }) })
}

/// What is in a file that rank 0 has seen or written.
pub(super) fn shared<T>(
    exchange: &dyn Exchange,
    tables: &Tablebase,
    progress: &dyn Progress,
    open: impl Fn() -> Result<T, ProbeError>,
) -> Result<T, BuildError> {
    let dir = tables.directory().join(tables.rules().name());
    let patience = if exchange.rank() == 0 { Duration::ZERO } else { PATIENCE };
    let missing =
        |error: &ProbeError| matches!(error, ProbeError::Missing { .. } | ProbeError::MissingDepths { .. });
    let opened = await_file(&dir, patience, progress, open, missing);
    agree(exchange, opened.and_then(|opened| Ok(opened?)))
}

/// Asks again and again until the answer is another than that a file is missing, or patience ends.
fn await_file<T, E>(
    dir: &Path,
    patience: Duration,
    progress: &dyn Progress,
    ask: impl Fn() -> Result<T, E>,
    missing: impl Fn(&E) -> bool,
) -> Result<Result<T, E>, BuildError> {
    let start = Instant::now();
    loop {
        match ask() {
            Err(error) if missing(&error) && start.elapsed() < patience => {
                if progress.stop() {
                    return Err(BuildError::Stopped);
                }
                thread::sleep(PAUSE);
                // Who lists a directory is told what is new in it.
                let _ = fs::read_dir(dir).map(Iterator::count);
            }
            answer => return Ok(answer),
        }
    }
}
