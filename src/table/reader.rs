//! Reads a table through a map of its file.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use memmap2::Mmap;
use rayon::prelude::*;
use sha2::{Digest, Sha256};

use super::BLOCK_POSITIONS;
use super::cache::{Key, TileCache};
use super::compressed::{Corrupt, Decoder, Spot};
use super::counts::Counts;
use super::error::TableError;
use super::header::{self, ContentHash, Encoding, HEADER_BYTES, Header, Metric};
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
    codec: Codec,
    /// Where the data start in the map.
    data: usize,
    /// One bit a block: its checksum was found right.
    checked: Vec<AtomicU64>,
}

/// How bytes become values.
#[derive(Debug)]
enum Codec {
    Packed(Packing),
    Compressed(Box<Compressed>),
}

/// What a compressed table needs beyond its bytes.
#[derive(Debug)]
struct Compressed {
    decoder: Decoder,
    /// Where each block of the file starts in the data; the last entry is their end.
    starts: Vec<u64>,
    cache: Arc<TileCache>,
    /// Whose tiles those of this table are in the cache.
    owner: u32,
}

/// Bytes that a table keeps of itself decoded, if it was not opened with a cache.
const OWN_CACHE: usize = 1 << 20;

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
        let codec = match header.encoding {
            Encoding::Packed => Codec::Packed(Packing::new(&header.counts)),
            Encoding::Compressed => {
                Codec::Compressed(Box::new(Compressed::new(path, &header, &map, data, cache())?))
            }
        };
        let words = header.blocks().div_ceil(64);
        Ok(Table {
            path: path.to_owned(),
            map,
            index: Index::new(header.stones),
            codec,
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
                Ok(Some(packing.value(self.data(), place)))
            }
            Codec::Compressed(compressed) => {
                let Some(Spot { tile, inside }) = compressed.decoder.spot(place) else { return Ok(None) };
                let key = Key { owner: compressed.owner, tile };
                compressed.cache.value(key, inside, || self.decode(compressed, tile)).map(Some)
            }
        }
    }

    /// Reads the values of the positions at `place..place + values.len()`.
    ///
    /// # Errors
    /// If a block of these positions is damaged, or the table is compressed; `values` is then
    /// unchanged. [`crate::tablebase::Tablebase::unpack`] reads either kind.
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
        Ok(())
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
            }
            Codec::Compressed(compressed) => {
                let mut rest = values;
                let mut bands = Vec::new();
                for (tiles, places) in compressed.decoder.bands() {
                    let (band, after) = rest.split_at_mut((places.end - places.start) as usize);
                    bands.push((tiles, places.start, band));
                    rest = after;
                }
                let failed = bands.into_par_iter().find_map_first(|(mut tiles, start, band)| {
                    tiles.find_map(|tile| match self.decode(compressed, tile) {
                        Ok(values) => {
                            for (place, inside) in compressed.decoder.stored(tile) {
                                let at = (place - start) as usize;
                                band[at..at + inside.len()].copy_from_slice(&values[inside]);
                            }
                            None
                        }
                        Err(error) => Some(error),
                    })
                });
                return failed.map_or(Ok(()), Err);
            }
        }
        Ok(())
    }

    /// Compares what is stored with the values it was written from.
    ///
    /// # Errors
    /// The first block that is damaged or holds something else.
    pub(super) fn check_against(&self, values: &[i8]) -> Result<(), TableError> {
        match &self.codec {
            Codec::Packed(_) => self.check(),
            Codec::Compressed(compressed) => self.each_tile(compressed, |place, stored| {
                if values[place as usize..].starts_with(stored) { Ok(()) } else { Err(Corrupt) }
            }),
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
        if let Codec::Compressed(compressed) = &self.codec {
            return self.each_tile(compressed, |_, _| Ok(()));
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

    /// The bytes of a block.
    fn block(&self, block: u64) -> &[u8] {
        let bytes = match &self.codec {
            Codec::Packed(_) => self.header.packed_block(block),
            Codec::Compressed(compressed) => {
                compressed.starts[block as usize]..compressed.starts[block as usize + 1]
            }
        };
        &self.data()[bytes.start as usize..bytes.end as usize]
    }

    fn looks_ahead(&self) -> TableError {
        TableError::LooksAhead { path: self.path.clone() }
    }

    /// Decodes a tile.
    fn decode(&self, compressed: &Compressed, tile: u64) -> Result<Vec<i8>, TableError> {
        // The first block of the file is the model.
        let block = 1 + compressed.decoder.block_of(tile);
        self.touch(block)?;
        let decoded = compressed.decoder.decode(tile, self.block(block));
        decoded.map_err(|Corrupt| bad_block(&self.path, &self.header, block))
    }

    /// Decodes all tiles and shows their stored runs, each with the place of its first position,
    /// on the threads of the current rayon pool.
    fn each_tile(
        &self,
        compressed: &Compressed,
        show: impl Fn(u64, &[i8]) -> Result<(), Corrupt> + Sync,
    ) -> Result<(), TableError> {
        let failed = (0..compressed.decoder.tiles()).into_par_iter().find_map_first(|tile| {
            let values = match self.decode(compressed, tile) {
                Ok(values) => values,
                Err(error) => return Some(error),
            };
            let mut runs = compressed.decoder.stored(tile);
            let shown = runs.try_for_each(|(place, inside)| show(place, &values[inside]));
            let block = 1 + compressed.decoder.block_of(tile);
            shown.err().map(|Corrupt| bad_block(&self.path, &self.header, block))
        });
        failed.map_or(Ok(()), Err)
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
        let entry = HEADER_BYTES + self.header.entry_bytes() * block as usize;
        let data = self.block(block);
        if crc32fast::hash(data).to_le_bytes() != self.map[entry..entry + 4] {
            let blocks = self.header.blocks();
            return Err(TableError::CorruptBlock { path: self.path.clone(), block, blocks });
        }
        self.checked[(block / 64) as usize].fetch_or(1 << (block % 64), Ordering::Relaxed);
        Ok(())
    }
}

impl Compressed {
    /// Reads directory and model; `data` is where the data start in the map.
    fn new(
        path: &Path,
        header: &Header,
        map: &[u8],
        data: usize,
        cache: Arc<TileCache>,
    ) -> Result<Compressed, TableError> {
        let directory = &map[HEADER_BYTES..][..header.entry_bytes() * header.blocks() as usize];
        let mut starts = vec![0];
        let mut end = 0;
        for [_, _, _, _, length @ ..] in directory.as_chunks::<8>().0 {
            end += u64::from(u32::from_le_bytes(*length));
            starts.push(end);
        }
        if end != header.data_bytes() {
            return Err(TableError::CorruptHeader {
                path: path.to_owned(),
                field: "sum of the block lengths",
                expected: header.data_bytes().to_string(),
                found: end.to_string(),
            });
        }
        let model = &map[data..][..starts[1] as usize];
        if crc32fast::hash(model).to_le_bytes() != directory[..4] {
            let blocks = header.blocks();
            return Err(TableError::CorruptBlock { path: path.to_owned(), block: 0, blocks });
        }
        let decoder = Decoder::new(header.stones, model).map_err(|Corrupt| bad_block(path, header, 0))?;
        let owner = cache.owner();
        Ok(Compressed { decoder, starts, cache, owner })
    }
}

fn bad_block(path: &Path, header: &Header, block: u64) -> TableError {
    TableError::BadBlock { path: path.to_owned(), block, blocks: header.blocks() }
}

/// Values as the bytes that the content hash is of.
pub(super) fn as_bytes(values: &[i8]) -> &[u8] {
    // SAFETY: i8 and u8 have the same size and alignment, and every byte is a valid value of both.
    unsafe { std::slice::from_raw_parts(values.as_ptr().cast(), values.len()) }
}
