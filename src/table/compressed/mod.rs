//! Values and depths in a bit or two a position: half of them, as an entropy coder says them.
//!
//! A compressed table stores the positions in which the mover has the larger half of the board
//! (`tiles.rs` has it to the letter); every other position is known from one look ahead, because
//! no move leads from one that is left out to another. What is stored is cut into **tiles** of
//! neighbouring rows and columns. Each tile is a stream of its own, a row of **tokens**, coded by
//! frequencies that depend on the **context** of a position: what its neighbours in the tile are,
//! and what can be seen on its board without a look-up. A decision tree, grown for the table at
//! hand and stored with it, sorts positions into contexts. What tokens mean is all that values
//! (`values.rs`) and depths (`depths.rs`) do not share; depths are read beside their values, the
//! best hint there is.
//!
//! Everything is computed in integers, and the model is learnt from a sample that depends on
//! nothing but the number of stones: the same numbers give the same bytes. The bytes are drawn in
//! `docs/format.md`, and `docs/compression.md` says what else was tried.

mod captures;
mod coder;
mod depths;
mod features;
mod model;
mod rans;
mod tiles;
mod tree;
mod until;
mod values;
mod walker;

use std::fmt;

pub use coder::{Decoder, Encoder, Source};
pub use depths::Depths;
pub use tiles::Spot;
pub(super) use until::Until;
pub use values::Values;

/// Positions of a tile, at most.
pub(super) const TILE_POSITIONS: usize = tiles::TILE_POSITIONS;

/// Positions of a block, at most.
pub(super) const BLOCK_POSITIONS: u64 = BLOCK_TILES * TILE_POSITIONS as u64;

/// Tiles of a block.
const BLOCK_TILES: u64 = 64;

/// The bytes are not those of an encoder.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Corrupt;

impl fmt::Display for Corrupt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not compressed data")
    }
}

impl std::error::Error for Corrupt {}

/// How many blocks the compressed values or depths of `stones` stones are, their model not counted.
pub fn blocks(stones: u32) -> u64 {
    tiles::Tiles::new(stones).count().div_ceil(BLOCK_TILES)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::Index;
    use proptest::prelude::*;

    fn round_trip(stones: u32, values: &[i8]) {
        let encoder = Encoder::new(Values::new(stones, values));
        let decoder = Decoder::of_values(stones, &encoder.model()).unwrap();
        let mut seen = 0;
        for tile in 0..decoder.tiles() {
            let block = encoder.block(decoder.block_of(tile));
            let decoded = decoder.values(tile, &block).unwrap();
            for (place, inside) in decoder.stored(tile) {
                seen += inside.len();
                assert_eq!(&values[place as usize..][..inside.len()], &decoded[inside]);
            }
        }
        let stored = (0..values.len() as u64).filter(|&place| decoder.spot(place).is_some());
        assert_eq!(seen, stored.count());
    }

    #[test]
    fn all_sizes_read_back() {
        for stones in 0..=7 {
            let n = i64::from(stones);
            let positions = Index::new(stones).positions() as i64;
            round_trip(stones, &vec![0; positions as usize]);
            let spread: Vec<i8> = (0..positions).map(|i| ((i * i / 7) % (2 * n + 1) - n) as i8).collect();
            round_trip(stones, &spread);
        }
    }

    proptest! {
        #[test]
        fn damage_gives_an_error_or_other_values_and_never_a_panic(
            at in any::<prop::sample::Index>(),
            byte in any::<u8>(),
            cut in any::<prop::sample::Index>(),
        ) {
            let positions = Index::new(6).positions() as i64;
            let values: Vec<i8> = (0..positions).map(|i| ((i * i / 99) % 13 - 6) as i8).collect();
            let encoder = Encoder::new(Values::new(6, &values));
            let decoder = Decoder::of_values(6, &encoder.model()).unwrap();
            let mut block = encoder.block(0);
            let at = at.index(block.len());
            block[at] = byte;
            for tile in 0..decoder.tiles().min(64) {
                if let Ok(values) = decoder.values(tile, &block) {
                    prop_assert!(values.iter().all(|value| value.abs() <= 6));
                }
                let _ = decoder.values(tile, &block[..cut.index(block.len())]);
            }
        }
    }
}
