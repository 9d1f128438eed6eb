//! Reads a table through a map of its file.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use memmap2::Mmap;
use rayon::prelude::*;
use sha2::{Digest, Sha256};

use super::BLOCK_POSITIONS;
use super::counts::Counts;
use super::error::TableError;
use super::header::{self, ContentHash, HEADER_BYTES, Header, Metric};
use super::map::map;
use super::packed::Packing;
use crate::index::Index;
use crate::rules::Rules;

/// An open table. Reading it checks each block of the file when it is first touched, so a value
/// that is returned is one that was written.
///
/// The file is mapped, not loaded: opening is quick whatever its size, and several processes
/// share one copy. Tables are replaced by renaming, never changed in place; a program that does
/// change the file while it is open breaks that promise, and one that shortens it makes the
/// system end this process.
///
/// ```
/// use awari::{Rules, table::{self, Table}};
/// # let dir = tempfile::tempdir()?;
/// # let path = dir.path().join("01.awari");
/// // The twelve positions of one stone. In F the mover must feed his opponent, who keeps it; from
/// // E to A he cannot, and keeps it himself; in the six others he has nothing to play.
/// let values = [-1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1, -1];
/// table::write(&path, Rules::Awari, 1, &values)?;
/// let table = Table::open(&path, Rules::Awari, 1)?;
/// assert_eq!(table.value(4)?, 1);
/// assert_eq!(table.header().counts.losses(), 7);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Table {
    path: PathBuf,
    map: Mmap,
    header: Header,
    index: Index,
    packing: Packing,
    /// Where the data start in the map.
    data: usize,
    /// One bit a block: its checksum was found right.
    checked: Vec<AtomicU64>,
}

impl Table {
    /// Opens the table of `stones` stones under `rules`. Checks header, directory and length of
    /// the file; the data are checked as they are read.
    ///
    /// # Errors
    /// If there is no such file, it is not a table of this kind, its header or directory is
    /// damaged, it is too short or too long, or the system refuses.
    pub fn open(path: impl AsRef<Path>, rules: Rules, stones: u32) -> Result<Table, TableError> {
        let table = Table::open_any(path)?;
        let path = || table.path.clone();
        let Header { rules: found, stones: found_stones, .. } = table.header;
        if found != rules {
            return Err(TableError::WrongRules { path: path(), expected: rules, found });
        }
        if found_stones != stones {
            return Err(TableError::WrongStones { path: path(), expected: stones, found: found_stones });
        }
        Ok(table)
    }

