//! Exact endgame databases of Awari.
#![warn(missing_docs)]

pub mod board;
pub mod builder;
pub mod engine;
pub mod game;
pub mod grade;
pub mod half;
pub mod index;
mod machine;
pub mod manifest;
pub mod notation;
pub mod random;
pub mod rules;
pub mod sample;
pub mod search;
pub mod stats;
pub mod table;
pub mod tablebase;
mod text;
pub mod units;
pub mod verify;

pub use board::Board;
pub use builder::Builder;
pub use rules::Rules;
pub use search::Search;
pub use tablebase::Tablebase;
