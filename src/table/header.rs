//! The header of a table: what it says, as bytes and back.
//!
//! This file and the header of depth tables beside it are the only ones that know bincode. Every
//! field has a fixed place, drawn in `docs/format.md`.

use std::fmt;
use std::ops::Range;
use std::path::Path;
use std::str::FromStr;

use bincode::{Decode, Encode};

use super::BLOCK_POSITIONS;
use super::compressed;
use super::counts::{Counts, VALUES};
use super::error::TableError;
use super::packed::{self, PADDING};
use super::streams;
use crate::board::MAX_STONES;
use crate::index::Index;
use crate::rules::Rules;

/// The first eight bytes of every table. A transfer that changes line ends breaks them.
pub(super) const MAGIC: [u8; 8] = *b"\x89AWARI\r\n";

/// The format version this program writes, and the newest it reads.
pub const FORMAT_VERSION: u32 = 1;

/// Magic, version and the length of what follows.
pub(super) const PREFIX_BYTES: usize = 16;
const BODY_BYTES: usize = 852;
pub(super) const CHECKSUM_BYTES: usize = 4;

/// Bytes before the block directory.
pub(super) const HEADER_BYTES: usize = PREFIX_BYTES + BODY_BYTES + CHECKSUM_BYTES;

/// The data start at a multiple of this, so that a block is read without its neighbours.
pub(super) const PAGE: u64 = 4096;

/// What the numbers of a table mean.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Metric {
    /// Stones the player to move captures minus those his opponent captures, under best play.
    Value,
    /// Plies to the next capture or end under best play: see [`super::DepthTable`].
    Depth,
}

impl fmt::Display for Metric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Metric::Value => "values",
            Metric::Depth => "depths",
        })
    }
}

/// The order of the positions in a table.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum IndexOrder {
    /// By half-boards, as [`Index`] has it.
    Halves,
}

impl fmt::Display for IndexOrder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad("halves")
    }
}

/// How values and depths become bytes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Encoding {
    /// A number of fixed width for each value that occurs; a byte for a depth, or two.
    Packed,
    /// Half of the positions, entropy-coded: [`crate::table::compressed`].
    Compressed,
}

impl fmt::Display for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Encoding::Packed => "packed",
            Encoding::Compressed => "compressed",
        })
    }
}

impl Encoding {
    /// Blocks of the data of a table of `stones` stones.
    pub(super) fn blocks(self, stones: u32) -> u64 {
        match self {
            Encoding::Packed => Index::new(stones).positions().div_ceil(BLOCK_POSITIONS),
            Encoding::Compressed => 1 + compressed::blocks(stones),
        }
    }

    /// Positions of a block, at most.
    pub(super) fn block_positions(self) -> u64 {
        match self {
            Encoding::Packed => BLOCK_POSITIONS,
            Encoding::Compressed => compressed::BLOCK_POSITIONS,
        }
    }
}

/// The SHA-256 of the numbers of a table in index order, one signed byte a value or two bytes a
/// depth (the lower first), whatever the encoding of the file. Two tables with the same hash hold
/// the same numbers.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct ContentHash(pub [u8; 32]);

impl fmt::Display for ContentHash {
    /// 64 hexadecimal digits, as `sha256sum` prints them.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Text that is no content hash.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NotAHash(pub String);

impl fmt::Display for NotAHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} is no SHA-256: expected 64 hexadecimal digits", self.0)
    }
}

impl std::error::Error for NotAHash {}

impl FromStr for ContentHash {
    type Err = NotAHash;

    fn from_str(text: &str) -> Result<ContentHash, NotAHash> {
        let digits: Option<Vec<u8>> = text.chars().map(|c| c.to_digit(16).map(|digit| digit as u8)).collect();
        let bytes = digits
            .map(|digits| digits.chunks(2).map(|pair| pair.iter().fold(0, |n, d| n << 4 | d)).collect());
        let hash = bytes.and_then(|bytes: Vec<u8>| <[u8; 32]>::try_from(bytes).ok());
        hash.filter(|_| text.len() == 64).map(ContentHash).ok_or_else(|| NotAHash(text.to_owned()))
    }
}

