//! Values as tokens: that of value v in a table of n stones is v + n.

use std::convert::Infallible;

use super::Corrupt;
use super::coder::{Alphabet, Decoder, Source};
use super::features::{Features, Neighbours, walk};
use super::tiles::Tile;

/// The tokens and features of the values of `stones` stones.
pub(super) fn alphabet(stones: u32) -> Alphabet {
    Alphabet { first: 4 * stones as u16, most: 2 * stones as u8, fork_bits: 160, fork_bits_seen: 64 }
}

/// The token where there is no neighbour: that of value 0.
fn start(stones: u32) -> u8 {
    stones as u8
}

/// Fills in the features that are of neighbours:
///
/// | | |
/// |---|---|
/// | 0 | left + up |
/// | 1, 2 | the lesser and the greater of left and up |
/// | 3 | left + up − the one up and left |
/// | 4 | the one three rows up |
/// | 5, 6 | the column, and the row, with a stone moved from the fourth pit to the fifth |
/// | 7, 8 | the column, and the row, with a stone moved from the third pit to the fourth |
#[inline(always)]
fn describe(around: &Neighbours<u8>, features: &mut Features) {
    let (l, u) = (around.left, around.up);
    features[0] = i16::from(l) + i16::from(u);
    features[1] = i16::from(l.min(u));
    features[2] = i16::from(l.max(u));
    features[3] = features[0] - i16::from(around.corner);
    features[4] = i16::from(around.three_up);
    for (feature, &token) in features[5..].iter_mut().zip(&around.moved) {
        *feature = i16::from(token);
    }
}

/// All values of one table, in the order of [`crate::index::Index`].
pub struct Values<'a> {
    stones: u32,
    values: &'a [i8],
}

impl<'a> Values<'a> {
    /// The values of `stones` stones: as many as positions, each in −n..=n.
    pub fn new(stones: u32, values: &'a [i8]) -> Values<'a> {
        Values { stones, values }
    }
}

impl Source for Values<'_> {
    fn stones(&self) -> u32 {
        self.stones
    }

    fn numbers(&self) -> usize {
        self.values.len()
    }

    fn alphabet(&self) -> Alphabet {
        alphabet(self.stones)
    }

    fn visit(&self, tile: &Tile, mut seen: impl FnMut(&Features, u8)) {
        let stones = self.stones as i16;
        let walked = walk::<_, Infallible>(tile, start(self.stones), |here, around, features| {
            describe(around, features);
            let token = i16::from(self.values[here.place as usize]) + stones;
            assert!((0..=2 * stones).contains(&token), "a value of {stones} stones");
            seen(features, token as u8);
            Ok(token as u8)
        });
        let Ok(_) = walked;
    }
}

impl Decoder {
    /// A decoder of the values of `stones` stones under this model.
    ///
    /// # Errors
    /// If the bytes are not a model.
    pub fn of_values(stones: u32, model: &[u8]) -> Result<Decoder, Corrupt> {
        Decoder::new(stones, &alphabet(stones), model)
    }

    /// The values of a tile, of which `block` is the whole block. Those of positions that are not
    /// stored mean nothing.
    ///
    /// # Errors
    /// If the block is damaged. Damage is not always found; that is left to a checksum.
    ///
    /// # Panics
    /// If there is no such tile.
    pub fn values(&self, tile: u64, block: &[u8]) -> Result<Vec<i8>, Corrupt> {
        let stones = self.stones();
        let tokens = self.decode(tile, block, |tile, tokens| {
            walk(tile, start(stones), |_, around, features| {
                describe(around, features);
                tokens.next(features)
            })
        })?;
        Ok(tokens.into_iter().map(|token| token.wrapping_sub(stones as u8) as i8).collect())
    }
}
