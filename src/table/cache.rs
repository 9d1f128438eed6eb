//! Decoded tiles of compressed tables, kept for a while: a fixed number of places, each set of
//! them behind a lock of its own.

use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

use super::compressed::TILE_POSITIONS;

/// Tiles of a set.
const WAYS: usize = 8;

/// A tile: whose it is, and its number.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Key {
    /// The owner, from [`TileCache::owner`].
    pub owner: u32,
    /// The tile.
    pub tile: u64,
}

/// A cache of decoded tiles, for any number of tables and threads.
///
/// A tile goes to one set, and drives out the one of that set that was not used for longest.
pub struct TileCache {
    sets: Box<[Mutex<Set>]>,
    owners: AtomicU32,
}

#[derive(Default)]
struct Set {
    /// Counts the uses.
    clock: u64,
    kept: Vec<Kept>,
}

struct Kept {
    key: Key,
    /// The clock when it was used last.
    used: u64,
    values: Vec<i8>,
}

impl TileCache {
    /// A cache that keeps up to about `bytes` bytes of tiles, one set of 16 KiB at least. The
    /// memory is taken as it is needed.
    pub fn new(bytes: usize) -> TileCache {
        let sets = (bytes / (WAYS * TILE_POSITIONS)).max(1);
        TileCache { sets: (0..sets).map(|_| Mutex::default()).collect(), owners: AtomicU32::new(0) }
    }

    /// A new owner of tiles: a table.
    pub(crate) fn owner(&self) -> u32 {
        self.owners.fetch_add(1, Ordering::Relaxed)
    }

    /// The value at `inside` of a tile, which is decoded if it is not here. No lock is held
    /// meanwhile, so two threads may both decode it.
    ///
    /// # Panics
    /// If the tile has no such place.
    pub(crate) fn value<E>(
        &self,
        key: Key,
        inside: usize,
        decode: impl FnOnce() -> Result<Vec<i8>, E>,
    ) -> Result<i8, E> {
        let set = self.set(key);
        if let Some(values) = lock(set).find(key) {
            return Ok(values[inside]);
        }
        let values = decode()?;
        let value = values[inside];
        lock(set).keep(key, values);
        Ok(value)
    }

    fn set(&self, key: Key) -> &Mutex<Set> {
        let mut hasher = DefaultHasher::new();
        key.hash(&mut hasher);
        &self.sets[(hasher.finish() % self.sets.len() as u64) as usize]
    }
}

/// A set is in order between any two of its statements, so one that a panic left is good.
fn lock(set: &Mutex<Set>) -> std::sync::MutexGuard<'_, Set> {
    set.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Set {
    fn find(&mut self, key: Key) -> Option<&[i8]> {
        self.clock += 1;
        let kept = self.kept.iter_mut().find(|kept| kept.key == key)?;
        kept.used = self.clock;
        Some(&kept.values)
    }

    fn keep(&mut self, key: Key, values: Vec<i8>) {
        let new = Kept { key, used: self.clock, values };
        if self.kept.len() < WAYS {
            self.kept.push(new);
        } else if let Some(oldest) = self.kept.iter_mut().min_by_key(|kept| kept.used) {
            *oldest = new;
        }
    }
}

impl fmt::Debug for TileCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TileCache").field("sets", &self.sets.len()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiles_are_decoded_once_while_there_is_room() {
        let cache = TileCache::new(0);
        let decoded = std::cell::Cell::new(0);
        let ask = |tile| {
            let decode = || {
                decoded.set(decoded.get() + 1);
                Ok::<_, ()>(vec![tile as i8; 4])
            };
            assert_eq!(cache.value(Key { owner: 0, tile }, 3, decode), Ok(tile as i8));
            decoded.get()
        };
        for tile in 0..8 {
            assert_eq!(ask(tile), tile + 1);
        }
        for tile in 0..8 {
            assert_eq!(ask(tile), 8);
        }
        // The ninth drives out the one unused for longest.
        assert_eq!((ask(8), ask(7), ask(0), ask(8)), (9, 9, 10, 10));
        assert_eq!(cache.value(Key { owner: 1, tile: 8 }, 0, || Err("damaged")), Err("damaged"));
        assert_eq!(cache.sets[0].lock().unwrap().kept.len(), WAYS);
    }
}