/// What the header of a table says.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Header {
    /// The rules the table was built for.
    pub rules: Rules,
    /// Stones on the board in every position of the table, 0..=48.
    pub stones: u32,
    /// What the numbers mean.
    pub metric: Metric,
    /// The order of the positions.
    pub order: IndexOrder,
    /// How the numbers are written.
    pub encoding: Encoding,
    /// How many stored positions have each value.
    pub counts: Counts,
    /// The hash of the values.
    pub content_hash: ContentHash,
    /// Bytes of data, if they do not follow from the rest: of a compressed table.
    pub(super) compressed_bytes: u64,
}

impl Header {
    /// Positions stored.
    pub fn positions(&self) -> u64 {
        Index::new(self.stones).positions()
    }

    /// Bits a position, 0..=7; 0 if the table is compressed.
    pub fn bits(&self) -> u32 {
        match self.encoding {
            Encoding::Packed => packed::width(self.counts.iter().count()),
            Encoding::Compressed => 0,
        }
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
            Encoding::Packed => 4,
            Encoding::Compressed => streams::ENTRY_BYTES,
        }
    }

    /// Bytes from the start of the file to the data.
    pub fn data_offset(&self) -> u64 {
        (HEADER_BYTES as u64 + self.entry_bytes() as u64 * self.blocks()).next_multiple_of(PAGE)
    }

    /// Bytes of data, with the padding at the end.
    pub fn data_bytes(&self) -> u64 {
        match self.encoding {
            Encoding::Packed => packed::packed_bytes(self.positions(), self.bits()) + PADDING as u64,
            Encoding::Compressed => self.compressed_bytes,
        }
    }

    /// Where in the data of a packed table a block lies, in bytes; the last ends with the padding.
    pub(super) fn packed_block(&self, block: u64) -> Range<u64> {
        let start = packed::packed_bytes(block * BLOCK_POSITIONS, self.bits());
        let end = packed::packed_bytes((block + 1) * BLOCK_POSITIONS, self.bits());
        start..if block + 1 == self.blocks() { self.data_bytes() } else { end }
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
    bits: u8,
    zero: u16,
    positions: u64,
    block_positions: u32,
    blocks: u32,
    data_offset: u64,
    data_bytes: u64,
    counts: [u64; VALUES],
    content_hash: [u8; 32],
    directory_checksum: u32,
}

pub(super) fn config() -> impl bincode::config::Config {
    bincode::config::standard().with_little_endian().with_fixed_int_encoding().with_limit::<BODY_BYTES>()
}

pub(super) fn rules_code(rules: Rules) -> u8 {
    match rules {
        Rules::Awari => 0,
        Rules::Abapa => 1,
        Rules::SlamEnds => 2,
    }
}

pub(super) fn metric_code(metric: Metric) -> u8 {
    match metric {
        Metric::Value => 0,
        Metric::Depth => 1,
    }
}

/// The length of the header body of each kind of table.
fn body_bytes(metric: Metric) -> usize {
    match metric {
        Metric::Value => BODY_BYTES,
        Metric::Depth => super::depth::BODY_BYTES,
    }
}

pub(super) const HALVES: u8 = 0;

pub(super) fn encoding_code(encoding: Encoding) -> u8 {
    match encoding {
        Encoding::Packed => 0,
        Encoding::Compressed => 1,
    }
}

/// The bytes of a header, and the checksum of the directory that follows it.
pub(super) fn encode(header: &Header, directory_checksum: u32) -> [u8; HEADER_BYTES] {
    let IndexOrder::Halves = header.order;
    let body = Body {
        rules: rules_code(header.rules),
        stones: header.stones as u8,
        metric: metric_code(header.metric),
        order: HALVES,
        encoding: encoding_code(header.encoding),
        bits: header.bits() as u8,
        zero: 0,
        positions: header.positions(),
        block_positions: header.encoding.block_positions() as u32,
        blocks: header.blocks() as u32,
        data_offset: header.data_offset(),
        data_bytes: header.data_bytes(),
        counts: header.counts.slots(),
        content_hash: header.content_hash.0,
        directory_checksum,
    };
    seal(body)
}

