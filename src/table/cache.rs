//! Decoded tiles of compressed tables, kept for a while: a fixed number of places, each set of
//! them behind a lock of its own.

use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::hint;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, TryLockError};

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
#[derive(Debug)]
pub struct TileCache {
    values: Shelf<i8>,
    depths: Shelf<u16>,
    owners: AtomicU32,
}

impl TileCache {
    /// A cache that keeps up to about `bytes` bytes of values, and twice as many of depths, one set
    /// of eight tiles at least. The memory is taken as it is needed.
    pub fn new(bytes: usize) -> TileCache {
        let sets = (bytes / (WAYS * TILE_POSITIONS)).max(1);
        TileCache { values: Shelf::new(sets), depths: Shelf::new(sets), owners: AtomicU32::new(0) }
    }

    /// A new owner of tiles: a table.
    pub(crate) fn owner(&self) -> u32 {
        self.owners.fetch_add(1, Ordering::Relaxed)
    }

    /// The tiles of values.
    pub(crate) fn values(&self) -> &Shelf<i8> {
        &self.values
    }

    /// The tiles of depths.
    pub(crate) fn depths(&self) -> &Shelf<u16> {
        &self.depths
    }
}

/// Tiles of one kind.
pub(crate) struct Shelf<T> {
    sets: Box<[Mutex<Set<T>>]>,
}

struct Set<T> {
    /// Counts the uses.
    clock: u64,
    kept: Vec<Kept<T>>,
}

struct Kept<T> {
    key: Key,
    /// The clock when it was used last.
    used: u64,
    cells: Vec<T>,
}

impl<T> Shelf<T> {
    fn new(sets: usize) -> Shelf<T> {
        let empty = || Mutex::new(Set { clock: 0, kept: Vec::new() });
        Shelf { sets: (0..sets).map(|_| empty()).collect() }
    }

    /// What `look` sees in a tile, which is decoded if it is not here. No lock is held meanwhile,
    /// so two threads may both decode it.
    pub(crate) fn look<R, E>(
        &self,
        key: Key,
        decode: impl FnOnce() -> Result<Vec<T>, E>,
        look: impl FnOnce(&[T]) -> R,
    ) -> Result<R, E> {
        let set = self.set(key);
        if let Some(mut set) = lock(set)
            && let Some(cells) = set.find(key)
        {
            return Ok(look(cells));
        }
        let cells = decode()?;
        let seen = look(&cells);
        if let Some(mut set) = lock(set) {
            set.keep(key, cells);
        }
        Ok(seen)
    }

    fn set(&self, key: Key) -> &Mutex<Set<T>> {
        let mut hasher = DefaultHasher::new();
        key.hash(&mut hasher);
        &self.sets[(hasher.finish() % self.sets.len() as u64) as usize]
    }
}

/// How often to ask for a set before going without. A set is held for less time than it takes to decode a tile, so
/// who waits longer than that waits for a thread that is not running.
const TRIES: u32 = 100;

/// None if somebody else has the set and keeps it: a thread that had to make room for another one, or, in a forked
/// process, a thread that stayed behind and will never give it back. A set is in order between any two of its
/// statements, so one that a panic left is good.
fn lock<T>(set: &Mutex<Set<T>>) -> Option<MutexGuard<'_, Set<T>>> {
    for _ in 0..TRIES {
        match set.try_lock() {
            Ok(set) => return Some(set),
            Err(TryLockError::Poisoned(poisoned)) => return Some(poisoned.into_inner()),
            // To yield here would be to queue behind every thread of a busy machine, over and over.
            Err(TryLockError::WouldBlock) => hint::spin_loop(),
        }
    }
    None
}

impl<T> Set<T> {
    fn find(&mut self, key: Key) -> Option<&[T]> {
        self.clock += 1;
        let kept = self.kept.iter_mut().find(|kept| kept.key == key)?;
        kept.used = self.clock;
        Some(&kept.cells)
    }

    fn keep(&mut self, key: Key, cells: Vec<T>) {
        let new = Kept { key, used: self.clock, cells };
        if self.kept.len() < WAYS {
            self.kept.push(new);
        } else if let Some(oldest) = self.kept.iter_mut().min_by_key(|kept| kept.used) {
            *oldest = new;
        }
    }
}

impl<T> fmt::Debug for Shelf<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shelf").field("sets", &self.sets.len()).finish_non_exhaustive()
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
            assert_eq!(cache.values().look(Key { owner: 0, tile }, decode, |cells| cells[3]), Ok(tile as i8));
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
        let damaged = cache.values().look(Key { owner: 1, tile: 8 }, || Err("damaged"), <[i8]>::len);
        assert_eq!(damaged, Err("damaged"));
        assert_eq!(cache.values.sets[0].lock().unwrap().kept.len(), WAYS);
    }

    #[test]
    fn who_cannot_have_a_set_goes_without() {
        let cache = TileCache::new(0);
        let held = cache.values.sets[0].lock().unwrap();
        let key = Key { owner: 0, tile: 0 };
        let found = cache.values().look(key, || Ok::<_, ()>(vec![5]), |cells| cells[0]);
        assert_eq!((found, held.kept.len()), (Ok(5), 0));
    }
}
