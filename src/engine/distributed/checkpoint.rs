//! A distributed solve kept on its way, as [`super::super::solve`] keeps one: rank 0 gathers the table, and
//! shares it out again. So any number of ranks, or one process, goes on from what others kept.

use std::io::{self, Read};

use super::super::checkpoint::{self, Checkpoint, Reached};
use super::super::worth::Worth;
use super::fetch::Viewer;
use super::shares::Share;

/// Whether this is the rank that keeps the table, and it is time.
pub(super) fn is_due<W>(checkpoint: Option<&dyn Checkpoint>, viewer: &Viewer<W>, reached: Reached) -> bool {
    viewer.exchange.rank() == 0 && checkpoint.is_some_and(|checkpoint| checkpoint.is_due(reached))
}

/// Has rank 0 keep the table. All ranks call this together.
pub(super) fn keep<W: Worth>(
    checkpoint: Option<&dyn Checkpoint>,
    viewer: &mut Viewer<W>,
    of: (&Share, &[W]),
    reached: Reached,
) {
    let first = viewer.exchange.rank() == 0;
    let bytes = viewer.shares.maps.index.positions() * size_of::<W>() as u64;
    let mut levels = Levels { viewer, of, next: 0, given: 0, bytes: 0 };
    if let Some(checkpoint) = checkpoint.filter(|_| first) {
        checkpoint.keep(reached, bytes, &mut levels);
    }
    // What rank 0 did not ask for, the others give all the same.
    while levels.next_level() {}
}

/// The table as bytes on rank 0, a level at a time.
struct Levels<'a, 's, 'x, W> {
    viewer: &'a mut Viewer<'s, 'x, W>,
    of: (&'a Share<'a>, &'a [W]),
    /// The next level.
    next: usize,
    /// Of how many bytes of the level before it how many were given.
    bytes: usize,
    given: usize,
}

impl<W: Worth> Levels<'_, '_, '_, W> {
    /// Gathers the next level; false if there is none.
    fn next_level(&mut self) -> bool {
        if self.next > self.viewer.shares.maps.stones {
            return false;
        }
        let length = self.viewer.shares.maps.level(self.next).len();
        let level = &mut self.viewer.gather(self.of, self.next)[..length];
        level.iter_mut().for_each(|worth| *worth = worth.little_endian());
        (self.bytes, self.given) = (size_of_val(level), 0);
        self.next += 1;
        true
    }
}

impl<W: Worth> Read for Levels<'_, '_, '_, W> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        while self.given == self.bytes {
            if !self.next_level() {
                return Ok(0);
            }
        }
        let length = to.len().min(self.bytes - self.given);
        to[..length].copy_from_slice(&bytemuck::cast_slice(self.viewer.shown())[self.given..][..length]);
        self.given += length;
        Ok(length)
    }
}

/// Puts into the table what rank 0 kept, or zeros if it did not. All ranks call this together.
pub(super) fn start<W: Worth>(
    checkpoint: Option<&dyn Checkpoint>,
    viewer: &mut Viewer<W>,
    share: &Share,
    table: &mut [W],
) -> Reached {
    let checkpoint = checkpoint.filter(|_| viewer.exchange.rank() == 0);
    let (kept, mut worths) = checkpoint.and_then(|checkpoint| checkpoint.resume()).unzip();
    let Reached { sweeps, changes } = kept.unwrap_or_default();
    let [found, sweeps, changes] =
        viewer.exchange.sum([u64::from(kept.is_some()), u64::from(sweeps), changes]);
    let stones = viewer.shares.maps.stones;
    let refused = (0..=stones).filter(|_| found > 0).any(|waiting| {
        let read = match &mut worths {
            Some(worths) => checkpoint::read(&mut **worths, stones, viewer.room(waiting)),
            None => Ok(()),
        };
        let refused = viewer.exchange.sum([u64::from(read.is_err())]) != [0];
        if let (Err(why), Some(checkpoint)) = (read, checkpoint) {
            checkpoint.refused(&why);
        }
        if !refused {
            viewer.share_out((share, table), waiting);
        }
        refused
    });
    if found > 0 && !refused {
        return Reached { sweeps: sweeps as u32, changes };
    }
    table.fill(W::ZERO);
    Reached::default()
}
