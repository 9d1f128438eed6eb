//! Tokens into blocks and back, whatever they mean.

use std::ops::Range;

use rayon::prelude::*;

use super::features::Features;
use super::model::{Model, TOKENS};
use super::rans::{self, SCALE_BITS, Slots};
use super::tiles::{self, Spot, Tile, Tiles};
use super::tree::{Example, Tree};
use super::walker::Walker;
use super::{BLOCK_TILES, Corrupt};
use crate::half;

/// Tiles the model is learnt from.
const SAMPLE_TILES: u64 = 256;

/// Tokens of a position, at most.
pub(super) const TOKENS_EACH: usize = 3;

/// What a kind of numbers is made of.
pub struct Alphabet {
    /// The first feature is in 0..= this.
    pub(super) first: u16,
    /// Tokens are in 0..= this.
    pub(super) most: u8,
    /// Bits a fork of the tree must save in the whole table: about what it and one more context
    /// take to be written down.
    pub(super) fork_bits: u64,
    /// Bits a fork must save among the examples, so that it is no accident.
    pub(super) fork_bits_seen: u64,
}

/// Something to compress: the numbers of one table.
pub trait Source: Sync {
    /// Stones of the table.
    fn stones(&self) -> u32;

    /// How many numbers.
    fn numbers(&self) -> usize;

    /// What they are made of.
    fn alphabet(&self) -> Alphabet;

    /// Shows every token of a tile, with the features that were seen before it.
    fn visit(&self, tile: &Tile, seen: impl FnMut(&Features, u8));

    /// Whether nobody wants what is made of them any more.
    fn is_unwanted(&self) -> bool {
        false
    }
}

/// Compresses the numbers of one table.
///
/// ```
/// use awari::table::compressed::{Decoder, Encoder, Values};
/// use awari::{Rules, engine};
/// # struct NoTables;
/// # impl engine::SmallerTables for NoTables {
/// #     fn read(&self, _: u32, _: u64, _: &mut [i8]) { unreachable!() }
/// # }
/// let solved = engine::solve(Rules::Awari, 1, &NoTables, &engine::Storage::Memory, &engine::Unwatched)?;
/// let encoder = Encoder::new(Values::new(1, &solved.values));
/// let block = encoder.block(0);
///
/// let decoder = Decoder::of_values(1, &encoder.model())?;
/// let spot = decoder.spot(4).unwrap();
/// let tile = decoder.values(spot.tile, &block)?;
/// assert_eq!(tile[spot.inside], solved.values[4]);
/// // The mover has no stone, so this one is known from a look ahead.
/// assert_eq!(decoder.spot(7), None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Encoder<S> {
    tiles: Tiles,
    source: S,
    walker: Walker,
    model: Model,
    slots: Vec<Slots>,
}

impl<S: Source> Encoder<S> {
    /// Learns the model of these numbers. Uses the threads of the current rayon pool.
    ///
    /// # Panics
    /// If they are not as many as positions, or one is out of range.
    pub fn new(source: S) -> Encoder<S> {
        let tiles = Tiles::new(source.stones());
        let alphabet = source.alphabet();
        assert_eq!(source.numbers() as u64, tiles.index().positions(), "of {} stones", source.stones());
        let sampled = tiles.count().min(SAMPLE_TILES);
        let examples: Vec<Example> = (0..sampled)
            .into_par_iter()
            .flat_map_iter(|i| {
                let tile = tiles.tile(i * tiles.count() / sampled);
                let mut examples = Vec::new();
                source.visit(&tile, |features, token| {
                    examples.push(Example { features: *features, token });
                });
                examples
            })
            .collect();
        let share = alphabet.fork_bits * sampled / tiles.count();
        let tree = Tree::grow(&examples, share.max(alphabet.fork_bits_seen), &|| source.is_unwanted());
        let walker = Walker::new(&tree, alphabet.first);
        let leaves = tree.leaves();
        let none = || vec![[0; TOKENS]; leaves];
        let at_once = (tiles.count() as usize).div_ceil(4 * rayon::current_num_threads());
        let counts = (0..tiles.count() as usize)
            .into_par_iter()
            .with_min_len(at_once)
            .fold(none, |mut counts, number| {
                source.visit(&tiles.tile(number as u64), |features, token| {
                    counts[walker.leaf(features)][usize::from(token)] += 1;
                });
                counts
            })
            .reduce(none, |mut some, more| {
                some.iter_mut().flatten().zip(more.iter().flatten()).for_each(|(sum, more)| *sum += more);
                some
            });
        let model = Model::new(tree, &counts, &alphabet);
        let slots = model.slots();
        Encoder { tiles, source, walker, model, slots }
    }

    /// The model, as the decoder needs it.
    pub fn model(&self) -> Vec<u8> {
        self.model.write()
    }

    /// One block of [`super::blocks`], as the decoder needs it.
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
            self.source.visit(&self.tiles.tile(number), |features, token| {
                symbols.push(self.slots[self.walker.leaf(features) * TOKENS + usize::from(token)]);
            });
            if !symbols.is_empty() {
                let stream = rans::encode(&symbols);
                // A symbol takes at most 14 bits.
                const {
                    let symbols = tiles::TILE_POSITIONS * TOKENS_EACH;
                    assert!(symbols * SCALE_BITS as usize / 8 + 4 < 1 << 16);
                }
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

/// Reads what an [`Encoder`] made.
#[derive(Clone, Debug)]
pub struct Decoder {
    stones: u32,
    tiles: Tiles,
    model: Model,
}

/// The tokens of a tile, one after the other.
pub(super) struct Tokens<'a> {
    model: &'a Model,
    /// None if the tile has no stream.
    stream: Option<rans::Decoder<'a>>,
}

impl Tokens<'_> {
    /// The next token, after these features were seen.
    #[inline(always)]
    pub(super) fn next(&mut self, features: &Features) -> Result<u8, Corrupt> {
        match &mut self.stream {
            Some(stream) => Ok(self.model.decode(features, stream)),
            None => Err(Corrupt),
        }
    }
}

impl Decoder {
    pub(super) fn new(stones: u32, alphabet: &Alphabet, model: &[u8]) -> Result<Decoder, Corrupt> {
        Ok(Decoder { stones, tiles: Tiles::new(stones), model: Model::read(model, alphabet)? })
    }

    /// Stones of the table.
    pub fn stones(&self) -> u32 {
        self.stones
    }

    /// Where the position at `place` is, or None if it is not stored: then it is known from its
    /// moves, each of which leads to a position that is stored or has fewer stones.
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

    /// What `read` makes of the tokens of a tile, of which `block` is the whole block.
    pub(super) fn decode<T>(
        &self,
        tile: u64,
        block: &[u8],
        read: impl FnOnce(&Tile, &mut Tokens<'_>) -> Result<T, Corrupt>,
    ) -> Result<T, Corrupt> {
        let stream = self.stream(tile, block)?;
        let stream = if stream.is_empty() { None } else { Some(rans::Decoder::new(stream)?) };
        let mut tokens = Tokens { model: &self.model, stream };
        let read = read(&self.tiles.tile(tile), &mut tokens)?;
        tokens.stream.map_or(Ok(()), rans::Decoder::finish)?;
        Ok(read)
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