    /// Opens a table of any rules and any number of stones: the header says which.
    ///
    /// # Errors
    /// As [`Table::open`].
    pub fn open_any(path: impl AsRef<Path>) -> Result<Table, TableError> {
        let path = path.as_ref();
        let map = map(path)?;
        let (header, directory_checksum) = header::decode(path, &map, map.len() as u64)?;
        // The length was found right: every place the header names is inside the map.
        let data = header.data_offset() as usize;
        let found = crc32fast::hash(&map[HEADER_BYTES..data]);
        if found != directory_checksum {
            return Err(TableError::CorruptHeader {
                path: path.to_owned(),
                field: "checksum of the block directory",
                expected: format!("{directory_checksum:08x}"),
                found: format!("{found:08x}"),
            });
        }
        if header.metric != Metric::Value {
            let (expected, found) = (Metric::Value, header.metric);
            return Err(TableError::WrongMetric { path: path.to_owned(), expected, found });
        }
        let words = header.blocks().div_ceil(64);
        Ok(Table {
            path: path.to_owned(),
            map,
            index: Index::new(header.stones),
            packing: Packing::new(&header.counts),
            data,
            checked: (0..words).map(|_| AtomicU64::new(0)).collect(),
            header,
        })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What the file says about itself.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The places of the positions.
    pub fn index(&self) -> &Index {
        &self.index
    }

    /// The value of the position at `place`, −n..=n, seen from the player to move.
    ///
    /// # Errors
    /// If the block of this position is damaged.
    ///
    /// # Panics
    /// If `place` is not below the number of positions.
    #[inline]
    pub fn value(&self, place: u64) -> Result<i8, TableError> {
        self.assert_inside(place, 1);
        self.touch(place / BLOCK_POSITIONS)?;
        Ok(self.packing.value(self.data(), place))
    }

    /// Reads the values of the positions at `place..place + values.len()`.
    ///
    /// # Errors
    /// If a block of these positions is damaged; `values` is then unchanged.
    ///
    /// # Panics
    /// If the last place is not below the number of positions.
    #[inline]
    pub fn read(&self, place: u64, values: &mut [i8]) -> Result<(), TableError> {
        self.assert_inside(place, values.len());
        if values.is_empty() {
            return Ok(());
        }
        let last = place + values.len() as u64 - 1;
        for block in place / BLOCK_POSITIONS..=last / BLOCK_POSITIONS {
            self.touch(block)?;
        }
        self.packing.decode(self.data(), place, values);
        Ok(())
    }

    /// Reads like [`Table::read`], without a look at the checksums: for a table whose blocks
    /// were all found right by [`Table::touch_all`].
    #[inline]
    pub(crate) fn read_checked(&self, place: u64, values: &mut [i8]) {
        self.assert_inside(place, values.len());
        self.packing.decode(self.data(), place, values);
    }

    /// Compares the whole file with its checksums, its content hash and its counts. Reads
    /// everything, on the threads of the current rayon pool.
    ///
    /// # Errors
    /// The first block that is damaged, or a content hash or a count that does not fit.
    pub fn check(&self) -> Result<(), TableError> {
        self.check_blocks()?;
        let (found, counts) = self.hash_and_count();
        if found != self.header.content_hash {
            let expected = self.header.content_hash;
            return Err(TableError::WrongContent { path: self.path.clone(), expected, found });
        }
        for value in -(self.header.stones as i8)..=self.header.stones as i8 {
            let (expected, found) = (self.header.counts.of(value), counts.of(value));
            if expected != found {
                return Err(TableError::WrongCounts { path: self.path.clone(), value, expected, found });
            }
        }
        Ok(())
    }

    /// Compares every block with its checksum, those found right before too.
    ///
    /// # Errors
    /// The first block that is damaged.
    pub fn check_blocks(&self) -> Result<(), TableError> {
        let blocks = 0..self.header.blocks();
        let damaged = blocks.into_par_iter().find_map_first(|block| self.check_block(block).err());
        damaged.map_or(Ok(()), Err)
    }

    /// Makes sure that every block was checked, so that [`Table::read_checked`] may be used.
    pub(crate) fn touch_all(&self) -> Result<(), TableError> {
        let blocks = 0..self.header.blocks();
        let damaged = blocks.into_par_iter().find_map_first(|block| self.touch(block).err());
        damaged.map_or(Ok(()), Err)
    }

    /// Counts the stored values, from the data.
    ///
    /// # Errors
    /// The first block that is damaged.
    pub fn count(&self) -> Result<Counts, TableError> {
        self.check_blocks()?;
        let blocks = 0..self.header.blocks();
        Ok(blocks
            .into_par_iter()
            .map_init(
                || vec![0; BLOCK_POSITIONS as usize],
                |buffer, block| {
                    let places = self.places(block);
                    let values = &mut buffer[..(places.end - places.start) as usize];
                    self.read_checked(places.start, values);
                    values.iter().copied().collect()
                },
            )
            .reduce(Counts::default, |some, more| some.plus(&more)))
    }

    fn hash_and_count(&self) -> (ContentHash, Counts) {
        // While one thread hashes a piece, which no second can help with, the others unpack and
        // count the next.
        const PIECE: u64 = 16 * BLOCK_POSITIONS;
        let positions = self.header.positions();
        let mut hash = Sha256::new();
        let mut counts = Counts::default();
        let (mut unpacked, mut next) = (Vec::new(), Vec::new());
        let mut place = 0;
        while place < positions || !unpacked.is_empty() {
            next.resize(PIECE.min(positions - place) as usize, 0);
            let unpack = || {
                let blocks = next.par_chunks_mut(BLOCK_POSITIONS as usize).enumerate();
                let counted = blocks.map(|(block, values)| {
                    self.read_checked(place + block as u64 * BLOCK_POSITIONS, values);
                    values.iter().copied().collect::<Counts>()
                });
                counted.reduce(Counts::default, |some, more| some.plus(&more))
            };
            let ((), more) = rayon::join(|| hash.update(as_bytes(&unpacked)), unpack);
            counts = counts.plus(&more);
            place += next.len() as u64;
            std::mem::swap(&mut unpacked, &mut next);
        }
        (ContentHash(hash.finalize().into()), counts)
    }

    fn data(&self) -> &[u8] {
        &self.map[self.data..]
    }

    fn places(&self, block: u64) -> Range<u64> {
        let start = block * BLOCK_POSITIONS;
        start..self.header.positions().min(start + BLOCK_POSITIONS)
    }

    #[inline]
    fn assert_inside(&self, place: u64, count: usize) {
        let positions = self.index.positions();
        let inside = place.checked_add(count as u64).is_some_and(|end| end <= positions);
        assert!(inside, "place {place} and {count} more: the table has {positions} positions");
    }

    /// Makes sure that a block was checked.
    #[inline]
    fn touch(&self, block: u64) -> Result<(), TableError> {
        // Relaxed: the bit says something about bytes that do not change, not about other writes.
        let word = self.checked[(block / 64) as usize].load(Ordering::Relaxed);
        if word >> (block % 64) & 1 == 1 { Ok(()) } else { self.check_block(block) }
    }

    #[cold]
    fn check_block(&self, block: u64) -> Result<(), TableError> {
        let entry = HEADER_BYTES + 4 * block as usize;
        let bytes = self.header.block_bytes(block);
        let data = &self.data()[bytes.start as usize..bytes.end as usize];
        if crc32fast::hash(data).to_le_bytes() != self.map[entry..entry + 4] {
            let blocks = self.header.blocks();
            return Err(TableError::CorruptBlock { path: self.path.clone(), block, blocks });
        }
        self.checked[(block / 64) as usize].fetch_or(1 << (block % 64), Ordering::Relaxed);
        Ok(())
    }
}

/// Values as the bytes that the content hash is of.
pub(super) fn as_bytes(values: &[i8]) -> &[u8] {
    // SAFETY: i8 and u8 have the same size and alignment, and every byte is a valid value of both.
    unsafe { std::slice::from_raw_parts(values.as_ptr().cast(), values.len()) }
}
