//! Values in a bit or two a position: half of them, as an entropy coder says them.
//!
//! A compressed table stores the positions in which the mover has the larger half of the board
//! (`tiles.rs` has it to the letter); every other position is known from one look ahead, because
//! no move leads from one that is left out to another. The stored values are cut into **tiles** of
//! neighbouring rows and columns. Each tile is a stream of its own, coded by frequencies that
//! depend on the **context** of a position: what its neighbours in the tile are, and what can be
//! seen on its board without a look-up. A decision tree, grown for the table at hand and stored
//! with it, sorts positions into contexts.
//!
//! ```text
//! model   tree and frequencies, as `tree.rs` and `model.rs` write them
//! blocks  64 tiles each; the last has what is left:
//!           2 bytes a tile: the length of its stream
//!           the streams
//! ```
//!
//! The token of a value v in a table of n stones is v + n. A tile without a stored position has an
//! empty stream.
//!
//! Everything is computed in integers, and the model is learnt from a sample that depends on
//! nothing but the number of stones: the same values give the same bytes.

mod captures;
mod features;
mod model;
mod rans;
mod tiles;
mod tree;
mod walker;

use std::convert::Infallible;
use std::fmt;
use std::ops::Range;

use rayon::prelude::*;

use crate::half;
use features::{Features, walk};
use model::{Model, TOKENS};
use rans::{SCALE_BITS, Slots};
use tiles::{Tile, Tiles};
use tree::{Example, Tree};
use walker::Walker;

/// Positions of a tile, at most.
pub(super) const TILE_POSITIONS: usize = tiles::TILE_POSITIONS;

/// Positions of a block, at most.
pub(super) const BLOCK_POSITIONS: u64 = BLOCK_TILES * TILE_POSITIONS as u64;

/// Tiles of a block.
const BLOCK_TILES: u64 = 64;

/// Tiles the model is learnt from.
const SAMPLE_TILES: u64 = 256;

/// Bits a fork of the tree must save in the whole table: about what it and one more context take
/// to be written down.
const FORK_BITS: u64 = 160;

/// Bits a fork must save among the examples, so that it is no accident.
const FORK_BITS_SEEN: u64 = 64;

/// The bytes are not those of an encoder.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Corrupt;

impl fmt::Display for Corrupt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not compressed values")
    }
}

impl std::error::Error for Corrupt {}

/// How many blocks the compressed values of `stones` stones are.
pub fn blocks(stones: u32) -> u64 {
    Tiles::new(stones).count().div_ceil(BLOCK_TILES)
}

/// Compresses the values of one table.
///
/// ```
/// use awari::table::compressed::{Decoder, Encoder};
/// use awari::{Rules, engine};
/// # struct NoTables;
/// # impl engine::SmallerTables for NoTables {
/// #     fn read(&self, _: u32, _: u64, _: &mut [i8]) { unreachable!() }
/// # }
/// let solved = engine::solve(Rules::Awari, 1, &NoTables, &engine::Storage::Memory, &engine::Unwatched)?;
/// let encoder = Encoder::new(1, &solved.values);
/// let block = encoder.block(0);
///
/// let decoder = Decoder::new(1, &encoder.model())?;
/// let spot = decoder.spot(4).unwrap();
/// let tile = decoder.decode(spot.tile, &block)?;
/// assert_eq!(tile[spot.inside], solved.values[4]);
/// // The mover has no stone, so this one is known from a look ahead.
/// assert_eq!(decoder.spot(7), None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Encoder<'a> {
    stones: u32,
    tiles: Tiles,
    values: &'a [i8],
    walker: Walker,
    model: Model,
    slots: Vec<Slots>,
}

