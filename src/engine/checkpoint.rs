//! Keeping what a solve has found so far, to go on from there after the process has ended.
//!
//! Worths lie between 0 and the truth all the time (`docs/engine.md`), so the table as it is between
//! two sweeps is as good a start as any. Captures are looked up again, which takes less time than
//! reading them; their checksum tells a table of other rules or built upon other tables.

use std::io::{self, Read, Write};

/// Which solve something was kept of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Identity {
    /// Bytes a position: 1 for values, 2 for values and depths.
    pub width: u8,
    /// Positions of the table.
    pub positions: u64,
    /// A checksum of the best captures of all boards.
    pub captures: u32,
}

/// Who keeps the worths of a solve.
pub trait Checkpoint: Sync {
    /// Whether it is time to keep them. Asked after every sweep.
    fn is_due(&self) -> bool;

    /// Keeps what `write` writes: [`Identity::width`] bytes for each of [`Identity::positions`]. What
    /// cannot be kept is not, and the solve goes on.
    fn keep(&self, of: &Identity, write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>);

    /// Has `read` read what was kept of this very solve, all of it and undamaged, if it was.
    ///
    /// # Errors
    /// If it turns out while reading that it cannot be read after all.
    fn resume(&self, of: &Identity, read: &mut dyn FnMut(&mut dyn Read) -> io::Result<()>) -> io::Result<()>;
}
