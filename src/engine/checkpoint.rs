//! A solve kept on its way, so that a later one goes on from there.
//!
//! Worths only move away from zero, towards the truth, and any state on the way is a right start: so the
//! table alone is enough, as it is between two sweeps or two rounds of the last changes. Captures
//! are looked up again.

use std::io::{self, Read};

use rayon::prelude::*;

use super::kernel::SLACK;
use super::levels::Levels;
use super::storage::{Buffer, StorageError, Window};
use super::worth::Worth;

/// Raised whenever a kept table of before would mean something else to this engine.
pub const CHECKPOINT_VERSION: u32 = 1;

/// How far a solve has come.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Reached {
    /// Sweeps done.
    pub sweeps: u32,
    /// How many positions the last of them changed, or what followed it. Decides what comes next, not
    /// what comes out.
    pub changes: u64,
}

/// Someone who keeps a solve on its way, for the same solve to go on from later.
///
/// The table is shown as bytes: one worth after the other in the order of [`crate::index::Index`], one byte
/// each when values are solved, two when depths are, least significant first.
pub trait Checkpoint: Sync {
    /// What was kept of this solve, found whole and right. Whatever is given here is believed to
    /// have been reached by [`solve`](super::solve) or [`solve_depths`](super::solve_depths) from the same
    /// smaller tables: anything else may give wrong values.
    fn resume(&self) -> Option<(Reached, Box<dyn Read + '_>)>;

    /// What [`Checkpoint::resume`] gave is not what it seemed: it ends early, or a worth is beyond what is on
    /// the board. The solve starts anew.
    fn refused(&self, why: &io::Error);

    /// Whether it is time to keep the table. Asked after each sweep, and after it once more for each round of
    /// last changes.
    fn is_due(&self, reached: Reached) -> bool;

    /// Keeps the table, `bytes` bytes of it, or does not, if it cannot: the solve goes on.
    fn keep(&self, reached: Reached, bytes: u64, worths: &mut dyn Read);
}

/// Keeps the table if it is time.
pub(super) fn offer<W: Worth>(
    checkpoint: Option<&dyn Checkpoint>,
    reached: Reached,
    table: &Buffer<W>,
) -> Result<(), StorageError> {
    let Some(checkpoint) = checkpoint.filter(|checkpoint| checkpoint.is_due(reached)) else { return Ok(()) };
    let mut bytes = Bytes::of(table)?;
    checkpoint.keep(reached, (bytes.worths * size_of::<W>()) as u64, &mut bytes);
    bytes.failed.map_or(Ok(()), Err)
}

/// Puts into the table what was kept, or zeros if nothing was.
pub(super) fn start<W: Worth>(
    checkpoint: Option<&dyn Checkpoint>,
    stones: usize,
    levels: &mut Levels<W>,
) -> Result<Reached, StorageError> {
    if let Some(checkpoint) = checkpoint
        && let Some((reached, mut worths)) = checkpoint.resume()
    {
        let mut refused = None;
        levels.fill(|level| {
            if refused.is_none() {
                refused = read(&mut *worths, stones, level).err();
            }
        })?;
        match refused {
            None => return Ok(reached),
            Some(why) => checkpoint.refused(&why),
        }
    }
    levels.fill(|level| level.par_chunks_mut(PART).for_each(|part| part.fill(W::ZERO)))?;
    Ok(Reached::default())
}

/// Reads worths, each of which is possible with so many stones.
pub(super) fn read<W: Worth>(from: &mut dyn Read, stones: usize, worths: &mut [W]) -> io::Result<()> {
    for part in worths.chunks_mut(PART) {
        from.read_exact(bytemuck::cast_slice_mut(part))?;
        part.iter_mut().for_each(|worth| *worth = worth.little_endian());
        if !part.iter().all(|worth| worth.is_possible(stones)) {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                "a worth is beyond the stones on the board",
            ));
        }
    }
    Ok(())
}

/// Worths copied at a time.
const PART: usize = 1 << 19;

/// A table as bytes, a part of it in memory at a time.
struct Bytes<'a, W> {
    table: &'a Buffer<W>,
    worths: usize,
    /// The next part starts there.
    next: usize,
    part: Vec<W>,
    /// How many bytes of the part were given.
    given: usize,
    /// For parts of a scratch file.
    window: Option<Window<W>>,
    failed: Option<StorageError>,
}

impl<'a, W: Worth> Bytes<'a, W> {
    fn of(table: &'a Buffer<W>) -> Result<Bytes<'a, W>, StorageError> {
        let window = table.is_scratch().then(|| Window::new(PART, 0)).transpose()?;
        let worths = table.len() - SLACK;
        Ok(Bytes { table, worths, next: 0, part: Vec::new(), given: 0, window, failed: None })
    }

    fn next_part(&mut self) -> Result<(), StorageError> {
        let range = self.next..self.worths.min(self.next + PART);
        self.part.clear();
        match &mut self.window {
            None => self.part.extend_from_slice(&self.table[range.clone()]),
            Some(window) => {
                self.table.read(range.clone(), window)?;
                self.part.extend_from_slice(window);
            }
        }
        self.part.iter_mut().for_each(|worth| *worth = worth.little_endian());
        (self.next, self.given) = (range.end, 0);
        Ok(())
    }
}

impl<W: Worth> Read for Bytes<'_, W> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        if self.given == self.part.len() * size_of::<W>()
            && let Err(error) = self.next_part()
        {
            let said = io::Error::new(error.source.kind(), error.to_string());
            self.failed = Some(error);
            return Err(said);
        }
        let rest = &bytemuck::cast_slice(&self.part)[self.given..];
        let length = rest.len().min(to.len());
        to[..length].copy_from_slice(&rest[..length]);
        self.given += length;
        Ok(length)
    }
}
