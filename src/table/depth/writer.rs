//! Writes a table of depths: whole and checked, or not at all.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;

use rayon::prelude::*;
use sha2::{Digest, Sha256};

use super::bytes::{self, Entry};
use super::header::{self, DIRECTORY_ENTRY, DepthHeader, HEADER_BYTES};
use super::reader::{DepthTable, checksum, update};
use crate::board::MAX_STONES;
use crate::index::Index;
use crate::rules::Rules;
use crate::table::writer::write_whole;
use crate::table::{BLOCK_POSITIONS, ContentHash, IndexOrder, TableError};

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
    let path = path.as_ref();
    let wrong = |problem| Err(TableError::WrongValues { path: path.to_owned(), problem });
    if stones > MAX_STONES {
        return wrong(format!("{stones} stones, and a game has {MAX_STONES}"));
    }
    let positions = Index::new(stones).positions();
    if depths.len() as u64 != positions {
        let found = depths.len();
        return wrong(format!("{found} depths, and a table of {stones} stones has {positions} positions"));
    }
    let mut header = DepthHeader {
        rules,
        stones,
        order: IndexOrder::Halves,
        max: depths.par_iter().copied().max().unwrap_or_default(),
        sum: depths.par_iter().map(|&depth| u64::from(depth)).sum(),
        listed: depths.par_iter().filter(|&&depth| bytes::is_listed(depth)).count() as u64,
        content_hash: ContentHash([0; 32]),
        values_hash,
    };
    let bytes = header.file_bytes();
    let fill = |file: &File| {
        let hash = || {
            let mut hash = Sha256::new();
            update(&mut hash, depths);
            ContentHash(hash.finalize().into())
        };
        let (hash, directory) = rayon::join(hash, || write_data(file, &header, depths));
        header.content_hash = hash;
        let directory = directory?;
        file.write_all_at(&header::encode(&header, crc32fast::hash(&directory)), 0)?;
        file.write_all_at(&directory, HEADER_BYTES as u64)
    };
    write_whole(path, bytes, fill, |file| DepthTable::open(file, rules, stones, values_hash)?.check())?;
    Ok(header)
}

/// Writes a copy of `depths` as the table `path`. Safe like [`crate::table::write`].
///
/// # Errors
/// If the depths are damaged, and as [`crate::table::write`].
pub fn copy_depths(depths: &DepthTable, path: impl AsRef<Path>) -> Result<(), TableError> {
    let header = depths.header();
    let fill = |file: &File| {
        let mut to = file;
        std::io::copy(&mut File::open(depths.path())?, &mut to).map(|_| ())
    };
    // A damaged file is named as such before anything is written.
    depths.check()?;
    write_whole(path.as_ref(), header.file_bytes(), fill, |file| {
        DepthTable::open(file, header.rules, header.stones, header.values_hash)?.check()
    })
}

/// Writes the data; returns the directory with the zeros that follow it.
fn write_data(file: &File, header: &DepthHeader, depths: &[u16]) -> std::io::Result<Vec<u8>> {
    let mut directory = Vec::with_capacity(DIRECTORY_ENTRY * header.blocks() as usize);
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
    directory.resize(header.data_offset() as usize - HEADER_BYTES, 0);
    Ok(directory)
}
