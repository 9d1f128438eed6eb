//! The compressed data of an open file: where its blocks are, and what decodes them.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use rayon::prelude::*;

use super::TableError;
use super::cache::{Key, TileCache};
use super::compressed::{Corrupt, Decoder};
use super::header::corrupt;

/// Bytes of the directory for each block: its checksum and its length.
pub(super) const ENTRY_BYTES: usize = 8;

/// What a compressed table needs beyond its bytes.
#[derive(Debug)]
pub(super) struct Streams {
    pub(super) decoder: Decoder,
    /// Where each block of the file starts in the data; the last entry is their end.
    starts: Vec<u64>,
    pub(super) cache: Arc<TileCache>,
    /// Whose tiles those of this table are in the cache.
    owner: u32,
}

impl Streams {
    /// Reads directory and model. `directory` has an entry for each block, `data` are all the data.
    pub(super) fn new(
        path: &Path,
        directory: &[u8],
        data: &[u8],
        decoder: impl FnOnce(&[u8]) -> Result<Decoder, Corrupt>,
        cache: Arc<TileCache>,
    ) -> Result<Streams, TableError> {
        let mut starts = vec![0];
        let mut end = 0;
        for [_, _, _, _, length @ ..] in directory.as_chunks::<ENTRY_BYTES>().0 {
            end += u64::from(u32::from_le_bytes(*length));
            starts.push(end);
        }
        if end != data.len() as u64 {
            return corrupt(path, "sum of the block lengths", &data.len(), &end);
        }
        let (path, blocks) = (path.to_owned(), starts.len() as u64 - 1);
        let model = &data[..starts[1] as usize];
        if crc32fast::hash(model).to_le_bytes() != directory[..4] {
            return Err(TableError::CorruptBlock { path, block: 0, blocks });
        }
        match decoder(model) {
            Ok(decoder) => {
                let owner = cache.owner();
                Ok(Streams { decoder, starts, cache, owner })
            }
            Err(Corrupt) => Err(TableError::BadBlock { path, block: 0, blocks }),
        }
    }

    /// Where a block of the file is in the data. The first is the model.
    pub(super) fn block(&self, block: u64) -> Range<u64> {
        self.starts[block as usize]..self.starts[block as usize + 1]
    }

    /// The block of the file that a tile is in.
    pub(super) fn block_of(&self, tile: u64) -> u64 {
        1 + self.decoder.block_of(tile)
    }

    /// The name of a tile in the cache.
    pub(super) fn key(&self, tile: u64) -> Key {
        Key { owner: self.owner, tile }
    }

    /// Decodes all tiles and copies what they store into `cells`, those of the whole table; the
    /// others are left.
    pub(super) fn read_stored<T: Copy + Send>(
        &self,
        cells: &mut [T],
        decode: impl Fn(u64) -> Result<Vec<T>, TableError> + Sync,
    ) -> Result<(), TableError> {
        let mut rest = cells;
        let mut bands = Vec::new();
        for (tiles, places) in self.decoder.bands() {
            let (band, after) = rest.split_at_mut((places.end - places.start) as usize);
            bands.push((tiles, places.start, band));
            rest = after;
        }
        let failed = bands.into_par_iter().find_map_first(|(mut tiles, start, band)| {
            tiles.find_map(|tile| match decode(tile) {
                Ok(cells) => {
                    for (place, inside) in self.decoder.stored(tile) {
                        let at = (place - start) as usize;
                        band[at..at + inside.len()].copy_from_slice(&cells[inside]);
                    }
                    None
                }
                Err(error) => Some(error),
            })
        });
        failed.map_or(Ok(()), Err)
    }

    /// Decodes all tiles, and gives the number of the first whose stored runs are not those of
    /// `expected`, if that is given.
    pub(super) fn check<T: PartialEq + Sync>(
        &self,
        expected: Option<&[T]>,
        decode: impl Fn(u64) -> Result<Vec<T>, TableError> + Sync,
        bad_block: impl Fn(u64) -> TableError + Sync,
    ) -> Result<(), TableError> {
        let failed = (0..self.decoder.tiles()).into_par_iter().find_map_first(|tile| {
            let cells = match decode(tile) {
                Ok(cells) => cells,
                Err(error) => return Some(error),
            };
            let expected = expected?;
            let mut runs = self.decoder.stored(tile);
            let right = runs.all(|(place, inside)| expected[place as usize..].starts_with(&cells[inside]));
            (!right).then(|| bad_block(self.block_of(tile)))
        });
        failed.map_or(Ok(()), Err)
    }
}