/// A header of N bytes: what all begin with, the body, and its checksum.
pub(super) fn seal<const N: usize>(body: impl Encode) -> [u8; N] {
    let body_bytes = N - PREFIX_BYTES - CHECKSUM_BYTES;
    let mut bytes = [0; N];
    bytes[..8].copy_from_slice(&MAGIC);
    bytes[8..12].copy_from_slice(&FORMAT_VERSION.to_le_bytes());
    bytes[12..16].copy_from_slice(&(body_bytes as u32).to_le_bytes());
    let (signed, checksum) = bytes.split_at_mut(PREFIX_BYTES + body_bytes);
    let written = bincode::encode_into_slice(body, &mut signed[PREFIX_BYTES..], config());
    // Every field has a fixed size, so only a changed `Body` can fail here.
    assert!(written.as_ref().is_ok_and(|&to| to == body_bytes), "a body of {body_bytes} bytes: {written:?}");
    checksum.copy_from_slice(&crc32fast::hash(signed).to_le_bytes());
    bytes
}

/// The body of the header at the start of a file of `file_bytes` bytes: what all kinds of tables
/// have in common is right, checksum included. `start` is the file or as much of its start as
/// there is.
pub(super) fn checked_body<'a>(
    path: &Path,
    start: &'a [u8],
    file_bytes: u64,
    metric: Metric,
) -> Result<&'a [u8], TableError> {
    let number = |at: usize| {
        let bytes = [start[at], start[at + 1], start[at + 2], start[at + 3]];
        u32::from_le_bytes(bytes)
    };

    // What holds for every version comes first.
    let common = start.len().min(MAGIC.len());
    if start[..common] != MAGIC[..common] {
        return Err(TableError::NotATable { path: path.to_owned() });
    }
    // How long the file should be is in the part that is missing.
    let short = |metric| {
        let expected = (PREFIX_BYTES + body_bytes(metric) + CHECKSUM_BYTES) as u64;
        Err(TableError::CutHeader { path: path.to_owned(), expected, found: file_bytes })
    };
    if start.len() < PREFIX_BYTES {
        return short(metric);
    }
    let (version, length) = (number(8), number(12));
    if version > FORMAT_VERSION {
        let (found, known) = (version, FORMAT_VERSION);
        return Err(TableError::NewerVersion { path: path.to_owned(), found, known });
    }
    if version != FORMAT_VERSION {
        return corrupt(path, "format version", &FORMAT_VERSION, &version);
    }
    let kinds = [Metric::Value, Metric::Depth];
    let Some(found_metric) = kinds.into_iter().find(|&kind| body_bytes(kind) as u32 == length) else {
        return corrupt(path, "header length", &body_bytes(metric), &length);
    };
    let end = PREFIX_BYTES + body_bytes(found_metric);
    if start.len() < end + CHECKSUM_BYTES {
        return short(found_metric);
    }
    let (expected, found) = (number(end), crc32fast::hash(&start[..end]));
    if expected != found {
        return corrupt(path, "checksum", &format_args!("{expected:08x}"), &format_args!("{found:08x}"));
    }
    if found_metric != metric {
        let (expected, found) = (metric, found_metric);
        return Err(TableError::WrongMetric { path: path.to_owned(), expected, found });
    }
    Ok(&start[PREFIX_BYTES..end])
}

/// The rules, metric, index order and encoding of a header, if this program knows them.
pub(super) fn known(
    path: &Path,
    rules: u8,
    metric: u8,
    order: u8,
    encoding: u8,
) -> Result<(Rules, Metric, IndexOrder, Encoding), TableError> {
    let unsupported = |field, found| Err(TableError::Unsupported { path: path.to_owned(), field, found });
    let Some(found_rules) = Rules::ALL.into_iter().find(|&known| rules_code(known) == rules) else {
        return unsupported("rules", rules);
    };
    let metrics = [Metric::Value, Metric::Depth];
    let Some(found_metric) = metrics.into_iter().find(|&known| metric_code(known) == metric) else {
        return unsupported("metric", metric);
    };
    if order != HALVES {
        return unsupported("index order", order);
    }
    let encodings = [Encoding::Packed, Encoding::Compressed];
    let Some(found_encoding) = encodings.into_iter().find(|&known| encoding_code(known) == encoding) else {
        return unsupported("encoding", encoding);
    };
    Ok((found_rules, found_metric, IndexOrder::Halves, found_encoding))
}

