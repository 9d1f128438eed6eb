//! Builds a database: every table that is missing, fewest stones first.
//!
//! A build first says what it needs and refuses at once if the machine does not have it, rather
//! than be killed hours later. It trusts the tables it finds only after reading them through. It
//! never overwrites a file: one that cannot be used stops the build with the reason, and whoever
//! wants it gone deletes it. A build that ends early, be it asked to or killed, leaves whole
//! tables, and the next one goes on from there.

mod agree;
mod among;
mod checkpoint;
mod error;
mod lock;
mod plan;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::board::MAX_STONES;
use crate::engine::{self, Checkpoint, Effort, Pass, Storage, Traffic, Watch};
use crate::index::{IMPOSSIBLE_STONES, Index};
use crate::machine;
use crate::rules::Rules;
use crate::table::{self, DepthHeader, Encoding, Header, TableError};
use crate::tablebase::{ProbeError, Tablebase, VerifiedTables};
pub use checkpoint::CheckpointNews;
use checkpoint::{Keeper, Kind};
pub use error::BuildError;
use lock::{Lock, LockError};
pub use plan::{Plan, PlannedTable, State};

/// Someone who watches a build and may stop it. Called from several threads; every method does
/// nothing by default.
pub trait Progress: Sync {
    /// What a killed build left behind was removed.
    fn cleaned(&self, leftovers: &[PathBuf]) {
        let _ = leftovers;
    }

    /// The table of `stones` stones is there and is now read through.
    fn checking(&self, stones: u32) {
        let _ = stones;
    }

    /// What is going to be built, or would be if the machine had room for it.
    fn planned(&self, plan: &Plan) {
        let _ = plan;
    }

    /// `done` of `total` positions are through this pass over the table of `stones` stones.
    /// Called often: should return at once.
    fn solving(&self, stones: u32, pass: Pass, done: u64, total: u64) {
        let _ = (stones, pass, done, total);
    }

    /// The same for finding its depths.
    fn finding_depths(&self, stones: u32, pass: Pass, done: u64, total: u64) {
        let _ = (stones, pass, done, total);
    }

    /// The table of `stones` stones is solved and is now written.
    fn writing(&self, stones: u32) {
        let _ = stones;
    }

    /// A table is in its place: built, or there before. Called for every table in turn.
    fn built(&self, table: &Built) {
        let _ = table;
    }

    /// Something happened to the checkpoint of the table of `stones` stones.
    fn checkpoint(&self, stones: u32, news: &CheckpointNews) {
        let _ = (stones, news);
    }

    /// Whether to stop. Asked often.
    fn stop(&self) -> bool {
        false
    }
}

/// Watches nothing and never stops.
pub struct Unwatched;

impl Progress for Unwatched {}

/// A table of the database a build was asked for.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Built {
    /// What the table says about itself.
    pub header: Header,
    /// How it came to be; None if it was there before.
    pub work: Option<Work>,
    /// Its depths, if they were asked for.
    pub depths: Option<BuiltDepths>,
}

/// The depths of a table.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct BuiltDepths {
    /// What their file says about itself.
    pub header: DepthHeader,
    /// How they came to be; None if they were there before.
    pub work: Option<Work>,
}

/// What it took to build a table.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Work {
    /// Time to solve and write it.
    pub time: Duration,
    /// What the engine did.
    pub effort: Effort,
    /// What ranks sent one another, all together, if it was a build of ranks.
    pub traffic: Option<Traffic>,
}

/// Builds the database of a rule set: the tables of 0 to so many stones.
///
/// ```
/// use awari::{Rules, builder::{Builder, Unwatched}};
/// # let dir = tempfile::tempdir()?;
/// let tables = Builder::new(dir.path(), Rules::Awari).stones(4).run(&Unwatched)?;
/// assert_eq!(tables.len(), 5);
/// assert_eq!(tables[4].header.counts.wins(), 580);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Builder {
    dir: PathBuf,
    rules: Rules,
    stones: u32,
    depths: bool,
    encoding: Encoding,
    threads: usize,
    memory: Option<u64>,
    checkpoint: Option<Duration>,
}

impl Builder {
    /// A builder of tables in `dir/<rules>/`, which is made if it is missing. Until told
    /// otherwise it builds the table of 0 stones only, on every core.
    pub fn new(dir: impl Into<PathBuf>, rules: Rules) -> Builder {
        Builder {
            dir: dir.into(),
            rules,
            stones: 0,
            depths: false,
            encoding: Encoding::Packed,
            threads: 0,
            memory: None,
            checkpoint: None,
        }
    }

