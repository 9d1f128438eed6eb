//! The header of a table of depths: what it says, as bytes and back.

use std::path::Path;

use bincode::{Decode, Encode};

use super::bytes::Entry;
use crate::board::MAX_STONES;
use crate::index::Index;
use crate::rules::Rules;
use crate::table::TableError;
use crate::table::header::{
    CHECKSUM_BYTES, ContentHash, Encoding, HALVES, IndexOrder, Metric, PAGE, PREFIX_BYTES, checked_body,
    config, corrupt, encoding_code, known, metric_code, rules_code, seal,
};
use crate::table::streams;

/// The length of what is between prefix and checksum.
pub(in crate::table) const BODY_BYTES: usize = 128;

/// Bytes before the block directory.
pub(super) const HEADER_BYTES: usize = PREFIX_BYTES + BODY_BYTES + CHECKSUM_BYTES;

/// Bytes of the directory for each block of bytes: the end of its list, and its checksum.
pub(super) const LIST_ENTRY_BYTES: usize = 12;

/// What the header of a table of depths says.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct DepthHeader {
    /// The rules the depths were found for.
    pub rules: Rules,
    /// Stones on the board in every position of the table, 0..=48.
    pub stones: u32,
    /// The order of the positions.
    pub order: IndexOrder,
    /// How the depths are written: packed is a byte each, or two.
    pub encoding: Encoding,
    /// The greatest depth, in plies.
    pub max: u16,
    /// The sum of the depths of all stored positions, in plies.
    pub sum: u64,
    /// How many depths need more than a byte.
    pub listed: u64,
    /// The hash of the depths.
    pub content_hash: ContentHash,
    /// The hash of the values these depths belong to.
    pub values_hash: ContentHash,
    /// Bytes of data, if they do not follow from the rest: of a compressed table.
    pub(super) compressed_bytes: u64,
}

impl DepthHeader {
    /// Positions stored.
    pub fn positions(&self) -> u64 {
        Index::new(self.stones).positions()
    }

    /// Blocks of the data, each with a checksum of its own: 65,536 positions (the last may have
    /// fewer) if the table is packed, the model and the blocks of [`crate::table::compressed`] if
    /// it is compressed.
    pub fn blocks(&self) -> u64 {
        self.encoding.blocks(self.stones)
    }

    /// Bytes of one entry of the directory.
    pub(super) fn entry_bytes(&self) -> usize {
        match self.encoding {
            Encoding::Packed => LIST_ENTRY_BYTES,
            Encoding::Compressed => streams::ENTRY_BYTES,
        }
    }

    /// Bytes from the start of the file to the data.
    pub fn data_offset(&self) -> u64 {
        (HEADER_BYTES as u64 + self.entry_bytes() as u64 * self.blocks()).next_multiple_of(PAGE)
    }

    /// Bytes of data.
    pub fn data_bytes(&self) -> u64 {
        match self.encoding {
            Encoding::Packed => self.positions() + size_of::<Entry>() as u64 * self.listed,
            Encoding::Compressed => self.compressed_bytes,
        }
    }

    /// Bytes of the whole file.
    pub fn file_bytes(&self) -> u64 {
        self.data_offset().saturating_add(self.data_bytes())
    }
}

/// The fields between prefix and checksum, in their order in the file.
#[derive(Encode, Decode)]
struct Body {
    rules: u8,
    stones: u8,
    metric: u8,
    order: u8,
    encoding: u8,
    zeros: [u8; 3],
    positions: u64,
    block_positions: u32,
    blocks: u32,
    data_offset: u64,
    data_bytes: u64,
    sum: u64,
    listed: u64,
    max: u16,
    zero: u16,
    content_hash: [u8; 32],
    values_hash: [u8; 32],
    directory_checksum: u32,
}

/// The bytes of a header, and the checksum of the directory that follows it.
pub(super) fn encode(header: &DepthHeader, directory_checksum: u32) -> [u8; HEADER_BYTES] {
    let IndexOrder::Halves = header.order;
    let body = Body {
        rules: rules_code(header.rules),
        stones: header.stones as u8,
        metric: metric_code(Metric::Depth),
        order: HALVES,
        encoding: encoding_code(header.encoding),
        zeros: [0; 3],
        positions: header.positions(),
        block_positions: header.encoding.block_positions() as u32,
        blocks: header.blocks() as u32,
        data_offset: header.data_offset(),
        data_bytes: header.data_bytes(),
        sum: header.sum,
        listed: header.listed,
        max: header.max,
        zero: 0,
        content_hash: header.content_hash.0,
        values_hash: header.values_hash.0,
        directory_checksum,
    };
    seal(body)
}

/// Reads the header at the start of a file of `file_bytes` bytes, and the checksum of the block
/// directory. A header that is returned fits the length of the file.
pub(super) fn decode(path: &Path, start: &[u8], file_bytes: u64) -> Result<(DepthHeader, u32), TableError> {
    let body = checked_body(path, start, file_bytes, Metric::Depth)?;
    let body: Body = match bincode::decode_from_slice(body, config()) {
        Ok((body, _)) => body,
        Err(error) => return corrupt(path, "layout", &"readable", &error),
    };
    let (rules, metric, order, encoding) = known(path, body.rules, body.metric, body.order, body.encoding)?;
    if metric != Metric::Depth {
        let (expected, found) = (Metric::Depth, metric);
        return Err(TableError::WrongMetric { path: path.to_owned(), expected, found });
    }
    let stones = u32::from(body.stones);
    if stones > MAX_STONES {
        return corrupt(path, "stones", &"0 to 48", &stones);
    }
    let header = DepthHeader {
        rules,
        stones,
        order,
        encoding,
        max: body.max,
        sum: body.sum,
        listed: body.listed,
        content_hash: ContentHash(body.content_hash),
        values_hash: ContentHash(body.values_hash),
        compressed_bytes: body.data_bytes,
    };
    if header.listed > header.positions() {
        let most = header.positions();
        return corrupt(path, "depths in the list", &format_args!("up to {most}"), &header.listed);
    }
    let derived = [
        ("zeros", 0, body.zeros.iter().map(|&zero| u64::from(zero)).sum()),
        ("zero", 0, u64::from(body.zero)),
        ("positions", header.positions(), body.positions),
        ("block positions", encoding.block_positions(), u64::from(body.block_positions)),
        ("blocks", header.blocks(), u64::from(body.blocks)),
        ("data offset", header.data_offset(), body.data_offset),
        ("data bytes", header.data_bytes(), body.data_bytes),
    ];
    for (field, expected, found) in derived {
        if expected != found {
            return corrupt(path, field, &expected, &found);
        }
    }
    if header.file_bytes() != file_bytes {
        let (expected, found) = (header.file_bytes(), file_bytes);
        return Err(TableError::WrongLength { path: path.to_owned(), expected, found });
    }
    Ok((header, body.directory_checksum))
}
