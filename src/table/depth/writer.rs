//! Writes a table of depths: whole and checked, or not at all.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;

use rayon::prelude::*;
use sha2::{Digest, Sha256};

use super::bytes::{self, Entry};
use super::header::{self, DepthHeader, HEADER_BYTES, LIST_ENTRY_BYTES};
use super::reader::{DepthTable, checksum, update};
use crate::board::MAX_STONES;
use crate::index::Index;
use crate::rules::Rules;
use crate::table::compressed::{Depths, Encoder, Until};
use crate::table::writer::{Stop, write_streams, write_whole};
use crate::table::{BLOCK_POSITIONS, ContentHash, Encoding, IndexOrder, TableError};

/// Blocks packed between two writes to the file: a few megabytes.
const BATCH: usize = 64;

/// Writes the depths of all positions of `stones` stones, in the order of [`Index`], as the table
/// `path`, and returns its header. They belong to the values of content hash `values_hash`, and
/// are read beside those alone. Safe like [`crate::table::write`].
///
/// # Errors
/// If the depths are not as many as positions, and as [`crate::table::write`].
pub fn write_depths(
    path: impl AsRef<Path>,
    rules: Rules,
    stones: u32,
    values_hash: ContentHash,
    depths: &[u16],
) -> Result<DepthHeader, TableError> {
    write_depths_until(&|| false, path.as_ref(), rules, stones, values_hash, None, depths)
}

/// Writes depths like [`write_depths`], compressed. `values` are all values of the table they
/// belong to. Compressing takes a few seconds for every hundred million positions.
///
/// # Errors
/// If values or depths are not as many as positions, if depths are not 0 where the value is 0, and
/// as [`crate::table::write`].
pub fn write_compressed_depths(
    path: impl AsRef<Path>,
    rules: Rules,
    stones: u32,
    values_hash: ContentHash,
    values: &[i8],
    depths: &[u16],
) -> Result<DepthHeader, TableError> {
    write_depths_until(&|| false, path.as_ref(), rules, stones, values_hash, Some(values), depths)
}

/// Writes depths, compressed if there are values, unless `stop` says to stop; then nothing is written.
pub(crate) fn write_depths_until(
    stop: Stop,
    path: &Path,
    rules: Rules,
    stones: u32,
    values_hash: ContentHash,
    values: Option<&[i8]>,
    depths: &[u16],
) -> Result<DepthHeader, TableError> {
    check(path, stones, values, depths)?;
    let mut header = DepthHeader {
        rules,
        stones,
        order: IndexOrder::Halves,
        encoding: if values.is_some() { Encoding::Compressed } else { Encoding::Packed },
        max: depths.par_iter().copied().max().unwrap_or_default(),
        sum: depths.par_iter().map(|&depth| u64::from(depth)).sum(),
        listed: depths.par_iter().filter(|&&depth| bytes::is_listed(depth)).count() as u64,
        content_hash: ContentHash([0; 32]),
        values_hash,
        compressed_bytes: 0,
    };
    // How long a compressed table will be is not known before it is written.
    let bytes = header.file_bytes();
    let fill = |file: &File| {
        let hash = || {
            let mut hash = Sha256::new();
            update(&mut hash, depths);
            ContentHash(hash.finalize().into())
        };
        let data = || match values {
            None => write_data(file, &header, depths).map(|directory| (0, directory)),
            Some(values) => {
                let source = Depths::new(stones, values, depths);
                let encoder = Encoder::new(Until { source, stop });
                write_streams(stop, file, header.data_offset(), header.blocks(), &encoder)
            }
        };
        let (hash, written) = rayon::join(hash, data);
        header.content_hash = hash;
        let mut directory;
        (header.compressed_bytes, directory) = written?;
        directory.resize(header.data_offset() as usize - HEADER_BYTES, 0);
        file.write_all_at(&header::encode(&header, crc32fast::hash(&directory)), 0)?;
        file.write_all_at(&directory, HEADER_BYTES as u64)
    };
    write_whole(path, bytes, fill, |file| {
        let table = DepthTable::open(file, rules, stones, values_hash)?;
        table.check_against(values.unwrap_or_default(), depths, stop)
    })?;
    Ok(header)
}

/// Whether these are depths of as many stones, and values beside them.
fn check(path: &Path, stones: u32, values: Option<&[i8]>, depths: &[u16]) -> Result<(), TableError> {
    let wrong = |problem| Err(TableError::WrongValues { path: path.to_owned(), problem });
    if stones > MAX_STONES {
        return wrong(format!("{stones} stones, and a game has {MAX_STONES}"));
    }
    let positions = Index::new(stones).positions();
    let as_many = |found: usize, what| {
        if found as u64 == positions {
            return Ok(());
        }
        wrong(format!("{found} {what}, and a table of {stones} stones has {positions} positions"))
    };
    as_many(depths.len(), "depths")?;
    let Some(values) = values else { return Ok(()) };
    as_many(values.len(), "values")?;
    let too_large = |value: i8| u32::from(value.unsigned_abs()) > stones;
    let beside = |(&value, &depth): (&i8, &u16)| too_large(value) || (value == 0 && depth > 0);
    match values.par_iter().zip(depths).position_first(beside) {
        None => Ok(()),
        Some(place) => {
            let (value, depth) = (values[place], depths[place]);
            wrong(format!("depth {depth} beside value {value} at place {place}, of {stones} stones"))
        }
    }
}

/// Writes packed data; returns the directory.
fn write_data(file: &File, header: &DepthHeader, depths: &[u16]) -> std::io::Result<Vec<u8>> {
    let mut directory = Vec::with_capacity(LIST_ENTRY_BYTES * header.blocks() as usize);
    let mut listed = 0;
    let mut place = header.data_offset();
    for batch in depths.chunks(BATCH * BLOCK_POSITIONS as usize) {
        let mut packed = vec![0; batch.len()];
        let blocks = batch.par_chunks(BLOCK_POSITIONS as usize);
        let packed_blocks = packed.par_chunks_mut(BLOCK_POSITIONS as usize);
        let pack = |(depths, bytes): (&[u16], &mut [u8])| {
            let mut list = Vec::new();
            bytes::encode(depths, bytes, &mut list);
            (checksum(bytes, &list), list)
        };
        let lists: Vec<(u32, Vec<Entry>)> = blocks.zip(packed_blocks).map(pack).collect();
        file.write_all_at(&packed, place)?;
        place += packed.len() as u64;
        for (checksum, list) in lists {
            let list_at = header.data_offset() + header.positions() + size_of::<Entry>() as u64 * listed;
            file.write_all_at(list.as_flattened(), list_at)?;
            listed += list.len() as u64;
            directory.extend(listed.to_le_bytes());
            directory.extend(checksum.to_le_bytes());
        }
    }
    Ok(directory)
}