    /// The most stones to build a table of.
    #[must_use]
    pub fn stones(self, stones: u32) -> Builder {
        Builder { stones, ..self }
    }

    /// Whether to build the depths of every table as well, also of those that are there.
    #[must_use]
    pub fn depths(self, depths: bool) -> Builder {
        Builder { depths, ..self }
    }

    /// How to write the values; packed until told otherwise. Tables that are there stay as they
    /// are. Compressed tables are unpacked into memory, a byte a position, while larger ones are
    /// built upon them, scratch files or not.
    #[must_use]
    pub fn encoding(self, encoding: Encoding) -> Builder {
        Builder { encoding, ..self }
    }

    /// How many threads to use; 0 for as many as there are cores. The tables are the same
    /// whatever the number.
    #[must_use]
    pub fn threads(self, threads: usize) -> Builder {
        Builder { threads, ..self }
    }

    /// How many bytes of memory to use at most; None for what is free on the machine, less a
    /// sixteenth. Tables that need more are worked on in scratch files in the directory, if its disk
    /// has room for them. The tables are the same, but it takes longer.
    #[must_use]
    pub fn memory(self, bytes: Option<u64>) -> Builder {
        Builder { memory: bytes, ..self }
    }

    /// How often to keep the table that is worked on in a checkpoint beside the tables, from which a
    /// build that was killed goes on; None for never, zero for after each sweep. It is kept after the sweep,
    /// or the round of last changes, that ends when it is time. A checkpoint that is there is used
    /// in any case, and removed when the table is finished.
    #[must_use]
    pub fn checkpoint(self, every: Option<Duration>) -> Builder {
        Builder { checkpoint: every, ..self }
    }

    /// What [`Builder::run`] would do now. Reads through every table that is there; changes
    /// nothing.
    ///
    /// # Errors
    /// If there is no such table, or `progress` says to stop.
    pub fn plan(&self, progress: &dyn Progress) -> Result<Plan, BuildError> {
        let tables = self.open()?;
        let mut plan = self.survey(&tables)?;
        self.pool()?.install(|| check(&mut plan, &tables, progress))?;
        Ok(plan)
    }

    /// Builds every table that is missing and returns all of them, fewest stones first.
    ///
    /// # Errors
    /// If there is no such table, another build is at work in the directory, a file that is there
    /// cannot be used, the machine has too little memory or disk space, the directory cannot be
    /// written, or `progress` says to stop. Tables finished before stay.
    pub fn run(&self, progress: &dyn Progress) -> Result<Vec<Built>, BuildError> {
        // Ask first what needs no directory: a build that is refused leaves no trace.
        let tables = self.open()?;
        let plan = self.survey(&tables)?;
        if let Err(refused) = plan.check_room() {
            progress.planned(&plan);
            return Err(refused);
        }
        let _lock = match lock(&plan.dir) {
            // Nothing is going to be written, so the directory need not be writable.
            Err(BuildError::Directory { .. }) if plan.is_done() => None,
            lock => {
                let lock = lock?;
                let leftovers = table::remove_leftovers(&plan.dir)?;
                if !leftovers.is_empty() {
                    progress.cleaned(&leftovers);
                }
                Some(lock)
            }
        };
        let pool = self.pool()?;
        // Another build may have ended while this one looked around: look again.
        let mut plan = self.survey(&tables)?;
        pool.install(|| check(&mut plan, &tables, progress))?;
        progress.planned(&plan);
        plan.check_room()?;
        pool.install(|| build(plan, &tables, self.checkpoint, progress))
    }

    fn pool(&self) -> Result<rayon::ThreadPool, BuildError> {
        rayon::ThreadPoolBuilder::new().num_threads(self.threads).build().map_err(BuildError::Threads)
    }

    fn open(&self) -> Result<Tablebase, BuildError> {
        Tablebase::open_own(&self.dir, self.rules).map_err(|error| match error {
            TableError::Io { path: dir, source, .. } => BuildError::Directory { dir, source },
            error => BuildError::Table(error),
        })
    }

    /// The stones of each table.
    fn table_stones(&self) -> impl Iterator<Item = u32> + use<> {
        (0..=self.stones).filter(|&stones| stones != IMPOSSIBLE_STONES)
    }

