//! Reads a table through a map of its file.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rayon::prelude::*;
use sha2::{Digest, Sha256};

use super::BLOCK_POSITIONS;
use super::cache::TileCache;
use super::checked::Checked;
use super::compressed::{Corrupt, Decoder, Spot, TILE_POSITIONS};
use super::counts::Counts;
use super::error::TableError;
use super::guard::Map;
use super::header::{self, ContentHash, Encoding, HEADER_BYTES, Header, Metric};
use super::map::map;
use super::packed::Packing;
use super::streams::Streams;
use super::writer::{Stop, go_on};
use crate::index::Index;
use crate::rules::Rules;

/// An open table. Reading it checks each block of the file when it is first touched, so a value
/// that is returned is one that was written.
///
/// The file is mapped, not loaded: opening is quick whatever its size, and several processes
/// share one copy. Tables are replaced by renaming, never changed in place; a program that does
/// change the file while it is open breaks that promise. If one shortens it, reading is an error after
/// [`super::catch_signals`] was called; otherwise the system ends this process.
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
    map: Map,
    header: Header,
    index: Index,
    codec: Codec,
    /// Where the data start in the map.
    data: usize,
    checked: Checked,
}

/// How bytes become values.
#[derive(Debug)]
enum Codec {
    Packed(Packing),
    Compressed(Box<Streams>),
}

/// Bytes that a table keeps of itself decoded, if it was not opened with a cache.
pub(super) const OWN_CACHE: usize = 1 << 20;

impl Table {
    /// Opens the table of `stones` stones under `rules`. Checks header, directory and length of
    /// the file; the data are checked as they are read.
    ///
    /// # Errors
    /// If there is no such file, it is not a table of this kind, its header or directory is
    /// damaged, it is too short or too long, or the system refuses.
    pub fn open(path: impl AsRef<Path>, rules: Rules, stones: u32) -> Result<Table, TableError> {
        Table::open_any(path)?.expect(rules, stones)
    }

    /// Opens a table like [`Table::open`]. If it is compressed, what is decoded is kept in `cache`,
    /// which any number of tables can share.
    ///
    /// # Errors
    /// As [`Table::open`].
    pub fn open_with_cache(
        path: impl AsRef<Path>,
        rules: Rules,
        stones: u32,
        cache: &Arc<TileCache>,
    ) -> Result<Table, TableError> {
        Table::open_file(path.as_ref(), || Arc::clone(cache))?.expect(rules, stones)
    }

    fn expect(self, rules: Rules, stones: u32) -> Result<Table, TableError> {
        let table = self;
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
        Table::open_file(path.as_ref(), || Arc::new(TileCache::new(OWN_CACHE)))
    }

