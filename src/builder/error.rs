//! Why a build could not go on, in words that say what to do.

use std::fmt;
use std::io;
use std::path::PathBuf;

use crate::board::MAX_STONES;
use crate::engine::{Needs, SolveError};
use crate::table::TableError;
use crate::tablebase::ProbeError;
use crate::units;

/// Why a build did not start or did not finish. Tables that were finished before are in place.
#[derive(Debug)]
#[non_exhaustive]
pub enum BuildError {
    /// No board holds so many stones: 47, or more than 48.
    NoSuchTable {
        /// The stones asked for.
        stones: u32,
    },
    /// Another build is at work in the directory.
    Locked {
        /// The lock file.
        lock: PathBuf,
    },
    /// A file in the directory is not the table it should be.
    Unusable(TableError),
    /// There is too little memory, and too little disk space to do without it.
    Memory {
        /// Stones of the largest table to build.
        stones: u32,
        /// What it needs.
        needed: Needs,
        /// Bytes of memory to use at most.
        available: u64,
        /// The directory that scratch files would be in.
        dir: PathBuf,
        /// Bytes free on its disk, if the system says.
        free: Option<u64>,
        /// The most stones for which it is enough.
        fits: Option<u32>,
    },
    /// A rank of a distributed build has too little memory.
    MemoryOfRank {
        /// Stones of the largest table to build.
        stones: u32,
        /// How many ranks there are.
        ranks: usize,
        /// Bytes that the rank needs that takes most.
        needed: u64,
        /// Bytes that a rank may use at most.
        available: u64,
    },
    /// The ranks of a distributed build were not asked for the same. All ranks say so.
    OtherSettings {
        /// The first rank that was asked for something else than rank 0.
        rank: usize,
        /// What rank 0 was asked for.
        first: String,
        /// What that rank was asked for.
        other: String,
    },
    /// A rank of a distributed build does not see what rank 0 sees.
    OtherDirectory {
        /// The directory that this rank sees.
        dir: PathBuf,
    },
    /// The disk is too full.
    Disk {
        /// The directory of the tables.
        dir: PathBuf,
        /// Bytes needed.
        needed: u64,
        /// Bytes free.
        free: u64,
    },
    /// The directory cannot be made or written.
    Directory {
        /// The directory.
        dir: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The threads could not be started.
    Threads(rayon::ThreadPoolBuildError),
    /// A table could not be written.
    Table(TableError),
    /// A smaller table could not be read.
    Smaller(ProbeError),
    /// The engine could not work: the machine did not give what it promised.
    Solve(SolveError),
    /// The build was stopped by its [`Progress`](super::Progress).
    Stopped,
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BuildError::NoSuchTable { stones: 47 } => f.write_str(
                "no position of a game has 47 stones on the board: the first capture takes at least two. \
                 Ask for 46 or 48.",
            ),
            BuildError::NoSuchTable { stones } => {
                write!(f, "no position has {stones} stones on the board: a game has {MAX_STONES}.")
            }
            BuildError::Locked { lock } => write!(
                f,
                "another build is at work in this directory: it holds the lock {}. Wait for it to end, or \
                 choose another directory.",
                lock.display()
            ),
            BuildError::Unusable(error) => write!(
                f,
                "{error} Nothing was overwritten: if you do not need the file, delete it and give the same \
                 command again."
            ),
            BuildError::Memory { stones, needed, available, dir, free, fits } => {
                let (table, in_scratch) = (needed.table, needed.in_scratch());
                write!(
                    f,
                    "not enough memory: the table of {stones} stones needs {} and {} may be used; with \
                     scratch files it needs {} of memory and {} of disk space",
                    units::bytes(needed.total()),
                    units::bytes(*available),
                    units::bytes(in_scratch),
                    units::bytes(table),
                )?;
                if let Some(free) = free {
                    write!(f, " ({} is free on the disk of {})", units::bytes(*free), dir.display())?;
                }
                f.write_str(".")?;
                match fits {
                    Some(fits) => write!(f, " There is enough for {fits} stones."),
                    None => Ok(()),
                }
            }
            BuildError::MemoryOfRank { stones, ranks, needed, available } => write!(
                f,
                "not enough memory: the table of {stones} stones needs {} a rank with {ranks} ranks, and {} may \
                 be used. Take more ranks, on more machines, or allow each more with --memory.",
                units::bytes(*needed),
                units::bytes(*available),
            ),
            BuildError::OtherSettings { rank, first, other } => write!(
                f,
                "the ranks were not started alike: on rank 0, {first}; on rank {rank}, {other}. Start all of \
                 them with the same command."
            ),
            BuildError::OtherDirectory { dir } => write!(
                f,
                "{} is not the directory of rank 0, or has other tables. Have all ranks see the same \
                 directory.",
                dir.display()
            ),
            BuildError::Disk { dir, needed, free } => write!(
                f,
                "not enough disk space: the tables need {} and {} is free on the disk of {}. Free some, or \
                 choose another directory.",
                units::bytes(*needed),
                units::bytes(*free),
                dir.display()
            ),
            BuildError::Directory { dir, source } => write!(
                f,
                "cannot use the directory {}: {source}. Check who owns it, or choose another.",
                dir.display()
            ),
            BuildError::Threads(error) => write!(f, "cannot start the threads: {error}. Ask for fewer."),
            BuildError::Table(error) => error.fmt(f),
            BuildError::Smaller(error) => error.fmt(f),
            BuildError::Solve(error) => write!(f, "{error}. Nothing is lost: the same command goes on."),
            BuildError::Stopped => f.write_str("stopped"),
        }
    }
}

impl std::error::Error for BuildError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            // Their message is part of this one, so the next cause is theirs.
            BuildError::Unusable(error) | BuildError::Table(error) => error.source(),
            BuildError::Smaller(error) => error.source(),
            BuildError::Solve(error) => error.source(),
            BuildError::Directory { source, .. } => Some(source),
            BuildError::Threads(error) => Some(error),
            _ => None,
        }
    }
}

impl From<TableError> for BuildError {
    fn from(error: TableError) -> BuildError {
        BuildError::Table(error)
    }
}

impl From<ProbeError> for BuildError {
    fn from(error: ProbeError) -> BuildError {
        BuildError::Smaller(error)
    }
}

impl From<SolveError> for BuildError {
    fn from(error: SolveError) -> BuildError {
        match error {
            SolveError::Stopped => BuildError::Stopped,
            error => BuildError::Solve(error),
        }
    }
}