    /// Looks at the headers of the tables that are there.
    fn survey(&self, tables: &Tablebase) -> Result<Plan, BuildError> {
        if self.stones == IMPOSSIBLE_STONES || self.stones > MAX_STONES {
            return Err(BuildError::NoSuchTable { stones: self.stones });
        }
        let survey = |stones| PlannedTable {
            stones,
            positions: Index::new(stones).positions(),
            encoding: self.encoding,
            state: match tables.table(stones) {
                Ok(table) => State::There(Box::new(table.header().clone())),
                Err(ProbeError::Table(error)) => State::Unusable(error),
                Err(_) => State::Missing,
            },
            depths: self.depths.then(|| match tables.depths(stones) {
                Ok(Some(depths)) => State::There(Box::new(depths.header().clone())),
                Err(ProbeError::Table(error)) if error.path() == tables.depth_path(stones) => {
                    State::Unusable(error)
                }
                // Depths without their values are looked at when those are there again.
                _ => State::Missing,
            }),
        };
        let dir = self.dir.join(self.rules.name());
        Ok(Plan {
            rules: self.rules,
            tables: self.table_stones().map(survey).collect(),
            memory: memory_limit(self.memory, machine::available_memory()),
            disk_free: machine::free_disk(&dir).ok(),
            checkpoints: self.checkpoint.is_some(),
            ranks: None,
            dir,
        })
    }
}

/// The memory to use at most, given what is free; None if nothing limits it.
fn memory_limit(asked: Option<u64>, available: Option<u64>) -> Option<u64> {
    let less_a_margin = available.map(|available| available - available / 16);
    asked.map_or(less_a_margin, |asked| Some(available.map_or(asked, |available| asked.min(available))))
}

fn lock(dir: &Path) -> Result<Lock, BuildError> {
    let refused = |source: io::Error| BuildError::Directory { dir: dir.to_owned(), source };
    fs::create_dir_all(dir).map_err(refused)?;
    Lock::take(dir).map_err(|error| match error {
        LockError::Held(lock) => BuildError::Locked { lock },
        LockError::Io(source) => refused(source),
    })
}

/// Reads through the tables that are there: what is built on them is as right as they are.
fn check(plan: &mut Plan, tables: &Tablebase, progress: &dyn Progress) -> Result<(), BuildError> {
    for planned in &mut plan.tables {
        if progress.stop() {
            return Err(BuildError::Stopped);
        }
        if let State::There(_) = planned.state {
            progress.checking(planned.stones);
            let table = tables.table(planned.stones)?;
            if let Err(error) = table.check() {
                planned.state = State::Unusable(error);
            }
        }
        if let Some(State::There(_)) = planned.depths
            && let Err(error) = tables.needed_depths(planned.stones)?.check()
        {
            planned.depths = Some(State::Unusable(error));
        }
    }
    Ok(())
}

fn build(
    plan: Plan,
    tables: &Tablebase,
    checkpoint: Option<Duration>,
    progress: &dyn Progress,
) -> Result<Vec<Built>, BuildError> {
    let mut todo = Vec::with_capacity(plan.tables.len());
    let storages: Vec<(Storage, Storage)> = plan
        .tables
        .iter()
        .map(|table| {
            let of = |needs| {
                if plan.needs_scratch(needs) { Storage::Scratch(plan.dir.clone()) } else { Storage::Memory }
            };
            (of(plan.needs_of_values(table)), of(plan.needs_of_depths(table)))
        })
        .collect();
    for planned in plan.tables {
        let there = match planned.state {
            State::Unusable(error) => return Err(BuildError::Unusable(error)),
            State::There(header) => Some(*header),
            State::Missing => None,
        };
        if let Some(State::Unusable(error)) = planned.depths {
            return Err(BuildError::Unusable(error));
        }
        todo.push((planned.stones, planned.encoding, there, planned.depths.is_some()));
    }
    let mut all = Vec::with_capacity(todo.len());
    for ((stones, encoding, there, with_depths), (for_values, for_depths)) in todo.into_iter().zip(storages) {
        let (header, work) = match there {
            Some(header) => {
                checkpoint::remove(&tables.path(stones))?;
                (header, None)
            }
            None => build_values(stones, encoding, tables, &for_values, checkpoint, progress)?,
        };
        let depths = with_depths
            .then(|| depths(stones, encoding, &header, tables, &for_depths, checkpoint, progress))
            .transpose()?;
        let built = Built { header, work, depths };
        progress.built(&built);
        all.push(built);
    }
    Ok(all)
}

