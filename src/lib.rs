//! Exact endgame databases of Awari.
#![warn(missing_docs)]

pub mod board;
pub mod engine;
pub mod half;
pub mod index;
pub mod notation;
pub mod rules;
pub mod table;
pub mod tablebase;

pub use board::Board;
pub use rules::Rules;
