//! Table files: the values of all positions of one number of stones, and the depths beside them.
//!
//! # The file format, version 1
//!
//! A file holds a header, a directory of blocks, and data. All numbers are little endian. Nothing
//! in the file depends on time, machine or number of threads: the same values give the same bytes.
//!
//! ```text
//! offset  bytes
//!      0      8  magic: 89 41 57 41 52 49 0D 0A ("\x89AWARI\r\n")
//!      8      4  format version: 1
//!     12      4  length of the body, the fields from 16 up to the checksum: 852
//!     16      1  rules: 0 awari, 1 abapa, 2 slam-ends
//!     17      1  stones n, 0..=48
//!     18      1  metric: 0 values (1 depths: a file of its own, see below)
//!     19      1  index order: 0 halves
//!     20      1  encoding: 0 packed, 1 compressed
//!     21      1  packed: bits a position b, 0..=7; compressed: 0
//!     22      2  zero
//!     24      8  positions: C(n+11, 11) − C(n+5, 11)
//!     32      4  positions a block, at most: packed 65,536; compressed 131,072
//!     36      4  blocks k: packed positions / 65,536, rounded up; compressed 1 + tiles / 64,
//!                rounded up
//!     40      8  offset of the data: 872 + 4k (compressed 8k), rounded up to a multiple of 4,096
//!     48      8  bytes of data, with their padding
//!     56    776  97 counts of 8 bytes: positions of value −48, −47, …, 48
//!    832     32  content hash
//!    864      4  CRC-32 of the directory, from offset 872 up to the data
//!    868      4  CRC-32 of the header, offsets 0..868
//!    872     4k  the directory: a CRC-32 for each block of data; compressed (8k bytes): a CRC-32
//!                and the length in bytes of each block
//!                zeros up to the offset of the data
//!                the data
//! ```
//!
//! **Positions** are in the order of [`crate::index`]: places 0, 1, 2, …
//!
//! **Packed data.** The values with a count above zero, in ascending order, are numbered from 0: the
//! code of each value. b = ⌈log2(how many there are)⌉, so 0 if all positions have one value. The
//! code of the position at place p is bits p·b..(p+1)·b of the data, where bit i is bit i mod 8,
//! the least significant first, of byte i div 8: to read it, load 8 bytes at p·b div 8 and shift
//! right by p·b mod 8. The codes end with zero bits up to a full byte, and 8 zero bytes follow
//! so that such a load never leaves the file.
//!
//! **Compressed data.** The first block is the model; the others follow it without a gap, as
//! [`compressed`] has them. Half of the values are stored, the others are known from a look ahead.
//!
//! **Blocks.** In packed data 65,536 positions make a block; that is 8,192·b bytes. The last block
//! has what is left and ends with the padding. In either kind a block is checked against its CRC-32 (that of zlib and
//! PNG) when it is first touched: a damaged file gives an error and never a wrong value.
//!
//! **The content hash** is the SHA-256 of the values, one signed byte a position in index order.
//! It does not depend on the encoding: two builds can be compared by it.
//!
//! # Files of depths
//!
//! The depths (plies to the next capture or end, see [`DepthTable`]) of the same positions are in
//! a second file with the same start. It names the values it belongs to, and is refused beside
//! others.
//!
//! ```text
//! offset  bytes
//!      0     12  magic and format version, as above
//!     12      4  length of the body: 128
//!     16      2  rules and stones, as above
//!     18      1  metric: 1 depths
//!     19      1  index order: 0 halves
//!     20      1  encoding: 0 a byte a position
//!     21      3  zeros
//!     24      8  positions
//!     32      4  positions a block: 65,536
//!     36      4  blocks k
//!     40      8  offset of the data: 148 + 12k, rounded up to a multiple of 4,096
//!     48      8  bytes of data: positions + 4e
//!     56      8  sum of all depths
//!     64      8  depths e in the list: those of 255 and more
//!     72      2  greatest depth
//!     74      2  zero
//!     76     32  content hash of the depths
//!    108     32  content hash of the values they belong to
//!    140      4  CRC-32 of the directory, from offset 148 up to the data
//!    144      4  CRC-32 of the header, offsets 0..144
//!    148    12k  the directory: for each block, how many depths of the list come up to its end
//!                (8 bytes), and its CRC-32 (4)
//!                zeros up to the offset of the data
//!                the data: a byte a position, then the list
//! ```
//!
//! A byte below 255 is the depth of its position; 255 says that it is in the list. The **list** is
//! in the order of the positions: 2 bytes for the place within the block, 2 for the depth. A
//! block's CRC-32 is that of its bytes followed by its part of the list. The **content hash** is
//! the SHA-256 of the depths, two bytes a position in index order.
//!
//! # Writing
//!
//! [`write()`] fills a temporary file beside the table, `.16.awari.tmp-XXXXXX`, reserves its space
//! first, forces it to disk, reads it back, and only then renames it. Whatever happens, the name
//! of a table leads to the old file, or to the new one, whole. What a killed process leaves behind
//! is known by its name: [`remove_leftovers`].

mod cache;
pub mod compressed;
mod counts;
mod depth;
mod error;
mod header;
mod map;
mod packed;
mod reader;
pub mod vu;
mod writer;

pub use cache::TileCache;
pub use counts::Counts;
pub use depth::{DepthCounts, DepthHeader, DepthTable, copy_depths, write_depths};
pub use error::TableError;
pub use header::{ContentHash, Encoding, FORMAT_VERSION, Header, IndexOrder, Metric, NotAHash};
pub use reader::Table;
pub(crate) use writer::write_whole;
pub use writer::{remove_leftovers, write, write_as};

/// Positions a block of packed data, each block with a checksum of its own.
pub const BLOCK_POSITIONS: u64 = 1 << 16;