fn build_values(
    stones: u32,
    encoding: Encoding,
    tables: &Tablebase,
    storage: &Storage,
    checkpoint: Option<Duration>,
    progress: &dyn Progress,
) -> Result<(Header, Option<Work>), BuildError> {
    let (start, rules) = (Instant::now(), tables.rules());
    let smaller = tables.smaller_tables(stones)?;
    let path = tables.path(stones);
    let what = |pass, done, total| progress.solving(stones, pass, done, total);
    let keeper = Keeper::new(&path, Kind::Values, stones, &smaller, checkpoint, progress);
    let solved = engine::solve(rules, stones, &smaller, storage, &Watching { progress, what: &what, keeper });
    smaller.check_unchanged()?;
    let solved = solved?;
    // Compressed tables were unpacked for it.
    drop(smaller);
    let header = write_values(encoding, tables, stones, &solved.values, progress)?;
    Ok((header, Some(Work { time: start.elapsed(), effort: solved.effort, traffic: None })))
}

/// Writes a solved table; its checkpoint is not needed any more.
fn write_values(
    encoding: Encoding,
    tables: &Tablebase,
    stones: u32,
    values: &[i8],
    progress: &dyn Progress,
) -> Result<Header, BuildError> {
    progress.writing(stones);
    let path = tables.path(stones);
    let stop = || progress.stop();
    let written = table::write_until(&stop, encoding, &path, tables.rules(), stones, values);
    let header = written.map_err(|error| stopped(progress, error))?;
    checkpoint::remove(&path)?;
    Ok(header)
}

/// The depths that belong to a table, built if they are not there.
fn depths(
    stones: u32,
    encoding: Encoding,
    values: &Header,
    tables: &Tablebase,
    storage: &Storage,
    checkpoint: Option<Duration>,
    progress: &dyn Progress,
) -> Result<BuiltDepths, BuildError> {
    let (start, rules) = (Instant::now(), tables.rules());
    match tables.depths(stones) {
        Ok(Some(depths)) => {
            checkpoint::remove(&tables.depth_path(stones))?;
            return Ok(BuiltDepths { header: depths.header().clone(), work: None });
        }
        Ok(None) => {}
        Err(ProbeError::Table(error)) => return Err(BuildError::Unusable(error)),
        Err(error) => return Err(error.into()),
    }
    let read = tables.tables_with(stones)?;
    let path = tables.depth_path(stones);
    let what = |pass, done, total| progress.finding_depths(stones, pass, done, total);
    let keeper = Keeper::new(&path, Kind::Depths, stones, &read, checkpoint, progress);
    let solved =
        engine::solve_depths(rules, stones, &read, storage, &Watching { progress, what: &what, keeper });
    // If they changed, that is why there is no depth.
    read.check_unchanged()?;
    let solved = solved?;
    let header = write_depths(encoding, tables, values, &read, &solved.depths, progress)?;
    Ok(BuiltDepths {
        header,
        work: Some(Work { time: start.elapsed(), effort: solved.effort, traffic: None }),
    })
}

/// Writes the depths of a table whose `values` are among those `read`; their checkpoint is not needed any more.
fn write_depths(
    encoding: Encoding,
    tables: &Tablebase,
    values: &Header,
    read: &VerifiedTables,
    depths: &[u16],
    progress: &dyn Progress,
) -> Result<DepthHeader, BuildError> {
    let (stones, hash) = (values.stones, values.content_hash);
    progress.writing(stones);
    let path = tables.depth_path(stones);
    let values = match encoding {
        Encoding::Packed => None,
        Encoding::Compressed => Some(read.values(stones)),
    };
    let (stop, rules) = (|| progress.stop(), tables.rules());
    let written = table::write_depths_until(&stop, &path, rules, stones, hash, values.as_deref(), depths);
    let header = written.map_err(|error| stopped(progress, error))?;
    checkpoint::remove(&path)?;
    Ok(header)
}

/// Why a table was not written.
fn stopped(progress: &dyn Progress, error: TableError) -> BuildError {
    if progress.stop() { BuildError::Stopped } else { BuildError::Table(error) }
}

/// Passes on what the engine says about one table.
struct Watching<'a> {
    progress: &'a dyn Progress,
    what: &'a (dyn Fn(Pass, u64, u64) + Sync),
    keeper: Keeper<'a>,
}

impl Watch for Watching<'_> {
    fn progress(&self, pass: Pass, done: u64, total: u64) {
        (self.what)(pass, done, total);
    }

    fn stop(&self) -> bool {
        // What comes of a table that is not there any more is worth nothing.
        self.progress.stop() || self.keeper.read.check_unchanged().is_err()
    }

    fn checkpoint(&self) -> Option<&dyn Checkpoint> {
        Some(&self.keeper)
    }
}