/// Compares the directory, with the zeros behind it, with its checksum.
pub(super) fn check_directory(path: &Path, directory: &[u8], checksum: u32) -> Result<(), TableError> {
    let found = crc32fast::hash(directory);
    if found == checksum {
        return Ok(());
    }
    let (expected, found) = (format_args!("{checksum:08x}"), format_args!("{found:08x}"));
    corrupt(path, "checksum of the block directory", &expected, &found)
}

/// That a field of a header contradicts its checksum or the others.
pub(super) fn corrupt<T>(
    path: &Path,
    field: &'static str,
    expected: &dyn fmt::Display,
    found: &dyn fmt::Display,
) -> Result<T, TableError> {
    let (expected, found) = (expected.to_string(), found.to_string());
    Err(TableError::CorruptHeader { path: path.to_owned(), field, expected, found })
}

/// Reads the header at the start of a file of `file_bytes` bytes, and the checksum of the block
/// directory. `start` is the file or as much of its start as there is. Nothing is allocated on
/// the word of the file, and a header that is returned fits the length of the file.
pub(super) fn decode(path: &Path, start: &[u8], file_bytes: u64) -> Result<(Header, u32), TableError> {
    let corrupt =
        |field, expected: &dyn fmt::Display, found: &dyn fmt::Display| corrupt(path, field, expected, found);
    let body = checked_body(path, start, file_bytes, Metric::Value)?;
    let body: Body = match bincode::decode_from_slice(body, config()) {
        Ok((body, _)) => body,
        Err(error) => return corrupt("layout", &"readable", &error),
    };

    // The header is as it was written. Is it one this program understands?
    let (rules, metric, order, encoding) = known(path, body.rules, body.metric, body.order, body.encoding)?;

    // Does it agree with itself? All that follows from rules, stones and counts must be so.
    let stones = u32::from(body.stones);
    if stones > MAX_STONES {
        return corrupt("stones", &"0 to 48", &stones);
    }
    let header = Header {
        rules,
        stones,
        metric,
        order,
        encoding,
        counts: Counts::from_slots(body.counts),
        content_hash: ContentHash(body.content_hash),
        compressed_bytes: body.data_bytes,
    };
    let counted = body.counts.iter().try_fold(0u64, |sum, &count| sum.checked_add(count));
    if counted != Some(header.positions()) {
        let found = counted.map_or("more than 2^64".to_owned(), |counted| counted.to_string());
        return corrupt("sum of the counts", &header.positions(), &found);
    }
    if let Some((value, _)) = header.counts.iter().find(|(value, _)| u32::from(value.unsigned_abs()) > stones)
    {
        return corrupt("counted value", &format_args!("-{stones} to {stones}"), &value);
    }
    let derived = [
        ("bits", u64::from(header.bits()), u64::from(body.bits)),
        ("zero", 0, u64::from(body.zero)),
        ("positions", header.positions(), body.positions),
        ("block positions", header.encoding.block_positions(), u64::from(body.block_positions)),
        ("blocks", header.blocks(), u64::from(body.blocks)),
        ("data offset", header.data_offset(), body.data_offset),
        ("data bytes", header.data_bytes(), body.data_bytes),
    ];
    for (field, expected, found) in derived {
        if expected != found {
            return corrupt(field, &expected, &found);
        }
    }
    if header.file_bytes() != file_bytes {
        let (expected, found) = (header.file_bytes(), file_bytes);
        return Err(TableError::WrongLength { path: path.to_owned(), expected, found });
    }
    Ok((header, body.directory_checksum))
}
