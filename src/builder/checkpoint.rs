//! Checkpoints: the table of a solve that takes long, kept in a file beside the tables from time to time.
//!
//! `15.awari.checkpoint` is written like a table: under another name, forced to disk, read back, renamed.
//! From it the same solve goes on, and no other: a wrong start could give wrong values, so it names
//! rules, stones, what the engine keeps, and by their hash all tables that the solve reads.
//!
//! | bytes | |
//! |---|---|
//! | 8 | [`MAGIC`] |
//! | 4, 4 | [`VERSION`] of this format, [`engine::CHECKPOINT_VERSION`] |
//! | 1, 1, 1, 1 | rules, stones, bytes a position (1: values, 2: depths), zero |
//! | 4, 8 | sweeps done, positions that changed last |
//! | 32 | SHA-256 of the content hashes of the tables that are read, fewest stones first |
//! | 32 | SHA-256 of the data |
//! | 4 | CRC-32 of the checksums at the end |
//! | 4 | CRC-32 of all bytes before this |
//! | … | the data |
//! | 4 each | CRC-32 of each [`BLOCK`] bytes of data |
//!
//! Numbers are little endian.

use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use sha2::{Digest, Sha256};

use super::Progress;
use crate::engine::{self, Checkpoint, Reached};
use crate::index::Index;
use crate::rules::Rules;
use crate::table::{self, TableError};
use crate::tablebase::VerifiedTables;

const MAGIC: [u8; 8] = *b"AWARICKP";
const VERSION: u32 = 1;

/// Bytes that have a checksum together.
const BLOCK: usize = 1 << 20;

const HEADER_BYTES: usize = 104;

/// Where the header's own checksum is.
const SEAL: usize = HEADER_BYTES - 4;

/// What a solve finds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Values,
    Depths,
}

/// The most bytes that a checkpoint of so many positions has.
pub(super) fn file_bytes(kind: Kind, positions: u64) -> u64 {
    let data = kind.bytes() * positions;
    HEADER_BYTES as u64 + data + 4 * data.div_ceil(BLOCK as u64)
}

impl Kind {
    /// Bytes a position.
    fn bytes(self) -> u64 {
        match self {
            Kind::Values => 1,
            Kind::Depths => 2,
        }
    }
}

/// The checkpoint that belongs to a table.
pub(super) fn path(table: &Path) -> PathBuf {
    let mut name = table.as_os_str().to_owned();
    name.push(".checkpoint");
    name.into()
}

/// Removes the checkpoint of a table that is finished.
pub(super) fn remove(table: &Path) -> Result<(), TableError> {
    let path = path(table);
    match std::fs::symlink_metadata(&path) {
        Ok(found) if found.is_file() => match std::fs::remove_file(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
            removed => removed.map_err(|source| TableError::Io { path, action: "remove the file", source }),
        },
        // None there, or something that is not ours.
        _ => Ok(()),
    }
}

/// What happened to a checkpoint.
#[derive(Debug)]
#[non_exhaustive]
pub enum CheckpointNews {
    /// A solve goes on from it.
    Resumed {
        /// The file.
        path: PathBuf,
        /// Sweeps that need not be done again.
        sweeps: u32,
    },
    /// It cannot be used; the solve starts anew, and the next checkpoint takes its place.
    Unusable {
        /// The file.
        path: PathBuf,
        /// Why, as a sentence without its full stop.
        problem: String,
    },
    /// It could not be written; the solve goes on without.
    NotWritten(TableError),
    /// It was written.
    Written {
        /// The file.
        path: PathBuf,
    },
}

/// Whose checkpoint it is, and when to write it.
pub(super) struct Keeper<'a> {
    path: PathBuf,
    kind: Kind,
    stones: u32,
    /// The tables that the solve reads.
    pub(super) read: &'a VerifiedTables<'a>,
    /// Their hash.
    basis: [u8; 32],
    /// Time between two checkpoints, zero for one after each sweep; None to write none.
    every: Option<Duration>,
    /// After how many sweeps the last one was written, and when.
    last: Mutex<(u32, Instant)>,
    progress: &'a dyn Progress,
}