impl<'a> Encoder<'a> {
    /// Learns the model of these values: all of one table, in the order of
    /// [`crate::index::Index`]. Uses the threads of the current rayon pool.
    ///
    /// # Panics
    /// If they are not as many as positions of `stones` stones, or one is not in −n..=n.
    pub fn new(stones: u32, values: &'a [i8]) -> Encoder<'a> {
        let tiles = Tiles::new(stones);
        assert_eq!(values.len() as u64, tiles.index().positions(), "values of {stones} stones");
        let sampled = tiles.count().min(SAMPLE_TILES);
        let examples: Vec<Example> = (0..sampled)
            .into_par_iter()
            .flat_map_iter(|i| {
                let tile = tiles.tile(i * tiles.count() / sampled);
                let mut examples = Vec::new();
                visit(stones, values, &tile, |features, token| {
                    examples.push(Example { features: *features, token });
                });
                examples
            })
            .collect();
        let share = FORK_BITS * sampled / tiles.count();
        let tree = Tree::grow(&examples, share.max(FORK_BITS_SEEN));
        let walker = Walker::new(&tree, 4 * stones as u16);
        let leaves = tree.leaves();
        let none = || vec![[0; TOKENS]; leaves];
        let at_once = (tiles.count() as usize).div_ceil(4 * rayon::current_num_threads());
        let counts = (0..tiles.count() as usize)
            .into_par_iter()
            .with_min_len(at_once)
            .fold(none, |mut counts, number| {
                visit(stones, values, &tiles.tile(number as u64), |features, token| {
                    counts[walker.leaf(features)][usize::from(token)] += 1;
                });
                counts
            })
            .reduce(none, |mut some, more| {
                some.iter_mut().flatten().zip(more.iter().flatten()).for_each(|(sum, more)| *sum += more);
                some
            });
        let model = Model::new(tree, &counts, 2 * stones as u8);
        let slots = model.slots();
        Encoder { stones, tiles, values, walker, model, slots }
    }

    /// The model, as the decoder needs it.
    pub fn model(&self) -> Vec<u8> {
        self.model.write()
    }

    /// One block of [`blocks`], as the decoder needs it.
    ///
    /// # Panics
    /// If there is no such block.
    pub fn block(&self, block: u64) -> Vec<u8> {
        let tiles = tiles_of(&self.tiles, block);
        assert!(!tiles.is_empty(), "no block {block}");
        let mut bytes = vec![0; 2 * (tiles.end - tiles.start) as usize];
        let mut symbols = Vec::new();
        for (i, number) in tiles.enumerate() {
            symbols.clear();
            visit(self.stones, self.values, &self.tiles.tile(number), |features, token| {
                symbols.push(self.slots[self.walker.leaf(features) * TOKENS + usize::from(token)]);
            });
            if !symbols.is_empty() {
                let stream = rans::encode(&symbols);
                // A symbol takes at most 14 bits.
                const { assert!(tiles::TILE_POSITIONS * SCALE_BITS as usize / 8 + 4 < 1 << 16) };
                bytes[2 * i..2 * i + 2].copy_from_slice(&(stream.len() as u16).to_le_bytes());
                bytes.extend(stream);
            }
        }
        bytes
    }
}

/// The tiles of a block.
fn tiles_of(tiles: &Tiles, block: u64) -> Range<u64> {
    let start = (block * BLOCK_TILES).min(tiles.count());
    start..tiles.count().min(start + BLOCK_TILES)
}

/// The token where there is no neighbour: that of value 0.
fn start(stones: u32) -> u8 {
    stones as u8
}

/// Shows the features and the token of every stored position of a tile.
fn visit(stones: u32, values: &[i8], tile: &Tile, mut seen: impl FnMut(&Features, u8)) {
    let walked = walk::<Infallible>(tile, start(stones), |place, features| {
        let token = i16::from(values[place as usize]) + stones as i16;
        assert!((0..=2 * stones as i16).contains(&token), "a value of {stones} stones");
        seen(features, token as u8);
        Ok(token as u8)
    });
    let Ok(_) = walked;
}

/// Where a stored position is.
pub use tiles::Spot;

/// Reads compressed values.
#[derive(Clone, Debug)]
pub struct Decoder {
    stones: u32,
    tiles: Tiles,
    model: Model,
}

impl Decoder {
    /// A decoder of the values of `stones` stones under this model.
    ///
    /// # Errors
    /// If the bytes are not a model.
    pub fn new(stones: u32, model: &[u8]) -> Result<Decoder, Corrupt> {
        Ok(Decoder { stones, tiles: Tiles::new(stones), model: Model::read(model, 2 * stones as u8)? })
    }

