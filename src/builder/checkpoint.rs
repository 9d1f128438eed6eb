//! A checkpoint's file, beside the table it is to become: what a solve had found when it was written.
//!
//! A header of 48 bytes, numbers with the least significant byte first; then the worths; then a
//! CRC-32 of each MiB of them, and one of these checksums. A file that is not exactly that, of the very
//! solve that asks, is not used.
//!
//! ```text
//!  0  8 bytes  "AWARI-CP"             16  u32  stones             32  u32  checksum of captures
//!  8  u32      version of the format  20  u32  bytes a position   36  u32  0
//! 12  u32      rules: 0, 1, 2         24  u64  positions          40  u32  0    44  u32  CRC-32 of 0..44
//! ```

use std::fs::{self, File};
use std::io::{self, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use super::Progress;
use crate::engine::{Checkpoint, Identity};
use crate::rules::Rules;
use crate::table::{TableError, write_whole};

const MAGIC: [u8; 8] = *b"AWARI-CP";
const VERSION: u32 = 1;
const HEADER_BYTES: usize = 48;

/// Bytes that have a checksum of their own.
const BLOCK: usize = 1 << 20;

/// The checkpoint of a table of values or depths.
pub(super) struct CheckpointFile<'a> {
    path: PathBuf,
    rules: Rules,
    stones: u32,
    /// How long to wait between two; None to write none.
    every: Option<Duration>,
    progress: &'a dyn Progress,
    /// When the last one was written, or the solve began.
    last: Mutex<Instant>,
}

/// Bytes of the file of a checkpoint.
pub(super) fn file_bytes(positions: u64, width: u64) -> u64 {
    let data = positions * width;
    HEADER_BYTES as u64 + data + 4 * (data.div_ceil(BLOCK as u64) + 1)
}

impl<'a> CheckpointFile<'a> {
    /// The checkpoint of the solve that begins now and ends in the file `table`.
    pub fn new(
        table: &Path,
        rules: Rules,
        stones: u32,
        every: Option<Duration>,
        progress: &'a dyn Progress,
    ) -> CheckpointFile<'a> {
        let mut path = table.as_os_str().to_owned();
        path.push(".checkpoint");
        CheckpointFile { path: path.into(), rules, stones, every, progress, last: Mutex::new(Instant::now()) }
    }

    /// Removes the file: the table is there now.
    pub fn remove(&self) {
        // One that stays does no harm: it is never used for another table.
        let _ = fs::remove_file(&self.path);
    }
}

impl CheckpointFile<'_> {
    fn header(&self, of: &Identity) -> [u8; HEADER_BYTES] {
        let mut header = [0; HEADER_BYTES];
        header[..8].copy_from_slice(&MAGIC);
        let rules = Rules::ALL.iter().position(|&rules| rules == self.rules).unwrap_or(0) as u32;
        let numbers = [VERSION, rules, self.stones, u32::from(of.width)];
        for (at, number) in (8..).step_by(4).zip(numbers) {
            header[at..at + 4].copy_from_slice(&number.to_le_bytes());
        }
        header[24..32].copy_from_slice(&of.positions.to_le_bytes());
        header[32..36].copy_from_slice(&of.captures.to_le_bytes());
        let checksum = crc32fast::hash(&header[..44]);
        header[44..].copy_from_slice(&checksum.to_le_bytes());
        header
    }

    /// Whether the file is the whole checkpoint of this solve: None if there is no file.
    fn check(&self, path: &Path, of: &Identity) -> io::Result<Option<()>> {
        let file = match File::open(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            file => file?,
        };
        let wrong = |what: &str| io::Error::new(io::ErrorKind::InvalidData, what);
        let metadata = file.metadata()?;
        if !metadata.is_file() {
            return Err(wrong("it is no file"));
        }
        let mut file = BufReader::with_capacity(BLOCK, file);
        let mut header = [0; HEADER_BYTES];
        file.read_exact(&mut header)?;
        if header != self.header(of) {
            return Err(wrong("it is not of this table, or of other tables below it"));
        }
        let data = of.positions * u64::from(of.width);
        if metadata.len() != file_bytes(of.positions, u64::from(of.width)) {
            return Err(wrong("it has the wrong length"));
        }
        let mut sums = Vec::new();
        let mut block = vec![0; BLOCK];
        let mut left = data;
        while left > 0 {
            let length = left.min(BLOCK as u64) as usize;
            file.read_exact(&mut block[..length])?;
            sums.extend(crc32fast::hash(&block[..length]).to_le_bytes());
            left -= length as u64;
        }
        sums.extend(crc32fast::hash(&sums).to_le_bytes());
        let mut stored = Vec::new();
        file.read_to_end(&mut stored)?;
        if stored == sums { Ok(Some(())) } else { Err(wrong("it is damaged")) }
    }

    fn write(
        &self,
        file: &File,
        of: &Identity,
        write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut file = file;
        file.write_all(&self.header(of))?;
        let mut summed = Summed { file, sums: Vec::new(), sum: crc32fast::Hasher::new(), length: 0 };
        write(&mut summed)?;
        let sums = summed.finish();
        file.write_all(&sums)
    }
}

impl Checkpoint for CheckpointFile<'_> {
    fn is_due(&self) -> bool {
        let last = self.last.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        self.every.is_some_and(|every| last.elapsed() >= every)
    }

    fn keep(&self, of: &Identity, write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>) {
        let bytes = file_bytes(of.positions, u64::from(of.width));
        let check = |path: &Path| match self.check(path, of) {
            Ok(Some(())) => Ok(()),
            Ok(None) => Err(TableError::Missing { path: path.to_owned() }),
            Err(source) => {
                Err(TableError::Io { path: path.to_owned(), action: "read the checkpoint back", source })
            }
        };
        let written = write_whole(&self.path, bytes, |file| self.write(file, of, write), check);
        self.progress.kept(self.stones, written.as_ref().map(|()| self.path.as_path()));
        *self.last.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = Instant::now();
    }

    fn resume(&self, of: &Identity, read: &mut dyn FnMut(&mut dyn Read) -> io::Result<()>) -> io::Result<()> {
        match self.check(&self.path, of) {
            Ok(None) => Ok(()),
            Ok(Some(())) => {
                let mut file = BufReader::with_capacity(BLOCK, File::open(&self.path)?);
                file.read_exact(&mut [0; HEADER_BYTES])?;
                read(&mut file)?;
                self.progress.resumed(self.stones, Ok(&self.path));
                Ok(())
            }
            Err(error) => {
                self.progress.resumed(self.stones, Err((&self.path, &error)));
                Ok(())
            }
        }
    }
}

/// Writes through to a file and takes the checksum of each block.
struct Summed<'a> {
    file: &'a File,
    sums: Vec<u8>,
    sum: crc32fast::Hasher,
    /// Bytes of the block that is not full yet.
    length: usize,
}

impl Summed<'_> {
    fn end_block(&mut self) {
        let sum = std::mem::take(&mut self.sum).finalize();
        self.sums.extend(sum.to_le_bytes());
        self.length = 0;
    }

    fn finish(mut self) -> Vec<u8> {
        if self.length > 0 {
            self.end_block();
        }
        let sum = crc32fast::hash(&self.sums);
        self.sums.extend(sum.to_le_bytes());
        self.sums
    }
}

impl Write for Summed<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.write(&bytes[..bytes.len().min(BLOCK - self.length)])?;
        self.sum.update(&bytes[..written]);
        self.length += written;
        if self.length == BLOCK {
            self.end_block();
        }
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}
