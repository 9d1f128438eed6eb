//! Tables of depths. [`crate::table`] draws their files.

mod bytes;
mod counts;
mod header;
mod reader;
mod writer;

pub use counts::DepthCounts;
pub(super) use header::BODY_BYTES;
pub use header::DepthHeader;
pub use reader::DepthTable;
pub use writer::{copy_depths, write_depths};
