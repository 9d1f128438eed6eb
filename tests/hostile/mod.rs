//! What readers of files do with bytes that anyone may have made: shared by the tests and the
//! fuzz targets. None of these may panic or take much memory, whatever the bytes.
#![allow(dead_code, reason = "each user takes a part of this")]

use std::fs;
use std::path::{Path, PathBuf};

use awari::Rules;
use awari::index::Index;
use awari::table::compressed::Decoder;
use awari::table::vu::VuTable;
use awari::table::{ContentHash, DepthTable, Encoding, Table, TableError};

/// Most stones of which all that is read is also walked through.
const WALKED: u32 = 9;

/// These bytes as a file that is gone when this is dropped. A new one each time: readers map it.
pub struct File(PathBuf);

impl File {
    pub fn of(bytes: &[u8], directory: &Path) -> File {
        let path = directory.join(format!("hostile-{}", std::process::id()));
        let _ = fs::remove_file(&path);
        fs::write(&path, bytes).unwrap();
        File(path)
    }
}

impl Drop for File {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

/// Makes the checksum of a header right again, so that what lies behind it is reached.
pub fn sealed(mut bytes: Vec<u8>, end: usize) -> Vec<u8> {
    if bytes.len() >= end + 4 {
        let checksum = crc32fast::hash(&bytes[..end]);
        bytes[end..end + 4].copy_from_slice(&checksum.to_le_bytes());
    }
    bytes
}

/// Opens a table of values, checks it, and reads every value that it stores.
pub fn values(bytes: &[u8], directory: &Path) -> Result<Vec<Option<i8>>, TableError> {
    let file = File::of(bytes, directory);
    let table = Table::open_any(&file.0)?;
    let header = table.header();
    assert_eq!(header.file_bytes(), bytes.len() as u64);
    let checked = table.check();
    if header.stones > WALKED {
        return Err(TableError::Missing { path: file.0.clone() });
    }
    let mut values = Vec::new();
    for place in 0..header.positions() {
        values.push(table.stored(place)?);
    }
    if header.encoding == Encoding::Packed {
        let mut all = vec![0; header.positions() as usize];
        table.read(0, &mut all)?;
        assert!(all.iter().map(|&value| Some(value)).eq(values.iter().copied()));
    }
    checked.map(|()| values)
}

/// The same with a table of depths of `stones` stones.
pub fn depths(bytes: &[u8], stones: u32, of: ContentHash, directory: &Path) -> Result<Vec<u16>, TableError> {
    let file = File::of(bytes, directory);
    let table = DepthTable::open(&file.0, Rules::Awari, stones, of)?;
    let checked = table.check();
    let mut depths = vec![0; Index::new(stones).positions() as usize];
    table.read(0, &mut depths)?;
    for (place, &depth) in depths.iter().enumerate() {
        assert_eq!(table.depth(place as u64)?, depth);
    }
    checked.map(|()| depths)
}

/// Takes bytes as a model and others as a block, and decodes every tile from it: values, and depths
/// that belong to values as they come.
pub fn compressed(stones: u32, model: &[u8], block: &[u8]) {
    if let Ok(decoder) = Decoder::of_values(stones, model) {
        for tile in (0..decoder.tiles()).take(200) {
            if let Ok(values) = decoder.values(tile, block) {
                for (_, inside) in decoder.stored(tile) {
                    assert!(values[inside].iter().all(|value| u32::from(value.unsigned_abs()) <= stones));
                }
            }
        }
    }
    if let Ok(decoder) = Decoder::of_depths(stones, model) {
        let most = stones as u8;
        let values: Vec<i8> =
            block.iter().chain([&0]).cycle().take(1 << 11).map(|&b| (b % (most + 1)) as i8).collect();
        for tile in (0..decoder.tiles()).take(200) {
            let _ = decoder.depths(tile, &values, block);
        }
    }
}

/// Opens bytes as `scores.N` and asks for each position. What is answered is what is there.
pub fn vu(bytes: &[u8], stones: u32, directory: &Path) -> Result<(), TableError> {
    let file = File::of(bytes, directory);
    let table = VuTable::open(&file.0, stones)?;
    let is_value = |byte: &u8| u32::from((*byte as i8).unsigned_abs()) <= stones;
    assert_eq!(bytes.len() as u64, Index::new(stones).positions());
    for (place, byte) in bytes.iter().enumerate() {
        match table.value(&table.board(place as u64)) {
            Ok(value) => assert!(is_value(byte) && value == Some(*byte as i8)),
            Err(TableError::NoValue { place: named, .. }) => {
                assert!(!is_value(byte) && named == place as u64);
            }
            Err(error) => return Err(error),
        }
    }
    let right = bytes.iter().all(is_value);
    assert!(table.counts().is_ok() == right && table.content_hash().is_ok() == right);
    Ok(())
}
