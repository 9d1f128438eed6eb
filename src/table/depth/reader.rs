//! Reads a table of depths through a map of its file.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use memmap2::Mmap;
use rayon::prelude::*;
use sha2::{Digest, Sha256};

use super::bytes::{self, Entry};
use super::counts::DepthCounts;
use super::header::{self, DIRECTORY_ENTRY, DepthHeader, HEADER_BYTES};
use crate::index::Index;
use crate::rules::Rules;
use crate::table::header::corrupt;
use crate::table::map::map;
use crate::table::{BLOCK_POSITIONS, ContentHash, TableError};

/// An open table of depths: for each position, in how many plies its value is made good.
///
/// The depth of a position of value 0 and of one without a legal move is 0. Otherwise both sides
/// play only moves that keep the value, and the depth counts the plies up to and including the
/// next capture, or up to a board where the game is over: the winner takes the least he can reach,
/// the loser the greatest.
///
/// It is opened, checked and replaced like a [`crate::table::Table`].
///
/// ```
/// use awari::{Rules, table::{self, DepthTable}};
/// # let dir = tempfile::tempdir()?;
/// # let path = dir.path().join("01.awari");
/// // The twelve positions of one stone: only the mover who must feed has a move.
/// let values = [-1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1, -1];
/// let header = table::write(&path, Rules::Awari, 1, &values)?;
/// let mut depths = [0; 12];
/// depths[0] = 1;
/// # let path = dir.path().join("01.depth");
/// table::write_depths(&path, Rules::Awari, 1, header.content_hash, &depths)?;
/// let table = DepthTable::open(&path, Rules::Awari, 1, header.content_hash)?;
/// assert_eq!((table.depth(0)?, table.depth(4)?, table.header().max), (1, 0, 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct DepthTable {
    path: PathBuf,
    map: Mmap,
    header: DepthHeader,
    index: Index,
    /// Where the data start in the map.
    data: usize,
    /// One bit a block: its checksum was found right.
    checked: Vec<AtomicU64>,
}

impl DepthTable {
    /// Opens the depths of `stones` stones under `rules` that belong to the values of content hash
    /// `values_hash`. Checks header, directory and length of the file; the data are checked as
    /// they are read.
    ///
    /// # Errors
    /// If there is no such file, it is not a table of this kind, it belongs to other values, its
    /// header or directory is damaged, it is too short or too long, or the system refuses.
    pub fn open(
        path: impl AsRef<Path>,
        rules: Rules,
        stones: u32,
        values_hash: ContentHash,
    ) -> Result<DepthTable, TableError> {
        let table = DepthTable::open_any(path)?;
        let path = || table.path.clone();
        let DepthHeader { rules: found, stones: found_stones, values_hash: found_hash, .. } = table.header;
        if found != rules {
            return Err(TableError::WrongRules { path: path(), expected: rules, found });
        }
        if found_stones != stones {
            return Err(TableError::WrongStones { path: path(), expected: stones, found: found_stones });
        }
        if found_hash != values_hash {
            let (expected, found) = (values_hash, found_hash);
            return Err(TableError::StaleDepths { path: path(), expected, found });
        }
        Ok(table)
    }

    /// Opens depths of any rules, any number of stones and any values: the header says which.
    ///
    /// # Errors
    /// As [`DepthTable::open`].
    pub fn open_any(path: impl AsRef<Path>) -> Result<DepthTable, TableError> {
        let path = path.as_ref();
        let map = map(path)?;
        let (header, directory_checksum) = header::decode(path, &map, map.len() as u64)?;
        // The length was found right: every place the header names is inside the map.
        let data = header.data_offset() as usize;
        let found = crc32fast::hash(&map[HEADER_BYTES..data]);
        if found != directory_checksum {
            let (expected, found) = (format!("{directory_checksum:08x}"), format!("{found:08x}"));
            return corrupt(path, "checksum of the block directory", &expected, &found);
        }
        let words = header.blocks().div_ceil(64);
        let table = DepthTable {
            path: path.to_owned(),
            map,
            index: Index::new(header.stones),
            data,
            checked: (0..words).map(|_| AtomicU64::new(0)).collect(),
            header,
        };
        table.check_directory()?;
        Ok(table)
    }