    fn open_file(path: &Path, cache: impl FnOnce() -> Arc<TileCache>) -> Result<Table, TableError> {
        let map = map(path)?;
        let (header, directory_checksum) = header::decode(path, &map, map.len() as u64)?;
        // The length was found right: every place the header names is inside the map.
        let data = header.data_offset() as usize;
        header::check_directory(path, &map[HEADER_BYTES..data], directory_checksum)?;
        if header.metric != Metric::Value {
            let (expected, found) = (Metric::Value, header.metric);
            return Err(TableError::WrongMetric { path: path.to_owned(), expected, found });
        }
        let codec = match header.encoding {
            Encoding::Packed => Codec::Packed(Packing::new(&header.counts)),
            Encoding::Compressed => {
                let directory = &map[HEADER_BYTES..][..header.entry_bytes() * header.blocks() as usize];
                let decoder = |model: &[u8]| Decoder::of_values(header.stones, model);
                Codec::Compressed(Box::new(Streams::new(path, directory, &map[data..], decoder, cache())?))
            }
        };
        Ok(Table {
            path: path.to_owned(),
            map,
            index: Index::new(header.stones),
            codec,
            data,
            checked: Checked::none(header.blocks()),
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
    /// If the block of this position is damaged, or the table is compressed and the value is not
    /// stored: [`Table::stored`] tells that apart.
    ///
    /// # Panics
    /// If `place` is not below the number of positions.
    #[inline]
    pub fn value(&self, place: u64) -> Result<i8, TableError> {
        self.stored(place)?.ok_or_else(|| self.looks_ahead())
    }

    /// The value of the position at `place` like [`Table::value`]. None if the table does not
    /// store it because it is compressed; then it is what the moves say: the end of the game, or
    /// the best of `captured − value after the move`. The boards after the moves are stored or
    /// have fewer stones, so that a look ahead is one ply deep in this table.
    ///
    /// # Errors
    /// If the block of this position is damaged.
    ///
    /// # Panics
    /// If `place` is not below the number of positions.
    #[inline]
    pub fn stored(&self, place: u64) -> Result<Option<i8>, TableError> {
        self.assert_inside(place, 1);
        match &self.codec {
            Codec::Packed(packing) => {
                self.touch(place / BLOCK_POSITIONS)?;
                let value = packing.value(self.data(), place);
                self.check_unchanged()?;
                Ok(Some(value))
            }
            Codec::Compressed(streams) => {
                let Some(Spot { tile, inside }) = streams.decoder.spot(place) else { return Ok(None) };
                self.look(streams, tile, |values| values[inside]).map(Some)
            }
        }
    }

    /// Reads the values of the positions at `place..place + values.len()`.
    ///
    /// # Errors
    /// If a block of these positions is damaged, or the table is compressed; `values` mean nothing
    /// then. [`crate::tablebase::Tablebase::unpack`] reads either kind.
    ///
    /// # Panics
    /// If the last place is not below the number of positions.
    #[inline]
    pub fn read(&self, place: u64, values: &mut [i8]) -> Result<(), TableError> {
        self.assert_inside(place, values.len());
        if values.is_empty() {
            return Ok(());
        }
        let Codec::Packed(packing) = &self.codec else { return Err(self.looks_ahead()) };
        let last = place + values.len() as u64 - 1;
        for block in place / BLOCK_POSITIONS..=last / BLOCK_POSITIONS {
            self.touch(block)?;
        }
        packing.decode(self.data(), place, values);
        self.check_unchanged()
    }

    /// Reads like [`Table::read`], without a look at the checksums: for a packed table whose
    /// blocks were all found right by [`Table::touch_all`].
    ///
    /// # Panics
    /// If the table is compressed.
    #[inline]
    pub(crate) fn read_checked(&self, place: u64, values: &mut [i8]) {
        self.assert_inside(place, values.len());
        match &self.codec {
            Codec::Packed(packing) => packing.decode(self.data(), place, values),
            Codec::Compressed(_) => unreachable!("a compressed table is unpacked before it is read"),
        }
    }

    /// Reads all values that are stored into those of the whole table, and leaves the others.
    ///
    /// # Errors
    /// The first block that is damaged.
    pub(crate) fn read_stored(&self, values: &mut [i8]) -> Result<(), TableError> {
        self.assert_inside(0, values.len());
        match &self.codec {
            Codec::Packed(packing) => {
                self.touch_all()?;
                let parts = values.par_chunks_mut(BLOCK_POSITIONS as usize).enumerate();
                parts.for_each(|(block, part)| {
                    packing.decode(self.data(), block as u64 * BLOCK_POSITIONS, part);
                });
                self.check_unchanged()?;
            }
            Codec::Compressed(streams) => {
                return streams.read_stored(values, |tile| self.decode(streams, tile));
            }
        }
        Ok(())
    }

    /// Compares what is stored with the values it was written from.
    ///
    /// # Errors
    /// The first block that is damaged or holds something else.
    pub(super) fn check_against(&self, values: &[i8], stop: Stop) -> Result<(), TableError> {
        match &self.codec {
            Codec::Packed(_) => self.check(),
            Codec::Compressed(streams) => self.check_tiles(streams, Some(values), stop),
        }
    }

    /// Compares the whole file with its checksums, its content hash and its counts. Reads
    /// everything, on the threads of the current rayon pool.
    ///
    /// Content hash and counts are those of all values, so if the table is compressed they are not
    /// compared: [`crate::tablebase::Tablebase::unpack`] does that. What is compressed is decoded.
    ///
    /// # Errors
    /// The first block that is damaged, or a content hash or a count that does not fit.
    pub fn check(&self) -> Result<(), TableError> {
        self.check_blocks()?;
        if let Codec::Compressed(streams) = &self.codec {
            return self.check_tiles(streams, None, &|| false);
        }
        let (found, counts) = self.hash_and_count();
        self.compare(found, &counts)
    }

    /// Compares these values, all of the table, with the content hash and the counts.
    ///
    /// # Errors
    /// If hash or counts differ.
    pub(crate) fn check_values(&self, values: &[i8]) -> Result<(), TableError> {
        let parts = values.par_chunks(BLOCK_POSITIONS as usize);
        let counts = parts.map(|values| values.iter().copied().collect());
        let (hash, counts) = rayon::join(
            || ContentHash(Sha256::digest(as_bytes(values)).into()),
            || counts.reduce(Counts::default, |some: Counts, more| some.plus(&more)),
        );
        self.compare(hash, &counts)
    }

    fn compare(&self, found: ContentHash, counts: &Counts) -> Result<(), TableError> {
        self.check_unchanged()?;
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

    /// Counts the values, from the data.
    ///
    /// # Errors
    /// The first block that is damaged; or that the table is compressed.
    pub fn count(&self) -> Result<Counts, TableError> {
        if let Codec::Compressed(_) = self.codec {
            return Err(self.looks_ahead());
        }
        self.check_blocks()?;
        let blocks = 0..self.header.blocks();
        let counts = blocks
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
            .reduce(Counts::default, |some, more| some.plus(&more));
        self.check_unchanged()?;
        Ok(counts)
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

    /// The bytes of a block.
    fn block(&self, block: u64) -> &[u8] {
        let bytes = match &self.codec {
            Codec::Packed(_) => self.header.packed_block(block),
            Codec::Compressed(streams) => streams.block(block),
        };
        &self.data()[bytes.start as usize..bytes.end as usize]
    }

    fn looks_ahead(&self) -> TableError {
        TableError::LooksAhead { path: self.path.clone() }
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

    /// The values of a tile of the [`Decoder`]s of as many stones, one row of it after another;
    /// those of positions that are not stored there mean nothing.
    pub(super) fn tile(&self, decoder: &Decoder, tile: u64) -> Result<Vec<i8>, TableError> {
        match &self.codec {
            Codec::Packed(_) => {
                let mut values = vec![0; TILE_POSITIONS];
                for (place, inside) in decoder.stored(tile) {
                    self.read(place, &mut values[inside])?;
                }
                Ok(values)
            }
            Codec::Compressed(streams) => self.look(streams, tile, <[i8]>::to_vec),
        }
    }

    /// What `look` sees in a tile.
    fn look<R>(&self, streams: &Streams, tile: u64, look: impl FnOnce(&[i8]) -> R) -> Result<R, TableError> {
        streams.cache.values().look(streams.key(tile), || self.decode(streams, tile), look)
    }

    /// Decodes a tile.
    fn decode(&self, streams: &Streams, tile: u64) -> Result<Vec<i8>, TableError> {
        let block = streams.block_of(tile);
        self.touch(block)?;
        let values = streams.decoder.values(tile, self.block(block));
        self.check_unchanged()?;
        values.map_err(|Corrupt| self.bad_block(block))
    }

    fn check_tiles(&self, streams: &Streams, expected: Option<&[i8]>, stop: Stop) -> Result<(), TableError> {
        let decode = |tile| {
            go_on(stop)
                .map_err(|source| TableError::writing(&self.path, "read back what was written", source))?;
            self.decode(streams, tile)
        };
        streams.check(expected, decode, |block| self.bad_block(block))
    }

    fn bad_block(&self, block: u64) -> TableError {
        TableError::BadBlock { path: self.path.clone(), block, blocks: self.header.blocks() }
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
        let data = self.block(block);
        let right = crc32fast::hash(data).to_le_bytes() == self.map[entry..entry + 4];
        self.check_unchanged()?;
        if !right {
            let blocks = self.header.blocks();
            return Err(TableError::CorruptBlock { path: self.path.clone(), block, blocks });
        }
        self.checked.mark(block);
        Ok(())
    }
}

/// Values as the bytes that the content hash is of.
pub(super) fn as_bytes(values: &[i8]) -> &[u8] {
    // SAFETY: i8 and u8 have the same size and alignment, and every byte is a valid value of both.
    unsafe { std::slice::from_raw_parts(values.as_ptr().cast(), values.len()) }
}
