//! Reads a table of depths through a map of its file.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rayon::prelude::*;
use sha2::{Digest, Sha256};

use super::bytes::{self, Entry};
use super::counts::DepthCounts;
use super::header::{self, DepthHeader, HEADER_BYTES, LIST_ENTRY_BYTES};
use crate::index::Index;
use crate::rules::Rules;
use crate::table::checked::Checked;
use crate::table::compressed::{Corrupt, Decoder, Spot, TILE_POSITIONS};
use crate::table::guard::Map;
use crate::table::header::{check_directory, corrupt};
use crate::table::map::map;
use crate::table::reader::OWN_CACHE;
use crate::table::streams::Streams;
use crate::table::writer::{Stop, go_on};
use crate::table::{BLOCK_POSITIONS, ContentHash, Encoding, Table, TableError, TileCache};

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
    map: Map,
    header: DepthHeader,
    index: Index,
    /// Where the data start in the map.
    data: usize,
    checked: Checked,
    /// What decodes a compressed table.
    streams: Option<Box<Streams>>,
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
        DepthTable::open_any(path)?.expect(rules, stones, values_hash)
    }

    /// Opens depths like [`DepthTable::open`]. If they are compressed, what is decoded is kept in
    /// `cache`, which any number of tables can share.
    ///
    /// # Errors
    /// As [`DepthTable::open`].
    pub fn open_with_cache(
        path: impl AsRef<Path>,
        rules: Rules,
        stones: u32,
        values_hash: ContentHash,
        cache: &Arc<TileCache>,
    ) -> Result<DepthTable, TableError> {
        DepthTable::open_file(path.as_ref(), || Arc::clone(cache))?.expect(rules, stones, values_hash)
    }

    fn expect(self, rules: Rules, stones: u32, values_hash: ContentHash) -> Result<DepthTable, TableError> {
        let table = self;
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
        DepthTable::open_file(path.as_ref(), || Arc::new(TileCache::new(OWN_CACHE)))
    }

    fn open_file(path: &Path, cache: impl FnOnce() -> Arc<TileCache>) -> Result<DepthTable, TableError> {
        let map = map(path)?;
        let (header, directory_checksum) = header::decode(path, &map, map.len() as u64)?;
        // The length was found right: every place the header names is inside the map.
        let data = header.data_offset() as usize;
        check_directory(path, &map[HEADER_BYTES..data], directory_checksum)?;
        let streams = match header.encoding {
            Encoding::Packed => None,
            Encoding::Compressed => {
                let directory = &map[HEADER_BYTES..][..header.entry_bytes() * header.blocks() as usize];
                let decoder = |model: &[u8]| Decoder::of_depths(header.stones, model);
                Some(Box::new(Streams::new(path, directory, &map[data..], decoder, cache())?))
            }
        };
        let table = DepthTable {
            path: path.to_owned(),
            map,
            index: Index::new(header.stones),
            data,
            checked: Checked::none(header.blocks()),
            streams,
            header,
        };
        if table.streams.is_none() {
            table.check_lists()?;
        }
        Ok(table)
    }

    /// Whether each block has a part of the list, one after the other.
    fn check_lists(&self) -> Result<(), TableError> {
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
    /// If the block of this position is damaged, or the table is compressed:
    /// [`DepthTable::stored`] reads either kind.
    ///
    /// # Panics
    /// If `place` is not below the number of positions.
    #[inline]
    pub fn depth(&self, place: u64) -> Result<u16, TableError> {
        self.assert_inside(place, 1);
        if self.streams.is_some() {
            return Err(self.looks_ahead());
        }
        let block = place / BLOCK_POSITIONS;
        self.touch(block)?;
        let byte = self.map[self.data + place as usize];
        // Most depths fit a byte: the list is looked at for the others alone.
        let depth = if bytes::is_listed(byte.into()) {
            let (bytes, list) = self.lists(block);
            bytes::depth(bytes, list, (place % BLOCK_POSITIONS) as usize)
        } else {
            byte.into()
        };
        self.check_unchanged()?;
        Ok(depth)
    }

    /// The depth of the position at `place`, beside the table of the values it belongs to. None if
    /// the table does not store it because it is compressed; then it is what the moves say that
    /// keep the value. The boards after them are stored, or were captured to.
    ///
    /// # Errors
    /// If the block of this position is damaged, in either table.
    ///
    /// # Panics
    /// If `place` is not below the number of positions, or `values` are those of another number of
    /// stones.
    #[inline]
    pub fn stored(&self, place: u64, values: &Table) -> Result<Option<u16>, TableError> {
        let Some(streams) = &self.streams else { return self.depth(place).map(Some) };
        self.assert_inside(place, 1);
        let Some(Spot { tile, inside }) = streams.decoder.spot(place) else { return Ok(None) };
        let decode = || self.decode_tile(streams, tile, &values.tile(&streams.decoder, tile)?);
        streams.cache.depths().look(streams.key(tile), decode, |depths| depths[inside]).map(Some)
    }

    /// Reads all depths that are stored into those of the whole table, and leaves the others.
    /// `values` are those they belong to.
    ///
    /// # Errors
    /// The first block that is damaged.
    pub(crate) fn read_stored(&self, values: &[i8], depths: &mut [u16]) -> Result<(), TableError> {
        match &self.streams {
            None => self.read(0, depths),
            Some(streams) => streams.read_stored(depths, |tile| self.decode_beside(streams, tile, values)),
        }
    }

    /// Decodes a tile beside all values of the table.
    fn decode_beside(&self, streams: &Streams, tile: u64, values: &[i8]) -> Result<Vec<u16>, TableError> {
        let mut of_tile = [0; TILE_POSITIONS];
        for (place, inside) in streams.decoder.stored(tile) {
            of_tile[inside.clone()].copy_from_slice(&values[place as usize..][..inside.len()]);
        }
        self.decode_tile(streams, tile, &of_tile)
    }

    /// Decodes a tile beside its values.
    fn decode_tile(&self, streams: &Streams, tile: u64, values: &[i8]) -> Result<Vec<u16>, TableError> {
        let block = streams.block_of(tile);
        self.touch(block)?;
        let bytes = streams.block(block);
        let bytes = &self.map[self.data..][bytes.start as usize..bytes.end as usize];
        let depths = streams.decoder.depths(tile, values, bytes);
        self.check_unchanged()?;
        depths.map_err(|Corrupt| self.bad_block(block))
    }

    /// Makes sure that all that was read of the file so far was there.
    ///
    /// # Errors
    /// [`TableError::Changed`] if not.
    #[inline]
    pub(crate) fn check_unchanged(&self) -> Result<(), TableError> {
        if self.map.is_cut() { Err(self.changed()) } else { Ok(()) }
    }

    #[cold]
    fn changed(&self) -> TableError {
        TableError::Changed { path: self.path.clone() }
    }

    fn bad_block(&self, block: u64) -> TableError {
        TableError::BadBlock { path: self.path.clone(), block, blocks: self.header.blocks() }
    }

    fn looks_ahead(&self) -> TableError {
        TableError::LooksAhead { path: self.path.clone() }
    }

    /// Reads the depths of the positions at `place..place + depths.len()`.
    ///
    /// # Errors
    /// If a block of these positions is damaged, or the table is compressed; `depths` mean nothing
    /// then. [`crate::tablebase::Tablebase::unpack_depths`] reads either kind.
    ///
    /// # Panics
    /// If the last place is not below the number of positions.
    pub fn read(&self, place: u64, depths: &mut [u16]) -> Result<(), TableError> {
        self.assert_inside(place, depths.len());
        if depths.is_empty() {
            return Ok(());
        }
        if self.streams.is_some() {
            return Err(self.looks_ahead());
        }
        let last = place + depths.len() as u64 - 1;
        for block in place / BLOCK_POSITIONS..=last / BLOCK_POSITIONS {
            self.touch(block)?;
        }
        self.decode(place, depths);
        self.check_unchanged()
    }

    /// Reads from blocks that were found right.
    fn decode(&self, mut place: u64, mut depths: &mut [u16]) {
        while !depths.is_empty() {
            let at = (place % BLOCK_POSITIONS) as usize;
            let (bytes, list) = self.lists(place / BLOCK_POSITIONS);
            let (now, later) = depths.split_at_mut(depths.len().min(bytes.len() - at));
            bytes::decode(bytes, list, at, now);
            place += now.len() as u64;
            depths = later;
        }
    }

    /// Compares the whole file with its checksums, its content hash, its greatest depth and the
    /// sum of all. Reads everything, on the threads of the current rayon pool.
    ///
    /// Content hash, greatest depth and sum are those of all depths, so if the table is compressed
    /// they are not compared: [`crate::tablebase::Tablebase::unpack_depths`] does that.
    ///
    /// # Errors
    /// The first block that is damaged, or what does not fit.
    pub fn check(&self) -> Result<(), TableError> {
        self.check_blocks()?;
        if self.streams.is_some() {
            return Ok(());
        }
        let (found, counts) = self.hash_and_count();
        self.compare(found, &counts)
    }

    /// Compares what is stored with the depths it was written from, and all of them with the
    /// header.
    pub(super) fn check_against(&self, values: &[i8], depths: &[u16], stop: Stop) -> Result<(), TableError> {
        self.check()?;
        let Some(streams) = &self.streams else { return Ok(()) };
        let decode = |tile| {
            go_on(stop)
                .map_err(|source| TableError::writing(&self.path, "read back what was written", source))?;
            self.decode_beside(streams, tile, values)
        };
        streams.check(Some(depths), decode, |block| self.bad_block(block))
    }

    /// Compares these depths, all of the table, with what the header says of them.
    ///
    /// # Errors
    /// What does not fit.
    pub(crate) fn check_depths(&self, depths: &[u16]) -> Result<(), TableError> {
        let parts = depths.par_chunks(BLOCK_POSITIONS as usize);
        let counts = parts.map(|depths| depths.iter().copied().collect());
        let (hash, counts) = rayon::join(
            || {
                let mut hash = Sha256::new();
                update(&mut hash, depths);
                ContentHash(hash.finalize().into())
            },
            || counts.reduce(DepthCounts::default, |some: DepthCounts, more| some.plus(&more)),
        );
        self.compare(hash, &counts)
    }

    fn compare(&self, found: ContentHash, counts: &DepthCounts) -> Result<(), TableError> {
        self.check_unchanged()?;
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
    /// The first block that is damaged; or that the table is compressed.
    pub fn count(&self) -> Result<DepthCounts, TableError> {
        if self.streams.is_some() {
            return Err(self.looks_ahead());
        }
        self.check_blocks()?;
        let of_block = |block| {
            let (bytes, list) = self.lists(block);
            let mut depths = vec![0; bytes.len()];
            bytes::decode(bytes, list, 0, &mut depths);
            depths.into_iter().collect()
        };
        let blocks = (0..self.header.blocks()).into_par_iter();
        Ok(blocks.map(of_block).reduce(DepthCounts::default, |some, more| some.plus(&more)))
    }

    /// The place of the first position of this depth, if there is one; the table is packed.
    ///
    /// # Errors
    /// If a block that is read is damaged.
    pub(crate) fn first(&self, wanted: u16) -> Result<Option<u64>, TableError> {
        let found = (0..self.header.blocks()).into_par_iter().find_map_first(|block| {
            let places = self.places(block);
            let mut depths = vec![0; (places.end - places.start) as usize];
            match self.read(places.start, &mut depths) {
                Err(error) => Some(Err(error)),
                Ok(()) => depths.iter().position(|&d| d == wanted).map(|at| Ok(places.start + at as u64)),
            }
        });
        found.transpose()
    }

    /// That no position has the greatest depth of the header.
    pub(crate) fn lacks_deepest(&self) -> TableError {
        TableError::CorruptHeader {
            path: self.path.clone(),
            field: "greatest depth",
            expected: "in the table".to_owned(),
            found: self.header.max.to_string(),
        }
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

    /// The bytes of a packed block, and its part of the list.
    fn lists(&self, block: u64) -> (&[u8], &[Entry]) {
        let places = self.places(block);
        let bytes = &self.map[self.data + places.start as usize..self.data + places.end as usize];
        let start = block.checked_sub(1).map_or(0, |before| self.list_end(before)) as usize;
        let list = self.map[self.data + self.header.positions() as usize..].as_chunks().0;
        // Checked when the table was opened; of a file cut short since, there may be zeros instead.
        (bytes, list.get(start..self.list_end(block) as usize).unwrap_or_default())
    }

    fn list_end(&self, block: u64) -> u64 {
        let entry = HEADER_BYTES + LIST_ENTRY_BYTES * block as usize;
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
        self.checked.touch(block, || self.check_block(block))
    }

    #[cold]
    fn check_block(&self, block: u64) -> Result<(), TableError> {
        let entry = HEADER_BYTES + self.header.entry_bytes() * block as usize;
        let right = match &self.streams {
            None => {
                let (bytes, list) = self.lists(block);
                let right = checksum(bytes, list).to_le_bytes() == self.map[entry + 8..entry + 12];
                right && bytes::fit(bytes, list)
            }
            Some(streams) => {
                let bytes = streams.block(block);
                let bytes = &self.map[self.data..][bytes.start as usize..bytes.end as usize];
                crc32fast::hash(bytes).to_le_bytes() == self.map[entry..entry + 4]
            }
        };
        self.check_unchanged()?;
        if !right {
            let blocks = self.header.blocks();
            return Err(TableError::CorruptBlock { path: self.path.clone(), block, blocks });
        }
        self.checked.mark(block);
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