impl<'a> Keeper<'a> {
    /// For the solve of what is going to be in the file `table`, from the tables `read`.
    pub(super) fn new(
        table: &Path,
        kind: Kind,
        stones: u32,
        read: &'a VerifiedTables,
        every: Option<Duration>,
        progress: &'a dyn Progress,
    ) -> Keeper<'a> {
        let mut basis = Sha256::new();
        read.content_hashes().for_each(|hash| basis.update(hash.0));
        let (path, basis, last) = (path(table), basis.finalize().into(), Mutex::new((0, Instant::now())));
        Keeper { path, kind, stones, read, basis, every, last, progress }
    }

    fn positions_bytes(&self) -> u64 {
        self.kind.bytes() * Index::new(self.stones).positions()
    }

    /// The header without what the data decide.
    fn header(&self, reached: Reached, hash: &[u8; 32], sums: u32) -> [u8; HEADER_BYTES] {
        let rules = Rules::ALL.iter().position(|&rules| rules == self.read.rules()).unwrap_or_default() as u8;
        let fields: [&[u8]; 9] = [
            &MAGIC,
            &VERSION.to_le_bytes(),
            &engine::CHECKPOINT_VERSION.to_le_bytes(),
            &[rules, self.stones as u8, self.kind.bytes() as u8, 0],
            &reached.sweeps.to_le_bytes(),
            &reached.changes.to_le_bytes(),
            &self.basis,
            hash,
            &sums.to_le_bytes(),
        ];
        let mut header = [0; HEADER_BYTES];
        header[..SEAL].copy_from_slice(&fields.concat());
        let seal = crc32fast::hash(&header[..SEAL]);
        header[SEAL..].copy_from_slice(&seal.to_le_bytes());
        header
    }

    fn write(&self, reached: Reached, bytes: u64, worths: &mut dyn Read) -> Result<(), TableError> {
        let fill = |file: &File| {
            let (mut hash, mut sums) = (Sha256::new(), Vec::new());
            let (mut at, mut block) = (0, vec![0; BLOCK]);
            while at < bytes {
                if self.progress.stop() {
                    return Err(ErrorKind::Interrupted.into());
                }
                let length = BLOCK.min((bytes - at) as usize);
                worths.read_exact(&mut block[..length])?;
                hash.update(&block[..length]);
                sums.extend(crc32fast::hash(&block[..length]).to_le_bytes());
                file.write_all_at(&block[..length], HEADER_BYTES as u64 + at)?;
                at += length as u64;
            }
            file.write_all_at(&sums, HEADER_BYTES as u64 + bytes)?;
            let header = self.header(reached, &hash.finalize().into(), crc32fast::hash(&sums));
            file.write_all_at(&header, 0)
        };
        let check = |temporary: &Path| {
            self.open(temporary).map(|_| ()).map_err(|problem| TableError::Io {
                path: self.path.clone(),
                action: "read back what was written",
                source: io::Error::new(ErrorKind::InvalidData, problem),
            })
        };
        table::write_whole(&self.path, file_bytes(self.kind, bytes / self.kind.bytes()), fill, check)
    }

    /// Opens a checkpoint of this solve and checks every byte of it.
    ///
    /// # Errors
    /// What is wrong with it, as a sentence without its full stop.
    fn open(&self, path: &Path) -> Result<(Reached, Blocks), String> {
        let said = |error: io::Error| error.to_string();
        let flags = rustix::fs::OFlags::NONBLOCK.bits().cast_signed();
        let file = File::options().read(true).custom_flags(flags).open(path).map_err(said)?;
        let metadata = file.metadata().map_err(said)?;
        if !metadata.is_file() {
            return Err("it is no regular file".to_owned());
        }
        let mut header = [0; HEADER_BYTES];
        file.read_exact_at(&mut header, 0).map_err(|_| "it is cut short".to_owned())?;
        if header[..8] != MAGIC {
            return Err("it is no checkpoint".to_owned());
        }
        let number = |at: usize| {
            let mut bytes = [0; 4];
            bytes.copy_from_slice(&header[at..at + 4]);
            u32::from_le_bytes(bytes)
        };
        if crc32fast::hash(&header[..SEAL]) != number(SEAL) {
            return Err("the checksum of its header is wrong".to_owned());
        }
        let mut changes = [0; 8];
        changes.copy_from_slice(&header[24..32]);
        let reached = Reached { sweeps: number(20), changes: u64::from_le_bytes(changes) };
        let mut hash = [0; 32];
        hash.copy_from_slice(&header[64..96]);
        let expected = self.header(reached, &hash, number(96));
        let differs = [
            (8..12, "another version of awari wrote it"),
            (12..16, "another version of awari wrote it"),
            (16..17, "it belongs to other rules"),
            (17..18, "it belongs to another number of stones"),
            (18..20, "it belongs to another kind of table"),
            (32..64, "the tables of fewer stones are others than those it was made with"),
        ];
        if let Some((_, problem)) =
            differs.into_iter().find(|(at, _)| header[at.clone()] != expected[at.clone()])
        {
            return Err(problem.to_owned());
        }
        let bytes = self.positions_bytes();
        let length = file_bytes(self.kind, bytes / self.kind.bytes());
        if metadata.len() != length {
            let how = if metadata.len() < length { "cut short" } else { "too long" };
            return Err(format!("it is {how}"));
        }
        let mut sums = vec![0; 4 * bytes.div_ceil(BLOCK as u64) as usize];
        file.read_exact_at(&mut sums, HEADER_BYTES as u64 + bytes).map_err(said)?;
        if crc32fast::hash(&sums) != number(96) {
            return Err("the checksum of its checksums is wrong".to_owned());
        }
        let sums = sums.as_chunks::<4>().0.iter().map(|&sum| u32::from_le_bytes(sum)).collect();
        let mut blocks = Blocks { file, bytes, sums, at: 0, block: Vec::new(), given: 0 };
        let mut found = Sha256::new();
        while blocks.next().map_err(said)? {
            found.update(&blocks.block);
        }
        if found.finalize()[..] != hash {
            return Err("the hash of its data is wrong".to_owned());
        }
        (blocks.at, blocks.block, blocks.given) = (0, Vec::new(), 0);
        Ok((reached, blocks))
    }

    fn unusable(&self, problem: String) {
        self.progress.checkpoint(self.stones, &CheckpointNews::Unusable { path: self.path.clone(), problem });
    }

    fn written_now(&self, sweeps: u32) {
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = (sweeps, Instant::now());
    }
}

