//! Tables of depths. `docs/format.md` draws their files.

mod bytes;
mod counts;
mod header;
mod reader;
mod writer;

pub use counts::DepthCounts;
pub(super) use header::BODY_BYTES;
pub use header::DepthHeader;
pub use reader::DepthTable;
pub(crate) use writer::write_depths_until;
pub use writer::{write_compressed_depths, write_depths};