    /// Where the position at `place` is, or None if its value is not stored: then it is the best
    /// of its moves, each of which leads to a position that is stored or has fewer stones.
    pub fn spot(&self, place: u64) -> Option<Spot> {
        self.tiles.spot(place)
    }

    /// How many tiles there are.
    pub fn tiles(&self) -> u64 {
        self.tiles.count()
    }

    /// The block that a tile is in.
    pub fn block_of(&self, tile: u64) -> u64 {
        tile / BLOCK_TILES
    }

    /// The values of a tile, of which `block` is the whole block. Those of positions that are not
    /// stored mean nothing.
    ///
    /// # Errors
    /// If the block is damaged. Damage is not always found; that is left to a checksum.
    ///
    /// # Panics
    /// If there is no such tile.
    pub fn decode(&self, tile: u64, block: &[u8]) -> Result<Vec<i8>, Corrupt> {
        let stream = self.stream(tile, block)?;
        let tile = self.tiles.tile(tile);
        let start = start(self.stones);
        let tokens = if stream.is_empty() {
            walk(&tile, start, |_, _| Err(Corrupt))?
        } else {
            let mut stream = rans::Decoder::new(stream)?;
            let tokens = walk(&tile, start, |_, features| Ok(self.model.decode(features, &mut stream)))?;
            stream.finish()?;
            tokens
        };
        Ok(tokens.into_iter().map(|token| token.wrapping_sub(self.stones as u8) as i8).collect())
    }

    fn stream<'a>(&self, tile: u64, block: &'a [u8]) -> Result<&'a [u8], Corrupt> {
        assert!(tile < self.tiles.count(), "no tile {tile}");
        let tiles = tiles_of(&self.tiles, tile / BLOCK_TILES);
        let lengths = 2 * (tiles.end - tiles.start) as usize;
        let (lengths, streams) = block.split_at_checked(lengths).ok_or(Corrupt)?;
        let length = |bytes: &[u8; 2]| usize::from(u16::from_le_bytes(*bytes));
        let lengths = lengths.as_chunks().0;
        let before = (tile - tiles.start) as usize;
        let from = lengths[..before].iter().map(length).sum();
        streams.get(from..from + length(&lengths[before])).ok_or(Corrupt)
    }

    /// The tiles that are side by side, with the places that are in none but them: from the first
    /// place on, one after the other.
    pub fn bands(&self) -> impl Iterator<Item = (Range<u64>, Range<u64>)> + '_ {
        self.tiles.bands()
    }

    /// The stored positions of a tile: for each run of places, where it is in the tile.
    pub fn stored(&self, tile: u64) -> impl Iterator<Item = (u64, Range<usize>)> {
        let tile = self.tiles.tile(tile);
        tile.rows.clone().enumerate().filter_map(move |(line, row)| {
            let stored = tile.stored(half::open_unrank(tile.waiting, row));
            let place = tile.place(row) + stored.start as u64;
            let first = line * tile.width();
            (!stored.is_empty()).then_some((place, first + stored.start..first + stored.end))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::Index;
    use proptest::prelude::*;

    fn round_trip(stones: u32, values: &[i8]) {
        let encoder = Encoder::new(stones, values);
        let decoder = Decoder::new(stones, &encoder.model()).unwrap();
        let mut seen = 0;
        for tile in 0..decoder.tiles() {
            let block = encoder.block(decoder.block_of(tile));
            let decoded = decoder.decode(tile, &block).unwrap();
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
            let encoder = Encoder::new(6, &values);
            let decoder = Decoder::new(6, &encoder.model()).unwrap();
            let mut block = encoder.block(0);
            let at = at.index(block.len());
            block[at] = byte;
            for tile in 0..decoder.tiles().min(64) {
                if let Ok(values) = decoder.decode(tile, &block) {
                    prop_assert!(values.iter().all(|value| value.abs() <= 6));
                }
                let _ = decoder.decode(tile, &block[..cut.index(block.len())]);
            }
        }
    }
}