impl Checkpoint for Keeper<'_> {
    fn resume(&self) -> Option<(Reached, Box<dyn Read + '_>)> {
        // Whatever the name leads to; if it leads nowhere there is none.
        if let Err(error) = std::fs::symlink_metadata(&self.path)
            && error.kind() == ErrorKind::NotFound
        {
            return None;
        }
        match self.open(&self.path) {
            Ok((reached, blocks)) => {
                let (path, sweeps) = (self.path.clone(), reached.sweeps);
                self.progress.checkpoint(self.stones, &CheckpointNews::Resumed { path, sweeps });
                Some((reached, Box::new(blocks)))
            }
            Err(problem) => {
                self.unusable(problem);
                None
            }
        }
    }

    fn refused(&self, why: &io::Error) {
        self.unusable(why.to_string());
    }

    fn is_due(&self, reached: Reached) -> bool {
        let (sweeps, when) = *self.last.lock().unwrap_or_else(PoisonError::into_inner);
        self.every.is_some_and(|every| match every.is_zero() {
            true => reached.sweeps > sweeps,
            false => when.elapsed() >= every,
        })
    }

    fn keep(&self, reached: Reached, bytes: u64, worths: &mut dyn Read) {
        // What was looked up in a table that changed meanwhile must not be found again.
        if self.read.check_unchanged().is_err() {
            return;
        }
        match self.write(reached, bytes, worths) {
            Ok(()) => {
                self.progress.checkpoint(self.stones, &CheckpointNews::Written { path: self.path.clone() })
            }
            Err(_) if self.progress.stop() => {}
            Err(error) => self.progress.checkpoint(self.stones, &CheckpointNews::NotWritten(error)),
        }
        self.written_now(reached.sweeps);
    }
}

/// The data of a checkpoint, each block checked as it is read.
struct Blocks {
    file: File,
    bytes: u64,
    sums: Vec<u32>,
    /// The next block starts there.
    at: u64,
    block: Vec<u8>,
    /// How many bytes of the block were given.
    given: usize,
}

impl Blocks {
    /// Reads the next block; false if there is none.
    fn next(&mut self) -> io::Result<bool> {
        let length = BLOCK.min((self.bytes - self.at) as usize);
        let number = (self.at / BLOCK as u64) as usize;
        self.block.resize(length, 0);
        self.given = 0;
        if length == 0 {
            return Ok(false);
        }
        self.file.read_exact_at(&mut self.block, HEADER_BYTES as u64 + self.at)?;
        if crc32fast::hash(&self.block) != self.sums[number] {
            let problem = format!("the checksum of block {number} is wrong");
            return Err(io::Error::new(ErrorKind::InvalidData, problem));
        }
        self.at += length as u64;
        Ok(true)
    }
}

impl Read for Blocks {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        if self.given == self.block.len() && !self.next()? {
            return Ok(0);
        }
        let rest = &self.block[self.given..];
        let length = rest.len().min(to.len());
        to[..length].copy_from_slice(&rest[..length]);
        self.given += length;
        Ok(length)
    }
}
