//! Table files: the values of all positions of one number of stones, and the depths beside them.
//!
//! A file holds a header, a directory of blocks, and data, packed or [`compressed`]. Their layout, to
//! the last byte, is in `docs/format.md`: what is written here and what is read here is what it says.
//! A block is checked against its checksum when it is first touched, so a damaged file gives an error
//! and never a wrong number. Depths are in a file of their own that names the values it belongs to.
//!
//! # Writing
//!
//! [`write()`] fills a temporary file beside the table, `.16.awari.tmp-XXXXXX`, reserves its space
//! first, forces it to disk, reads it back, and only then renames it. Whatever happens, the name
//! of a table leads to the old file, or to the new one, whole. What a killed process leaves behind
//! is known by its name: [`remove_leftovers`].

mod cache;
mod checked;
pub mod compressed;
mod counts;
mod depth;
mod error;
mod guard;
mod header;
mod map;
mod packed;
mod reader;
mod streams;
pub mod vu;
mod writer;

pub use cache::TileCache;
pub use counts::Counts;
pub(crate) use depth::write_depths_until;
pub use depth::{DepthCounts, DepthHeader, DepthTable, write_compressed_depths, write_depths};
pub use error::TableError;
pub use guard::catch_signals;
pub use header::{ContentHash, Encoding, FORMAT_VERSION, Header, IndexOrder, Metric, NotAHash};
pub use reader::Table;
pub use writer::{remove_leftovers, write, write_as};
pub(crate) use writer::{write_until, write_whole};

/// Positions a block of packed data, each block with a checksum of its own.
pub const BLOCK_POSITIONS: u64 = 1 << 16;
