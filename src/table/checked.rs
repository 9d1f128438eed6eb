//! Which blocks of an open file were found right.

use std::sync::atomic::{AtomicU64, Ordering};

/// One bit a block: its checksum was found right.
#[derive(Debug)]
pub(super) struct Checked(Vec<AtomicU64>);

impl Checked {
    /// None of so many.
    pub(super) fn none(blocks: u64) -> Checked {
        Checked((0..blocks.div_ceil(64)).map(|_| AtomicU64::new(0)).collect())
    }

    /// Makes sure that a block was checked, by `check` if it was not.
    #[inline]
    pub(super) fn touch<E>(&self, block: u64, check: impl FnOnce() -> Result<(), E>) -> Result<(), E> {
        // Relaxed: the bit says something about bytes that do not change, not about other writes.
        let word = self.0[(block / 64) as usize].load(Ordering::Relaxed);
        if word >> (block % 64) & 1 == 1 { Ok(()) } else { check() }
    }

    /// That a block was found right.
    pub(super) fn mark(&self, block: u64) {
        self.0[(block / 64) as usize].fetch_or(1 << (block % 64), Ordering::Relaxed);
    }
}