    /// Whether each block has a part of the list, one after the other.
    fn check_directory(&self) -> Result<(), TableError> {
        let mut before = 0;
        for block in 0..self.header.blocks() {
            let (end, places) = (self.list_end(block), self.places(block));
            let most = before + (places.end - places.start);
            if !(before..=most).contains(&end) {
                let expected = format!("{before} to {most} in block {block}");
                return corrupt(&self.path, "end of a part of the list", &expected, &end);
            }
            before = end;
        }
        if before != self.header.listed {
            return corrupt(&self.path, "depths in the list", &before, &self.header.listed);
        }
        Ok(())
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What the file says about itself.
    pub fn header(&self) -> &DepthHeader {
        &self.header
    }

    /// The places of the positions.
    pub fn index(&self) -> &Index {
        &self.index
    }

    /// The depth of the position at `place`, in plies.
    ///
    /// # Errors
    /// If the block of this position is damaged.
    ///
    /// # Panics
    /// If `place` is not below the number of positions.
    #[inline]
    pub fn depth(&self, place: u64) -> Result<u16, TableError> {
        self.assert_inside(place, 1);
        let block = place / BLOCK_POSITIONS;
        self.touch(block)?;
        let byte = self.map[self.data + place as usize];
        // Most depths fit a byte: the list is looked at for the others alone.
        if !bytes::is_listed(byte.into()) {
            return Ok(byte.into());
        }
        let (bytes, list) = self.block(block);
        Ok(bytes::depth(bytes, list, (place % BLOCK_POSITIONS) as usize))
    }

    /// Reads the depths of the positions at `place..place + depths.len()`.
    ///
    /// # Errors
    /// If a block of these positions is damaged; `depths` is then unchanged.
    ///
    /// # Panics
    /// If the last place is not below the number of positions.
    pub fn read(&self, place: u64, depths: &mut [u16]) -> Result<(), TableError> {
        self.assert_inside(place, depths.len());
        if depths.is_empty() {
            return Ok(());
        }
        let last = place + depths.len() as u64 - 1;
        for block in place / BLOCK_POSITIONS..=last / BLOCK_POSITIONS {
            self.touch(block)?;
        }
        self.decode(place, depths);
        Ok(())
    }

    /// Reads from blocks that were found right.
    fn decode(&self, mut place: u64, mut depths: &mut [u16]) {
        while !depths.is_empty() {
            let at = (place % BLOCK_POSITIONS) as usize;
            let (bytes, list) = self.block(place / BLOCK_POSITIONS);
            let (now, later) = depths.split_at_mut(depths.len().min(bytes.len() - at));
            bytes::decode(bytes, list, at, now);
            place += now.len() as u64;
            depths = later;
        }
    }

    /// Compares the whole file with its checksums, its content hash, its greatest depth and the
    /// sum of all. Reads everything, on the threads of the current rayon pool.
    ///
    /// # Errors
    /// The first block that is damaged, or what does not fit.
    pub fn check(&self) -> Result<(), TableError> {
        self.check_blocks()?;
        let (found, counts) = self.hash_and_count();
        if found != self.header.content_hash {
            let expected = self.header.content_hash;
            return Err(TableError::WrongContent { path: self.path.clone(), expected, found });
        }
        let max = counts.max().unwrap_or_default();
        if max != self.header.max {
            return corrupt(&self.path, "greatest depth", &max, &self.header.max);
        }
        if counts.sum() != self.header.sum {
            return corrupt(&self.path, "sum of the depths", &counts.sum(), &self.header.sum);
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

    /// Counts the stored depths, from the data.
    ///
    /// # Errors
    /// The first block that is damaged.
    pub fn count(&self) -> Result<DepthCounts, TableError> {
        self.check_blocks()?;
        let of_block = |block| {
            let (bytes, list) = self.block(block);
            let mut depths = vec![0; bytes.len()];
            bytes::decode(bytes, list, 0, &mut depths);
            depths.into_iter().collect()
        };
        let blocks = (0..self.header.blocks()).into_par_iter();
        Ok(blocks.map(of_block).reduce(DepthCounts::default, |some, more| some.plus(&more)))
    }

    /// The place of the first position of the greatest depth, and that depth.
    ///
    /// # Errors
    /// If a block that is read is damaged.
    pub fn deepest(&self) -> Result<(u64, u16), TableError> {
        let max = self.header.max;
        let found = (0..self.header.blocks()).into_par_iter().find_map_first(|block| {
            let places = self.places(block);
            let mut depths = vec![0; (places.end - places.start) as usize];
            match self.read(places.start, &mut depths) {
                Err(error) => Some(Err(error)),
                Ok(()) => depths.iter().position(|&d| d == max).map(|at| Ok(places.start + at as u64)),
            }
        });
        // Only a header that lies about its data leaves this without an answer.
        let place = found.transpose()?;
        place.map_or_else(|| corrupt(&self.path, "greatest depth", &"in the table", &max), |at| Ok((at, max)))
    }

    fn hash_and_count(&self) -> (ContentHash, DepthCounts) {
        // While one thread hashes a piece, which no second can help with, the others unpack and
        // count the next.
        const PIECE: u64 = 16 * BLOCK_POSITIONS;
        let positions = self.header.positions();
        let mut hash = Sha256::new();
        let mut counts = DepthCounts::default();
        let (mut unpacked, mut next) = (Vec::new(), Vec::new());
        let mut place = 0;
        while place < positions || !unpacked.is_empty() {
            next.resize(PIECE.min(positions - place) as usize, 0);
            let unpack = || {
                let blocks = next.par_chunks_mut(BLOCK_POSITIONS as usize).enumerate();
                let counted = blocks.map(|(block, depths)| {
                    self.decode(place + block as u64 * BLOCK_POSITIONS, depths);
                    depths.iter().copied().collect::<DepthCounts>()
                });
                counted.reduce(DepthCounts::default, |some, more| some.plus(&more))
            };
            let ((), more) = rayon::join(|| update(&mut hash, &unpacked), unpack);
            counts = counts.plus(&more);
            place += next.len() as u64;
            std::mem::swap(&mut unpacked, &mut next);
        }
        (ContentHash(hash.finalize().into()), counts)
    }

    /// The bytes of a block, and its part of the list.
    fn block(&self, block: u64) -> (&[u8], &[Entry]) {
        let places = self.places(block);
        let bytes = &self.map[self.data + places.start as usize..self.data + places.end as usize];
        let start = block.checked_sub(1).map_or(0, |before| self.list_end(before)) as usize;
        let list = self.map[self.data + self.header.positions() as usize..].as_chunks().0;
        (bytes, &list[start..self.list_end(block) as usize])
    }

    fn list_end(&self, block: u64) -> u64 {
        let entry = HEADER_BYTES + DIRECTORY_ENTRY * block as usize;
        let mut end = [0; 8];
        end.copy_from_slice(&self.map[entry..entry + 8]);
        u64::from_le_bytes(end)
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
        let (bytes, list) = self.block(block);
        let entry = HEADER_BYTES + DIRECTORY_ENTRY * block as usize;
        let right = checksum(bytes, list).to_le_bytes() == self.map[entry + 8..entry + 12];
        if !(right && bytes::fit(bytes, list)) {
            let blocks = self.header.blocks();
            return Err(TableError::CorruptBlock { path: self.path.clone(), block, blocks });
        }
        self.checked[(block / 64) as usize].fetch_or(1 << (block % 64), Ordering::Relaxed);
        Ok(())
    }
}

/// The checksum of a block.
pub(super) fn checksum(bytes: &[u8], list: &[Entry]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(bytes);
    hasher.update(list.as_flattened());
    hasher.finalize()
}

/// Adds depths to a content hash.
pub(super) fn update(hash: &mut Sha256, depths: &[u16]) {
    if cfg!(target_endian = "little") {
        hash.update(bytemuck::cast_slice::<u16, u8>(depths));
    } else {
        depths.iter().for_each(|depth| hash.update(depth.to_le_bytes()));
    }
}
