//! What the benches share: clocks, medians, memory, the machine's own limits, tables for reading.

pub mod clock;
pub mod grid;
pub mod huge;
pub mod limits;
pub mod mode;
pub mod solved;

pub use mode::is_test;
