//! Exact endgame databases of Awari.
#![warn(missing_docs)]

pub mod board;
pub mod engine;
pub mod half;
pub mod index;
pub mod notation;
pub mod rules;
pub mod stats;
pub mod table;
pub mod tablebase;
pub mod verify;

pub use board::Board;
pub use rules::Rules;
